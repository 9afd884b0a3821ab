import { describe, expect, test } from 'vitest';
import { analyse, bracketVerdict, sharedWarnings } from '../../../src/lab/report/analysis/analyse.js';
import type { Markout, MarkoutHorizon, MarkoutSide } from '../../../src/lab/report/analysis/trading.js';
import { resultTone } from '../../../src/lab/report/html/parts.js';
import { renderVerdict, reportHtml } from '../../../src/lab/report/html/report-html.js';
import { computeBreakdown } from '../../../src/lab/report/session-from-ledger.js';
import type { SessionRecord } from '../../../src/lab/session/contract.js';
import { must } from '../../../src/shared/base/errors.js';
import { makeSession } from './session.js';
import { aConversion, aFill, aMarket, aRoundTrip, aSession, ONE, under } from './sessions.js';

const markout = (record: SessionRecord, horizon: MarkoutHorizon, side: MarkoutSide): Markout =>
  must(
    analyse(record).markouts.find((row) => row.horizon === horizon && row.side === side),
    'the markout',
  );

describe('requests', () => {
  test('are counted for each fill, and by what each brought', () => {
    const { requests, result } = analyse(aSession([aMarket({ fills: aRoundTrip(900_000) })]));
    expect(requests?.perFill).toBe(45);
    expect(result.resultMicros).toBe(900_000);
    expect(requests?.valueMicros).toBe(10_000);
  });

  test('say nothing of fills where there was none', () => {
    const { requests } = analyse(aSession([aMarket()]));
    expect([requests?.perFill, requests?.valueMicros]).toEqual([null, 0]);
  });
});

describe('markouts', () => {
  const marks = (first: number | null) => [first, 410_000, 410_000, 410_000, null];
  const bought = aFill({ amountMicros: 30 * ONE, marksAfterMicros: marks(420_000) });
  const sold = aFill({ isBuy: false, priceMicros: 440_000, markMicros: 430_000, marksAfterMicros: marks(450_000) });
  const one = aSession([aMarket({ fills: [bought, sold], endYesMicros: 20 * ONE })]);

  test('are weighted by shares, and are the effective half-spread less adverse selection', () => {
    // (30 × 0.02 − 10 × 0.01) / 40.
    expect(markout(one, 1_000, 'all')).toMatchObject({ fills: 2, markoutMicros: 12_500, sharesMicros: 40 * ONE });
    expect(markout(one, 1_000, 'all')).toMatchObject({ effectiveMicros: 10_000, adverseMicros: -2_500 });
    expect(markout(one, 1_000, 'bid')).toMatchObject({ fills: 1, markoutMicros: 20_000 });
    expect(markout(one, 1_000, 'ask')).toMatchObject({ fills: 1, markoutMicros: -10_000 });
  });

  test('of orders that arrived late and took are a row', () => {
    const late = aFill({ amountMicros: 5 * ONE, isMaker: false, marksAfterMicros: marks(380_000) });
    const record = aSession([aMarket({ fills: [bought, sold, late] })]);
    expect(markout(record, 1_000, 'late')).toMatchObject({ fills: 1, markoutMicros: -20_000 });
  });

  test('have no error from one market, and one clustered by market from several', () => {
    expect(markout(one, 1_000, 'all').standardErrorMicros).toBeNull();
    const other = aMarket({
      conditionId: 'other',
      fills: [aFill({ amountMicros: 40 * ONE, marksAfterMicros: marks(387_500) })],
    });
    const two = aSession([...one.markets, other]);
    // Means 12,500 and −12,500 of equal weight: mean 0, error 12,500.
    expect(markout(two, 1_000, 'all')).toMatchObject({ markets: 2, markoutMicros: 0, standardErrorMicros: 12_500 });
  });

  test('leave out fills whose middle is not known then', () => {
    const unknown = { fills: 0, markoutMicros: null, effectiveMicros: null, sharesMicros: 0 };
    expect(markout(one, 300_000, 'all')).toMatchObject(unknown);
  });

  test('at settlement are against the outcome', () => {
    const settled = aSession([aMarket({ fills: [bought, sold], endYesMicros: 20 * ONE, outcome: false })]);
    expect(markout(settled, 'settlement', 'bid').markoutMicros).toBe(-400_000);
    expect(markout(settled, 'settlement', 'ask').markoutMicros).toBe(440_000);
    expect(markout(one, 'settlement', 'all').fills).toBe(0);
  });
});

