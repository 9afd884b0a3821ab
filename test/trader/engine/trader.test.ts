/** The whole trader with an exchange that answers at once. */

import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { must } from '../../../src/shared/base/errors.js';
import type { DataOf } from '../../../src/shared/protocol/endpoints.js';
import type { Outcome, Request } from '../../../src/shared/protocol/seam.js';
import { Wallet } from '../../../src/shell/wallet/wallet.js';
import { readNextStart } from '../../../src/trader/engine/control/safety.js';
import { makeStepContext } from '../../../src/trader/engine/gate.js';
import { observeReport } from '../../../src/trader/engine/observe.js';
import { watchMarkets } from '../../../src/trader/engine/snapshot.js';
import type { Reaction } from '../../../src/trader/executor/contract.js';
import { Executor } from '../../../src/trader/executor/executor.js';
import type { Ledger } from '../../../src/trader/ledger/contract.js';
import { openLedger, openMemoryLedger } from '../../../src/trader/ledger/ledger.js';
import { defineStrategy, NO_QUOTES } from '../../../src/trader/strategy/strategy.js';
import { benchTrader } from '../../bench/bench-trader.js';
import { HOLDER } from '../ledger/books.js';
import { testInFolder, testWithLedger } from '../ledger/ledger-tests.js';
import { at, detail, snapshot, trade } from '../market/fixtures.js';
import { limitsOf, m, ONE } from '../risk/states.js';
import {
  NOTHING,
  PlayedTrader,
  START_MS,
  settingsOf,
  stateOf,
  strategyOf,
  strategyWith,
  traderOf,
  unsigning,
  wish,
} from './played-trader.js';

/** Returns the given results of the next reads of fills, and counts how often all pending requests are withdrawn. */
class TroubledExecutor extends Executor {
  trouble: string | null = null;
  withdrawals = 0;

  override onOwnTrades(rows: DataOf<'trades.list'>, nowMs: number): Reaction {
    const { trouble: text } = this;
    this.trouble = null;
    if (text === null) return super.onOwnTrades(rows, nowMs);
    return { requests: [], events: [{ kind: 'trouble', trouble: 'fill_differs', market: 'a', text, subject: null }] };
  }

  override withdraw(marketConditionId: string | null, nowMs: number): void {
    this.withdrawals += 1;
    super.withdraw(marketConditionId, nowMs);
  }
}

testWithLedger('every fill that was never signed withdraws all pending requests once', (ledger) => {
  const settings = settingsOf({ runId: 'alarmed' });
  const executor = new TroubledExecutor(...unsigning(ledger, settings));
  const played = new PlayedTrader(traderOf(ledger, settings, START_MS, executor), () => NOTHING);
  const pass = (): number => {
    const before = executor.withdrawals;
    played.pass(10);
    return executor.withdrawals - before;
  };
  expect([pass(), played.mode]).toEqual([0, 'quoting']);
  for (const text of ['the first', 'the second']) {
    executor.trouble = text;
    expect([pass(), played.mode]).toEqual([1, 'reducing']);
    expect(pass()).toBe(0);
  }
});

function refused(message: string, slug = 'authentication_failed'): Outcome {
  return { kind: 'refused', status: 401, slug, message, details: [] };
}
const REVOKED = refused('Invalid API key');
const WHY = 'the exchange rejects the API key (authentication_failed: Invalid API key)';

testWithLedger('a rejected key halts the trader until an operator resumes it with an accepted key', (ledger) => {
  let outcome: Outcome = NOTHING;
  const begin = (runId: string, nowMs: number) =>
    new PlayedTrader(traderOf(ledger, settingsOf({ runId }), nowMs), () => outcome, nowMs);
  let played = begin('first', START_MS);
  const modeAfter = (seconds: number): string => {
    played.pass(seconds);
    return played.mode;
  };
  const resumed = (reason: string) => played.command({ kind: 'resume', reason });
  expect(modeAfter(5)).toBe('quoting');
  // Another request corrects a clock; own records are unseen meanwhile.
  outcome = refused('Timestamp out of range');
  expect([modeAfter(25), modeAfter(20)]).toEqual(['quoting', 'paused']);
  expect(played.trader.snapshot(played.nowMs).reason).toMatch(
    /^own (orders|trades) cannot be read: .*Timestamp out of range$/,
  );
  outcome = NOTHING;
  expect(modeAfter(60)).toBe('quoting');
  outcome = REVOKED;
  // It waits for a venue whose sign-in fails for some seconds.
  expect(modeAfter(18)).toBe('quoting');
  outcome = NOTHING;
  expect(modeAfter(30)).toBe('quoting');
  outcome = REVOKED;
  expect(modeAfter(18)).toBe('quoting');
  expect([modeAfter(15), played.trader.wantsProof]).toEqual(['halted', true]);
  expect(played.trader.refusal({ kind: 'resume', reason: '' })).toContain(WHY);
  expect(readNextStart(ledger, limitsOf(), null)).toMatchObject({ mode: 'halted', reason: WHY });
  played = begin('second', played.nowMs);
  expect(modeAfter(1)).toBe('halted');
  resumed('too early');
  expect(modeAfter(45)).toBe('halted');
  outcome = NOTHING;
  expect([modeAfter(10), played.trader.wantsProof]).toEqual(['halted', false]);
  resumed('a new key');
  expect(modeAfter(10)).toBe('quoting');
});

