/**
 * Chooses probes: orders of the minimum size at free ticks between others' best prices. An informed taker fills a probe
 * on the wrong side of the true price, so each poll limits where the hidden price can be. A probe is sent only if its
 * information is worth more than its two requests.
 */

import {
  amountOnLot,
  type BookSide,
  type MarketView,
  type Micros,
  micros,
  ONE,
  priceRange,
  type QuoteLevel,
} from '../../src/trader/strategy/strategy.js';
import type { Belief } from './belief.js';
import { Grid } from './grid.js';
import { computeWorth } from './newsvendor.js';
import {
  type Choice,
  type ChoiceInput,
  choiceAt,
  chooseBest,
  isWorthAnOrder,
  PLACING_REQUESTS,
  Sums,
} from './quote-choice.js';
import type { Saved } from './saved.js';

/** Maximum number of probes in a market, both sides together. */
const MOST_PROBES = 8;
/** Maximum number of prices that are examined for probes. A finer tick is examined at even distances. */
const MOST_PRICES = 10_000;
/** Minimum probability that the true price is below a probe's tick, and that it is above. Else the probe is useless. */
const LEAST_DOUBT = 0.002;
/** Time for which a probe's computed value is reused while others' best prices stay, ms. */
const VALUE_LASTS_MS = 5_000;

/** Temporary memory of one call. */
const GRID = new Grid();
const SUMS = new Sums();

export interface RealLevels {
  readonly bids: readonly QuoteLevel[];
  readonly asks: readonly QuoteLevel[];
}

interface Candidate {
  readonly side: BookSide;
  readonly priceMicros: number;
  /** Probability that the true price is below this price. */
  readonly below: number;
  /** The product `below` x (1 - `below`): uncertainty whether the true price is below this price. */
  readonly doubt: number;
}

export class Probes {
  /** `perDoubt`: value of a probe per poll and unit of `doubt`, currency; as of `atMs`, for others' prices `walls`. */
  #valued: Saved['probes'] = { perDoubt: 0, atMs: 0, walls: '' };

  save(): Saved['probes'] {
    return this.#valued;
  }

  restore(saved: Saved['probes']): void {
    this.#valued = saved;
  }

