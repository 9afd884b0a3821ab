/** Computes one side of the bands: resting orders that stay, and new levels. */

import {
  amountOnLot,
  type BookSide,
  MAX_LEVELS,
  type MarketView,
  type Micros,
  micros,
  ONE,
  type OwnOrderView,
  passiveLimit,
  positionRoom,
  priceRange,
  type QuoteLevel,
} from '../../src/trader/strategy/strategy.js';
import { getSign } from '../common/quotes.js';
import { isTooNear } from '../common/stale.js';

export interface Band {
  readonly min_margin_ticks: number;
  readonly avg_margin_ticks: number;
  readonly max_margin_ticks: number;
  readonly min_shares: Micros;
  readonly avg_shares: Micros;
  readonly max_shares: Micros;
}

export interface BandSide {
  readonly side: BookSide;
  /** Price from which the bands' margins are measured: a multiple of the tick, in YES space. */
  readonly target: Micros;
  /** Bands of this side, nearest to the target price first. */
  readonly bands: readonly Band[];
  /** Factor that multiplies the margins of all bands. */
  readonly widened: number;
  /** Minimum distance from the mid, in price, of orders beyond the shares held. */
  readonly nearest: number;
  readonly view: MarketView;
}

/** Levels of this side, best first: orders that stay, and new orders for bands below their minimum. */
export function bandLadder(input: BandSide): readonly QuoteLevel[] {
  const { side, view, bands } = input;
  const amounts = new Map<Micros, number>();
  const isNear = (price: Micros): boolean => isTooNear(side, price / ONE, input.target / ONE, input.nearest);
  let room = positionRoom(side, view);
  // Orders that are too near may only close the position.
  let closing = Math.max(0, -getSign(side) * view.inventory.netMicros);
  const most = (price: Micros): number => (isNear(price) ? Math.min(room, closing) : room);
  const put = (price: Micros, amount: number): void => {
    amounts.set(price, (amounts.get(price) ?? 0) + amount);
    room -= amount;
    if (isNear(price)) closing -= amount;
  };
  for (const [index, band] of bands.entries()) {
    const allowed = ordersIn(band, input).filter((it) => !isNear(it.priceMicros) || it.remainingMicros <= closing);
    let total = 0;
    for (const { priceMicros, remainingMicros } of keepOrders(allowed, band, index, bands.length)) {
      if (remainingMicros > most(priceMicros)) continue;
      put(priceMicros, remainingMicros);
      total += remainingMicros;
    }
    const price = newPrice(band, input);
    if (price === null || total >= band.min_shares) continue;
    const amount = amountOnLot(Math.min(band.avg_shares - total, most(price)) / ONE, view.market);
    if (amount !== null) put(price, amount);
  }
  return makeLevels(amounts, input);
}

/** True if an order is in the band. For a bid: target - max < price <= target - min; mirrored for an ask. */
function isIn(band: Band, order: { readonly priceMicros: Micros }, input: BandSide): boolean {
  const unit = input.view.market.tickMicros * input.widened;
  const margin = input.side === 'bid' ? input.target - order.priceMicros : order.priceMicros - input.target;
  return margin >= band.min_margin_ticks * unit && margin < band.max_margin_ticks * unit;
}

const ordersIn = (band: Band, input: BandSide): readonly OwnOrderView[] =>
  input.view.orders.filter((order) => order.side === input.side && isIn(band, order, input));

/**
 * Returns the orders that stay if a band exceeds its maximum. The first band cancels its nearest orders first, the last
 * band its farthest orders. Other bands cancel their largest orders first, as in poly-market-maker's code.
 */
function keepOrders(
  orders: readonly OwnOrderView[],
  band: Band,
  index: number,
  count: number,
): readonly OwnOrderView[] {
  const nearness = (order: OwnOrderView): number => (order.side === 'bid' ? order.priceMicros : -order.priceMicros);
  const priority = (a: OwnOrderView, b: OwnOrderView): number => {
    if (index === 0) return nearness(b) - nearness(a);
    return index === count - 1 ? nearness(a) - nearness(b) : b.remainingMicros - a.remainingMicros;
  };
  const staying = [...orders].sort(priority);
  let total = staying.reduce((sum, order) => sum + order.remainingMicros, 0);
  while (total > band.max_shares) total -= staying.shift()?.remainingMicros ?? total;
  return staying;
}

/**
 * Price of a band's new orders: at its average margin, within the market's limits, and not crossing others' orders;
 * null if the band has no valid price.
 */
function newPrice(band: Band, input: BandSide): Micros | null {
  const { side, target, widened, view } = input;
  const { tickMicros } = view.market;
  const range = priceRange(view.market);
  if (range === null) return null;
  const margin = band.avg_margin_ticks * widened * tickMicros;
  const passive = passiveLimit(view.others, side, tickMicros);
  const price = side === 'bid' ? Math.min(target - margin, passive) : Math.max(target + margin, passive);
  const priceMicros = micros(Math.min(range.high, Math.max(range.low, price)));
  const crosses = side === 'bid' ? priceMicros > passive : priceMicros < passive;
  // An order outside the band would not count, so the strategy would place new orders for the band endlessly.
  return !crosses && isIn(band, { priceMicros }, input) ? priceMicros : null;
}

function makeLevels(amounts: ReadonlyMap<Micros, number>, { side, view }: BandSide): readonly QuoteLevel[] {
  const range = priceRange(view.market);
  const levels: QuoteLevel[] = [];
  for (const [priceMicros, amount] of amounts) {
    // A nearly filled order can be too small for a valid level; such an order is canceled.
    const amountMicros = amountOnLot(amount / ONE, view.market);
    const allowed = range !== null && priceMicros >= range.low && priceMicros <= range.high;
    if (amountMicros !== null && allowed) levels.push({ priceMicros, amountMicros });
  }
  levels.sort((a, b) => (side === 'bid' ? b.priceMicros - a.priceMicros : a.priceMicros - b.priceMicros));
  return levels.slice(0, MAX_LEVELS);
}
