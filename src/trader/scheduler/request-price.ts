/** Computes a signed request's shadow price from the unused part of the request burst. The price is never booked. */

import { MINUTE_MS } from '../../shared/base/sliding-minute.js';

const EVERY_MS = 5_000;
/** Target for the free fraction of the request burst: a smaller fraction raises the price, a larger one lowers it. */
const AIM = 1 / 2;
/** Change of the price's logarithm per update, per unit of the free fraction's distance from `AIM`. */
const STEP = 0.2;
/** Maximum rise of the price's logarithm: the price is at most e^7 (about a thousand) times its minimum. */
const MOST_RISE = 7;

/**
 * Adapts the price by dual ascent until demand equals supply (Balseiro and Gur, "Learning in repeated auctions with
 * budgets", 2019). Small steps keep the price nearly constant for a minute.
 */
export class RequestPrice {
  /** Factor on the minimum price of a signed request; 1 while requests are plentiful. */
  factor = 1;
  #rise = 0;
  #lookedMs = Number.NEGATIVE_INFINITY;

  /** Updates the request price if `EVERY_MS` has passed since the last update. */
  look(queue: { burstLeft(nowMs: number): number }, nowMs: number): void {
    if (Math.abs(nowMs - this.#lookedMs) < EVERY_MS) return;
    this.#lookedMs = nowMs;
    this.#rise = Math.max(0, Math.min(MOST_RISE, this.#rise + STEP * (AIM - queue.burstLeft(nowMs))));
    this.factor = Math.exp(this.#rise);
  }
}

/** The newest order has weight 1 / 16 in the average time from decision to resting order. */
const ORDERS = 16;
/** Longest accepted time from decision to resting order, s. Longer times come from an earlier run or a lost answer. */
const LONGEST_S = 60;

export class ReactionPace {
  seconds: number;

  /** @param usualS assumed average time from decision to resting order before the first order, s */
  constructor(usualS: number) {
    this.seconds = usualS;
  }

  note(decidedMs: number, restsMs: number): void {
    const seconds = (restsMs - decidedMs) / 1000;
    if (seconds >= 0 && seconds <= LONGEST_S) this.seconds += (seconds - this.seconds) / ORDERS;
  }
}

/**
 * Best interval between reads of own trades, ms. A read every T seconds costs `requestPrice` / T per second. Fills
 * become known T / 2 late on average, which costs `lateFillCost` T / 2. The total cost is smallest at T = sqrt(2
 * requestPrice / lateFillCost): 0 if reads cost nothing, Infinity if late fills cost nothing.
 *
 * @param requestPrice price of a signed request, currency
 * @param lateFillCost fills per second times the loss per second of an unknown fill, currency per square second
 */
export const bestOwnPaceMs = (requestPrice: number, lateFillCost: number): number =>
  requestPrice === 0 ? 0 : 1000 * Math.sqrt((2 * requestPrice) / lateFillCost);

/** Fraction of the signed budget for reads of own state; their intervals grow to fit it. */
const SIGNED_PART = 0.3;
/** Fraction of the budget for reads of own state that reconciliation rounds may always use. */
const ROUNDS_PART = 1 / 3;

/** Intervals of reads of own state, ms; `fillsMs` is null if the exchange does not list own trades. */
interface OwnIntervals {
  readonly fillsMs: number | null;
  readonly ordersMs: number;
  readonly roundsMs: number;
}

/**
 * Extends the intervals of reads of own state to fit the signed budget. Reconciliation rounds, the most expensive and
 * least urgent, slow down first, until they use `ROUNDS_PART`. Reads of own trades and of orders slow down next.
 *
 * @param requestsARound signed requests of a reconciliation round
 * @param signedPerMinute the whole signed budget, requests per minute
 */
export function fitOwnReads(
  { fillsMs, ordersMs, roundsMs }: OwnIntervals,
  requestsARound: number,
  signedPerMinute: number,
): OwnIntervals {
  const most = signedPerMinute * SIGNED_PART;
  const looks = MINUTE_MS / ordersMs + (fillsMs === null ? 0 : MINUTE_MS / fillsMs);
  const wanted = (requestsARound * MINUTE_MS) / roundsMs;
  const rounds = Math.min(wanted, Math.max(most * ROUNDS_PART, most - looks));
  const stretch = Math.max(1, looks / (most - rounds));
  return {
    fillsMs: fillsMs === null ? null : fillsMs * stretch,
    ordersMs: ordersMs * stretch,
    roundsMs: rounds < wanted ? (requestsARound * MINUTE_MS) / rounds : roundsMs,
  };
}
