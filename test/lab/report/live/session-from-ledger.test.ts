import { describe, expect, test } from 'vitest';
import { analyse } from '../../../../src/lab/report/analysis/analyse.js';
import { BREAKDOWNS, computeBreakdown, sessionFromLedger } from '../../../../src/lab/report/session-from-ledger.js';
import type { RecordedPrices } from '../../../../src/lab/session/live-session.js';
import type { Micros } from '../../../../src/shared/base/micros.js';
import type { BookedFill, Ledger } from '../../../../src/trader/ledger/contract.js';
import { fillOf, intentOf, m, marketOf, ONE, orderOf, withLedger } from '../../../trader/ledger/books.js';

const T0 = 1_700_000_000_000;
const MARKET = marketOf({ title: 'Will it rain?', eventConditionId: 'weather', seenMs: T0 });
/** Parts of the result that are alike with and without recordings. */
const ALIKE = { feesMicros: 10_000, mergesMicros: 0, settlementMicros: 0 };

/** An order with its intent, resting from `fromMs` on. */
function addOrder(ledger: Ledger, id: string, changes: Parameters<typeof orderOf>[0] = {}): void {
  ledger.addIntent(intentOf({ id: `intent-${id}`, state: 'live', draftPubkey: id, strategy: 'maker', updatedMs: T0 }));
  ledger.addOrder(orderOf({ pubkey: id, intentId: `intent-${id}`, createdMs: T0, ...changes }));
}

const SEEN = { timestampS: T0 / 1000 + 10, seenMs: T0 + 12_000 };
const fill = (pubkey: string, orderPubkey: string, changes: Partial<BookedFill>): BookedFill =>
  fillOf({ pubkey, orderPubkey, feeMicros: m(0), isMaker: true, ...SEEN, ...changes });

const SOLD = { side: 'sell', priceMicros: m(450_000) } as const;

/** Bought 10 YES at 0.42 after 10 s, sold 4 at 0.45 after 20 s, paid 0.01 of fees; 6 are still held. */
function traded(ledger: Ledger): void {
  ledger.setCapital(m(1000 * ONE), T0);
  ledger.saveMarket(MARKET);
  addOrder(ledger, 'bid', { status: 'filled', filledMicros: m(10 * ONE), closedMs: T0 + 12_000 });
  const ended = { closedMs: T0 + 30_000, status: 'partially_filled_canceled', filledMicros: m(4 * ONE) } as const;
  addOrder(ledger, 'ask', { ...SOLD, createdMs: T0 + 6_000, ...ended });
  // Booked in the order of the lists, newest first.
  ledger.bookFill(fill('t1', 'bid', { amountMicros: m(10 * ONE), feeMicros: m(10_000) }));
  const times = { timestampS: T0 / 1000 + 20, seenMs: T0 + 21_500 };
  ledger.bookFill(fill('t2', 'ask', { ...SOLD, amountMicros: m(4 * ONE), ...times }));
  ledger.stopRun('run', T0 + 60_000, '');
}

interface Options {
  readonly findPrices?: () => RecordedPrices;
  readonly fairMicros?: ReadonlyMap<string, Micros>;
  readonly nowMs?: number;
}

/** Reads a session from a ledger filled by this function. */
const read = (fillLedger: (ledger: Ledger) => void, options: Options = {}) =>
  withLedger((ledger) => {
    ledger.transaction(() => fillLedger(ledger));
    const fairMicros = options.fairMicros ?? new Map<string, Micros>();
    const base = { title: 'live', version: '0.1.0', nowMs: null, findPrices: () => null };
    const session = sessionFromLedger(ledger, { ...base, ...options, fairMicros });
    return { session, analysis: analyse(session), pnl: ledger.pnl(fairMicros) };
  });