const RISK = limitsOf({ maxBookAgeMs: 30_000 });

/** Markets of the called quoters, oldest first. */
const asked: string[] = [];
const watching = defineStrategy({
  name: 'watching',
  summary: 'Wants nothing, and says who asks.',
  params: {},
  create: (_, { conditionId }) => ({
    quote: () => {
      asked.push(conditionId);
      return NO_QUOTES('nothing');
    },
  }),
});

const SETTINGS = settingsOf({ risk: RISK, strategies: [strategyOf(['good', 'bad'], watching, RISK)] });

const answered = (data: unknown): Outcome => ({ kind: 'answered', data: data as never, nextCursor: null });

/** A venue with sound answers, except that its trades of the market `bad` are invalid if `isPoisoned`. */
function answerTo({ call }: Request, isPoisoned = false): Outcome {
  switch (call.endpoint) {
    case 'markets.list':
      return answered([detail({})]);
    case 'markets.detail': {
      const { condition_id } = call.params;
      return answered(detail({ condition_id, title: `Will it, ${condition_id}?` }));
    }
    case 'markets.book':
      return answered(snapshot([[0.48, 30]], [[0.52, 40]]));
    case 'markets.trades': {
      const row = trade(1_700_000_000, 0.5, 1, false);
      return answered([isPoisoned && call.params.condition_id === 'bad' ? { ...row, price: Number.NaN } : row]);
    }
    default:
      return answered([]);
  }
}

class Life extends PlayedTrader {
  readonly loud: string[] = [];
  isPoisoned = true;

  constructor(ledger: Ledger, runId: string) {
    super(traderOf(ledger, { ...SETTINGS, runId }), (request) => answerTo(request, this.isPoisoned));
  }

  override pass(seconds: number): void {
    super.pass(seconds);
    for (const { kind, severity, text } of this.trader.takeNotices())
      if (severity === 'loud') this.loud.push(`${kind}: ${text}`);
  }
}

describe('a market whose rows cannot be reckoned with', () => {
  testWithLedger('is taken out, loudly and once, while the other is quoted; the same after a start', (ledger) => {
    for (const runId of ['first', 'second']) {
      const life = new Life(ledger, runId);
      life.pass(20);
      asked.length = 0;
      life.pass(20);
      expect(new Set(asked)).toEqual(new Set(['good']));
      expect(life.loud.filter((text) => text.startsWith('market_failed'))).toEqual([
        expect.stringMatching(
          /^market_failed: "Will it, bad\?" is excluded: a trades answer cannot be processed: .*NaN.* until an operator resumes it with a reason$/,
        ),
      ]);
    }
  });

  testWithLedger('comes back when a person resumes with a reason, once its rows are sound', (ledger) => {
    for (const scope of [{ kind: 'resume' }, { kind: 'resume-market', marketConditionId: 'bad' }] as const) {
      const life = new Life(ledger, scope.kind);
      life.pass(20);
      life.isPoisoned = false;
      life.pass(20);
      expect(life.trader.refusal({ ...scope, reason: '' })).not.toBeNull();
      life.command({ ...scope, reason: 'it is mended' });
      asked.length = 0;
      life.pass(20);
      expect(new Set(asked)).toEqual(new Set(['good', 'bad']));
    }
  });
});

