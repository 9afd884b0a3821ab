/** Strategies that quote whole events: their view, quotes for all markets or none, and their memory. */

import { describe, expect, it } from 'vitest';
import { obey } from '../../../../src/trader/engine/control/commands.js';
import type { WholeEventView } from '../../../../src/trader/market/view.js';
import { defineStrategy, NO_QUOTES, type Quotes } from '../../../../src/trader/strategy/contract.js';
import { strategyFrom } from '../../../../src/trader/strategy/read-params.js';
import { m, ONE } from '../../risk/states.js';
import { wish } from '../played-trader.js';
import { EVENT, Life, LONE, START_MS } from './life.js';

const bid = wish(0.45, 0.4, null, 1);

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

/** A process that quotes whole events, and the record of its strategy. */
function begin(
  say?: (view: WholeEventView, asked: number) => unknown,
  markets: readonly string[] = ['b', 'a'],
  declared: readonly string[] = [],
) {
  const strategy = eventStrategy(say);
  const event = { eventConditionId: EVENT, outcomes: 'exhaustive', marketConditionIds: declared } as const;
  return { ...strategy, life: new Life(strategy.module, markets, { events: declared.length === 0 ? [] : [event] }) };
}

/** Wants nothing in any market, and says this. */
const wantNothing = ({ markets }: WholeEventView, note: string) =>
  Object.fromEntries(markets.map(({ view: { market } }) => [market.conditionId, NO_QUOTES(note)]));

describe('a strategy of whole events', () => {
  it('is asked once for all markets, and speaks for all of them', () => {
    const { life, seen } = begin();
    life.step(START_MS, ['b', 'a']);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      nowMs: START_MS,
      event: { eventConditionId: EVENT, outcomes: null, marketConditionIds: [] },
      unseen: [],
    });
    // Sorted by their names, in any order of discovery.
    expect(seen[0]?.markets.map(({ view }) => view.market.conditionId)).toEqual(['a', 'b']);
    expect(life.notes('a', 'b')).toEqual(['quotes', 'quotes']);
    expect([...life.state.account.own.orders.keys()].sort()).toEqual(['a', 'b']);
    // A poll of one of them calls it again, with the other unchanged.
    life.step(START_MS + 500, ['a']);
    expect(seen).toHaveLength(2);
    expect(seen[1]?.markets.map(({ view }) => view.health.bookAgeMs)).toEqual([0, 500]);
    // No quotes in between.
    life.step(START_MS + 600, []);
    expect(seen).toHaveLength(2);
  });

  it('sees its markets in the declared order, and which of them have no book', () => {
    const { life, seen } = begin(undefined, ['a', 'b', 'c'], ['b', 'c', 'x', 'a']);
    life.step(START_MS, ['a', 'b']);
    expect(seen[0]).toMatchObject({ event: { outcomes: 'exhaustive' }, unseen: ['c', 'x'] });
    expect(seen[0]?.markets.map(({ view }) => view.market.conditionId)).toEqual(['b', 'a']);
    expect(seen[0]?.markets[0]?.view.event).toBeNull();
  });

  it('is told why nothing is taken in one market, and quotes the others', () => {
    const { life, seen } = begin();
    life.ledger.transaction(() => life.state.safety.pauses.pause('b', 'a person said so'));
    life.step(START_MS, ['a', 'b']);
    expect(seen[0]?.markets.map(({ silentBecause }) => silentBecause)).toEqual([null, 'paused: a person said so']);
    expect(life.notes('a', 'b')).toEqual(['quotes', 'paused: a person said so']);
    // It is not called if no order would be accepted.
    life.ledger.transaction(() => life.state.safety.pauses.pause('a', 'nor here'));
    life.step(START_MS + 100, ['a', 'b']);
    expect(seen).toHaveLength(1);
  });

  it.each([
    ['throws', () => fail(), /quote\(\) failed: Error: no$/],
    ['leaves one out', () => ({ a: bid }), /quotes: no quotes for b: every market in the view needs quotes$/],
    ['names another market', () => ({ a: bid, b: bid, z: bid }), /quotes for z, which is not one of .*: a, b$/],
    ['says nonsense of one', () => ({ a: bid, b: { ...bid, note: 7 } }), /quotes: b: note must be text, got 7$/],
    ['returns none', () => [bid, bid], /quotes: quotes must be an object that holds quotes by condition id/],
  ])('that %s is stopped in the whole event, and the operator is told once', (_name, say, words) => {
    const { life } = begin(say);
    life.step(START_MS, ['a', 'b']);
    expect(life.slot('a').sandbox?.failure).toMatch(words);
    for (const note of life.notes('a', 'b')) expect(note).toMatch(/^strategy stopped: quote\(\)/);
    expect(life.state.account.own.orders.size).toBe(0);
    life.step(START_MS + 2_000, ['a', 'b']);
    expect(life.ledger.eventCount('strategy_failed')).toBe(1);
    expect(life.ledger.events(1)[0]?.text).toContain('is stopped in all markets of event E: ');
  });

  it('begins anew in all of it when a person resumes', () => {
    // The quoter's own count is gone with it, so it uses the time.
    const { life, seen } = begin((view) => (view.nowMs === START_MS ? fail() : bidAll(view)));
    life.step(START_MS, ['a', 'b']);
    expect(life.slot('b').sandbox?.failure).not.toBeNull();
    life.ledger.transaction(() => obey(life.state, { kind: 'resume', reason: '' }, START_MS + 50));
    life.step(START_MS + 100, ['a']);
    expect(life.notes('a', 'b')).toEqual(['quotes', 'quotes']);
    expect(seen).toHaveLength(2);
  });

  it('quotes no market without an event', () => {
    const { life, seen } = begin(undefined, [LONE]);
    life.step(START_MS, [LONE]);
    expect(seen).toEqual([]);
    expect(life.notes(LONE)).toEqual(['the market belongs to no event, and the strategy quotes whole events']);
  });

  it('is told of fills with the market they came in', () => {
    const { life, told, seen } = begin();
    life.step(START_MS, ['a', 'b']);
    const fill = { kind: 'fill', side: 'bid', isMaker: true, priceMicros: m(0.4 * ONE), amountMicros: m(ONE) } as const;
    life.slot('b').observe({ ...fill, nowMs: START_MS });
    expect(told).toEqual(['fill in b of E']);
    life.step(START_MS + 1, []);
    expect(seen).toHaveLength(2);
  });
});

