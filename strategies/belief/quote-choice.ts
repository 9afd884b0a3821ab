/** Chooses the most valuable price of a side, and the number of shares there. */

import { type BookSide, dearerFee, type MarketView, ONE, priceRange } from '../../src/trader/strategy/strategy.js';
import type { Cover } from './cover.js';
import { type Grid, locatePrice, POINTS, PRICES, STEP } from './grid.js';
import { computeWorth, criticalRatio, type Demand, offer, type Prospect } from './newsvendor.js';
import { sharesAhead } from './queue.js';
import type { Takers } from './takers.js';

/** Maximum number of examined prices. Prices behind others' best are not examined: takers there moved the price. */
const MOST_PRICES = 60;
/** Adding shares needs half the requests of a replacement, so that other changes are delayed half as long. */
const TOP_UP = 0.5;
/** Requests of a new order: its draft and its submission. */
export const PLACING_REQUESTS = 2;
/** Minimum of the probability mass by which a sum is divided, to avoid a division by almost 0. */
const TINY = 1e-12;

export interface Choice {
  readonly side: BookSide;
  readonly price: number;
  readonly shares: number;
  readonly worth: number;
  readonly prospect: Prospect;
  readonly demand: Demand;
  readonly ratio: number;
}

/** Input for the choice of one side's quote. */
export interface ChoiceInput {
  readonly view: MarketView;
  readonly grid: Grid;
  readonly takers: Takers;
  readonly seconds: number;
  /** Log-odds to subtract from the price, for inventory and for the unconfirmed part of the belief. */
  readonly shift: number;
  readonly cover: Cover;
  /** Increase of `shift` per bought share. */
  readonly risk: number;
  readonly requestPrice: number;
  /** Time without a resting order when an order is changed, s. */
  readonly absentS: number;
  readonly most: (side: BookSide, price: number) => number;
}

/** Cumulative sums over the grid of mass and of mass x price. Thus no price needs a pass over the grid. */
export class Sums {
  readonly #mass = new Float64Array(POINTS + 1);
  readonly #price = new Float64Array(POINTS + 1);

  /** Computes the sums of the belief, shifted down by `shift` log-odds. */
  fill({ mass, low, high }: Grid, shift: number): void {
    const whole = Math.floor(-shift / STEP);
    const part = -shift / STEP - whole;
    this.#mass.fill(0, 0, low + 1);
    this.#price.fill(0, 0, low + 1);
    let [all, sum] = [0, 0];
    for (let i = low; i <= high; i++) {
      const here = mass[i] ?? 0;
      all += here;
      sum += here * priceAt(i + whole, part);
      this.#mass[i + 1] = all;
      this.#price[i + 1] = sum;
    }
    this.#mass.fill(all, high + 2);
    this.#price.fill(sum, high + 2);
  }

  get mean(): number {
    return this.#price[POINTS] ?? 0;
  }

