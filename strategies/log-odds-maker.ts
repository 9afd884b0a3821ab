/**
 * Makes a market around a fair price from others' book and trades. Inventory shifts the price in log-odds, as in the
 * LMSR: a risk-averse trader who holds to settlement has this price. The half-spread pays for informed takers,
 * inventory risk, stale quotes and fees, and it has a minimum. The strategy never crosses others, stops on unreliable
 * data, and reduces its size towards the position limit. Before the resolution the strategy first only reduces the
 * position, and later stops.
 */

import {
  defineStrategy,
  type FairValue,
  fairValue,
  type MarketView,
  MarkoutTracker,
  NO_QUOTES,
  ONE,
  type Quoter,
  type Quotes,
  type StrategyEvent,
  whyNoQuotes,
} from '../src/trader/strategy/strategy.js';
import { makeGuards } from './common/params.js';
import { netShares, showLevel, toFairMicros } from './common/quotes.js';
import { type Centre, computeCentre } from './log-odds/centre.js';
import { type Params, params } from './log-odds/params.js';
import { chooseMode, dropLoneBet, isLeftOutBehind, type Situation, sideLevels } from './log-odds/sides.js';

export default defineStrategy({
  name: 'log-odds-maker',
  summary:
    'Quotes around a fair price in log-odds; skews by inventory, widens for volatility, informed takers and fees.',
  params,
  check: (p) =>
    p.halt_before_s > p.reduce_only_before_s ? 'halt_before_s must not be larger than reduce_only_before_s' : null,
  create: (p) => new LogOddsMaker(p),
});

class LogOddsMaker implements Quoter {
  readonly #params: Params;
  readonly #markouts: MarkoutTracker;

  constructor(p: Params) {
    this.#params = p;
    this.#markouts = new MarkoutTracker({
      horizonMs: p.markout_s * 1000,
      halfLifeMs: p.markout_half_life_s * 1000,
      priorShares: 4 * (p.order_shares / ONE),
    });
  }

  observe(event: StrategyEvent): void {
    if (event.kind === 'fill') this.#markouts.fill(event);
  }

  quote(view: MarketView): Quotes {
    const p = this.#params;
    const blocked = whyNoQuotes(view, makeGuards(p));
    if (blocked !== null) return NO_QUOTES(blocked);
    const value = fairValue(view, {
      dustMicros: p.dust_shares,
      imbalanceWeight: p.imbalance_weight,
      tradeWeight: p.trade_weight,
      maxSpread: p.max_book_spread,
    });
    if (typeof value === 'string') return NO_QUOTES(value);
    this.#markouts.fair(view.nowMs, value.fair);
    const adverseMove = this.#markouts.adverseMove;
    const centre = computeCentre(value.fair, adverseMove, view, p);
    const mode = chooseMode(value.fair, view, p);
    const situation = { view, value, centre, mode, p };
    const bids = sideLevels('bid', situation);
    const asks = sideLevels('ask', situation);
    const quoted = dropLoneBet(bids, asks, value.fair, netShares(view));
    return {
      fairMicros: toFairMicros(value.fair),
      bids: quoted.bids,
      asks: quoted.asks,
      keepWithinTicks: p.reprice_ticks,
      keepWithinSizeFraction: p.resize_fraction,
      postOnly: p.post_only,
      note: describeQuotes(quoted, situation),
      factors: makeFactors(value, centre, adverseMove, view),
    };
  }
}

function describeQuotes({ bids, asks }: Pick<Quotes, 'bids' | 'asks'>, situation: Situation): string {
  const { centre, mode } = situation;
  const { bid, ask } = centre.half;
  const around = `fair ${centre.fair.toFixed(4)}, shifted by inventory to ${centre.reservation.toFixed(4)}`;
  const halves = `half-spreads ${bid.toFixed(4)} and ${ask.toFixed(4)}`;
  const tooWide = Math.min(bid, ask) >= 0.5 ? ' (too wide for any price: check the tick)' : '';
  const reduce = mode.reduceOnly === null ? '' : `; only reducing: ${mode.reduceOnly}`;
  const behind = (['bid', 'ask'] as const).filter((side) => isLeftOutBehind(side, situation));
  const leftOut = behind.length === 0 ? '' : `; not quoted, because it would be behind others: ${behind.join(' and ')}`;
  return `bid ${showLevel(bids)}, ask ${showLevel(asks)} around ${around}, ${halves}${tooWide}${reduce}${leftOut}`;
}

function makeFactors(value: FairValue, centre: Centre, adverseMove: number, view: MarketView): Record<string, number> {
  const left = view.timeToResolutionMs;
  const factors: Record<string, number> = {
    fair_price: value.fair,
    others_mid_price: value.mid,
    others_microprice: value.microprice,
    others_spread_price: value.spread,
    reservation_price: centre.reservation,
    bid_half_spread_price: centre.half.bid,
    ask_half_spread_price: centre.half.ask,
    stale_sigma_price: centre.staleSigma,
    adverse_move_price: adverseMove,
    maker_fee_price: centre.fee,
    sigma_log_odds_per_sqrt_s: view.estimates.sigmaLogOddsPerSqrtS,
    net_position_shares: netShares(view),
    book_age_ms: view.health.bookAgeMs,
  };
  if (left !== null) factors.time_to_resolution_s = left / 1000;
  return factors;
}
