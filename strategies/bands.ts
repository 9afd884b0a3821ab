/**
 * Quotes fixed amounts at fixed distances from the mid of others' book, like Polymarket's poly-market-maker (bands). A
 * band with fewer shares than its minimum gets new orders up to its average. Shares above its maximum are canceled.
 * Orders outside every band are canceled. Prices of the bands do not depend on inventory. The only protection against
 * fast price moves is to omit orders that the price may pass before they can be moved.
 */

import {
  defineStrategy,
  fairValue,
  type MarketView,
  micros,
  NO_QUOTES,
  ONE,
  type ParamsOf,
  type Quotes,
  toMultiple,
  whyNoQuotes,
} from '../src/trader/strategy/strategy.js';
import { bandLadder } from './bands/band-ladder.js';
import { guardParams, integer, makeGuards, number, postOnly, shares } from './common/params.js';
import { computeStaleSigma, staleSigmas } from './common/stale.js';

const marginTicks = (help: string, value: number) =>
  ({ kind: 'integer', unit: 'ticks', min: 1, max: 500_000, default: value, help }) as const;
const bandShares = (help: string, value: string) =>
  ({ kind: 'shares', min: '0', max: '1000000', default: value, help }) as const;

const params = {
  bands: {
    kind: 'rows',
    minRows: 1,
    maxRows: 5,
    help: 'Bands by their distance from the target price, nearest first. They must not overlap.',
    fields: {
      min_margin_ticks: marginTicks('Orders nearer to the target price than this do not belong to the band.', 1),
      avg_margin_ticks: marginTicks('Distance from the target price at which new orders of the band are placed.', 2),
      max_margin_ticks: marginTicks(
        'Orders at this distance from the target price or farther do not belong to the band.',
        3,
      ),
      min_shares: bandShares('A band with fewer shares than this gets new orders.', '10'),
      avg_shares: bandShares('New orders fill the band up to this many shares.', '20'),
      max_shares: bandShares(
        'If a band has more shares than this, orders are canceled until it is within this limit.',
        '30',
      ),
    },
    default: [
      { min_margin_ticks: 1, avg_margin_ticks: 2, max_margin_ticks: 3 },
      {
        min_margin_ticks: 3,
        avg_margin_ticks: 4,
        max_margin_ticks: 5,
        min_shares: '20',
        avg_shares: '30',
        max_shares: '40',
      },
    ],
  },
  post_only: postOnly,
  dust_shares: shares(
    ['0', '1000000'],
    '5',
    "Others' best price is the first level at which their cumulative shares reach this number.",
  ),
  max_book_spread: number(
    'price',
    [0.000001, 1],
    0.2,
    "Maximum spread of others' book from which a target price is computed.",
  ),
  widen_factor: integer('times', [1, 100], 2, 'Factor that multiplies margins while the trader is in mode `widened`.'),
  stale_sigmas: staleSigmas(
    "Minimum distance between the mid and an order for more shares than the opposite position. The unit is the price's standard deviation over one poll interval plus the time to place an order.",
    0,
  ),
  ...guardParams(300),
} as const;

type Params = ParamsOf<typeof params>;

export default defineStrategy({
  name: 'bands',
  summary: 'Quotes fixed amounts at fixed distances from the mid of the book (the bands of poly-market-maker).',
  params,
  check: ({ bands }) => checkBands(bands),
  create: (p) => ({ quote: (view) => quote(view, p) }),
});

function checkBands(bands: Params['bands']): string | null {
  for (const [index, band] of bands.entries()) {
    const where = `bands ${index + 1}`;
    // An order at exactly the maximum margin is outside the band.
    if (!(band.min_margin_ticks <= band.avg_margin_ticks && band.avg_margin_ticks < band.max_margin_ticks)) {
      return `${where}: wanted min_margin_ticks <= avg_margin_ticks < max_margin_ticks`;
    }
    if (!(band.min_shares <= band.avg_shares && band.avg_shares <= band.max_shares)) {
      return `${where}: wanted min_shares <= avg_shares <= max_shares`;
    }
    const nearer = bands[index - 1];
    if (nearer !== undefined && band.min_margin_ticks < nearer.max_margin_ticks) {
      return `${where}: overlaps the band before it (min_margin_ticks ${band.min_margin_ticks} < ${nearer.max_margin_ticks})`;
    }
  }
  return null;
}

function quote(view: MarketView, p: Params): Quotes {
  const blocked = whyNoQuotes(view, makeGuards(p));
  if (blocked !== null) return NO_QUOTES(blocked);
  const setting = { dustMicros: p.dust_shares, imbalanceWeight: 0, tradeWeight: 0, maxSpread: p.max_book_spread };
  const value = fairValue(view, setting);
  if (typeof value === 'string') return NO_QUOTES(value);
  const target = chooseTarget(value.mid, view);
  const widened = view.stance === 'widen' ? p.widen_factor : 1;
  const staleSigma = computeStaleSigma(view);
  const shared = { target, bands: p.bands, widened, nearest: p.stale_sigmas * staleSigma, view };
  const bids = bandLadder({ side: 'bid', ...shared });
  const asks = bandLadder({ side: 'ask', ...shared });
  return {
    fairMicros: target,
    bids,
    asks,
    // Every order that stays becomes a level of its exact size, so no size tolerance is needed.
    keepWithinTicks: 0,
    keepWithinSizeFraction: 0,
    postOnly: p.post_only,
    note: `${bids.length} bids and ${asks.length} asks in ${p.bands.length} bands around ${target / ONE}`,
    factors: {
      target_price: target / ONE,
      others_spread_price: value.spread,
      stale_sd_price: staleSigma,
      book_age_ms: view.health.bookAgeMs,
    },
  };
}

/** Returns the mid of others' best prices, rounded to a tick within (0, 1). */
function chooseTarget(mid: number, { market }: MarketView) {
  const { tickMicros } = market;
  const nearest = toMultiple(micros(Math.round(mid * ONE + tickMicros / 2)), tickMicros, 'floor');
  return micros(Math.min(ONE - tickMicros, Math.max(tickMicros, nearest)));
}
