/** Strategies that quote whole events: their view, quotes for all markets or none, and their memory. */

import { describe, expect, it } from 'vitest';
import { act } from '../../../../src/trader/engine/act.js';
import { obey } from '../../../../src/trader/engine/control/commands.js';
import type { TraderState } from '../../../../src/trader/engine/state.js';
import { openLedger } from '../../../../src/trader/ledger/ledger.js';
import type { WholeEventView } from '../../../../src/trader/market/view.js';
import {
  defineStrategy,
  type EventStrategy,
  NO_QUOTES,
  type Quotes,
} from '../../../../src/trader/strategy/contract.js';
import { strategyFrom } from '../../../../src/trader/strategy/read-params.js';
import { HOLDER, inFolder } from '../../ledger/books.js';
import { detail } from '../../market/fixtures.js';
import { m, ONE } from '../../risk/states.js';
import { settingsOf, stateOf, strategyOf } from '../played-trader.js';

const START_MS = Date.UTC(2026, 10, 22, 20);
const EVENT = 'E';
const LONE = 'lone';
const bid = {
  ...NO_QUOTES('bids'),
  fairMicros: m(0.45 * ONE),
  bids: [{ priceMicros: m(0.4 * ONE), amountMicros: m(ONE) }],
};

/** Bids in every market of its view, unless a test replaces its result. */
function eventStrategy(say: (view: WholeEventView, asked: number) => unknown = bidAll) {
  const seen: WholeEventView[] = [];
  const told: string[] = [];
  const module = defineStrategy({
    name: 'whole',
    summary: 'Quotes events.',
    scope: 'event',
    params: {},
    state: { version: 1 },
    create: (_params, event, saved) => {
      let asked = Number(Object(saved).asked ?? 0);
      return {
        quote: (view) => {
          seen.push(view);
          asked += 1;
          return say(view, asked) as Record<string, Quotes>;
        },
        observe: ({ kind }, conditionId) => told.push(`${kind} in ${conditionId} of ${event.eventConditionId}`),
        save: () => ({ asked }),
      };
    },
  });
  return { module, seen, told };
}

const bidAll = ({ markets }: WholeEventView) =>
  Object.fromEntries(markets.map(({ view }) => [view.market.conditionId, bid]));

class Life {
  readonly ledger;
  readonly state: TraderState;
  #requestId = 0;

  constructor(path: string, module: EventStrategy, markets = ['b', 'a'], declared: readonly string[] = []) {
    this.ledger = openLedger(path, HOLDER);
    const runId = `run${this.ledger.runs().length}`;
    const event = { eventConditionId: EVENT, outcomes: 'exhaustive', marketConditionIds: declared } as const;
    const events = declared.length === 0 ? [] : [event];
    this.state = stateOf(this.ledger, settingsOf({ runId, events, strategies: [strategyOf(markets, module)] }));
    this.state.safety.modes.onStart();
    // A process that started long ago: nothing waits for a first poll.
    this.state.clock.bornMs = START_MS - 1_000_000;
    this.ledger.transaction(() => {
      this.ledger.startRun({ id: runId, version: '0', configHash: 'hash', startedMs: START_MS });
      this.ledger.setCapital(m(1000 * ONE), START_MS);
    });
  }