describe('orders and quotes', () => {
  const taker = { orderPubkey: 'taker', isMaker: false, joinedBehindMicros: null };
  const fills = [
    aFill(),
    aFill({ timeMs: 2_000, amountMicros: 2 * ONE, restedMs: 4_000, seenMs: null }),
    aFill({ timeMs: 3_000, amountMicros: 5 * ONE, restedMs: 0, ...taker }),
  ];
  const { trading, quoting } = analyse(aSession([aMarket({ fills, endYesMicros: 17 * ONE })]));

  test('count filled against posted shares, takers apart', () => {
    expect(trading).toMatchObject({ fills: 3, makerFills: 2, takerFills: 1, ordersFilled: 1 });
    expect(trading).toMatchObject({ restingFilledMicros: 12 * ONE, postedMicros: 40 * ONE, fillRatioShare: 0.3 });
  });

  test('say how much stood ahead, an order that filled in pieces once', () =>
    expect(trading.queue).toEqual({ meanAheadMicros: 100 * ONE, filledMeanAheadMicros: 50 * ONE }));

  test('say how long orders rested, and when fills were noticed, if they were', () => {
    expect(trading.rested).toMatchObject({ count: 2, mean: 3_000, median: 3_000 });
    expect(trading.noticed).toMatchObject({ count: 2, median: -500 });
    expect(trading.neverNoticed).toBe(1);
  });

  test('share the time that markets were open', () =>
    expect(quoting).toMatchObject({ openForMs: 60_000, twoSidedShare: 0.5, oneSidedShare: 0.25 }));

  test('are not known where one market does not know them', () => {
    const unknown = { ...aMarket().quoting, openForMs: null, joinedBehindMicros: null };
    const blind = aMarket({ quoting: unknown, fills: [aFill({ atCrossing: null })] });
    const { quoting, trading } = analyse(aSession([aMarket(), blind]));
    expect(quoting.twoSidedShare).toBeNull();
    expect([trading.queue.meanAheadMicros, trading.atCrossingMicros]).toEqual([null, null]);
  });
});

describe('inventory, capital and drawdown', () => {
  test('the peak is found at the fills, not at the samples', () => {
    const fills = [aFill(), aFill({ timeMs: 2_000, isBuy: false })];
    const { inventory } = analyse(aSession([aMarket(), aMarket({ conditionId: 'busy', fills })]));
    expect(inventory).toMatchObject({ peakMicros: 10 * ONE, peakMarket: 'busy', carriedMicros: 0 });
  });

  test('shares are carried into settlement, redeemed or not', () => {
    const redeem = aConversion({ kind: 'redeem', yesMicros: 6 * ONE, noMicros: 0, cashMicros: 6 * ONE });
    const market = aMarket({ fills: [aFill()], conversions: [redeem], endYesMicros: 4 * ONE, outcome: true });
    const { inventory } = analyse(aSession([market]));
    expect(inventory).toMatchObject({ carriedMicros: 10 * ONE, carriedShare: 1 });
  });

  test('capital at work is the mean of what was locked', () => {
    const samples = { equityMicros: [100, 90, 95], lockedMicros: [10, 30, 20] };
    const account = { stepMs: 60_000, timeMs: [0, 60_000, 120_000], ...samples };
    const { capital, drawdown } = analyse(aSession([], { account, maxDrawdownMicros: 10, capitalMicros: 100 }));
    expect(capital).toMatchObject({ meanLockedMicros: 20, peakLockedMicros: 30 });
    expect(drawdown).toEqual({ maxMicros: 10, maxShare: 0.1, longestMs: 120_000 });
  });
});