/** The middle is 0.43 at first and rises by a cent every 10 s. */
const PRICES: RecordedPrices = {
  standing: (timeMs) => PRICES.at(timeMs).middleMicros,
  at: (timeMs) => {
    const middle = 430_000 + Math.floor((timeMs - T0) / 10_000) * 10_000;
    return { bidMicros: middle - 10_000, askMicros: middle + 10_000, middleMicros: middle };
  },
  outcome: null,
  coverage: { spanMs: 60_000, gapMs: 0, gaps: 0, events: 10, trades: 2, skipped: 0 },
  eventTitle: '',
  category: '',
};

const namesOf = (warnings: readonly { readonly name: string }[]) => warnings.map(({ name }) => name);

describe('a ledger without recordings', () => {
  test('is a session whose result is known and whose parts are not', () => {
    const { analysis, pnl } = read(traded);
    const { totalMicros } = pnl;
    const divided = { spreadMicros: null, driftMicros: null, undividedMicros: totalMicros + 10_000 };
    expect(analysis.result).toEqual({ resultMicros: totalMicros, ...divided, ...ALIKE });
    expect(totalMicros).toBe(110_000);
    expect(analysis.equity).toMatchObject({ resultMicros: totalMicros, atCostMicros: 2_520_000 });
    expect(namesOf(analysis.warnings)).toEqual(
      expect.arrayContaining(['held_at_cost', 'undivided', 'without_recording']),
    );
    expect(analysis.warnings.filter(({ level }) => level === 'wrong')).toEqual([]);
    expect([analysis.drawdown.maxMicros, analysis.requests]).toEqual([null, null]);
    for (const { markoutMicros } of analysis.markouts) expect(markoutMicros).toBeNull();
  });

  test('values what is held at the running trader’s prices, as pnl does', () => {
    const { analysis, pnl } = read(traded, { fairMicros: new Map([['a', m(477_777)]]) });
    expect(analysis.result).toMatchObject({ resultMicros: pnl.totalMicros, spreadMicros: null });
    expect(analysis.equity.atCostMicros).toBe(0);
  });

  test('tells orders, quotes and fills from its rows', () => {
    const { session } = read(traded);
    expect(session).toMatchObject({ kind: 'live', fromMs: 1, toMs: T0 + 60_000, capitalMicros: 1000 * ONE });
    const [market] = session.markets;
    const counts = { ordersPlaced: 2, ordersCanceled: 1, postedMicros: 20 * ONE, joinedBehindMicros: null };
    expect(market).toMatchObject({
      endYesMicros: 6 * ONE,
      endNoMicros: 0,
      title: 'Will it rain?',
      eventTitle: 'weather',
      quoting: { ...counts, openForMs: 60_000, haltedMs: null, twoSidedMs: 6_000, oneSidedMs: 24_000 },
      fills: [
        { side: 'bid', isYes: true, isBuy: true, cashMicros: -4_200_000, restedMs: 10_000, strategy: 'maker' },
        { side: 'ask', isYes: true, isBuy: false, cashMicros: 1_800_000, priceMicros: 450_000 },
      ],
    });
    const series = market?.series;
    const at = (ms: number) => {
      const place = series?.timeMs.findIndex((time) => time >= T0 + ms) ?? -1;
      return [series?.ourBidMicros[place], series?.ourAskMicros[place], series?.inventoryMicros[place]];
    };
    expect(at(5_000)).toEqual([420_000, null, 0]);
    expect(at(15_000)).toEqual([null, 450_000, 10 * ONE]);
  });

  test('takes NO in YES space', () => {
    const { session } = read((ledger) => {
      const priceMicros = m(580_000);
      const filled = { status: 'filled', filledMicros: m(10 * ONE), closedMs: T0 + 12_000 } as const;
      ledger.setCapital(m(1000 * ONE), T0);
      addOrder(ledger, 'no', { isYes: false, priceMicros, ...filled });
      ledger.bookFill(fill('t', 'no', { isYes: false, priceMicros, amountMicros: m(10 * ONE) }));
    });
    expect(session.markets[0]).toMatchObject({
      title: 'a',
      fills: [{ side: 'ask', isYes: false, isBuy: true, priceMicros: 420_000, cashMicros: -5_800_000 }],
    });
  });

  test('counts what the exchange refused, and keeps what was loud', () => {
    const { session } = read((ledger) => {
      for (const id of ['1', '2'])
        ledger.addIntent(intentOf({ id, state: 'refused', lastReason: 'insufficient_funds: 4.2 wanted' }));
      ledger.addIntent(intentOf({ id: '3', state: 'failed', lastReason: 'the exchange shows it failed after 12 s' }));
      ledger.addEvent({ timeMs: T0, severity: 'loud', kind: 'halted', text: 'lost too much' });
      ledger.intents = () => expect.fail('an old ledger has too many intents to load');
    });
    expect(session.refusals).toEqual([
      { by: 'exchange', name: 'insufficient_funds', count: 2 },
      { by: 'exchange', name: 'the exchange shows it failed after # s', count: 1 },
    ]);
    expect(session.notices).toEqual([{ timeMs: T0, severity: 'loud', text: 'halted: lost too much' }]);
  });

  test('counts adopted shares and later capital as deposits, so every breakdown adds up to pnl', () => {
    const rest = { marketConditionId: 'a', isYes: true, restMicros: m(5 * ONE), restWorthMicros: m(3 * ONE) };
    const recorded = [{ sharesMicros: m(10 * ONE), spentMicros: m(4 * ONE), feesMicros: m(20_000) }];
    const { session, analysis, pnl } = read((ledger) => {
      traded(ledger);
      ledger.adopt({ ...rest, recorded }, 'a restored backup', T0 + 86_400_000);
      ledger.setCapital(m(5000 * ONE), T0 + 2 * 86_400_000);
    });
    expect([pnl.totalMicros, session.capitalMicros]).toEqual([90_000, 5003 * ONE]);
    const [days = [], ...others] = BREAKDOWNS.map((by) => computeBreakdown(session, analysis, by, () => null));
    expect(others.map((rows) => rows.map((row) => row.resultMicros))).toEqual([[90_000], [90_000], [90_000]]);
    expect(days.map((row) => [row.resultMicros, row.feesMicros, row.equityMicros])).toEqual([
      [110_000, 10_000, 1000 * ONE + 110_000],
      [-20_000, 20_000, 1003 * ONE + 90_000],
    ]);
  });

  test('that is empty says so', () => {
    const { analysis } = read(() => undefined);
    expect(analysis.result.resultMicros).toBe(0);
    expect(namesOf(analysis.warnings)).toContain('no_markets');
  });

  test('says how many markets were only looked at', () => {
    const { session } = read((ledger) => ledger.saveMarket(MARKET));
    expect(session.notices[0]?.text).toBe('1 market in which the trader never had an order or shares is left out.');
  });
});

