/** How far from the middle takers trade, and what the price does after one has taken a whole level: of one market, or of a category. */

import { type Micros, ONE } from '../../shared/base/micros.js';
import type { Book, SeenAt, TapeTrade } from './view.js';

/** Half of what was seen is forgotten in an hour. */
const HALF_LIFE_MS = 3_600_000;
/** What is believed before, and of a market as of all of its category, counts as so many trades or swept levels. */
const BELIEF = 20;
/** Ticks between the middle and a trade, and that the middle moves after a level is swept, before any was seen. */
const USUAL_DISTANCE_TICKS = 2;
const USUAL_MOVE_TICKS = 1.5;

/** A trade's second does not tell its half. */
const HALF_SECOND_MS = 500;
const MAX_LOOKS = 32;
const MAX_WAITING = 32;

/** A count and a sum that fade with time. */
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

  /** The mean together with a belief. */
  with(belief: number, nowMs: number): number {
    const kept = this.#keptAt(nowMs);
    return (this.#sum * kept + BELIEF * belief) / (this.#count * kept + BELIEF);
  }

  #keptAt(nowMs: number): number {
    return this.#atMs === Number.NEGATIVE_INFINITY ? 0 : 2 ** (-Math.max(0, nowMs - this.#atMs) / HALF_LIFE_MS);
  }
}

/** What is known of the takers of all markets of a category together, in ticks. */
export class CategoryFlow {
  readonly distance = new FadingMean();
  readonly move = new FadingMean();
}

/** A book as far as a trade is held against it. */
interface Look {
  readonly sentMs: number;
  readonly seenMs: number;
  /** Twice the middle of others' book, exactly; null where there is none. */
  readonly twiceMid: number | null;
  /** As it came, ours included. */
  readonly bid: Book['bids'][number] | undefined;
  readonly ask: Book['asks'][number] | undefined;
}

interface SweptLevel {
  readonly sign: 1 | -1;
  readonly twiceMid: number;
  readonly atMs: number;
}

/** Holds trades against the books before and after them. */
export class TakerFlow {
  readonly #own = new CategoryFlow();
  #category = new CategoryFlow();
  #looks: Look[] = [];
  #waiting: SweptLevel[] = [];

  /** What it believes of its takers before it has seen many; what it sees counts there too. */
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

  /** A trade at about `atMs` by our clock, in whatever order. */
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

  /** Of takers who come to a distance d of the middle as exp(-kappa d): per unit of price. */
  kappaAt(nowMs: number, tickMicros: Micros): number {
    const believed = this.#category.distance.with(USUAL_DISTANCE_TICKS, nowMs);
    const tick = tickMicros / ONE;
    // No distance at all would be a kappa without bound.
    return 1 / (tick * Math.max(LEAST_DISTANCE_TICKS, this.#own.distance.with(believed, nowMs)));
  }

  /** How far the middle goes in the taker's direction after he took a whole level: price, 0 or more. */
  sweepMoveAt(nowMs: number, tickMicros: Micros): number {
    const believed = this.#category.move.with(USUAL_MOVE_TICKS, nowMs);
    return (tickMicros / ONE) * Math.max(0, this.#own.move.with(believed, nowMs));
  }

  /** Looks and trades of before can no longer be told apart in time. */
  clockSetBack(): void {
    this.#looks = [];
    this.#waiting = [];
  }
}

const LEAST_DISTANCE_TICKS = 0.1;

/** Whether nothing can be left of the best level that he met: he went past it, or took as much as stood there. */
function hasSwept({ taker, priceMicros, amountMicros }: TapeTrade, { bid, ask }: Look): boolean {
  const met = taker === 'buy' ? ask : bid;
  if (met === undefined) return false;
  const past = taker === 'buy' ? priceMicros - met.priceMicros : met.priceMicros - priceMicros;
  return past > 0 || (past === 0 && amountMicros >= met.amountMicros);
}
