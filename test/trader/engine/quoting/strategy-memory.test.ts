/** Memory of a strategy: the time of saving, its return at a start, and the handling of unusable memory. */

import { describe, expect, it } from 'vitest';
import { act } from '../../../../src/trader/engine/act.js';
import { StrategySandbox } from '../../../../src/trader/engine/quoting/strategy-sandbox.js';
import type { TraderState } from '../../../../src/trader/engine/state.js';
import { openLedger } from '../../../../src/trader/ledger/ledger.js';
import {
  defineStrategy,
  type EventQuoter,
  MAX_STATE_BYTES,
  NO_QUOTES,
  type Quoter,
  type Strategy,
} from '../../../../src/trader/strategy/contract.js';
import { strategyFrom } from '../../../../src/trader/strategy/read-params.js';
import { HOLDER, inFolder } from '../../ledger/books.js';
import { detail } from '../../market/fixtures.js';
import { m, ONE } from '../../risk/states.js';
import { FACTS } from '../../strategy/fixtures.js';
import { settingsOf, stateOf, strategyOf } from '../played-trader.js';

const START_MS = Date.UTC(2026, 10, 22, 20);
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
  StrategySandbox.ofMarket(strategy, {}, FACTS, (call) => call(), saved);

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
    ['too much', () => 'x'.repeat(MAX_STATE_BYTES), /save\(\) returned 65538 bytes, at most 65536/],
    ['nothing', () => undefined, /save\(\) returned a value that JSON cannot hold/],
  ])('is not saved, and goes on quoting, when it saves %s', (_name, save, words) => {
    const host = hostOf(counting(1, save));
    expect(host.save(0)).toBeNull();
    expect(host.takeMemoryTrouble()).toMatch(words);
    expect(host.failure).toBeNull();
  });

  it('is stopped when its save() throws', () => {
    const host = hostOf(
      counting(1, () => {
        throw new Error('no');
      }),
    );
    expect(host.save(0)).toBeNull();
    expect(host.failure).toMatch(/save\(\) failed: Error: no/);
  });

  it('is asked for nothing when its module declares no state', () => {
    const { state: _none, ...without } = counting(1);
    const host = hostOf(without, { version: 1, text: '{"asked":7}' });
    expect([host.save(0), host.takeMemoryTrouble()]).toEqual([null, null]);
  });

  it('is of a module whose version is a number, 1 or more', () => {
    expect(() => strategyFrom({ default: { ...counting(1), state: { version: 0 } } }, 'x.js')).toThrow(
      /state must have/,
    );
    expect(strategyFrom({ default: counting(3) }, 'x.js').state).toEqual({ version: 3 });
  });
});

/** One process of a trader, without an exchange: it directly gets its inputs. */
class Life {
  readonly ledger;
  readonly state: TraderState;
  #requestId = 0;

  constructor(path: string, strategy: Strategy = counting(1)) {
    this.ledger = openLedger(path, HOLDER);
    const runId = `run${this.ledger.runs().length}`;
    this.state = stateOf(this.ledger, settingsOf({ runId, strategies: [strategyOf([MARKET], strategy)] }));
    this.state.safety.modes.onStart();
    this.ledger.transaction(() => this.ledger.setCapital(m(1000 * ONE), START_MS));
  }