  /** Polls these markets, and runs the next turn. */
  step(nowMs: number, looked: readonly string[], phase: 'open' | 'resolved' = 'open'): void {
    const { state } = this;
    const at = { requestId: ++this.#requestId, sentMs: nowMs, seenMs: nowMs, venueTimeMs: null };
    const level = (price: number) => [{ price: m(price * ONE), total_amount: m(9 * ONE) }];
    this.ledger.transaction(() => {
      for (const id of looked) {
        const entry = state.markets.track(id);
        state.markets.onDetail(entry, { ...detailOf(id), state: phase }, at);
        entry.feed.onBook({ market: id, is_yes: true, bid: level(0.4), ask: level(0.5) }, at, []);
        state.markets.requestRequote(id);
      }
      act(state, nowMs);
    });
  }

  slot(id: string) {
    const [slot] = this.state.markets.listSlots(id);
    if (slot === undefined) throw new Error(`no slot in ${id}`);
    return slot;
  }

  notes(...ids: readonly string[]) {
    return ids.map((id) => this.slot(id).quotes.note);
  }
}

const detailOf = (id: string) =>
  detail({ condition_id: id, event: id === LONE ? null : { title: 'Which?', condition_id: EVENT, logo: null } });

const inLife = (work: (life: Life, strategy: ReturnType<typeof eventStrategy>) => void, ...more: readonly unknown[]) =>
  inFolder((path) => {
    const [say, markets, declared] = more as [Parameters<typeof eventStrategy>[0], string[]?, string[]?];
    const strategy = eventStrategy(say);
    const life = new Life(path, strategy.module, markets, declared);
    work(life, strategy);
    life.ledger.close();
  });

describe('a strategy of whole events', () => {
  it('is asked once for all markets, and speaks for all of them', () => {
    inLife((life, { seen }) => {
      life.step(START_MS, ['b', 'a']);
      expect(seen).toHaveLength(1);
      expect(seen[0]).toMatchObject({
        nowMs: START_MS,
        event: { eventConditionId: EVENT, outcomes: null, marketConditionIds: [] },
        unseen: [],
      });
      // Sorted by their names, in any order of discovery.
      expect(seen[0]?.markets.map(({ view }) => view.market.conditionId)).toEqual(['a', 'b']);
      expect(life.notes('a', 'b')).toEqual(['bids', 'bids']);
      expect([...life.state.account.own.orders.keys()].sort()).toEqual(['a', 'b']);
      // A poll of one of them calls it again, with the other unchanged.
      life.step(START_MS + 500, ['a']);
      expect(seen).toHaveLength(2);
      expect(seen[1]?.markets.map(({ view }) => view.health.bookAgeMs)).toEqual([0, 500]);
      // No quotes in between.
      life.step(START_MS + 600, []);
      expect(seen).toHaveLength(2);
    });
  });

  it('sees its markets in the declared order, and which of them have no book', () => {
    inLife(
      (life, { seen }) => {
        life.step(START_MS, ['a', 'b']);
        expect(seen[0]).toMatchObject({ event: { outcomes: 'exhaustive' }, unseen: ['c', 'x'] });
        expect(seen[0]?.markets.map(({ view }) => view.market.conditionId)).toEqual(['b', 'a']);
        expect(seen[0]?.markets[0]?.view.event).toBeNull();
      },
      undefined,
      ['a', 'b', 'c'],
      ['b', 'c', 'x', 'a'],
    );
  });

  it('is told why nothing is taken in one market, and quotes the others', () => {
    inLife((life, { seen }) => {
      life.ledger.transaction(() => life.state.safety.pauses.pause('b', 'a person said so'));
      life.step(START_MS, ['a', 'b']);
      expect(seen[0]?.markets.map(({ silentBecause }) => silentBecause)).toEqual([null, 'paused: a person said so']);
      expect(life.notes('a', 'b')).toEqual(['bids', 'paused: a person said so']);
      // It is not called if no order would be accepted.
      life.ledger.transaction(() => life.state.safety.pauses.pause('a', 'nor here'));
      life.step(START_MS + 100, ['a', 'b']);
      expect(seen).toHaveLength(1);
    });
  });

  it.each([
    ['throws', () => fail(), /quote\(\) failed: Error: no$/],
    ['leaves one out', () => ({ a: bid }), /quotes: no quotes of b: every market in the view needs quotes$/],
    [
      'names a market of no event',
      () => ({ a: bid, b: bid, z: bid }),
      /quotes: quotes of z, which is not one of .*: a, b$/,
    ],
    ['says nonsense of one', () => ({ a: bid, b: { ...bid, note: 7 } }), /quotes: b: note must be text, got 7$/],
    ['returns none', () => [bid, bid], /quotes: quotes must be an object that holds quotes by condition id/],
  ])('that %s is stopped in the whole event, and the operator is told once', (_name, say, words) => {
    inLife((life) => {
      life.step(START_MS, ['a', 'b']);
      expect(life.slot('a').sandbox?.failure).toMatch(words);
      for (const note of life.notes('a', 'b')) expect(note).toMatch(/^strategy stopped: quote\(\)/);
      expect(life.state.account.own.orders.size).toBe(0);
      life.step(START_MS + 2_000, ['a', 'b']);
      expect(life.ledger.eventCount('strategy_failed')).toBe(1);
      expect(life.ledger.events(1)[0]?.text).toContain('is stopped in all markets of event E: ');
    }, say);
  });

  it('begins anew in all of it when a person resumes', () => {
    inLife(
      (life, { seen }) => {
        life.step(START_MS, ['a', 'b']);
        expect(life.slot('b').sandbox?.failure).not.toBeNull();
        life.ledger.transaction(() => obey(life.state, { kind: 'resume', reason: '' }, START_MS + 50));
        life.step(START_MS + 100, ['a']);
        expect(life.notes('a', 'b')).toEqual(['bids', 'bids']);
        expect(seen).toHaveLength(2);
      },
      // Its own count is gone with the quoter, so it uses the time.
      (view: WholeEventView) => (view.nowMs === START_MS ? fail() : bidAll(view)),
    );
  });

  it('quotes no market without an event', () => {
    inLife(
      (life, { seen }) => {
        life.step(START_MS, [LONE]);
        expect(seen).toEqual([]);
        expect(life.notes(LONE)).toEqual(['the market belongs to no event, and the strategy quotes whole events']);
      },
      undefined,
      [LONE],
    );
  });

  it('is told of fills with the market they came in', () => {
    inLife((life, { told, seen }) => {
      life.step(START_MS, ['a', 'b']);
      const fill = {
        kind: 'fill',
        side: 'bid',
        priceMicros: m(0.4 * ONE),
        amountMicros: m(ONE),
        isMaker: true,
      } as const;
      life.slot('b').observe({ ...fill, nowMs: START_MS });
      expect(told).toEqual(['fill in b of E']);
      life.step(START_MS + 1, []);
      expect(seen).toHaveLength(2);
    });
  });
});

describe('what it remembers', () => {
  testInFolder('is kept once for the event, and given back to the next process', (path) => {
    const first = new Life(path, eventStrategy().module);
    for (const afterMs of [0, 1_000, 11_000]) first.step(START_MS + afterMs, ['a', 'b']);
    expect(first.ledger.strategyStates()).toMatchObject([
      { marketConditionId: EVENT, strategy: 'whole', text: '{"asked":3}' },
    ]);
    first.ledger.close();
    const notes = (view: WholeEventView, asked: number) =>
      Object.fromEntries(
        view.markets.map(({ view: { market } }) => [market.conditionId, NO_QUOTES(`asked ${asked}`)]),
      );
    const second = new Life(path, eventStrategy(notes).module);
    second.step(START_MS + 60_000, ['a', 'b']);
    expect(second.notes('a', 'b')).toEqual(['asked 4', 'asked 4']);
    second.ledger.close();
  });

  it('goes with the last market of the event', () => {
    inLife(
      (life) => {
        life.step(START_MS, ['a', 'b']);
        const { executor } = life.state;
        life.ledger.transaction(() => executor.withdraw(null, START_MS));
        life.state.account.invalidate();
        life.step(START_MS + 1_000, ['a'], 'resolved');
        life.step(START_MS + 2_000, []);
        expect(life.state.markets.get('a')).toBeUndefined();
        expect(life.ledger.strategyStates()).toHaveLength(1);
        life.step(START_MS + 3_000, ['b'], 'resolved');
        life.step(START_MS + 4_000, []);
        expect(life.ledger.strategyStates()).toEqual([]);
        expect(life.state.markets.sandboxes.haveEvents).toBe(false);
      },
      (view: WholeEventView) =>
        Object.fromEntries(view.markets.map(({ view: { market } }) => [market.conditionId, NO_QUOTES('none')])),
    );
  });

  it('is taken along when other parameters are configured', () => {
    inLife((life) => {
      life.step(START_MS, ['a', 'b']);
      const { settings } = life.state;
      const [strategy] = settings.strategies;
      if (strategy === undefined) throw new Error('there is one');
      const next = { ...settings, strategies: [{ ...strategy, params: { other: 1 } }] };
      life.state.settings = next;
      life.ledger.transaction(() => life.state.markets.configure(next, START_MS + 1));
      expect(life.slot('a').sandbox).toBe(life.slot('b').sandbox);
      life.step(START_MS + 11_000, ['a']);
      expect(life.ledger.strategyStates()).toMatchObject([{ text: '{"asked":2}' }]);
    });
  });
});

describe('other parameters', () => {
  const spec = { kind: 'integer', unit: 'ticks', min: 0, max: 9, default: 0, help: 'h' } as const;

  /** Reports its quoter's number and that quoter's parameters. */
  function changing(handing: (next: unknown) => void = () => undefined) {
    const told: number[] = [];
    let made = 0;
    const module = defineStrategy({
      name: 'whole',
      summary: 'Quotes events.',
      scope: 'event',
      params: { soft: { ...spec, live: 'now' }, firm: { ...spec, live: 'requote' }, hard: spec },
      create: ({ soft }) => {
        const number = ++made;
        let value = soft;
        return {
          quote: ({ markets }) =>
            Object.fromEntries(
              markets.map(({ view: { market } }) => [market.conditionId, NO_QUOTES(`${number} goes by ${value}`)]),
            ),
          params: (next) => {
            handing(next);
            told.push(number);
            value = next.soft;
          },
        };
      },
    });
    return { module, told };
  }

  function changeTo(life: Life, params: Readonly<Record<string, number>>, nowMs: number): void {
    const { settings } = life.state;
    const next = { ...settings, strategies: settings.strategies.map((strategy) => ({ ...strategy, params })) };
    life.state.settings = next;
    life.ledger.transaction(() => life.state.markets.configure(next, nowMs));
  }

  const inChange = (handing: undefined | (() => void), work: (life: Life, told: readonly number[]) => void) =>
    inFolder((path) => {
      const { module, told } = changing(handing);
      const life = new Life(path, module, ['a', 'b', 'c']);
      changeTo(life, { soft: 0, firm: 0, hard: 0 }, START_MS);
      life.step(START_MS, ['a', 'b']);
      expect(life.notes('a', 'b')).toEqual(['1 goes by 0', '1 goes by 0']);
      work(life, told);
      life.ledger.close();
    });

  it('are handed to the quoter of the event once, which a market that comes later shares', () => {
    inChange(undefined, (life, told) => {
      const { sandbox } = life.slot('a');
      changeTo(life, { soft: 3, firm: 0, hard: 0 }, START_MS + 1);
      life.step(START_MS + 2, ['a', 'b']);
      expect(life.notes('a', 'b')).toEqual(['1 goes by 3', '1 goes by 3']);
      expect(told).toEqual([1]);
      life.step(START_MS + 3, ['c']);
      expect(life.slot('c').sandbox).toBe(sandbox);
      expect(life.notes('a', 'b', 'c')).toEqual(['1 goes by 3', '1 goes by 3', '1 goes by 3']);
    });
  });

  it('pull what rests in all markets first where they ask for that', () => {
    inChange(undefined, (life, told) => {
      changeTo(life, { soft: 2, firm: 1, hard: 0 }, START_MS + 1);
      life.step(START_MS + 2, ['a', 'b']);
      for (const note of life.notes('a', 'b')) expect(note).toContain('orders are canceled');
      life.step(START_MS + 3, ['a', 'b']);
      expect(life.notes('a', 'b')).toEqual(['1 goes by 2', '1 goes by 2']);
      expect(told).toEqual([1]);
    });
  });

  it('make one other quoter for all where they want that, or where it throws', () => {
    inChange(undefined, (life, told) => {
      changeTo(life, { soft: 2, firm: 0, hard: 1 }, START_MS + 1);
      life.step(START_MS + 2, ['a', 'b']);
      expect(life.notes('a', 'b')).toEqual(['2 goes by 2', '2 goes by 2']);
      expect(told).toEqual([]);
    });
    inChange(fail, (life) => {
      changeTo(life, { soft: 4, firm: 0, hard: 0 }, START_MS + 1);
      life.step(START_MS + 2, ['a', 'b']);
      expect(life.notes('a', 'b')).toEqual(['2 goes by 4', '2 goes by 4']);
      expect(life.slot('a').sandbox).toBe(life.slot('b').sandbox);
    });
  });
});

describe('its declaration', () => {
  it('names its scope, and asks for nothing that it sees anyhow', () => {
    const { module } = eventStrategy();
    expect(strategyFrom({ default: module }, 'x.js').scope).toBe('event');
    expect(() => strategyFrom({ default: { ...module, scope: 'venue' } }, 'x.js')).toThrow(
      /scope must be 'market' or 'event', got "venue"/,
    );
    expect(() => strategyFrom({ default: { ...module, inputs: { event: true } } }, 'x.js')).toThrow(
      /its view shows all markets/,
    );
  });
});

function fail(): never {
  throw new Error('no');
}
