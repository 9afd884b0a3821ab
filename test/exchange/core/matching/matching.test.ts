import { describe, expect, it } from 'vitest';
import { BID } from '../../../../src/exchange/core/contract.js';
import { must } from '../../../../src/shared/base/errors.js';
import { Random } from '../../../../src/shared/base/random.js';
import { times } from '../../../support/effort.js';
import { GRIDS } from '../../model/calls.js';
import { checkSame } from '../../model/compare.js';
import { Pair } from '../../model/pair.js';
import { m, Venue } from '../venue.js';

/** Calls on two books: deep queues, recycled slots, odd grids and fees. */
const STEPS = times(5_000, 20_000);
const LEGS = ['mint', 'burn', 'transfer of YES', 'transfer of NO'];

/** Draws the next calls: mostly passive orders around the middle, sometimes crossing ones, and cancels. */
function step(pair: Pair, random: Random): void {
  const dice = random.uniform();
  if (dice < 0.1) return pair.run({ do: 'withdraw', pick: random.below(100) });
  if (dice < 0.15) return pair.run({ do: 'deposit', by: random.below(3), funds: 50_000_000 });
  if (dice < 0.3) {
    pair.run({ do: 'cancel', pick: 1 + random.below(9), by: 'owner' });
    return pair.run({ do: 'submit', what: 'cancel', pick: 1, by: 'owner', valid: true });
  }
  const bid = random.chance(0.5);
  const away = random.chance(0.15) ? -random.below(4) : random.below(6);
  const cents = bid ? -away : away;
  const place = { market: random.below(2), ticks: random.below(5) - 2 };
  const size = { units: 1 + random.below(12), lots: random.below(100) };
  if (dice < 0.6) {
    const call = { do: 'internal', by: random.below(2), bid, cents, ...place, ...size } as const;
    return pair.run({ ...call, immediate: random.chance(0.1) });
  }
  const isYes = random.chance(0.5);
  // An order's price is in the price space of its own outcome.
  const own = { ...place, cents: isYes ? cents : -cents };
  const order = { do: 'order', by: random.below(3), isYes, buys: bid === isYes, isLimit: true } as const;
  pair.run({ ...order, ...own, ...size, flaw: 'none' });
  pair.run({ do: 'submit', what: 'order', pick: 1, by: 'owner', valid: true });
}

describe('the matching engine', () => {
  it('fills and withdraws like the plain model over the long life of a book', () => {
    const seen = new Map<string, number>();
    const grids = [must(GRIDS[2], 'a grid'), must(GRIDS[5], 'a grid')] as const;
    const pair = new Pair(grids, (what) => seen.set(what, (seen.get(what) ?? 0) + 1));
    const { orders } = pair.plain;
    const random = Random.fromSeed(20_261_121, 'matching');
    for (let at = 0; at < STEPS; at++) {
      step(pair, random);
      if (at % 500 !== 0) continue;
      checkSame(pair.core, pair.plain, pair.accounts);
      // The model scans all orders for every call; finished internal orders are in no list.
      const kept = orders.filter((order) => order.place !== null || order.pubkey !== '');
      orders.splice(0, orders.length, ...kept);
    }
    checkSame(pair.core, pair.plain, pair.accounts);
    expect(orders.filter((order) => order.place !== null).length).toBeGreaterThan(20);
    for (const leg of LEGS) expect([leg, (seen.get(leg) ?? 0) > STEPS / 200]).toEqual([leg, true]);
  });

  it('hears no old handle of a recycled slot', () => {
    const { core } = new Venue();
    const account = core.at(0).identity.openInternal('maker', { unlimited: true });
    const place = () => core.at(0).internal.place(account, 0, BID, m('0.4'), m('1'), false);
    const first = place();
    expect(core.at(0).internal.cancel(first)).toBe(true);
    const second = place();
    expect(second).not.toBe(first);
    expect([core.at(0).internal.cancel(first), core.internal.remaining(second)]).toEqual([false, m('1')]);
    for (const nonsense of [0, -1, 1, 5_000_000, 2 ** 52, 0.5, Number.NaN])
      if (nonsense !== first && nonsense !== second) expect(core.at(0).internal.cancel(nonsense)).toBe(false);
  });
});
