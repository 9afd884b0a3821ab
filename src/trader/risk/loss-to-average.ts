/**
 * Loss of open orders if every price returns to its slow average: the worst over every set of fills. One account can
 * fake sizes and levels of a book, but not this amount.
 */

import { add, complement, type Micros, maxMicros, minMicros, mul, sub, ZERO } from '../../shared/base/micros.js';
import { buyCost, type Exposure, toYesDirection, type WorkingOrder } from './exposure.js';
import type { ShareCaps } from './slow-average.js';

/** Highest share values that the limits allow in a market, by condition id. */
export type FindCaps = (marketConditionId: string) => ShareCaps;

/** Loss of all working orders, optionally with one more. Shares that only reduce a position to zero do not count. */
export function lossToAverage(exposure: Exposure, findCaps: FindCaps, extra: WorkingOrder | null = null): Micros {
  const markets = new Set(exposure.workingMarkets);
  if (extra !== null) markets.add(extra.marketConditionId);
  let loss = ZERO;
  for (const market of markets) {
    const orders = exposure.listOrders(market);
    const all = extra?.marketConditionId === market ? [...orders, extra] : orders;
    const holding = exposure.holding(market);
    const net = sub(holding?.yesMicros ?? ZERO, holding?.noMicros ?? ZERO);
    const { yesMicros, noMicros } = findCaps(market);
    const [raising, lowering] = [true, false].map((up) => all.filter((order) => toYesDirection(order).raises === up));
    loss = add(loss, openingLoss(raising ?? [], maxMicros(ZERO, sub(ZERO, net)), yesMicros));
    loss = add(loss, openingLoss(lowering ?? [], maxMicros(ZERO, net), noMicros));
  }
  return loss;
}

/**
 * Loss of orders of one direction; those that lose most per share are taken to open the position.
 *
 * @param reducible shares that bring the position to zero
 * @param cap value of a share of the outcome that these orders acquire
 */
function openingLoss(orders: readonly WorkingOrder[], reducible: Micros, cap: Micros): Micros {
  const losing = orders.filter((order) => lossOf(order, order.remainingMicros, cap) > 0);
  const perShare = (order: WorkingOrder) => lossOf(order, order.remainingMicros, cap) / order.remainingMicros;
  if (losing.length > 1) losing.sort((a, b) => perShare(b) - perShare(a));
  let opening = sub(
    orders.reduce((sum, { remainingMicros }) => add(sum, remainingMicros), ZERO),
    reducible,
  );
  let loss = ZERO;
  for (const order of losing) {
    if (opening <= 0) break;
    const shares = minMicros(opening, order.remainingMicros);
    loss = add(loss, maxMicros(ZERO, lossOf(order, shares, cap)));
    opening = sub(opening, shares);
  }
  return loss;
}

/** Rounded up. A sale from a complete set leaves a share of the other outcome, and so acquires it. */
function lossOf(order: WorkingOrder, shares: Micros, cap: Micros): Micros {
  const part = { ...order, remainingMicros: shares };
  if (order.side === 'buy') return sub(buyCost(part), mul(cap, shares, 'floor'));
  const notional = mul(order.priceMicros, shares, 'floor');
  const proceeds = sub(notional, mul(order.feeRateMicros, notional, 'ceil'));
  return sub(mul(complement(cap), shares, 'ceil'), proceeds);
}
