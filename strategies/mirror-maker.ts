/**
 * Quotes around another venue's book, the reference, which a feed provides. The quotes are centred on its price without
 * margin, plus this market's mean distance from it. Without a current and narrow reference the strategy does not quote.
 */

import {
  type BookSide,
  dearerFee,
  defineStrategy,
  type FeedView,
  logit,
  type MarketView,
  NO_QUOTES,
  ONE,
  type ParamsOf,
  type Quoter,
  type Quotes,
  reservationPrice,
  sigmoid,
  touchOf,
  whyNoQuotes,
} from '../src/trader/strategy/strategy.js';
import {
  halfSpreadTicks,
  improveTicks,
  makeGuards,
  minFairPrice,
  number,
  orderShares,
  riskAversion,
  standingParams,
} from './common/params.js';
import { DUST_MICROS, mostShares, netShares, ROUNDING, showLevel, standing, toFairMicros } from './common/quotes.js';
import { Basis, referenceLogOdds, savedBasis } from './mirror/reference.js';

const params = {
  feed: {
    kind: 'feed',
    default: 'reference',
    help: "Name of the feed in the trader's file that gives the other venue's price: bid and ask, or a probability.",
  },
  max_ref_age_s: number('s', [0.1, 86_400], 5, 'Maximum age of a reference price that the strategy quotes on.'),
  max_ref_spread: number('price', [0.000001, 1], 0.05, 'Maximum bid-ask spread of a reference that is used.'),
  max_basis_log_odds: number(
    'log-odds',
    [0, 5],
    0.3,
    "The strategy does not quote if the mean distance of this market's book from the reference is larger than this value.",
  ),
  basis_half_life_s: number(
    's',
    [1, 1e7],
    3600,
    "Half-life of old values in the mean distance of this market's book from the reference.",
  ),
  half_spread_ticks: halfSpreadTicks('the price of the reference'),
  improve_ticks: improveTicks,
  order_shares: orderShares('25'),
  risk_aversion: riskAversion,
  min_fair_price: minFairPrice('the price of the reference'),
  ...standingParams(60),
} as const;

type Params = ParamsOf<typeof params>;

export default defineStrategy({
  name: 'mirror-maker',
  summary:
    "Quotes around another venue's book, which a feed provides. Does not quote without a current and narrow reference.",
  params,
  state: { version: 1 },
  create: (p, _, saved) => new MirrorMaker(p, new Basis(p.basis_half_life_s, savedBasis(saved))),
});

class MirrorMaker implements Quoter {
  readonly #params: Params;
  readonly #basis: Basis;

  constructor(p: Params, basis: Basis) {
    this.#params = p;
    this.#basis = basis;
  }

  save(): unknown {
    return { basis: this.#basis.saved };
  }

  quote(view: MarketView): Quotes {
    const p = this.#params;
    const blocked = whyNoQuotes(view, makeGuards(p));
    if (blocked !== null) return NO_QUOTES(blocked);
    const value = view.feeds[p.feed];
    if (value === undefined) return NO_QUOTES(`feed ${p.feed} has no current value for this market`);
    const unfit = whyUnfit(value, p);
    if (unfit !== null) return NO_QUOTES(unfit);
    const reference = referenceLogOdds(value);
    const best = touchOf(view.others, DUST_MICROS);
    if (best !== null) {
      const mid = (best.bid.priceMicros + best.ask.priceMicros) / (2 * ONE);
      this.#basis.observe(logit(mid) - reference, view.nowMs);
    }
    return makeQuotes(view, value, reference, this.#basis.value, p);
  }
}

function whyUnfit({ ageMs, bid, ask }: FeedView, p: Params): string | null {
  if (!(ageMs <= p.max_ref_age_s * 1000)) {
    return `the reference is ${(ageMs / 1000).toFixed(1)} s old, at most ${p.max_ref_age_s} s are accepted`;
  }
  if (bid === null || ask === null || ask - bid <= p.max_ref_spread + ROUNDING) return null;
  return `the spread of the reference is ${(ask - bid).toFixed(4)}, at most ${p.max_ref_spread} is accepted`;
}

function makeQuotes(view: MarketView, value: FeedView, reference: number, basis: number, p: Params): Quotes {
  const factors = { reference_price: sigmoid(reference), basis_log_odds: basis, reference_age_s: value.ageMs / 1000 };
  if (Math.abs(basis) > p.max_basis_log_odds) {
    return NO_QUOTES(
      `this book is ${basis.toFixed(2)} in log-odds from the reference, at most ${p.max_basis_log_odds} is accepted: check that both are the same contract`,
      factors,
    );
  }
  const fair = sigmoid(reference + basis);
  const bids = quoteSide('bid', fair, view, p);
  const asks = quoteSide('ask', fair, view, p);
  return {
    fairMicros: toFairMicros(fair),
    bids,
    asks,
    keepWithinTicks: p.reprice_ticks,
    keepWithinSizeFraction: p.resize_fraction,
    postOnly: p.post_only,
    // When a reference price expires, its quotes are canceled at once, not only at the next book read.
    againMs: Math.min(value.validUntilMs ?? Number.MAX_SAFE_INTEGER, value.atMs + p.max_ref_age_s * 1000 + 1),
    note: `bid ${showLevel(bids)}, ask ${showLevel(asks)} around ${fair.toFixed(4)}, reference ${sigmoid(reference).toFixed(4)}`,
    factors: { ...factors, fair_price: fair },
  };
}

function quoteSide(side: BookSide, fair: number, view: MarketView, p: Params) {
  const half = (p.half_spread_ticks * view.market.tickMicros) / ONE + dearerFee(view.market, fair);
  return standing(view, side, {
    centre: reservationPrice(fair, p.risk_aversion, netShares(view)),
    half: half * (view.stance === 'widen' ? p.widen_factor : 1),
    improveTicks: p.improve_ticks,
    shares: Math.min(p.order_shares / ONE, mostShares(view, side, fair, p.min_fair_price)),
  });
}
