/**
 * A fixed ladder of orders: shares bought at one line are offered at the next, and vice versa. The ladder needs two
 * requests per fill, and few other requests. If the price is a martingale, a grid earns nothing and pays its fees. A
 * grid earns only from prices that return and from uninformed takers.
 */

import {
  type BookSide,
  defineStrategy,
  type MarketView,
  NO_QUOTES,
  ONE,
  type ParamsOf,
  type QuoteLevel,
  type Quoter,
  type Quotes,
  touch,
  whyNoQuotes,
} from '../src/trader/strategy/strategy.js';
import { guardParams, integer, makeGuards, number, postOnly, resizeFraction } from './common/params.js';
import { chooseFarther, levelsFrom, netShares, passivePrice, showLevel, toFairMicros } from './common/quotes.js';
import { computeStaleSigma, isTooNear, staleSigmas } from './common/stale.js';
import { gridWishes, type Lines, type Orders, worstLossPerShare } from './grid/lines.js';

const params = {
  centre_price: number(
    'price',
    [0, 0.999999],
    0,
    "Price of the middle line. 0: the mid of others' book at the first poll.",
  ),
  step_ticks: integer('ticks', [1, 500_000], 2, 'Distance between neighbouring lines.'),
  levels: integer('levels', [1, 10], 5, 'Number of lines on each side of the middle line.'),
  max_loss: number(
    'currency',
    [0.01, 1_000_000],
    20,
    'Maximum loss, before fees, when every line of one side fills and the market settles against it.',
  ),
  stale_sigmas: staleSigmas(
    "Minimum distance between the mid and a line that opens a position. The unit is the price's standard deviation over one poll interval plus the time to place an order.",
    1,
  ),
  ...guardParams(60, 0),
  post_only: postOnly,
  resize_fraction: resizeFraction,
} as const;

type Params = ParamsOf<typeof params>;

export default defineStrategy({
  name: 'grid',
  summary: 'A static ladder: shares bought at one line are offered at the next. Earns only where prices return.',
  params,
  state: { version: 1 },
  create: (p, _, saved) => new GridMaker(p, savedCentre(saved)),
});

function savedCentre(saved: unknown): number | null {
  if (typeof saved !== 'object' || saved === null || !('centre' in saved)) return null;
  return typeof saved.centre === 'number' ? saved.centre : null;
}

class GridMaker implements Quoter {
  readonly #params: Params;
  #centre: number | null;

  constructor(p: Params, centre: number | null) {
    this.#params = p;
    this.#centre = p.centre_price > 0 ? p.centre_price : centre;
  }

  save(): unknown {
    return { centre: this.#centre };
  }

  quote(view: MarketView): Quotes {
    const p = this.#params;
    const blocked = whyNoQuotes(view, makeGuards(p));
    if (blocked !== null) return NO_QUOTES(blocked);
    const best = touch(view.others);
    if (best !== null) this.#centre ??= (best.bid.priceMicros + best.ask.priceMicros) / (2 * ONE);
    if (this.#centre === null) return NO_QUOTES("no middle line yet, because a side of others' book is empty");
    const grid = makeGrid(this.#centre, view, p);
    return Number.isFinite(grid.shares) ? makeQuotes(view, grid, p) : NO_QUOTES('no line lies between 0 and 1');
  }
}

function makeGrid(centre: number, { market }: MarketView, p: Params): Lines {
  const lines = { centre, step: (p.step_ticks * market.tickMicros) / ONE, levels: p.levels };
  // An order may exceed its line by `resize_fraction`; the maximum loss includes this excess.
  return { ...lines, shares: p.max_loss / worstLossPerShare(lines) / (1 + p.resize_fraction) };
}

function makeQuotes(view: MarketView, grid: Lines, p: Params): Quotes {
  const net = netShares(view);
  const wishes = gridWishes(grid, net);
  // In stance `widen`, the nearest line of each side that would open a position is left out.
  const wider = view.stance === 'widen' ? 1 : 0;
  const staleSigma = computeStaleSigma(view);
  const { mid } = view.estimates;
  const makeLevels = (side: BookSide, { undoes, opens }: Orders): readonly QuoteLevel[] => {
    const safe = opens.slice(wider).filter(({ price }) => {
      // An order that would trade at once is placed one tick from others' best price instead.
      const stands = chooseFarther(side, price, passivePrice(view, side));
      return mid === null || !isTooNear(side, stands, mid, p.stale_sigmas * staleSigma);
    });
    return levelsFrom(view, side, [...undoes, ...safe]);
  };
  const bids = makeLevels('bid', wishes.bids);
  const asks = makeLevels('ask', wishes.asks);
  const factors = {
    centre_price: grid.centre,
    line_shares: grid.shares,
    net_position_shares: net,
    stale_sd_price: staleSigma,
  };
  if (bids.length + asks.length === 0)
    return NO_QUOTES('every line is outside the limits of price or size, or too near to the mid', factors);
  return {
    fairMicros: toFairMicros(chooseFair(view, grid)),
    bids,
    asks,
    // An order is replaced only after a fill of `resize_fraction`, because a replacement costs requests.
    keepWithinTicks: 0,
    keepWithinSizeFraction: p.resize_fraction,
    postOnly: p.post_only,
    note: `bid ${showLevel(bids)}, ask ${showLevel(asks)}, lines of ${grid.shares.toFixed(2)} shares around ${grid.centre.toFixed(4)}`,
    factors,
  };
}

/** A grid has no fair price of its own. Risk compares its orders with others' mid, or else the centre. */
const chooseFair = ({ estimates }: MarketView, { centre }: Lines): number => estimates.mid ?? centre;
