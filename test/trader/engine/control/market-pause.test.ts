import { expect, it, vi } from 'vitest';
import type { OperatorCommand } from '../../../../src/shared/protocol/seam.js';
import { commandRefusal, obey } from '../../../../src/trader/engine/control/commands.js';
import { flattenMarkets } from '../../../../src/trader/engine/control/complete-sets.js';
import { react } from '../../../../src/trader/engine/reactions.js';
import { makeSnapshot } from '../../../../src/trader/engine/snapshot.js';
import type { Ledger } from '../../../../src/trader/ledger/contract.js';
import { withLedger } from '../../ledger/books.js';
import { testWithLedger } from '../../ledger/ledger-tests.js';
import { at, detail, m, snapshot } from '../../market/fixtures.js';
import { START_MS, settingsOf, stateOf, strategyOf } from '../played-trader.js';

/** A process of the trader on this ledger. */
function start(ledger: Ledger) {
  const state = stateOf(ledger, settingsOf({ strategies: [strategyOf(['a', 'b'])] }));
  state.safety.modes.isStarted = true;
  const order = (command: OperatorCommand): string | null => {
    const refusal = commandRefusal(state, command);
    ledger.transaction(() => obey(state, command, START_MS));
    return refusal;
  };
  return { state, order, paused: () => ['a', 'b'].map((id) => state.safety.whyPaused(id)) };
}

const pause = (marketConditionId: string) => ({ kind: 'pause-market', marketConditionId, reason: 'news' }) as const;
const resume = (marketConditionId: string, reason = '') =>
  ({ kind: 'resume-market', marketConditionId, reason }) as const;
const flatten = (marketConditionId: string) => ({ kind: 'flatten-market', marketConditionId }) as const;

testWithLedger('a pause holds in that market alone, over a restart, until it is resumed without a reason', (ledger) => {
  expect(start(ledger).order(pause('a'))).toBeNull();
  const { state, order, paused } = start(ledger);
  expect(paused()).toEqual(['news', undefined]);
  expect([state.safety.mode().mode, state.safety.stopped]).toEqual(['quoting', null]);
  expect(order(resume('a'))).toBeNull();
  expect(paused()).toEqual([undefined, undefined]);
  expect(start(ledger).paused()).toEqual([undefined, undefined]);
});

it.each(['', 'looked at it'])('stays, over a restart, when everything is resumed with the reason "%s"', (reason) =>
  withLedger((ledger) => {
    const { state, order, paused } = start(ledger);
    order(pause('b'));
    order({ kind: 'widen', reason: 'rumours' });
    expect(order({ kind: 'resume', reason })).toBeNull();
    expect([state.safety.mode().mode, paused()]).toEqual(['quoting', [undefined, 'news']]);
    expect(makeSnapshot(state, START_MS).pausedMarkets).toMatchObject([{ conditionId: 'b', reason: 'news' }]);
    expect(start(ledger).paused()).toEqual([undefined, 'news']);
    order(flatten('a'));
    order({ kind: 'resume', reason });
    expect(state.safety.pauses.flattening).toEqual(['a']);
  }),
);

testWithLedger('a refusal of the signer ends when all is resumed with a reason, and a pause stays', (ledger) => {
  const { state, order, paused } = start(ledger);
  order(pause('b'));
  for (const id of ['a', 'b']) ledger.transaction(() => state.safety.pauses.pause(id, 'the signer refused a draft'));
  expect(order({ kind: 'resume', reason: '' })).toContain('market a: the signer refused a draft');
  expect(start(ledger).paused()).toEqual(Array(2).fill('the signer refused a draft'));
  expect(order({ kind: 'resume', reason: 'looked at it' })).toBeNull();
  expect(paused()).toEqual([undefined, 'news']);
});

testWithLedger('a pause keeps a refusal of the signer and its reason, and ends only with a reason', (ledger) => {
  const { state, order, paused } = start(ledger);
  ledger.transaction(() => state.safety.pauses.pause('a', 'the signer refused a draft'));
  order(pause('a'));
  expect(paused()[0]).toBe('the signer refused a draft');
  expect(order(resume('a'))).toMatch(/needs a reason \(the signer refused a draft\)/);
  expect(paused()[0]).toBe('the signer refused a draft');
  expect(order(resume('a', 'looked at it'))).toBeNull();
  expect(paused()).toEqual([undefined, undefined]);
});

testWithLedger('a flatten goes on after a restart, and its pause then needs a reason to end', (ledger) => {
  expect(start(ledger).order(flatten('a'))).toBeNull();
  const { state, order, paused } = start(ledger);
  expect([state.safety.pauses.flattening, paused()[0]]).toEqual([['a'], 'the operator is flattening the market']);
  ledger.transaction(() => state.safety.pauses.endFlattening('a'));
  const next = start(ledger);
  expect([next.state.safety.pauses.flattening, next.paused()]).toEqual([[], ['flattened by the operator', undefined]]);
  expect(next.state.safety.stopped).toBeNull();
  expect(makeSnapshot(next.state, START_MS).wayBack).toBe('resume --market a --reason TEXT');
  expect(order(resume('a'))).toMatch(/needs a reason \(flattened by the operator\)/);
  expect(order(resume('a', 'looked at it'))).toBeNull();
  expect(paused()).toEqual([undefined, undefined]);
});