  /** Returns the wanted probes, the value of the best new one and the cost of its requests. `full` includes probes. */
  choose(
    belief: Belief,
    real: RealLevels,
    choices: readonly (Choice | null)[],
    sums: Sums,
    input: ChoiceInput,
    full: MarketView,
  ) {
    const { market, others, nowMs } = full;
    const range = priceRange(market);
    const size = amountOnLot(market.minAmountMicros / ONE, market);
    const probes: Record<BookSide, QuoteLevel[]> = { bid: [], ask: [] };
    const [bid, ask] = [real.bids[0]?.priceMicros ?? 0, real.asks[0]?.priceMicros ?? ONE];
    let [highestBid, lowestAsk] = [bid as number, ask as number];
    const taken = new Set<number>([bid, ask]);
    for (const { side, priceMicros, isProbe } of full.orders) {
      if (isProbe !== true) taken.add(priceMicros);
      if (isProbe !== true || size === null || taken.has(priceMicros)) continue;
      if (side === 'bid' ? priceMicros > ask : priceMicros < bid) continue;
      taken.add(priceMicros);
      probes[side].push({ priceMicros, amountMicros: size, isProbe });
      if (side === 'bid') highestBid = Math.max(highestBid, priceMicros);
      else lowestAsk = Math.min(lowestAsk, priceMicros);
    }
    const most = belief.isPartMeasured ? MOST_PROBES : 1;
    const room = most - probes.bid.length - probes.ask.length;
    const candidates: Candidate[] = [];
    const tick = market.tickMicros;
    if (range !== null && size !== null && room > 0) {
      const low = Math.max(range.low, (others.bids[0]?.priceMicros ?? 0) + tick);
      const high = Math.min(range.high, (others.asks[0]?.priceMicros ?? ONE) - tick);
      const step = tick * Math.max(1, Math.ceil((high - low) / tick / MOST_PRICES));
      for (let at = low; at <= high; at += step) {
        if (taken.has(at)) continue;
        const below = belief.known.below(at / ONE);
        const side = below < 0.5 ? 'bid' : 'ask';
        if (Math.min(below, 1 - below) < LEAST_DOUBT) continue;
        if (side === 'bid' ? at >= lowestAsk : at <= highestBid) continue;
        candidates.push({ side, priceMicros: at, below, doubt: below * (1 - below) });
      }
      candidates.sort((a, b) => b.doubt - a.doubt);
    }
    const best = candidates[0];
    const price = PLACING_REQUESTS * input.requestPrice;
    if (best !== undefined && size !== null && isAtRest(real, input.view)) {
      const walls = `${others.bids[0]?.priceMicros} ${others.asks[0]?.priceMicros}`;
      const { walls: wereWalls, atMs } = this.#valued;
      if (walls !== wereWalls || nowMs >= atMs + VALUE_LASTS_MS || nowMs < atMs) {
        const perDoubt = estimateValue(best, belief, real, choices, input) / best.doubt;
        this.#valued = { perDoubt, atMs: nowMs, walls };
      }
      for (const { side, priceMicros, doubt } of candidates.slice(0, room)) {
        if (this.#valued.perDoubt * doubt <= price) break;
        if (input.most(side, priceMicros / ONE) < size / ONE) continue;
        const { prospect, demand } = choiceAt(side, priceMicros / ONE, 0, sums, input);
        if (this.#valued.perDoubt * doubt + computeWorth(prospect, demand, size / ONE) <= price) continue;
        probes[side].push({ priceMicros: micros(priceMicros), amountMicros: size, isProbe: true });
      }
    }
    return { probes, value: best === undefined ? 0 : this.#valued.perDoubt * best.doubt, price };
  }
}

/** True if all wanted orders except probes are already open. A probe would delay orders that are not open yet. */
const isAtRest = ({ bids, asks }: RealLevels, { orders }: MarketView): boolean =>
  [...bids, ...asks].every((level) =>
    orders.some(({ priceMicros, acceptedMs }) => priceMicros === level.priceMicros && acceptedMs !== null),
  );

/** Expected gain of the next quotes from knowing whether one probe is filled, currency. */
function estimateValue(
  { side, priceMicros, below }: Candidate,
  belief: Belief,
  real: RealLevels,
  choices: readonly (Choice | null)[],
  input: ChoiceInput,
): number {
  const price = priceMicros / ONE;
  const informed = Math.min(belief.measuredPart, belief.informedIn(input.seconds));
  const uninformed = Math.min(1, belief.takers.rate * input.seconds);
  const wrong = side === 'bid' ? below : 1 - below;
  const hit = wrong * (informed + (1 - informed) * uninformed) + (1 - wrong) * uninformed;
  const orders = [...toOrders('bid', real.bids), ...toOrders('ask', real.asks)];
  const then = { ...input, view: { ...input.view, orders }, grid: GRID };
  const worthAfter = (right: number, other: number): number => {
    belief.imagine(GRID, { side, price, right, wrong: other }, input.view, input.seconds);
    SUMS.fill(GRID, input.shift);
    return netWorth('bid', then) + netWorth('ask', then);
  };
  let now = 0;
  for (const choice of choices) if (choice !== null && isWorthAnOrder(choice, input)) now += choice.worth;
  const filled = worthAfter(uninformed, informed + (1 - informed) * uninformed);
  const rests = worthAfter(1 - uninformed, Math.max(1e-4, 1 - informed) * (1 - uninformed));
  return hit * filled + (1 - hit) * rests - now;
}

function netWorth(side: BookSide, input: ChoiceInput): number {
  const choice = chooseBest(side, SUMS, input);
  if (choice === null) return 0;
  const resting = input.view.orders.filter((order) => order.side === side);
  const stays = resting.some(({ priceMicros }) => Math.abs(priceMicros / ONE - choice.price) < 1e-9);
  if (stays) return Math.max(0, choice.worth);
  const requests = PLACING_REQUESTS * (resting.length > 0 ? 2 : 1) * input.requestPrice;
  return Math.max(0, choice.worth - requests - (Math.max(0, choice.worth) * input.absentS) / input.seconds);
}

/** Converts levels to resting orders. */
const toOrders = (side: BookSide, levels: readonly QuoteLevel[]): MarketView['orders'] =>
  levels.map(({ priceMicros, amountMicros }) => ({
    intentId: '',
    side,
    priceMicros,
    remainingMicros: amountMicros as Micros,
    isYes: true,
    submittedMs: 0,
    acceptedMs: 0,
    queueAheadMicros: null,
    ageMs: 0,
  }));

export const describeProbes = (
  { bid, ask }: Readonly<Record<BookSide, readonly QuoteLevel[]>>,
  value: number,
  price: number,
): string =>
  `probes sent: ${bid.length + ask.length}; the next is worth ${value.toPrecision(3)}, its requests cost ${price.toPrecision(3)}`;
