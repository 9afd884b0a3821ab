/** Memory of a strategy: the time of saving, its return at a start, and the handling of unusable memory. */

import { describe, expect, it } from 'vitest';
import { StrategySandbox } from '../../../../src/trader/engine/quoting/strategy-sandbox.js';
import type { Ledger } from '../../../../src/trader/ledger/contract.js';
import {
  type AnyEvent,
  defineStrategy,
  type EventQuoter,
  MAX_STATE_BYTES,
  NO_QUOTES,
  type Quoter,
  type Strategy,
} from '../../../../src/trader/strategy/contract.js';
import { strategyFrom } from '../../../../src/trader/strategy/read-params.js';
import { fillOf, intentOf, orderOf } from '../../ledger/books.js';
import { m, ONE } from '../../risk/states.js';
import { FACTS } from '../../strategy/fixtures.js';
import { Life, START_MS } from './life.js';

const MARKET = 'market';

/** Remembers the number of its calls, and the memory from its creation. */
const counting = (version: number, save: (asked: number) => unknown = (asked) => ({ asked })) =>
  defineStrategy({
    name: 'counting',
    summary: 'Counts.',
    params: {},
    state: { version },
    create: (_params, _market, saved?: unknown): Quoter => {
      const given: unknown = Object(saved).asked;
      if (saved !== undefined && typeof given !== 'number') throw new TypeError('asked is no number');
      let asked = typeof given === 'number' ? given : 0;
      return { quote: () => NO_QUOTES(`asked ${++asked} times`), save: () => save(asked) };
    },
  });

/** The same for whole events. */
const countingEvents = defineStrategy({
  ...counting(1),
  scope: 'event',
  params: {},
  create: (_params, _event, saved?: unknown): EventQuoter => {
    let asked = Number(Object(saved).asked ?? 0);
    const quote = () => ({ [MARKET]: NO_QUOTES(`asked ${++asked} times`) });
    return { quote, save: () => ({ asked }) };
  },
});

/** A later version of the code with a bug. */
function broken<S extends Strategy>(strategy: S): S {
  const create = () => {
    throw new Error('broken');
  };
  return { ...strategy, create };
}

const hostOf = (strategy = counting(1), saved: { version: number; text: string } | null = null) =>
  new StrategySandbox(
    strategy,
    (values, kept) => strategy.create(values, FACTS, kept),
    {},
    (call) => call(),
    null,
    saved,
  );

describe('one quoter', () => {
  it('goes on from what it saved', () => {
    const host = hostOf(counting(1), { version: 1, text: '{"asked":7}' });
    expect(host.save(0)).toEqual({ version: 1, text: '{"asked":7}' });
    expect([host.hasBegunAnew, host.takeMemoryTrouble(), host.failure]).toEqual([false, null, null]);
  });

  it.each([
    ['another version', { version: 2, text: '{"asked":7}' }, /has version 2; the module reads version 1/],
    ['no JSON', { version: 1, text: '{"asked":' }, /cannot be used: SyntaxError/],
    ['another form', { version: 1, text: '{"asked":"x"}' }, /cannot be used: TypeError: asked is no number/],
  ])('begins anew, and says so once, when what was saved is %s', (_name, saved, words) => {
    const host = hostOf(counting(1), saved);
    expect(host.hasBegunAnew).toBe(true);
    expect(host.takeMemoryTrouble()).toMatch(words);
    expect(host.takeMemoryTrouble()).toBeNull();
    expect(host.failure).toBeNull();
    expect(host.save(0)).toEqual({ version: 1, text: '{"asked":0}' });
  });

  it.each([
    ['too much', () => 'x'.repeat(MAX_STATE_BYTES), /save\(\) returned 65538 bytes, but the maximum is 65536/],
    ['a function', () => () => 1, /save\(\) returned a value that is not JSON/],
  ])('is not saved, goes on quoting, and says so once until a save succeeds, if it saves %s', (_name, save, words) => {
    const states = [save, save, () => undefined, () => 1, save];
    let saves = 0;
    const host = hostOf(counting(1, () => states[saves++]?.()));
    const troubles = states.map(() => [host.save(0), host.takeMemoryTrouble()][1]);
    expect(troubles).toEqual([expect.stringMatching(words), null, null, null, expect.stringMatching(words)]);
    expect(host.failure).toBeNull();
  });

  const throwing = (value: unknown) => () => {
    throw value;
  };

  it.each([
    ['an error', throwing(new Error('no')), 'Error: no'],
    ['a value without a text', throwing(Object.create(null)), 'a value that cannot be shown as text'],
    ['an error without a text', throwing(Object.assign(new Error(), { message: Symbol() })), 'a value that cannot be'],
    ['a promise', () => Promise.reject(new Error('no')), 'TypeError: the function returned a promise'],
  ])('is stopped when its save() throws or returns %s', (_name, save, words) => {
    const host = hostOf(counting(1, save));
    expect(host.save(0)).toBeNull();
    expect(host.failure).toContain(`save() failed: ${words}`);
  });

  it('is asked for nothing when its module declares no state', () => {
    const { state: _none, ...without } = counting(1);
    const host = hostOf(without, { version: 1, text: '{"asked":7}' });
    expect([host.save(0), host.takeMemoryTrouble()]).toEqual([null, null]);
  });

  it('is of a module whose version is a number, 1 or more', () => {
    expect(() => strategyFrom({ default: { ...counting(1), state: { version: 0 } } }, 'x.js')).toThrow(
      /state.version must be/,
    );
    expect(strategyFrom({ default: counting(3) }, 'x.js').state).toEqual({ version: 3 });
  });
});