describe('the result by event', () => {
  const gain = (conditionId: string, eventTitle: string, micros: number) =>
    aMarket({ conditionId, eventTitle, fills: aRoundTrip(micros) });

  test('adds the markets of one event, and takes a market without event for one of its own', () => {
    const markets = [gain('a', 'E', 3), gain('b', 'E', -1), gain('c', '', 5), gain('d', '', -6)];
    const { byEvent } = analyse(aSession(markets));
    expect(byEvent).toMatchObject({ events: 3, won: 2, lost: 1, meanMicros: 1 / 3 });
    const unfilled = aMarket({ conditionId: 'e', conversions: [aConversion({ cashMicros: 10 * ONE - 4 })] });
    expect(analyse(aSession([...markets, unfilled])).byEvent).toMatchObject({ events: 4, lost: 2, meanMicros: -3 / 4 });
    expect(byEvent.intervalMicros?.[0]).toBeLessThan(0);
    expect(byEvent.intervalMicros?.[1]).toBeGreaterThan(0);
  });

  test('tells events of one title apart by their ids', () => {
    const markets = [gain('a', 'Up?', 3), gain('b', 'Up?', -1)];
    const session = aSession(markets.map((one, n) => ({ ...one, eventConditionId: `E${n}` })));
    const analysis = analyse(session);
    expect(analysis.byEvent).toMatchObject({ events: 2, won: 1, lost: 1 });
    const rows = computeBreakdown(session, analysis, 'event', () => null);
    expect(rows.map(({ key }) => key)).toEqual(['Up? (E0)', 'Up? (E1)']);
  });

  test('has neither deviation nor interval from one event, and says so', () => {
    const { byEvent } = analyse(aSession([gain('a', 'E', 3)]));
    expect(byEvent).toMatchObject({ events: 1, sharpe: null, deviationMicros: null, intervalMicros: null });
    expect(byEvent.caveat).toContain('One event is one sample');
  });
});