/** A trader with twenty sets in the market `good`, where all conversions are refused; `sent`: their drafts. */
function holderOfSets(ledger: Ledger) {
  const shares = m(20 * ONE);
  for (const isYes of [true, false]) {
    const held = { restMicros: shares, ledgerMicros: m(0), exchangeMicros: shares, restWorthMicros: m(10 * ONE) };
    const outcome = { marketConditionId: 'good', isYes, recorded: [], ...held };
    ledger.transaction(() => ledger.adopt(outcome, 'held before', START_MS));
  }
  const market = { state: 'open' as 'open' | 'resolved' };
  const sent: string[] = [];
  const merge = { enabled: true, minSharesMicros: m(ONE) };
  const settings = { ...SETTINGS, runId: 'first', merge, strategies: [strategyOf(['good'], watching, RISK)] };
  const played = new PlayedTrader(traderOf(ledger, settings), (request) => {
    const { endpoint } = request.call;
    if (/^(merges|redeems)\.create$/.test(endpoint)) {
      sent.push(endpoint);
      return refused('The market is paused.', 'share_conversion_market_paused');
    }
    return endpoint === 'markets.detail' ? answered(detail({ condition_id: 'good', ...market })) : answerTo(request);
  });
  return { market, sent, played };
}

testWithLedger('a redeem does not wait for the end of the pause after failed merges', (ledger) => {
  const { market, sent, played } = holderOfSets(ledger);
  played.pass(500);
  // The next merge would be more than a minute later.
  expect(sent).toEqual(Array(5).fill('merges.create'));
  market.state = 'resolved';
  played.pass(60);
  expect(sent.slice(5)).toContain('redeems.create');
});

testWithLedger('a market that an operator has paused merges nothing, and is redeemed once it settles', (ledger) => {
  const { market, sent, played } = holderOfSets(ledger);
  played.command({ kind: 'pause-market', marketConditionId: 'good', reason: 'news' });
  played.pass(60);
  expect(sent).toEqual([]);
  market.state = 'resolved';
  played.pass(60);
  expect(new Set(sent)).toEqual(new Set(['redeems.create']));
});

it.each([
  ['resume', true],
  ['kill', false],
  ['pause', false],
  ['pause-market', false],
] as const)('orders that wait in the queue leave after the command %s: %s', (kind, isSent) => {
  const strategy = strategyWith(() => ({
    ...wish(0.5, 0.47),
    bids: Array.from({ length: 8 }, (_, at) => ({ priceMicros: m(470_000 - 10_000 * at), amountMicros: m(ONE) })),
  }));
  const settings = { wallet: Wallet.makeUnkept(), ledger: openMemoryLedger(), strategy, params: {}, markets: 1 };
  const drafts: Request[] = [];
  const played = new PlayedTrader(benchTrader({ ...settings, nowMs: START_MS }), (request) => {
    if (request.call.endpoint !== 'orders.create') return answerTo(request);
    drafts.push(request);
    return null;
  });
  played.pass(10);
  const before = drafts.length;
  const { body } = must(drafts[0], 'an order under way').call;
  const marketConditionId = must(body && 'market_condition_id' in body ? body.market_condition_id : null, 'its market');
  const reason = 'news';
  played.command(kind === 'pause-market' ? { kind, reason, marketConditionId } : { kind, reason });
  for (const { id } of [...drafts]) played.tell(id, refused('no', 'insufficient_balance'));
  played.pass(1);
  expect([before > 0, drafts.length > before]).toEqual([true, isSent]);
});

testInFolder('the log of the ledger is carried over at a beat, but not while an order waits', (path) => {
  const ledger = openLedger(path, HOLDER);
  const strategy = strategyWith(() => wish(0.5, 0.47));
  const settings = { wallet: Wallet.makeUnkept(), ledger, strategy, params: {}, markets: 1 };
  const waiting: Request[] = [];
  const played = new PlayedTrader(benchTrader({ ...settings, nowMs: START_MS }), (request) => {
    if (request.call.endpoint !== 'orders.create') return answerTo(request);
    waiting.push(request);
    return null;
  });
  played.pass(10);
  const draft = must(waiting[0], 'an order under way');
  ledger.transaction(() => {
    for (let n = 0; n < 500; n++) ledger.setNote(`note ${n}`, 'x'.repeat(1000));
  });
  const { size } = statSync(path);
  played.pass(2);
  expect(statSync(path).size).toBe(size);
  played.tell(draft.id, refused('no', 'insufficient_balance'));
  played.pass(2);
  expect(statSync(path).size).toBeGreaterThan(size + 400_000);
  ledger.close();
});