test('with recordings of its markets the result is divided to the micro, and markouts and drawdown are known', () => {
  const { session, analysis } = read(traded, { findPrices: () => PRICES });
  // Bought at 0.42 under 0.43, sold at 0.45 over 0.44; 10 shares drift a cent, 6 of them five more to 0.49.
  const divided = { spreadMicros: 140_000, driftMicros: 400_000, undividedMicros: 0 };
  expect(analysis.result).toEqual({ resultMicros: 530_000, ...divided, ...ALIKE });
  expect(namesOf(analysis.warnings)).not.toContain('undivided');
  expect(session.account.equityMicros.every((equity) => equity !== null)).toBe(true);
  expect(session.maxDrawdownMicros).toBeGreaterThanOrEqual(0);
  const [bought] = session.markets[0]?.fills ?? [];
  expect(bought?.markMicros).toBe(430_000);
  // The session ends within 60 s after it.
  expect(bought?.marksAfterMicros).toEqual([440_000, 440_000, 470_000, null, null]);
});

test('a fall of two seconds in a run of ten hours is in the drawdown', () => {
  const at: RecordedPrices['at'] = (timeMs) => {
    const middleMicros = timeMs >= 5_000_000 && timeMs < 5_002_000 ? 400_000 : 420_000;
    return { bidMicros: null, askMicros: null, middleMicros };
  };
  const findPrices = () => ({ ...PRICES, at, standing: (timeMs: number) => at(timeMs).middleMicros });
  const bought = (ledger: Ledger) => {
    ledger.setCapital(m(1000 * ONE), 0);
    addOrder(ledger, 'bid', { status: 'filled', filledMicros: m(10 * ONE), createdMs: 1_000, closedMs: 12_000 });
    ledger.bookFill(fill('t', 'bid', { amountMicros: m(10 * ONE), timestampS: 10, seenMs: 12_000 }));
  };
  const { session } = read(bought, { nowMs: 10 * 3_600_000, findPrices });
  expect(session.maxDrawdownMicros).toBe(200_000);
  // The number of kept samples is bounded.
  expect(session.account.timeMs.length).toBeLessThanOrEqual(2_048);
});

