/** Computes the centre and the half-spreads of log-odds-maker's quotes. */

import {
  type BookSide,
  dearerFee,
  informedFromMove,
  informedHalfSpread,
  logit,
  type MarketView,
  newsSigma,
  ONE,
  sigmoid,
  slope,
} from '../../src/trader/strategy/strategy.js';
import { netShares } from '../common/quotes.js';
import type { Params } from './params.js';

/** Inputs for the quotes of log-odds-maker. Every price is a float in (0, 1). */
export interface Centre {
  readonly fair: number;
  readonly reservation: number;
  /** Half-spreads of bid and ask, measured from the reservation price. */
  readonly half: Readonly<Record<BookSide, number>>;
  /** Standard deviation of the price move while a quote is open, in price. */
  readonly staleSigma: number;
  readonly fee: number;
  /** Mean adverse price move after a fill, in price. */
  readonly adverseMove: number;
}

export function computeCentre(fair: number, adverseMove: number, view: MarketView, p: Params): Centre {
  const { estimates, market, health, timeToResolutionMs } = view;
  const variance = slope(fair);
  // `heldPart`: the fraction of the settlement's variance that occurs before the position is closed.
  const carried = (estimates.sigmaLogOddsPerSqrtS * variance) ** 2 * p.holding_time_s;
  const heldPart = p.holding_time_s === 0 ? 1 : Math.min(1, carried / variance);
  const pull = p.risk_aversion * heldPart;
  const x = logit(fair) - pull * netShares(view);
  const reservation = sigmoid(x);
  const informed = informedHalfSpread(informedFromMove(fair, adverseMove));
  const half = p.min_half_spread_log_odds + informed + (pull / 2) * (p.order_shares / ONE);
  const measured = estimates.sigmaLogOddsPerSqrtS * variance;
  const news = timeToResolutionMs === null ? 0 : newsSigma(fair, timeToResolutionMs / 1000);
  const staleSigma = Math.max(measured, news) * Math.sqrt(Math.max(p.refresh_s, health.bookAgeMs / 1000));
  // A quote may trade either outcome, so the higher of the two fees counts.
  const fee = dearerFee(market, fair);
  const floor = (p.half_spread_ticks * market.tickMicros) / ONE;
  const added = p.stale_sigmas * staleSigma + fee;
  const factor = view.stance === 'widen' ? p.widen_factor : 1;
  return {
    fair,
    reservation,
    half: {
      bid: factor * Math.max(floor, reservation - sigmoid(x - half) + added),
      ask: factor * Math.max(floor, sigmoid(x + half) - reservation + added),
    },
    staleSigma,
    fee,
    adverseMove,
  };
}
