/**
 * Makes a market around a belief: a probability distribution of the hidden price in log-odds. Every poll of the book
 * and every fill of own orders updates the belief. At each price the strategy compares the cost of informed takers with
 * the gain from uninformed ones (the newsvendor problem). Each side is quoted at its most valuable price or not at all.
 */

import {
  type BookSide,
  defineStrategy,
  ladder,
  type MarketView,
  NO_QUOTES,
  ONE,
  type QuoteLevel,
  type Quoter,
  type Quotes,
  type StrategyEvent,
  whyNoQuotes,
} from '../src/trader/strategy/strategy.js';
import { Absence } from './belief/absence.js';
import { Belief } from './belief/belief.js';
import { Cover } from './belief/cover.js';
import { describeBelief, makeFactors, makeShown, sideText } from './belief/explain.js';
import { whyNoFeed } from './belief/outside.js';
import { type BeliefParams, params } from './belief/params.js';
import { describeProbes, Probes } from './belief/probes.js';
import { type Choice, type ChoiceInput, chooseBest, isWorthAnOrder, Sums } from './belief/quote-choice.js';
import { readSaved } from './belief/saved.js';
import { makeGuards } from './common/params.js';
import { toFairMicros } from './common/quotes.js';

export default defineStrategy({
  name: 'belief-maker',
  summary:
    'Estimates a distribution of the hidden price, learns from own fills, and offers shares where the expected gain exceeds the risk.',
  params,
  state: { version: 3 },
  inputs: { event: true },
  create: (p, _market, saved) => new BeliefMaker(p, saved),
});

/** Maximum size difference at which an order stays, as a fraction of the wanted size. */
const SIZE_TOLERANCE = 0.25;

class BeliefMaker implements Quoter {
  readonly #params: BeliefParams;
  readonly #belief: Belief;
  readonly #cover: Cover;
  readonly #absence = new Absence();
  readonly #sums = new Sums();
  readonly #probes = new Probes();

  constructor(p: BeliefParams, saved: unknown) {
    this.#params = p;
    this.#cover = new Cover(p.currency_horizon_s);
    this.#belief = new Belief(p.wall_log_odds, p.taker_shares / ONE, p.min_quote_s);
    if (saved === undefined) return;
    const { absence, probes, ...belief } = readSaved(saved);
    this.#belief.restore(belief);
    this.#absence.restore(absence);
    this.#probes.restore(probes);
  }