const fill = { kind: 'fill', side: 'bid', priceMicros: m(0.4 * ONE), amountMicros: m(ONE), isMaker: true } as const;

describe('the trader', () => {
  const begin = (strategy: Strategy = counting(1)) => new Life(strategy, [MARKET]);
  const savedBy = ({ ledger }: Life) => ledger.strategyState('counting', MARKET, 1)?.text;

  it('saves at the first turn in each span of ten seconds, and in the turn after a fill', () => {
    const life = begin();
    const texts = [0, 3_000, 9_999, 10_000, 12_000].map((afterMs) => {
      life.step(START_MS + afterMs, [MARKET]);
      return savedBy(life);
    });
    expect(texts).toEqual(['{"asked":1}', '{"asked":1}', '{"asked":1}', '{"asked":4}', '{"asked":4}']);
    life.slot(MARKET).observe({ ...fill, nowMs: START_MS + 13_000 });
    life.step(START_MS + 13_000, [MARKET]);
    expect(savedBy(life)).toBe('{"asked":6}');
  });

  it('gives it back after a process that was killed, as of the last save', () => {
    const first = begin();
    for (const afterMs of [0, 1_000, 2_000, 11_000, 12_000]) first.step(START_MS + afterMs, [MARKET]);
    const second = first.restart(counting(1));
    second.step(START_MS + 60_000, [MARKET]);
    expect(second.notes(MARKET)).toEqual(['asked 5 times']);
  });

  it('keeps what another version, or a broken one, left, and tells the operator', () => {
    const first = begin(counting(2));
    first.step(START_MS, [MARKET]);
    const second = first.restart(counting(1));
    second.step(START_MS + 1_000, [MARKET]);
    expect(second.ledger.eventCount('strategy_memory')).toBe(1);
    expect(second.ledger.events(1)[0]).toMatchObject({ severity: 'loud' });
    expect(second.ledger.strategyState('counting', MARKET, 2)?.text).toBe('{"asked":1}');
    expect(savedBy(second)).toBe('{"asked":1}');
    const broken = { strategy: 'counting', marketConditionId: MARKET, version: 1, text: '{"asked":"x"}', savedMs: 0 };
    second.ledger.transaction(() => second.ledger.saveStrategyState(broken));
    const third = second.restart(counting(1));
    third.step(START_MS + 2_000, [MARKET]);
    expect(third.ledger.eventCount('strategy_memory')).toBe(2);
    expect(savedBy(third)).toBe('{"asked":1}');
    // Under the negative of its version, for inspection by a user.
    expect(third.ledger.strategyState('counting', MARKET, 2)?.version).toBe(2);
  });

  it.each([
    ['a market', counting(1)],
    ['a whole event', countingEvents],
  ])('goes on from what was saved of %s once code that failed at its start is gone again', (_name, strategy) => {
    const first = begin(strategy);
    first.step(START_MS, [MARKET]);
    const second = first.restart(broken(strategy));
    second.step(START_MS + 20_000, [MARKET]);
    expect(second.slot(MARKET).sandbox?.failure).toMatch(/create\(\) failed: Error: broken/);
    const third = second.restart(strategy);
    third.step(START_MS + 40_000, [MARKET]);
    expect(third.notes(MARKET)).toEqual(['asked 2 times']);
  });

  it('forgets it when the market is over and nothing of ours is in it', () => {
    const life = begin();
    life.step(START_MS, [MARKET]);
    expect(savedBy(life)).toBeDefined();
    for (const afterMs of [1_000, 12_000, 13_000]) life.step(START_MS + afterMs, [MARKET], 'resolved');
    expect(life.ledger.strategyStates()).toEqual([]);
  });
});

/** Books a fill of an order of this strategy. */
function bookFill(ledger: Ledger, id: string, strategy: string, seenMs: number): void {
  const of = { marketConditionId: MARKET, strategy };
  ledger.addIntent(intentOf({ id: `intent ${id}`, runId: 'run0', ...of }));
  ledger.addOrder(orderOf({ pubkey: `order ${id}`, intentId: `intent ${id}`, marketConditionId: MARKET }));
  ledger.bookFill(fillOf({ pubkey: id, orderPubkey: `order ${id}`, marketConditionId: MARKET, seenMs }));
}

it('observes the fills that were booked after it was saved, once', () => {
  const observed: AnyEvent[] = [];
  const module = defineStrategy({
    ...counting(1),
    create: (_params, _market, _saved): Quoter => ({
      quote: () => NO_QUOTES('counts fills'),
      observe: (event) => void observed.push(event),
      save: () => ({ asked: 0 }),
    }),
  });
  const first = new Life(module, [MARKET]);
  first.step(START_MS, [MARKET]);
  const [before, after] = [START_MS - 1, START_MS + 60_000];
  first.ledger.transaction(() => {
    for (const [id, strategy, seenMs] of [
      ['saved', 'counting', before],
      ['missed', 'counting', after],
      ['foreign', 'other', after],
    ] as const)
      bookFill(first.ledger, id, strategy, seenMs);
  });
  const second = first.restart(module);
  second.step(START_MS + 61_000, [MARKET]);
  expect(observed).toMatchObject([{ kind: 'fill', nowMs: after }]);
  second.step(START_MS + 62_000, [MARKET]);
  expect(observed).toHaveLength(1);
});