describe('what a reader must know comes first', () => {
  const warnings = (record: SessionRecord) => analyse(record).warnings.map(({ name }) => name);
  const held = { fills: [aFill()], endYesMicros: 10 * ONE };
  const covered = { spanMs: 60_000, gapMs: 0, gaps: 0, events: 1, trades: 0, skipped: 0 };

  test('tells of a lifted restriction only where it did not become a halt', () => {
    const widened = { rung: 'widened', fromMs: 1, reason: 'a little', resumedMs: 2 } as const;
    const halted = { rung: 'halted', fromMs: 2, reason: 'too much', resumedMs: null } as const;
    const textOf = (halts: SessionRecord['halts']) =>
      analyse({ ...aSession([]), halts }).warnings.find(({ name }) => name === 'held_back')?.text;
    expect(textOf([widened, halted])).toMatch(/restricted the trader 1 time,.*\(a little\)\.$/);
    expect(textOf([widened])).toContain('or when the loss shrank; a live restriction lasts until');
  });

  const cases: readonly (readonly [string, SessionRecord])[] = [
    ['no_markets', aSession([])],
    ['no_orders', aSession([{ ...aMarket(), quoting: { ...aMarket().quoting, ordersPlaced: 0 } }])],
    ['no_fills', aSession([aMarket()])],
    ['held_without_outcome', aSession([aMarket({ ...held, endMarkMicros: 500_000 })])],
    ['held_at_cost', aSession([aMarket({ ...held, fills: [aFill({ markMicros: null })] })])],
    ['undivided', aSession([aMarket({ ...held, fills: [aFill({ markMicros: null })] })])],
    ['gaps', aSession([aMarket({ coverage: { ...covered, gapMs: 6_000, gaps: 1 } })])],
    ['skipped', aSession([aMarket({ coverage: { ...covered, skipped: 3 } })])],
    ['fills_never_noticed', aSession([aMarket({ ...held, fills: [aFill({ seenMs: null })] })])],
    ['few_events', aSession([aMarket(held)])],
    ['without_outcome', aSession([aMarket()])],
    ['without_recording', aSession([aMarket({ coverage: null })])],
    ['misplaced_shares', aSession([aMarket({ fills: [aFill()], endYesMicros: 9 * ONE })])],
    ['unexplained', aSession([aMarket()], { endCashMicros: 1_000 * ONE + 1 })],
    ['notice', aSession([], { notices: [{ timeMs: 0, severity: 'loud', text: 'one market was left out' }] })],
  ];
  test.each(cases)('%s', (name, record) => expect(warnings(record)).toContain(name));

  test('a clean session is warned of nothing but what is true of it', () => {
    const settled = { ...held, outcome: true, endMarkMicros: 500_000 };
    const markets = Array.from({ length: 20 }, (_, index) =>
      aMarket({ ...settled, conditionId: `m${index}`, eventTitle: `e${index}` }),
    );
    expect(analyse(aSession(markets)).warnings).toEqual([]);
  });

  test('contradictions stand before everything else', () => {
    const { warnings: found } = analyse(aSession([aMarket()], { endCashMicros: 0 }));
    expect(found[0]).toMatchObject({ level: 'wrong', name: 'unexplained' });
    expect(found[0]?.text).toContain('−1,000.000000 is not explained');
  });

  test('many notices are counted, not listed', () => {
    const notice = (timeMs: number) => ({ timeMs, severity: 'info' as const, text: `notice ${timeMs}` });
    const notices = Array.from({ length: 50 }, (_, index) => notice(index));
    const found = analyse(aSession([], { notices })).warnings.filter(({ name }) => name === 'notice');
    expect(found).toHaveLength(21);
    expect(found.at(-1)?.text).toBe('… and 30 more notices.');
  });

  test('a bracket says each sentence once, with the models that it is about', () => {
    const quiet = aSession([aMarket()], under('risk-averse'));
    const shared = sharedWarnings([quiet, aSession([aMarket(held)])].map(analyse));
    expect(shared.find(({ name }) => name === 'no_fills')?.models).toEqual(['risk-averse']);
    expect(shared.find(({ name }) => name === 'without_outcome')?.models).toEqual([]);
  });

  test('a bracket names a model once, however many of its markets say the same', () => {
    const said = { timeMs: 1, severity: 'loud' as const, text: 'the first 40 s of the book are incomplete' };
    const one = aSession([aMarket()], { notices: [said, said] });
    const other = { ...one, notices: [], ...under('optimistic') };
    const about = (sessions: readonly SessionRecord[]) =>
      sharedWarnings(sessions.map(analyse)).find(({ text }) => text === said.text)?.models;
    expect(about([one, other])).toEqual([one.assumptions.fillModel]);
    expect(about([one, { ...other, notices: [said] }])).toEqual([]);
  });
});