  save(): unknown {
    const own = { absence: this.#absence.save(), probes: this.#probes.save() };
    return { shown: makeShown(this.#belief), belief: { ...this.#belief.save(), ...own } };
  }

  observe(event: StrategyEvent): void {
    this.#belief.fills.add(event);
  }

  quote(full: MarketView): Quotes {
    const p = this.#params;
    const view = withoutProbes(full);
    const blocked = whyNoQuotes(view, makeGuards({ ...p, jump_pause_s: 0 })) ?? whyNoFeed(view, p);
    this.#absence.see(view);
    if (blocked !== null) {
      this.#absence.forget();
      return NO_QUOTES(blocked);
    }
    this.#belief.look(full, p.min_quote_s, p);
    const input = this.#input(view, computeFunds(full));
    this.#sums.fill(input.grid, input.shift);
    const bid = chooseBest('bid', this.#sums, input);
    const ask = chooseBest('ask', this.#sums, input);
    const levels = uncrossQuotes(
      makeLevels(bid, input),
      makeLevels(ask, input),
      (bid?.worth ?? 0) >= (ask?.worth ?? 0),
    );
    this.#absence.want('bid', levels.bids.length > 0, view);
    this.#absence.want('ask', levels.asks.length > 0, view);
    const texts = [sideText(bid, 'bid', this.#sums, input), sideText(ask, 'ask', this.#sums, input)];
    const { probes, value, price } = this.#probes.choose(this.#belief, levels, [bid, ask], this.#sums, input, full);
    this.#belief.fills.expect(probes.bid, probes.ask);
    if (probes.bid.length + probes.ask.length > 0) texts.push(describeProbes(probes, value, price));
    return {
      fairMicros: toFairMicros(this.#belief.fairPrice),
      bids: [...levels.bids, ...probes.bid].sort((a, b) => b.priceMicros - a.priceMicros),
      asks: [...levels.asks, ...probes.ask].sort((a, b) => a.priceMicros - b.priceMicros),
      keepWithinTicks: 0,
      keepWithinSizeFraction: SIZE_TOLERANCE,
      postOnly: p.post_only,
      // Quotes from a feed are canceled when its value expires, not only at the next poll of the book.
      ...feedDeadline(view, p.feed),
      note: describeBelief(this.#belief, texts),
      factors: makeFactors(this.#belief, bid, ask, input, view),
    };
  }

  #input(view: MarketView, funds: number): ChoiceInput {
    const p = this.#params;
    const { ahead, takers } = this.#belief;
    const { yesMicros, noMicros, netMicros } = view.inventory;
    const { mean } = ahead.price();
    const capital = Math.max(1, funds + (yesMicros * mean + noMicros * (1 - mean)) / ONE);
    this.#cover.update(view, takers, mean, funds);
    const risk = 1 / (p.kelly_fraction * capital);
    return {
      view,
      grid: ahead,
      takers,
      seconds: this.#belief.standsS(p.min_quote_s),
      shift: this.#belief.middle.excess + (netMicros / ONE) * risk,
      cover: this.#cover,
      risk,
      requestPrice: Math.max(p.request_price, view.pace.requestPrice),
      absentS: this.#absence.perOrderS,
      most: (side, at) => this.#most(side, at, view, funds),
    };
  }

  /** Maximum number of shares of an offer, by the limits of position, order size and currency. */
  #most(side: BookSide, price: number, { inventory, stance }: MarketView, funds: number): number {
    const net = (side === 'bid' ? inventory.netMicros : -inventory.netMicros) / ONE;
    const reducible = Math.max(0, -net);
    if (stance === 'reduce-only') return reducible;
    const held = (side === 'bid' ? inventory.noMicros : inventory.yesMicros) / ONE;
    const cost = side === 'bid' ? price : 1 - price;
    const payable = Math.max(reducible, held + Math.max(0, funds - this.#cover.reserve(side)) / cost);
    const position = inventory.maxPositionMicros / ONE - net;
    return Math.max(0, Math.min(this.#params.max_order_shares / ONE, position, payable));
  }
}

/** Returns the market view without the probes among its orders. */
const withoutProbes = (view: MarketView): MarketView =>
  view.orders.some(({ isProbe }) => isProbe)
    ? { ...view, orders: view.orders.filter(({ isProbe }) => !isProbe) }
    : view;

/** Time when the strategy must be called again because a feed's value expires; absent if none expires. */
function feedDeadline({ feeds }: MarketView, feed: string): Pick<Quotes, 'againMs'> {
  const ends = feeds[feed]?.validUntilMs ?? null;
  return ends === null ? {} : { againMs: ends };
}

/** Currency for this market's orders, including the currency that its resting orders reserve. */
function computeFunds({ inventory, orders }: MarketView): number {
  let bound = 0;
  const free = { bid: inventory.noMicros as number, ask: inventory.yesMicros as number };
  for (const { side, isYes, priceMicros, remainingMicros } of orders) {
    // A sale reserves held shares. The part of a sale beyond the held shares reserves currency, as every purchase does.
    const covered = isYes === (side === 'ask') ? Math.min(free[side], remainingMicros) : 0;
    free[side] -= covered;
    bound += ((side === 'bid' ? priceMicros : ONE - priceMicros) / ONE) * (remainingMicros - covered);
  }
  return (inventory.availableFundsMicros + bound) / ONE;
}

function makeLevels(choice: Choice | null, input: ChoiceInput): readonly QuoteLevel[] {
  if (choice === null || !isWorthAnOrder(choice, input)) return [];
  const { side, price, shares } = choice;
  return ladder({ side, price, stepTicks: 1, levels: 1, levelShares: shares, totalShares: shares }, input.view.market);
}

/** Bid and ask are chosen independently. If the two quotes cross, only the better quote stays. */
function uncrossQuotes(bids: readonly QuoteLevel[], asks: readonly QuoteLevel[], bidIsBetter: boolean) {
  const [bid, ask] = [bids[0], asks[0]];
  if (bid === undefined || ask === undefined || bid.priceMicros < ask.priceMicros) return { bids, asks };
  return bidIsBetter ? { bids, asks: [] } : { bids: [], asks };
}
