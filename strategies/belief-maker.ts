/**
 * Makes a market around a belief about the hidden price: a distribution over log-odds that every look at the book, and what
 * became of its own orders, changes. At each price it weighs what informed takers would cost against what uninformed ones
 * bring, as a newsvendor does, and stands at the one price of each side that is worth most, or at none.
 */

import {
  type BookSide,
  defineStrategy,
  ladder,
  type MarketView,
  micros,
  NO_QUOTES,
  ONE,
  type QuoteLevel,
  type Quoter,
  type Quotes,
  type StrategyEvent,
  whyNoQuotes,
} from '../src/trader/strategy/strategy.js';
import { Belief } from './belief/belief.js';
import { CurrencyPrice } from './belief/currency-price.js';
import { factorsOf, noteOf, sideText } from './belief/explain.js';
import { type BeliefParams, params } from './belief/params.js';
import { bestOf, type Choice, type ChoiceInput, Sums } from './belief/quote-choice.js';
import { SIZE_SIGMA } from './belief/takers.js';

export default defineStrategy({
  name: 'belief-maker',
  summary: 'Believes a distribution of the price, learns from its own fills, and offers what is worth its risk.',
  params,
  create: (p) => new BeliefMaker(p),
});

/** An order whose size differs by no more than this part of what is wanted stays where it is. */
const SIZE_TOLERANCE = 0.25;

class BeliefMaker implements Quoter {
  readonly #params: BeliefParams;
  readonly #belief: Belief;
  readonly #currency: CurrencyPrice;
  readonly #sums = new Sums();

  constructor(p: BeliefParams) {
    this.#params = p;
    this.#currency = new CurrencyPrice(p.currency_horizon_s);
    this.#belief = new Belief(p.wall_log_odds, p.taker_shares / ONE, p.min_quote_s);
  }

  observe(event: StrategyEvent): void {
    this.#belief.fills.add(event);
  }

  quote(view: MarketView): Quotes {
    const p = this.#params;
    const blocked = whyNoQuotes(view, {
      maxBookAgeMs: p.max_book_age_ms,
      jumpPauseMs: 0,
      haltBeforeMs: p.halt_before_s * 1000,
    });
    if (blocked !== null) return NO_QUOTES(blocked);
    this.#belief.look(view, p.min_quote_s);
    const input = this.#input(view);
    this.#sums.fill(input.grid, input.shift);
    const bid = bestOf('bid', this.#sums, input);
    const ask = bestOf('ask', this.#sums, input);
    const { mean } = this.#belief.grid.price();
    this.#currency.update([bid, ask], this.#belief.takers, mean, view);
    const levels = uncrossed(levelsOf(bid, view), levelsOf(ask, view), (bid?.worth ?? 0) >= (ask?.worth ?? 0));
    const texts = [sideText(bid, 'bid', this.#sums, input), sideText(ask, 'ask', this.#sums, input)];
    return {
      fairMicros: micros(Math.min(ONE - 1, Math.max(1, Math.round(mean * ONE)))),
      bids: levels.bids,
      asks: levels.asks,
      keepWithinTicks: 0,
      keepWithinSizeFraction: SIZE_TOLERANCE,
      postOnly: p.post_only,
      note: noteOf(this.#belief, texts),
      factors: factorsOf(this.#belief, [bid, ask], input, view),
    };
  }

  #input(view: MarketView): ChoiceInput {
    const p = this.#params;
    const { yesMicros, noMicros, netMicros, availableFundsMicros } = view.inventory;
    const yes = yesMicros / ONE;
    const capital = Math.max(1, (availableFundsMicros + yesMicros + noMicros) / ONE);
    const wanted = this.#wantedShares(view);
    return {
      view,
      grid: this.#belief.ahead,
      takers: this.#belief.takers,
      seconds: this.#belief.horizonS(view, p.min_quote_s),
      shift: netMicros / ONE / (p.kelly_fraction * capital),
      currencyPrice: this.#currency.value,
      coverWorth: this.#currency.coverWorth(yes, wanted),
      requestPrice: p.request_price,
      most: (side, at) => this.#most(side, at, view, Math.max(wanted - yes, p.taker_shares / ONE)),
    };
  }

  /** YES shares that uninformed takers will buy until resolution, at the price that is believed. */
  #wantedShares({ timeToResolutionMs }: MarketView): number {
    const { takers, ahead } = this.#belief;
    const price = Math.min(0.99, Math.max(0.01, ahead.price().mean));
    const each = Math.exp(takers.logMeanAt('ask', price) + SIZE_SIGMA ** 2 / 2);
    return (takers.rate * Math.max(0, timeToResolutionMs ?? 0) * each) / 1000;
  }

  /** Shares that a side may still offer: the limits of position, order and currency, and what is of use as cover. */
  #most(side: BookSide, price: number, { inventory, stance }: MarketView, cover: number): number {
    const net = (side === 'bid' ? inventory.netMicros : -inventory.netMicros) / ONE;
    const reducible = Math.max(0, -net);
    if (stance === 'reduce-only') return reducible;
    const held = side === 'bid' ? 0 : inventory.yesMicros / ONE;
    const cost = side === 'bid' ? price : 1 - price;
    const payable = Math.max(reducible, held + inventory.availableFundsMicros / ONE / cost);
    const useful = side === 'bid' && this.#currency.value > 0 ? cover : Number.POSITIVE_INFINITY;
    const position = inventory.maxPositionMicros / ONE - net;
    return Math.max(0, Math.min(this.#params.max_order_shares / ONE, position, payable, useful));
  }
}

function levelsOf(choice: Choice | null, view: MarketView): readonly QuoteLevel[] {
  if (choice === null || !(choice.worth > 0)) return [];
  const { side, price, shares } = choice;
  return ladder({ side, price, stepTicks: 1, levels: 1, levelShares: shares, totalShares: shares }, view.market);
}

/** The sides are chosen each for itself; where they meet, the better one stays. */
function uncrossed(bids: readonly QuoteLevel[], asks: readonly QuoteLevel[], bidIsBetter: boolean) {
  const [bid, ask] = [bids[0], asks[0]];
  if (bid === undefined || ask === undefined || bid.priceMicros < ask.priceMicros) return { bids, asks };
  return bidIsBetter ? { bids, asks: [] } : { bids: [], asks };
}
