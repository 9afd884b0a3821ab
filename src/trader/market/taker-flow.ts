/** Measures how far from the mid takers trade, and how the mid moves after a taker consumes a whole level. */

import { type Micros, ONE } from '../../shared/base/micros.js';
import type { Book, SeenAt, TapeTrade } from './view.js';

/** Half-life of an observation, ms. */
const HALF_LIFE_MS = 3_600_000;
/** Weight of a prior, in trades or swept levels. */
const BELIEF = 20;
/** Priors in ticks: distance of a trade from the mid, and move of the mid after a swept level. */
const USUAL_DISTANCE_TICKS = 2;
const USUAL_MOVE_TICKS = 1.5;

/** Trade times are whole seconds, so their error is at most half a second. */
const HALF_SECOND_MS = 500;
const MAX_LOOKS = 32;
const MAX_WAITING = 32;

/** Exponentially decaying mean. */
class FadingMean {
  #count = 0;
  #sum = 0;
  #atMs = Number.NEGATIVE_INFINITY;

  add(value: number, nowMs: number): void {
    const kept = this.#keptAt(nowMs);
    this.#count = this.#count * kept + 1;
    this.#sum = this.#sum * kept + value;
    this.#atMs = Math.max(this.#atMs, nowMs);
  }

  /** Mean that includes the prior `belief`. */
  with(belief: number, nowMs: number): number {
    const kept = this.#keptAt(nowMs);
    return (this.#sum * kept + BELIEF * belief) / (this.#count * kept + BELIEF);
  }

  #keptAt(nowMs: number): number {
    return this.#atMs === Number.NEGATIVE_INFINITY ? 0 : 2 ** (-Math.max(0, nowMs - this.#atMs) / HALF_LIFE_MS);
  }
}

/** Taker statistics of a category's markets, in ticks. */
export class CategoryFlow {
  readonly distance = new FadingMean();
  readonly move = new FadingMean();
}

/** Parts of a book that trades are compared with, and the times of its poll. */
interface Look {
  readonly sentMs: number;
  readonly seenMs: number;
  /** Twice the mid of others' book, an exact integer; null without a mid. */
  readonly twiceMid: number | null;
  /** Best levels as received, own orders included. */
  readonly bid: Book['bids'][number] | undefined;
  readonly ask: Book['asks'][number] | undefined;
}

interface SweptLevel {
  readonly sign: 1 | -1;
  readonly twiceMid: number;
  readonly atMs: number;
}

/** Compares trades with the books before and after them. */
export class TakerFlow {
  readonly #own = new CategoryFlow();
  #category = new CategoryFlow();
  #looks: Look[] = [];
  #waiting: SweptLevel[] = [];

  /** Uses a category's statistics as prior, and adds this market's observations to them. */
  joinCategory(category: CategoryFlow): void {
    this.#category = category;
  }

  onBook(raw: Book, others: Book, { sentMs, seenMs }: SeenAt, tickMicros: Micros): void {
    const [bid, ask] = [others.bids[0]?.priceMicros, others.asks[0]?.priceMicros];
    const twiceMid = bid === undefined || ask === undefined || bid >= ask ? null : bid + ask;
    this.#looks.push({ sentMs, seenMs, twiceMid, bid: raw.bids[0], ask: raw.asks[0] });
    if (this.#looks.length > MAX_LOOKS) this.#looks.shift();
    if (this.#waiting.length > 0) this.#judge(tickMicros);
  }

  /** Takes in a trade at about `atMs`, our clock; trades may arrive in any order. */
  onTrade(trade: TapeTrade, atMs: number, tickMicros: Micros): void {
    const before = this.#looks.findLast(({ seenMs }) => seenMs <= atMs);
    if (before === undefined || before.twiceMid === null) return;
    const { twiceMid } = before;
    const ticks = Math.abs(2 * trade.priceMicros - twiceMid) / 2 / tickMicros;
    for (const flow of [this.#own, this.#category]) flow.distance.add(ticks, atMs);
    if (!hasSwept(trade, before) || this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push({ sign: trade.taker === 'buy' ? 1 : -1, twiceMid, atMs });
    this.#judge(tickMicros);
  }

  #judge(tickMicros: Micros): void {
    this.#waiting = this.#waiting.filter(({ sign, twiceMid, atMs }) => {
      const after = this.#looks.find((look) => look.sentMs >= atMs + HALF_SECOND_MS && look.twiceMid !== null);
      if (after === undefined || after.twiceMid === null) return true;
      const ticks = (sign * (after.twiceMid - twiceMid)) / 2 / tickMicros;
      for (const flow of [this.#own, this.#category]) flow.move.add(ticks, atMs);
      return false;
    });
  }

  /** Decay kappa of taker arrivals with distance d from the mid, as exp(-kappa d); per unit of price. */
  kappaAt(nowMs: number, tickMicros: Micros): number {
    const believed = this.#category.distance.with(USUAL_DISTANCE_TICKS, nowMs);
    const tick = tickMicros / ONE;
    // A distance of zero would make kappa infinite.
    return 1 / (tick * Math.max(LEAST_DISTANCE_TICKS, this.#own.distance.with(believed, nowMs)));
  }

  /** Expected move of the mid after a taker consumes a whole level, in the taker's direction; price, 0 or more. */
  sweepMoveAt(nowMs: number, tickMicros: Micros): number {
    const believed = this.#category.move.with(USUAL_MOVE_TICKS, nowMs);
    return (tickMicros / ONE) * Math.max(0, this.#own.move.with(believed, nowMs));
  }

  /** Drops earlier reads: their time order relative to new trades is unknown. */
  clockSetBack(): void {
    this.#looks = [];
    this.#waiting = [];
  }
}

const LEAST_DISTANCE_TICKS = 0.1;

/** True when the trade consumed the whole best level: it went beyond its price or took its amount. */
function hasSwept({ taker, priceMicros, amountMicros }: TapeTrade, { bid, ask }: Look): boolean {
  const met = taker === 'buy' ? ask : bid;
  if (met === undefined) return false;
  const past = taker === 'buy' ? priceMicros - met.priceMicros : met.priceMicros - priceMicros;
  return past > 0 || (past === 0 && amountMicros >= met.amountMicros);
}