describe('what it remembers', () => {
  it('is kept once for the event, and given back to the next process', () => {
    const { life } = begin();
    for (const afterMs of [0, 1_000, 11_000]) life.step(START_MS + afterMs, ['a', 'b']);
    const memory = { marketConditionId: EVENT, strategy: 'whole', text: '{"asked":3}' };
    expect(life.ledger.strategyStates()).toMatchObject([memory]);
    const { module } = eventStrategy((view, asked) => wantNothing(view, `asked ${asked}`));
    const second = life.restart(module);
    second.step(START_MS + 60_000, ['a', 'b']);
    expect(second.notes('a', 'b')).toEqual(['asked 4', 'asked 4']);
  });

  it('goes with the last market of the event', () => {
    const { life } = begin((view) => wantNothing(view, 'none'));
    life.step(START_MS, ['a', 'b']);
    const { executor } = life.state;
    life.ledger.transaction(() => executor.withdraw(null, START_MS));
    life.state.account.invalidate();
    // Two details confirm that a market has ended.
    for (const afterMs of [1_000, 12_000]) life.step(START_MS + afterMs, ['a'], 'resolved');
    life.step(START_MS + 13_000, []);
    expect(life.state.markets.get('a')).toBeUndefined();
    expect(life.ledger.strategyStates()).toHaveLength(1);
    for (const afterMs of [14_000, 25_000]) life.step(START_MS + afterMs, ['b'], 'resolved');
    life.step(START_MS + 26_000, []);
    expect(life.ledger.strategyStates()).toEqual([]);
    expect(life.state.markets.sandboxes.haveEvents).toBe(false);
  });

  it('is taken along when other parameters are configured', () => {
    const { life } = begin();
    life.step(START_MS, ['a', 'b']);
    life.configure(() => ({ params: { other: 1 } }), START_MS + 1);
    expect(life.slot('a').sandbox).toBe(life.slot('b').sandbox);
    life.step(START_MS + 11_000, ['a']);
    expect(life.ledger.strategyStates()).toMatchObject([{ text: '{"asked":2}' }]);
  });
});

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
        quote: (view) => wantNothing(view, `${number} goes by ${value}`),
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

const pulled = expect.stringContaining('orders are canceled');

it.each<[string, (() => never) | undefined, Record<string, number>, unknown[], number[]]>([
  ['are handed to the quoter of the event once', undefined, { soft: 3 }, ['1 goes by 3', '1 goes by 3'], [1]],
  ['pull what rests in all markets first', undefined, { soft: 2, firm: 1 }, [pulled, '1 goes by 2'], [1]],
  ['make one other quoter for all', undefined, { soft: 2, hard: 1 }, ['2 goes by 2', '2 goes by 2'], []],
  ['make one other quoter for all if they throw', fail, { soft: 4 }, ['2 goes by 4', '2 goes by 4'], []],
])('other parameters %s', (_name, handing, params, [first, second], takers) => {
  const { module, told } = changing(handing);
  const life = new Life(module, ['a', 'b', 'c']);
  life.configure(() => ({ params: { soft: 0, firm: 0, hard: 0 } }), START_MS);
  life.step(START_MS, ['a', 'b']);
  expect(life.notes('a', 'b')).toEqual(['1 goes by 0', '1 goes by 0']);
  life.configure(() => ({ params: { soft: 0, firm: 0, hard: 0, ...params } }), START_MS + 1);
  life.step(START_MS + 2, ['a', 'b']);
  expect(life.notes('a', 'b')).toEqual([first, first]);
  // A market that comes later shares the quoter.
  life.step(START_MS + 3, ['a', 'b', 'c']);
  expect(life.notes('a', 'b', 'c')).toEqual([second, second, second]);
  for (const id of ['b', 'c']) expect(life.slot(id).sandbox).toBe(life.slot('a').sandbox);
  expect(told).toEqual(takers);
});

it('the declaration of a strategy names its scope, and asks for no data that every event view has', () => {
  const { module } = eventStrategy();
  expect(strategyFrom({ default: module }, 'x.js').scope).toBe('event');
  expect(() => strategyFrom({ default: { ...module, scope: 'venue' } }, 'x.js')).toThrow(
    /scope must be 'market' or 'event', got "venue"/,
  );
  expect(() => strategyFrom({ default: { ...module, inputs: { event: true } } }, 'x.js')).toThrow(
    /event views hold all markets/,
  );
});

function fail(): never {
  throw new Error('no');
}