it('an outcome of a request that no room of the engine owns is an error', () => {
  const call = { endpoint: 'account.assets', params: {}, query: {}, body: undefined } as const;
  const request = { lane: 'own', call, latestMs: 1, owner: { kind: 'other', name: 'resting' } } as const;
  const outcome = { kind: 'unknown', reason: 'it is a test', sent: true } as const;
  const report = { request, outcome, nowMs: 1, sentMs: 1, venueTimeMs: null };
  const state = stateOf(openMemoryLedger(), settingsOf());
  expect(() => observeReport(state, report, 7)).toThrow('the result belongs to a request without an owner: resting');
});

it('telemetry sends a market without a strategy again after a read of its book, and after a new mark', () => {
  const state = stateOf(openMemoryLedger(), settingsOf());
  const { feed } = state.markets.track('good');
  const look = () => watchMarkets(state, START_MS)[0]?.sources;
  const read = (seenMs: number) => feed.onBook(snapshot([[0.48, 30]], [[0.52, 40]]), at(seenMs), []);
  read(START_MS);
  const first = look();
  read(START_MS + 1000);
  const second = look();
  state.account.valuation.look('good', 0.5, null, START_MS);
  expect([second, look()]).not.toContainEqual(first);
  expect(look()).not.toEqual(second);
});

it.each([
  ['first', 0],
  ['second', 1],
])('the status of a market with two strategies shows the %s, which alone quotes', (_, place) => {
  const strategies = [strategyOf(['good'], watching), strategyOf(['good'], watching)];
  const state = stateOf(openMemoryLedger(), settingsOf({ strategies }));
  const slots = must(state.markets.get('good'), 'the market').slots;
  const quoting = must(slots[place], 'its slot');
  for (const slot of slots) slot.leftOutBecause = slot === quoting ? null : 'another market is better';
  const before = must(watchMarkets(state, START_MS)[0], 'the market').sources;
  quoting.quotes = wish(0.5, 0.49);
  const watched = must(watchMarkets(state, START_MS)[0], 'the market');
  expect(watched.sources).not.toEqual(before);
  expect(watched.makeStatus()).toMatchObject({ note: 'quotes', fairMicros: m(0.5 * ONE), leftOutBecause: null });
});

it.each([
  ['open', 10],
  ['waiting_to_resolve', 0],
] as const)('shares without a bid in a market that is %s count %d less at the bids', (phase, less) => {
  const ledger = openMemoryLedger();
  const state = stateOf(ledger, settingsOf());
  const { feed } = state.markets.track('M');
  feed.onDetail(detail({ state: 'open' }), at(START_MS));
  feed.onBook(snapshot([[0.5, 30]], [[0.5, 40]]), at(START_MS + 1), []);
  state.account.readMarks(START_MS);
  feed.onDetail(detail({ state: phase }), at(START_MS + 2));
  feed.onBook(snapshot([], []), at(START_MS + 3), []);
  state.account.readMarks(START_MS);
  const held = new Map([['M', { yesMicros: m(20 * ONE), noMicros: m(0), yesCostMicros: m(0), noCostMicros: m(0) }]]);
  const value = () => state.account.valuation.value({ cashMicros: m(0), held }, () => false, 0);
  expect(ledger.transaction(value)?.passingMicros).toBe(less * ONE);
});

it('a held share without a price is named as the reason why nothing is quoted', () => {
  const ledger = openMemoryLedger();
  const state = stateOf(ledger, settingsOf());
  const amounts = { ledgerMicros: m(0), exchangeMicros: m(ONE), restMicros: m(ONE), restWorthMicros: m(0) };
  ledger.transaction(() => {
    // A complete set needs no price.
    for (const [marketConditionId, isYes] of [
      ['A', true],
      ['A', false],
      ['M', true],
    ] as const)
      ledger.adopt({ marketConditionId, isYes, recorded: [], ...amounts }, 'why', START_MS);
    state.safety.valueHoldings(START_MS);
  });
  expect(makeStepContext(state, null, START_MS).hold).toMatch(/cannot be valued yet: no price in held market M$/);
  state.account.valuation.look('M', 0.5, null, START_MS);
  ledger.transaction(() => state.safety.valueHoldings(START_MS));
  expect(makeStepContext(state, null, START_MS).hold).toBeNull();
});