  /** Probability mass below a price on the shifted grid, and the sum of mass x price below it. */
  below(price: number, shift: number): { readonly mass: number; readonly sum: number } {
    const place = Math.min(POINTS - 1, Math.max(0, locatePrice(price) + shift / STEP)) + 0.5;
    const whole = Math.floor(place);
    const part = place - whole;
    return { mass: between(this.#mass, whole, part), sum: between(this.#price, whole, part) };
  }
}

const between = (sums: Float64Array, whole: number, part: number): number =>
  (sums[whole] ?? 0) + part * ((sums[whole + 1] ?? 0) - (sums[whole] ?? 0));

/** Price between the grid point `whole` and the next one, or beyond the ends of the grid. */
function priceAt(whole: number, part: number): number {
  if (whole < 0) return (PRICES[0] ?? 0) * Math.exp(Math.max(-20, (whole + part) * STEP));
  if (whole >= POINTS - 1)
    return 1 - (1 - (PRICES[POINTS - 1] ?? 0)) * Math.exp(Math.max(-20, (POINTS - 1 - whole - part) * STEP));
  return (1 - part) * (PRICES[whole] ?? 0) + part * (PRICES[whole + 1] ?? 0);
}

/** Returns the best price and size of a side; null if no price is free. */
export function chooseBest(side: BookSide, sums: Sums, input: ChoiceInput): Choice | null {
  const { view, requestPrice } = input;
  const tick = view.market.tickMicros;
  const range = priceRange(view.market);
  if (range === null) return null;
  const isBid = side === 'bid';
  const own = isBid ? view.others.bids : view.others.asks;
  const opposite =
    (isBid ? view.others.asks : view.others.bids)[0]?.priceMicros ?? (isBid ? range.high + tick : range.low - tick);
  const best = own[0]?.priceMicros;
  // If others have no orders, all prices up to the end of the range are examined.
  const far = best ?? (isBid ? range.low : range.high);
  const near = isBid ? Math.min(opposite - tick, range.high) : Math.max(opposite + tick, range.low);
  const count = Math.min(MOST_PRICES, Math.floor(Math.abs(near - far) / tick) + 1);
  if (isBid ? near < far : near > far) return null;
  const resting = sumResting(side, view);
  let chosen: Choice | null = null;
  let chosenWorth = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    // The search starts at others' best price; if their side is empty, at the end nearest to the mid.
    const micros =
      best === undefined ? (isBid ? near - i * tick : near + i * tick) : isBid ? far + i * tick : far - i * tick;
    if (micros < range.low || micros > range.high) continue;
    const choice = choiceAt(side, micros / ONE, sharesAhead(own, micros, side), sums, input);
    const shares = resting.get(micros);
    const kept = shares === undefined ? null : keptAs(choice, shares, input);
    // Replacing a resting order costs four requests and the time without an order, so keeping the order saves both.
    const worth = kept === null ? choice.worth : kept.choice.worth + 4 * requestPrice + kept.saves;
    if (worth > chosenWorth) [chosen, chosenWorth] = [kept?.choice ?? choice, worth];
  }
  return chosen;
}

/** True if a choice is worth an order. New orders must earn more than their two requests, resting ones more than 0. */
export function isWorthAnOrder(
  { side, worth }: Pick<Choice, 'side' | 'worth'>,
  {
    view,
    requestPrice,
  }: { readonly view: { readonly orders: readonly { readonly side: BookSide }[] }; readonly requestPrice: number },
): boolean {
  const rests = view.orders.some((order) => order.side === side);
  return worth > (rests ? 0 : PLACING_REQUESTS * requestPrice);
}

/** Shares of own orders by their price in micros. */
function sumResting(side: BookSide, { orders }: MarketView): ReadonlyMap<number, number> {
  const resting = new Map<number, number>();
  for (const order of orders)
    if (order.side === side)
      resting.set(order.priceMicros, (resting.get(order.priceMicros) ?? 0) + order.remainingMicros / ONE);
  return resting;
}

/**
 * Returns the choice at a price where own orders of `resting` shares are open. Surplus shares stay unless a change to a
 * smaller order pays. Missing shares are added only if their gain exceeds the cost of the delay.
 */
function keptAs(choice: Choice, resting: number, { absentS, seconds, most }: ChoiceInput) {
  const { prospect, demand, shares, side, price } = choice;
  // The demand beyond the computed offer is unknown, so surplus shares have no gain.
  const excess = Math.max(0, prospect.loss) * (resting - shares);
  const worth = resting > shares ? choice.worth - excess : computeWorth(prospect, demand, resting);
  const saves = (Math.max(0, worth) * absentS) / seconds;
  const tooMany = resting > shares && saves > excess && resting <= most(side, price);
  const tooFew = resting < shares && choice.worth - worth < TOP_UP * saves;
  const stays = tooMany || tooFew;
  return { choice: stays ? { ...choice, shares: resting, worth } : choice, saves };
}

export function choiceAt(side: BookSide, price: number, ahead: number, sums: Sums, input: ChoiceInput): Choice {
  const { view, takers, seconds, shift, cover } = input;
  const { mass, sum } = sums.below(price, shift);
  const isBid = side === 'bid';
  // `under`: expected amount by which the true price is below this price. `over`: the same for a true price above it.
  const under = Math.max(0, price * mass - sum);
  const over = Math.max(0, sums.mean - sum - price * (1 - mass));
  const fee = dearerFee(view.market, price);
  const takenMass = isBid ? mass : 1 - mass;
  const most = input.most(side, price);
  const rate = takers.rate * (ahead > 0 ? takers.behind : 1);
  const [logMean, rare] = [takers.logMeanAt(side, price), takers.rareAt(side)];
  const demand = { takers: rate * seconds, logMean, sigma: takers.sigma, rare, ahead };
  const [lost, gained] = isBid ? [under, over] : [over, under];
  const plain = { loss: lost + fee * takenMass, gain: gained - fee * (1 - takenMass) };
  // Informed takers sell to a bid if the true price is below it, so these shares have the mean price of that case.
  const [below, above] = [sum / Math.max(TINY, mass), (sums.mean - sum) / Math.max(TINY, 1 - mass)];
  const [meanTaken, meanSafe] = isBid ? [below, above] : [above, below];
  const at = (more: number): Prospect => ({
    loss: plain.loss - cover.worthAfter(side, more, meanTaken) * takenMass,
    gain: plain.gain + cover.worthAfter(side, more, meanSafe) * (1 - takenMass),
  });
  const first = at(0);
  let shares = offer(first, demand, most);
  let prospect = first;
  if (first.loss < 0) {
    const useful = cover.sharesWorth(side, { cost: plain.loss / takenMass, most, mean: meanTaken, risk: input.risk });
    shares = Math.max(useful, offer(plain, demand, most));
    prospect = at(shares / 2);
  }
  const worth = computeWorth(prospect, demand, shares);
  return { side, price, shares, worth, prospect, demand, ratio: criticalRatio(prospect, demand.takers) };
}