test('what was bought is locked once: as shares, no longer behind its order', () => {
  const bought = (ledger: Ledger) => {
    const filledMicros = m(4 * ONE);
    ledger.setCapital(m(1000 * ONE), 0);
    const order = { status: 'partially_filled', amountMicros: m(10 * ONE), createdMs: 2_000 } as const;
    addOrder(ledger, 'bid', { ...order, filledMicros });
    ledger.bookFill(fill('t', 'bid', { amountMicros: filledMicros, timestampS: 10, seenMs: 12_000 }));
  };
  const { session } = read(bought, { nowMs: 20_000 });
  const { stepMs, timeMs, lockedMicros } = session.account;
  // Ten shares at 0.42, whether still wanted or already bought.
  expect(stepMs).toBe(1_000);
  expect(lockedMicros).toEqual(timeMs.map((ms) => (ms < 2_000 ? 0 : 4_200_000)));
});

describe('settlement', () => {
  const redeemed = (yes: number, cash: number) => (ledger: Ledger) => {
    traded(ledger);
    const [kind, shares] = ['redeem', { yesMicros: m(yes), noMicros: m(0) }] as const;
    ledger.saveMarket({ ...MARKET, state: 'resolved' });
    const amounts = { redeemYesMicros: m(yes), redeemNoMicros: m(0) };
    ledger.addIntent(intentOf({ id: kind, kind, state: 'done', ...amounts }));
    ledger.bookConversion({
      ...{ pubkey: 'c', intentId: kind, kind, marketConditionId: 'a', ...shares },
      ...{ cashMicros: m(cash), yesCostMicros: null, seenMs: T0 + 50_000 },
    });
  };

  test('the outcome is what a redemption paid, also where that is nothing', () => {
    const { analysis } = read(redeemed(6 * ONE, 6 * ONE), { findPrices: () => PRICES });
    expect(analysis.markets[0]).toMatchObject({ outcome: true, valuedAt: 'nothing held' });
    // From 0.48, the middle when it was redeemed, to 1.
    expect([analysis.result.settlementMicros, analysis.inventory.carriedMicros]).toEqual([6 * 520_000, 6 * ONE]);
    const [worthless] = read(redeemed(6 * ONE, 0)).analysis.markets;
    expect(worthless).toMatchObject({ outcome: false, result: { settlementMicros: null } });
  });

  test.each([
    ['open', null],
    ['resolved', true],
  ] as const)('a recording’s outcome is believed only once the market has settled: %s', (state, outcome) => {
    const settled = (ledger: Ledger) => {
      traded(ledger);
      ledger.saveMarket({ ...MARKET, state });
    };
    const { session } = read(settled, { findPrices: () => ({ ...PRICES, outcome: true }) });
    expect(session.markets[0]?.outcome).toBe(outcome);
  });
});