it.each([
  pause('a'),
  { kind: 'pause', reason: 'news' },
  { kind: 'cancel-all' },
  { kind: 'kill', reason: 'news' },
] as const)('of a flatten sells no more after $kind, and stays out', (command) =>
  withLedger((ledger) => {
    const { state, order, paused } = start(ledger);
    order(flatten('a'));
    expect(order(command)).toBeNull();
    expect([state.safety.pauses.flattening, paused()[0]]).toEqual([[], 'flattened by the operator']);
  }),
);

testWithLedger('by a flatten is refused where nothing may be sold, with what leads there', (ledger) => {
  const { state, order } = start(ledger);
  ledger.transaction(() => state.safety.pauses.pause('b', 'the signer refused a draft'));
  expect(order(flatten('b'))).toContain('nothing is signed there until resume --market');
  expect(order(flatten('nowhere'))).toContain('the trader tracks no market with the condition id nowhere');
  order({ kind: 'pause', reason: 'news' });
  expect(order(flatten('a'))).toMatch(/^the trader is paused \(news\): .*; use flatten for all, or resume first$/);
  order({ kind: 'kill', reason: 'odd' });
  expect(order(flatten('a'))).toContain('unkill --reason TEXT, flatten');
  expect(state.safety.pauses.flattening).toEqual([]);
});

testWithLedger('a pause or a resume without effect is refused with its reason', (ledger) => {
  const { state, order, paused } = start(ledger);
  expect(order(pause('nowhere'))).toContain('the trader tracks no market with the condition id nowhere');
  expect(order(resume('a'))).toBe('market a is not paused; `twinbook explain a` shows why it is not quoted');
  order({ kind: 'flatten' });
  expect(order(pause('a'))).toBe('all markets are being flattened; `twinbook pause` ends the flatten');
  expect(paused()).toEqual([undefined, undefined]);
  order({ kind: 'pause', reason: 'news' });
  expect([state.safety.isFlattening('a'), order(pause('a'))]).toEqual([false, null]);
});

testWithLedger('a failed trade that settles withdraws the orders in flight of its market', (ledger) => {
  const { state } = start(ledger);
  const withdraw = vi.spyOn(state.executor, 'withdraw');
  const event = { kind: 'trouble', trouble: 'failed_trade_settled', market: 'a', text: 'x', subject: null } as const;
  ledger.transaction(() => react(state, { requests: [], events: [event] }, START_MS));
  expect(withdraw).toHaveBeenCalledWith('a', START_MS);
});

testWithLedger('a resume of a market that failed restarts it, without a pause', (ledger) => {
  const { state, order } = start(ledger);
  const entry = state.markets.track('a');
  entry.excludedBecause = 'its book is unreadable';
  expect(order(resume('a'))).toBeNull();
  expect(entry.excludedBecause).toBeNull();
});

/** Begins a flatten of nine YES shares of the market M, which no strategy quotes. */
function flattenHeld(ledger: Ledger, changes: Parameters<typeof detail>[0] = {}) {
  const { state, order } = start(ledger);
  const { feed } = state.markets.track('M');
  feed.onDetail(detail(changes), at(START_MS));
  feed.onBook(snapshot([[0.48, 30]], [[0.52, 40]]), at(START_MS), []);
  const held = { ledgerMicros: m(0), exchangeMicros: m(9), restMicros: m(9), restWorthMicros: m(0), recorded: [] };
  ledger.transaction(() => ledger.adopt({ ...held, marketConditionId: 'M', isYes: true }, 'why', START_MS));
  order(flatten('M'));
  ledger.transaction(() => flattenMarkets(state, START_MS + 60_000));
  return state;
}

testWithLedger('a refused sale of a flatten is shown in a market without a strategy', (ledger) => {
  const { markets } = makeSnapshot(flattenHeld(ledger), START_MS);
  expect(markets.at(-1)?.refusals).toMatchObject([{ name: 'max_book_age_ms' }]);
});

testWithLedger('a flatten of a market whose orders the exchange rejects ends, and says which shares stay', (ledger) => {
  const state = flattenHeld(ledger, { margin_enabled: true });
  // The first detail may be wrong.
  expect(state.safety.pauses.flattening).toEqual(['M']);
  state.markets.track('M').isEnded = true;
  ledger.transaction(() => flattenMarkets(state, START_MS + 61_000));
  expect(state.safety.pauses.flattening).toEqual([]);
  expect(state.notices.take().map(({ text }) => text)).toContainEqual(
    expect.stringMatching(/YES shares stay .* margin/),
  );
});