  /** A poll of the book, and the next turn. */
  step(nowMs: number, phase: 'open' | 'resolved' = 'open'): void {
    const { state } = this;
    const at = { requestId: ++this.#requestId, sentMs: nowMs, seenMs: nowMs, venueTimeMs: null };
    const level = { price: m(0.5 * ONE), total_amount: m(9 * ONE) };
    this.ledger.transaction(() => {
      const entry = state.markets.track(MARKET);
      state.markets.onDetail(entry, { ...detail({ condition_id: MARKET }), state: phase }, at);
      entry.feed.onBook(
        { market: MARKET, is_yes: true, bid: [{ ...level, price: m(0.4 * ONE) }], ask: [level] },
        at,
        [],
      );
      state.markets.requestRequote(MARKET);
      act(state, nowMs);
    });
  }

  get slot() {
    const [slot] = this.state.markets.listSlots(MARKET);
    if (slot === undefined) throw new Error('no slot');
    return slot;
  }

  get saved() {
    return this.ledger.strategyState('counting', MARKET, 1);
  }
}

const fill = { kind: 'fill', side: 'bid', priceMicros: m(0.4 * ONE), amountMicros: m(ONE), isMaker: true } as const;

describe('the trader', () => {
  testInFolder('saves at the first turn in each span of ten seconds, and in the turn after a fill', (path) => {
    const life = new Life(path);
    const texts = [0, 3_000, 9_999, 10_000, 12_000].map((afterMs) => {
      life.step(START_MS + afterMs);
      return life.saved?.text;
    });
    expect(texts).toEqual(['{"asked":1}', '{"asked":1}', '{"asked":1}', '{"asked":4}', '{"asked":4}']);
    life.slot.observe({ ...fill, nowMs: START_MS + 13_000 });
    life.step(START_MS + 13_000);
    expect(life.saved?.text).toBe('{"asked":6}');
    life.ledger.close();
  });

  testInFolder('gives it back after a process that ended without a word, as of the last save', (path) => {
    const first = new Life(path);
    for (const afterMs of [0, 1_000, 2_000, 11_000, 12_000]) first.step(START_MS + afterMs);
    first.ledger.close();
    const second = new Life(path);
    second.step(START_MS + 60_000);
    expect(second.slot.quotes.note).toBe('asked 5 times');
    second.ledger.close();
  });

  testInFolder('keeps what another version, or a broken one, left, and tells the operator', (path) => {
    const first = new Life(path, counting(2));
    first.step(START_MS);
    first.ledger.close();
    const second = new Life(path, counting(1));
    second.step(START_MS + 1_000);
    expect(second.ledger.eventCount('strategy_memory')).toBe(1);
    expect(second.ledger.events(1)[0]).toMatchObject({ severity: 'loud' });
    expect(second.ledger.strategyState('counting', MARKET, 2)?.text).toBe('{"asked":1}');
    expect(second.saved?.text).toBe('{"asked":1}');
    const broken = { strategy: 'counting', marketConditionId: MARKET, version: 1, text: '{"asked":"x"}', savedMs: 0 };
    second.ledger.transaction(() => second.ledger.saveStrategyState(broken));
    second.ledger.close();
    const third = new Life(path, counting(1));
    third.step(START_MS + 2_000);
    expect(third.ledger.eventCount('strategy_memory')).toBe(2);
    expect(third.saved?.text).toBe('{"asked":1}');
    // Under the negative of its version, for inspection by a user.
    expect(third.ledger.strategyState('counting', MARKET, 2)?.version).toBe(2);
    third.ledger.close();
  });

  it.each([
    ['a market', counting(1)],
    ['a whole event', countingEvents],
  ])('goes on from what was saved of %s once code that failed at its start is gone again', (_name, strategy) =>
    inFolder((path) => {
      for (const [module, afterMs] of [
        [strategy, 0],
        [broken(strategy), 20_000],
        [strategy, 40_000],
      ] as const) {
        const life = new Life(path, module);
        life.step(START_MS + afterMs);
        if (afterMs === 20_000) expect(life.slot.sandbox?.failure).toMatch(/create\(\) failed: Error: broken/);
        if (afterMs === 40_000) expect(life.slot.quotes.note).toBe('asked 2 times');
        life.ledger.close();
      }
    }));

  testInFolder('forgets it when the market is over and nothing of ours is in it', (path) => {
    const life = new Life(path);
    life.step(START_MS);
    expect(life.saved).not.toBeNull();
    life.step(START_MS + 1_000, 'resolved');
    life.step(START_MS + 2_000, 'resolved');
    expect(life.ledger.strategyStates()).toEqual([]);
    life.ledger.close();
  });
});
