/** Ladders of log-odds-maker: price and size of each side. */

import {
  type BookSide,
  type FairValue,
  ladder,
  type MarketView,
  ONE,
  passiveLimit,
  type QuoteLevel,
  staleCost,
} from '../../src/trader/strategy/strategy.js';
import { isAdding, isBehind } from '../common/quotes.js';
import { type Centre, netShares } from './centre.js';
import type { Params } from './params.js';

export interface Mode {
  /** Why only the reducing side is quoted; null when both are. */
  readonly reduceOnly: string | null;
  /** Urgency of closing the position: 0 with enough time, rising to 1 at the halt. */
  readonly urgency: number;
}

export function chooseMode(fair: number, view: MarketView, p: Params): Mode {
  const leftMs = view.timeToResolutionMs;
  const windowMs = p.reduce_only_before_s * 1000;
  if (leftMs !== null && leftMs <= windowMs) {
    const haltMs = p.halt_before_s * 1000;
    const urgency = windowMs > haltMs ? Math.min(1, Math.max(0, 1 - (leftMs - haltMs) / (windowMs - haltMs))) : 1;
    return { reduceOnly: `it resolves in ${Math.round(leftMs / 1000)} s`, urgency };
  }
  if (view.stance === 'reduce-only') return { reduceOnly: 'the trader is told to reduce only', urgency: 0 };
  if (fair < p.min_fair_price || fair > 1 - p.min_fair_price) {
    return { reduceOnly: `the fair price is within ${p.min_fair_price} of the end`, urgency: 0 };
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
  const net = side === 'bid' ? netShares(view) : -netShares(view);
  // Shares of this side that only reduce holdings; 0 if it adds to the position.
  const reducible = Math.max(0, -net);
  const adding = reducible === 0;
  const price = sidePrice(side, situation);
  if (isLeftOutBehind(side, situation)) return [];
  if (adding && (mode.reduceOnly !== null || !earns(side, price, situation))) return [];
  // The limit bounds the loss, so fewer shares are offered when each can lose more than half.
  const lossPerShare = side === 'bid' ? price : 1 - price;
  const limit = (view.inventory.maxPositionMicros / ONE) * Math.min(1, 0.5 / Math.max(lossPerShare, 0.5));
  const headroom = mode.reduceOnly === null ? Math.max(0, limit - Math.max(0, net)) : 0;
  const order = p.order_shares / ONE;
  const levelShares = adding ? order * taper(net, limit, p.taper_from_fraction) : order;
  const totalShares = reducible + headroom;
  const wish = { side, price, stepTicks: p.level_step_ticks, levels: p.levels, levelShares, totalShares };
  return ladder(wish, view.market);
}

/** Best price of a side: at its distance from the reservation price, no better than needed, one tick from others. */
function sidePrice(side: BookSide, { view, value, centre, mode, p }: Situation): number {
  const tick = view.market.tickMicros / ONE;
  const passive = passiveLimit(view.others, side, view.market.tickMicros) / ONE;
  // An urgent side asks for no more than needed, and does not stay behind others' best.
  const hurried = mode.urgency > 0;
  if (side === 'bid') {
    const wanted = centre.reservation - Math.max(tick, centre.bidHalf * (1 - mode.urgency));
    const needed = hurried ? 1 : value.bid + p.improve_ticks * tick;
    return Math.min(wanted, needed, passive);
  }
  const wanted = centre.reservation + Math.max(tick, centre.askHalf * (1 - mode.urgency));
  const needed = hurried ? 0 : value.ask - p.improve_ticks * tick;
  return Math.max(wanted, needed, passive);
}

/** True when an adding side would be too far behind others by its half-spread alone, without the inventory shift. */
export function isLeftOutBehind(side: BookSide, { view, value, centre, p }: Situation): boolean {
  const [best, wanted] =
    side === 'bid' ? [value.bid, centre.fair - centre.bidHalf] : [value.ask, centre.fair + centre.askHalf];
  return isAdding(view, side) && isBehind(side, wanted, best, p.behind_ticks, view.market.tickMicros);
}

/**
 * True when a quote at this price earns more than `min_edge_ticks` after its fee, stale losses and the adverse move
 * after fills. Without the adverse move, `half_spread_ticks` alone would nearly always suffice.
 */
function earns(side: BookSide, price: number, { view, centre, p }: Situation): boolean {
  const half = side === 'bid' ? centre.fair - price : price - centre.fair;
  const edge = half - staleCost(half, centre.staleSigma) - centre.fee - centre.adverseMove;
  return edge > (p.min_edge_ticks * view.market.tickMicros) / ONE;
}

/** Size factor: 1 below `from` of the limit, then falling to 0 at the limit. */
function taper(position: number, limit: number, from: number): number {
  if (limit <= 0) return 0;
  const used = position / limit;
  return used <= from ? 1 : Math.max(0, (1 - used) / Math.max(1 - from, 1e-9));
}

/** Near 0 and 1, a single adding side would be a bet on a long shot, not market making. */
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