describe('the bracket', () => {
  const withResult = (fillModel: string, micros: number) =>
    analyse(aSession([aMarket({ fills: aRoundTrip(micros) })], under(fillModel)));

  test('flags a result whose sign flips, in words', () => {
    const others = [withResult('power:3', ONE), withResult('optimistic', 9 * ONE)];
    const verdict = bracketVerdict([withResult('risk-averse', -5 * ONE), ...others]);
    expect(verdict.signFlips).toBe(true);
    expect(verdict.text).toContain('−5.00 (risk-averse); +1.00 (power:3); +9.00 (optimistic)');
  });

  test.each([
    [[1, 2], 'The result is above 0 under every fill model'],
    [[-1, -2], 'The result is below 0 under every fill model'],
    [[0, 0], 'The result is 0 under every fill model'],
    [[0, 3], 'The results are neither all above 0 nor all below 0'],
  ])('%j does not flip, and one event is no gain and no loss', (micros, words) => {
    const verdict = bracketVerdict(micros.map((value, index) => withResult(`m${index}`, value * ONE)));
    expect(verdict.signFlips).toBe(false);
    expect(verdict.text).toContain(words);
    expect(verdict.text).not.toMatch(/A gain|A loss/);
  });

  /** A model with this number of events, whose result has this interval. */
  const withInterval = (name: string, events: number, [low, high]: readonly [number, number]) => {
    const { byEvent, ...rest } = withResult(name, ((low + high) / 2) * ONE);
    return { ...rest, byEvent: { ...byEvent, events, intervalMicros: [low * ONE, high * ONE] as const } };
  };

  test.each([
    [7, [1, 3], [1, 5], 'unclear', 'The result says little: it has 7 independent events'],
    [8, [1, 3], [1, 5], 'gain', 'A gain under every fill model: +2.00 (m0, 95 % +1.00 … +3.00); +3.00 (m1'],
    [8, [-3, -1], [-9, -1], 'loss', 'A loss under every fill model: −2.00 (m0, 95 % −3.00 … −1.00)'],
    [8, [1, 3], [-1, 5], 'unclear', 'Neither a gain nor a loss is shown, because at least one interval contains 0'],
    [8, [-3, 1], [-5, 1], 'unclear', 'Neither a gain nor a loss is shown'],
    [8, [-3, -1], [1, 5], 'unclear', 'The sign of the result depends on the fill model'],
  ] as const)('of %i events with the intervals %j and %j points to %s', (events, one, other, points, words) => {
    const verdict = bracketVerdict([withInterval('m0', events, one), withInterval('m1', events, other)]);
    expect(verdict.points).toBe(points);
    expect(verdict.text).toContain(words);
    expect(renderVerdict(verdict)?.text).toContain(`class="verdict ${verdict.signFlips ? 'flips' : points}"`);
  });

  test('of models of which one has too few events says that, and not that an interval contains 0', () => {
    const verdict = bracketVerdict([withInterval('m0', 12, [1, 3]), withInterval('m1', 5, [1, 5])]);
    expect(verdict).toMatchObject({ signFlips: false, points: 'unclear' });
    expect(verdict.text).toContain('it has 5 independent events under at least one fill model');
    expect(verdict.text).not.toContain('contains 0');
  });

  test('tells no flip that is one of the markets that were played', () => {
    const of = (conditionId: string, micros: number) => aMarket({ conditionId, fills: aRoundTrip(micros) });
    const quoting = { ...aMarket().quoting, ordersPlaced: 0, haltedMs: 60_000 };
    const all = analyse(aSession([of('a', 2 * ONE), of('b', -5 * ONE)], under('all')));
    const halted = analyse(aSession([of('a', ONE), aMarket({ conditionId: 'b', quoting })], under('halted')));
    const verdict = bracketVerdict([all, halted]);
    expect(verdict.signFlips).toBe(false);
    expect(verdict.text).toContain('+2.00 (all); +1.00 (halted)');
    expect(verdict.text).toContain('The comparison uses the 1 market of 2 that every fill model played.');
  });

  test.each([
    [7, '', 'num'],
    [8, 'good', 'num good'],
  ])('of %i events has the tone "%s", grey below eight', (events, tone, shown) => {
    const analysis = withInterval('m', events, [1, 3]);
    expect(resultTone(analysis)).toBe(tone);
    const page = reportHtml({ sessions: [aSession([]), aSession([])] }, [analysis, analysis]);
    expect(page).toContain(`<td class="${shown}">+2.00</td>`);
  });

  test('of one session has no verdict', () => expect(bracketVerdict([withResult('power:3', 1)]).text).toBe(''));
});

test('a day of invented markets gives the same figures twice, and JSON holds them all', () => {
  const analysis = analyse(makeSession({ markets: 3, hours: 2 }));
  expect(analyse(makeSession({ markets: 3, hours: 2 }))).toEqual(analysis);
  expect(JSON.parse(JSON.stringify(analysis))).toEqual(analysis);
});
