/**
 * Quotes a market's last hour. Before resolution a price moves to 0 or 1. It moves faster near the end and at prices
 * near 0.50. The half-spread is the expected price move between two polls. Sizes decrease towards the end.
 * Quoting stops when the half-spread would be too wide: early at a price of 0.50, late at 0.97.
 */

import {
  type BookSide,
  dearerFee,
  defineStrategy,
  fairValue,
  type MarketView,
  NO_QUOTES,
  newsSigma,
  normalDensity,
  normalQuantile,
  ONE,
  type ParamsOf,
  type Quotes,
  reservationPrice,
  whyNoQuotes,
} from '../src/trader/strategy/strategy.js';
import {
  behindTicks,
  halfSpreadTicks,
  improveTicks,
  makeGuards,
  maxBookSpread,
  minFairPrice,
  number,
  orderShares,
  riskAversion,
  standingParams,
} from './common/params.js';
import {
  DUST_MICROS,
  findBest,
  getSign,
  isAdding,
  isBehind,
  mostShares,
  netShares,
  showLevel,
  standing,
  toFairMicros,
} from './common/quotes.js';

const params = {
  start_s: number(
    's',
    [1, 1e7],
    3600,
    "Time before the market's resolution at which quoting begins. Sizes then fall with the square root of the time left.",
  ),
  look_sigmas: number(
    'standard deviations',
    [0, 10],
    1.5,
    'Half-spread, in standard deviations of the price between two polls.',
  ),
  look_s: number(
    's',
    [0, 3600],
    5,
    'Minimum assumed time between two polls. The measured time or the age of the book is used if it is greater.',
  ),
  half_spread_ticks: halfSpreadTicks('the price that it is centred on'),
  max_half_spread: number(
    'price',
    [0.000001, 0.5],
    0.05,
    'The strategy does not quote if the computed half-spread is wider than this value.',
  ),
  improve_ticks: improveTicks,
  behind_ticks: behindTicks,
  order_shares: orderShares('25'),
  risk_aversion: riskAversion,
  min_fair_price: minFairPrice('the fair price'),
  max_book_spread: maxBookSpread,
  ...standingParams(5),
} as const;

type Params = ParamsOf<typeof params>;

export default defineStrategy({
  name: 'closing-maker',
  summary:
    "Quotes a market's last hour. The half-spread is the expected price move between two polls, up to a maximum.",
  params,
  create: (p) => ({ quote: (view) => quote(view, p) }),
});

function quote(view: MarketView, p: Params): Quotes {
  const blocked = whyNoQuotes(view, makeGuards(p));
  if (blocked !== null) return NO_QUOTES(blocked);
  const leftMs = view.timeToResolutionMs;
  if (leftMs === null) return NO_QUOTES('the time when this market resolves is not known');
  const leftS = leftMs / 1000;
  if (leftS > p.start_s)
    return NO_QUOTES(`the market resolves in ${Math.round(leftS)} s, quotes begin ${p.start_s} s before`);
  const setting = { dustMicros: DUST_MICROS, imbalanceWeight: 0.5, tradeWeight: 0, maxSpread: p.max_book_spread };
  const value = fairValue(view, setting);
  if (typeof value === 'string') return NO_QUOTES(value);
  const lookS = Math.max(p.look_s, view.pace.lookEveryS ?? 0, view.health.bookAgeMs / 1000);
  const sigma = Math.max(newsSigma(value.fair, leftS), view.estimates.sigmaPricePerSqrtS);
  const half = closingHalf(sigma, lookS, p.look_sigmas);
  const factors = {
    fair_price: value.fair,
    half_spread_price: half,
    sigma_price_per_sqrt_s: sigma,
    look_s: lookS,
    last_quote_s: lastQuoteS(value.fair, p.look_sigmas, lookS, p.max_half_spread),
    time_to_resolution_s: leftS,
    net_position_shares: netShares(view),
  };
  if (half > p.max_half_spread) {
    return NO_QUOTES(
      `a half-spread of ${half.toFixed(4)} would be needed, the maximum is ${p.max_half_spread}`,
      factors,
    );
  }
  return quotesAround(
    view,
    { fair: value.fair, half, shares: closingSize(p.order_shares / ONE, leftS, p.start_s), factors },
    p,
  );
}

interface Situation {
  readonly fair: number;
  readonly half: number;
  readonly shares: number;
  readonly factors: Readonly<Record<string, number>>;
}

function quotesAround(view: MarketView, situation: Situation, p: Params): Quotes {
  const { fair, half, factors } = situation;
  const centre = reservationPrice(fair, p.risk_aversion, netShares(view));
  const bids = quoteSide('bid', centre, view, situation, p);
  const asks = quoteSide('ask', centre, view, situation, p);
  return {
    fairMicros: toFairMicros(fair),
    bids,
    asks,
    keepWithinTicks: p.reprice_ticks,
    keepWithinSizeFraction: p.resize_fraction,
    postOnly: p.post_only,
    note: `bid ${showLevel(bids)}, ask ${showLevel(asks)} around ${centre.toFixed(4)}, half-spread ${half.toFixed(4)} for the price move between polls`,
    factors: { ...factors, reservation_price: centre },
  };
}

function quoteSide(side: BookSide, centre: number, view: MarketView, { fair, half, shares }: Situation, p: Params) {
  const adds = isAdding(view, side);
  const tick = view.market.tickMicros / ONE;
  const least = Math.max(half, p.half_spread_ticks * tick) + dearerFee(view.market, fair);
  const distance = least * (view.stance === 'widen' ? p.widen_factor : 1);
  const unshifted = fair - getSign(side) * distance;
  if (adds && isBehind(side, unshifted, findBest(view, side), p.behind_ticks, view.market.tickMicros)) return [];
  // An order that reduces the position keeps its size, because the position must be closed by the end.
  const wanted = adds ? shares : Math.max(shares, Math.min(Math.abs(netShares(view)), p.order_shares / ONE));
  return standing(view, side, {
    centre,
    half: distance,
    improveTicks: p.improve_ticks,
    shares: Math.min(wanted, mostShares(view, side, fair, p.min_fair_price)),
  });
}

/** Half-spread in price: `sigmas` standard deviations of the price between two polls. */
export const closingHalf = (sigmaPerSqrtS: number, lookS: number, sigmas: number): number =>
  sigmas === 0 ? 0 : sigmas * sigmaPerSqrtS * Math.sqrt(lookS);

/** Time before resolution, s, from which the expected price moves require a half-spread wider than `maxHalf`. */
export const lastQuoteS = (p: number, sigmas: number, lookS: number, maxHalf: number): number =>
  ((sigmas * normalDensity(normalQuantile(p)) * Math.sqrt(lookS)) / maxHalf) ** 2;

/** Order size: falls from the full size with the square root of the time left, like the position's risk. */
export const closingSize = (shares: number, leftS: number, startS: number): number =>
  shares * Math.min(1, Math.sqrt(Math.max(0, leftS) / startS));
