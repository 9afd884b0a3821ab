/**
 * A dishonest counterparty: alone in the books, it moves its quotes away from the old price and sells to the trader at
 * prices that no other buyer would pay. The trader may buy, but must not value its shares at that price.
 */

import { ASK, BID } from '../../src/exchange/core/contract.js';
import { type Micros, micros, ONE } from '../../src/shared/base/micros.js';
import { check } from './check.js';
import type { World } from './world.js';

/** Part of all seeds. */
export const QUOTER_PART = 1 / 4;
const SHARES = micros(12 * ONE);
const TICK = 10_000;
/** Half of its spread, in ticks. */
const HALF_TICKS = 5;
const WALKED_TICKS = 34;
const STEP_MS = 1_000;
const STEPS = 600;
const SETTLE_MS = 90_000;
/** Maximum share value after hours: the slow average began at 0.5 or below and moves 1 % of the way in two hours. */
const MOST_PER_SHARE = 510_000;

export function sufferQuoter(world: World): void {
  const { exchange, timeline, tally } = world;
  const market = exchange.resting()[0]?.market.condition_id;
  const index = market === undefined ? null : exchange.core.catalog.findIndex(market);
  if (index === null) return;
  const [bid, ask] = [exchange.core.catalog.market(index).bestBid, exchange.core.catalog.market(index).bestAsk];
  if (bid === null || ask === null) return;
  tally.add('fault: a counterparty lies');
  exchange.silenceCrowd(timeline.nowMs);
  const account = (name: string) => exchange.core.at(timeline.nowMs).identity.openInternal(name, { unlimited: true });
  const [quoter, seller] = [account('liar-quoter'), account('liar-seller')];
  const truth = Math.round((bid + ask) / 2 / TICK);
  const sign = truth < 50 ? 1 : -1;
  const place = (who: typeof quoter, side: typeof BID | typeof ASK, tick: number, immediate: boolean): number =>
    tick < 1 || tick > 99
      ? 0
      : exchange.core.at(timeline.nowMs).internal.place(who, index, side, (tick * TICK) as Micros, SHARES, immediate);
  const best = (side: 'bid' | 'ask'): number =>
    (side === 'bid'
      ? (exchange.core.catalog.market(index).bestBid ?? 0)
      : (exchange.core.catalog.market(index).bestAsk ?? ONE)) / TICK;
  let quotes: number[] = [];
  for (let step = 0; step < STEPS && world.invariants.violations.length === 0; step++) {
    for (const handle of quotes) exchange.core.at(timeline.nowMs).internal.cancel(handle);
    // Only orders of the trader are left in the book.
    if (sign > 0 && best('bid') >= truth + 10) place(seller, ASK, best('bid'), true);
    if (sign < 0 && best('ask') <= truth - 10) place(seller, BID, best('ask'), true);
    const middle = truth + sign * Math.round(WALKED_TICKS * Math.min(1, (2 * step) / STEPS));
    const [ownBid, ownAsk] = [best('bid'), best('ask')];
    quotes = [
      place(quoter, BID, Math.min(middle - HALF_TICKS, ownAsk - 1), false),
      place(quoter, ASK, Math.max(middle + HALF_TICKS, ownBid + 1), false),
    ];
    world.pass(STEP_MS);
  }
  world.pass(SETTLE_MS);
  check(world, 'after a lie about the price', ({ process, say }) => {
    const { equityMicros, cashMicros, markets } = process.trader.snapshot(world.ourMs);
    const most = markets.reduce((sum, { yesMicros, noMicros, markMicros }) => {
      const pairs = Math.min(yesMicros, noMicros);
      const price = yesMicros > noMicros ? (markMicros ?? ONE) : ONE - (markMicros ?? 0);
      return sum + pairs + ((Math.max(yesMicros, noMicros) - pairs) * Math.min(price, MOST_PER_SHARE)) / ONE;
    }, cashMicros as number);
    if (equityMicros !== null && equityMicros > most + ONE / 100)
      say(`holdings count for ${equityMicros - most} more than at the price before`);
  });
}
