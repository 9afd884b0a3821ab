/** Computes the price levels of log-odds-maker for each side. */

import {
  type BookSide,
  type FairValue,
  ladder,
  type MarketView,
  ONE,
  type QuoteLevel,
  staleCost,
} from '../../src/trader/strategy/strategy.js';
import { chooseFarther, getSign, isAdding, isBehind, netShares, passivePrice } from '../common/quotes.js';
import type { Centre } from './centre.js';
import type { Params } from './params.js';

export interface Mode {
  /** Reason why only the side that reduces the position is quoted; null when both sides are quoted. */
  readonly reduceOnly: string | null;
  /** Urgency of closing the position: 0 with enough time left, rising to 1 at `halt_before_s`. */
  readonly urgency: number;
}

export function chooseMode(fair: number, view: MarketView, p: Params): Mode {
  const leftMs = view.timeToResolutionMs;
  const windowMs = p.reduce_only_before_s * 1000;
  if (leftMs !== null && leftMs <= windowMs) {
    const haltMs = p.halt_before_s * 1000;
    const urgency = windowMs > haltMs ? Math.min(1, Math.max(0, 1 - (leftMs - haltMs) / (windowMs - haltMs))) : 1;
    return { reduceOnly: `the market resolves in ${Math.round(leftMs / 1000)} s`, urgency };
  }
  if (view.stance === 'reduce-only') return { reduceOnly: 'the trader is in reduce-only mode', urgency: 0 };
  if (fair < p.min_fair_price || fair > 1 - p.min_fair_price) {
    return { reduceOnly: `the fair price is within ${p.min_fair_price} of 0 or 1`, urgency: 0 };
  }
  return { reduceOnly: null, urgency: 0 };
}

/** Inputs of one side's levels. */
export interface Situation {
  readonly view: MarketView;
  readonly value: FairValue;
  readonly centre: Centre;
  readonly mode: Mode;
  readonly p: Params;
}

export function sideLevels(side: BookSide, situation: Situation): readonly QuoteLevel[] {
  const { view, mode, p } = situation;
  const net = getSign(side) * netShares(view);
  // Number of shares that this side can trade before it adds to the position.
  const reducible = Math.max(0, -net);
  const adding = reducible === 0;
  const price = sidePrice(side, situation);
  if (isLeftOutBehind(side, situation)) return [];
  if (adding && (mode.reduceOnly !== null || !earns(side, price, situation))) return [];
  // The position limit must limit the loss, so a side offers fewer shares if each share can lose more than 0.5.
  const lossPerShare = side === 'bid' ? price : 1 - price;
  const limit = (view.inventory.maxPositionMicros / ONE) * Math.min(1, 0.5 / Math.max(lossPerShare, 0.5));
  const headroom = mode.reduceOnly === null ? Math.max(0, limit - Math.max(0, net)) : 0;
  const order = p.order_shares / ONE;
  const levelShares = adding ? order * taper(net, limit, p.taper_from_fraction) : order;
  const totalShares = reducible + headroom;
  const wish = { side, price, stepTicks: p.level_step_ticks, levels: p.levels, levelShares, totalShares };
  return ladder(wish, view.market);
}

/** Best price of a side: at its half-spread, at most `improve_ticks` better than others; it never trades at once. */
function sidePrice(side: BookSide, { view, value, centre, mode, p }: Situation): number {
  const sign = getSign(side);
  const tick = view.market.tickMicros / ONE;
  const wanted = centre.reservation - sign * Math.max(tick, centre.half[side] * (1 - mode.urgency));
  // The limit `improve_ticks` does not apply while the position must be closed before the resolution.
  const needed = mode.urgency > 0 ? wanted : value[side] + sign * p.improve_ticks * tick;
  return chooseFarther(side, chooseFarther(side, wanted, needed), passivePrice(view, side));
}

/** True if a side adds to the position, and the half-spread without inventory shift puts it too far behind others. */
export const isLeftOutBehind = (side: BookSide, { view, value, centre, p }: Situation): boolean =>
  isAdding(view, side) &&
  isBehind(side, centre.fair - getSign(side) * centre.half[side], value[side], p.behind_ticks, view.market.tickMicros);

/**
 * True if a quote at this price earns more than `min_edge_ticks` after its fee, stale losses and the adverse move after
 * fills. Without the adverse move, `half_spread_ticks` alone would nearly always earn enough.
 */
function earns(side: BookSide, price: number, { view, centre, p }: Situation): boolean {
  const half = getSign(side) * (centre.fair - price);
  const edge = half - staleCost(half, centre.staleSigma) - centre.fee - centre.adverseMove;
  return edge > (p.min_edge_ticks * view.market.tickMicros) / ONE;
}

/** Factor on the size: 1 up to the fraction `from` of the position limit, then falling to 0 at the limit. */
function taper(position: number, limit: number, from: number): number {
  if (limit <= 0) return 0;
  const used = position / limit;
  return used <= from ? 1 : Math.max(0, (1 - used) / Math.max(1 - from, 1e-9));
}

/** Near 0 or 1, removes a lone side that adds to the position: it would be a bet on a long shot, not market making. */
export function dropLoneBet(
  bids: readonly QuoteLevel[],
  asks: readonly QuoteLevel[],
  fair: number,
  net: number,
): { readonly bids: readonly QuoteLevel[]; readonly asks: readonly QuoteLevel[] } {
  const extreme = fair < 0.1 || fair > 0.9;
  const loneBid = extreme && asks.length === 0 && net >= 0;
  const loneAsk = extreme && bids.length === 0 && net <= 0;
  return { bids: loneBid ? [] : bids, asks: loneAsk ? [] : asks };
}
