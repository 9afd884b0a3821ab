/** Rebuilds a recorded book and weighs its figures by time. */

import { EVENT, type EventChunk, SIDE } from '../contract.js';

const ONE = 1_000_000;

export class BookMeter {
  /** Time-weighted sums: ms with a known book, and its parts; divide by them to get a mean. */
  readonly time = {
    knownMs: 0,
    twoSidedMs: 0,
    crossedMs: 0,
    /** Over the two-sided time, in millionths. */
    spreadMicrosMs: 0,
    /** Over the known time, by side: of levels, of the amount at the best price, of the total amount. */
    levelsMs: [0, 0] as [number, number],
    touchMicrosMs: [0, 0] as [number, number],
    depthMicrosMs: [0, 0] as [number, number],
  };
  /** Longest time with the best bid not below the best ask, and its beginning; 0 if never. */
  longestCrossedMs = 0;
  longestCrossedFromMs = 0;
  readonly #tick: number;
  readonly #amounts: readonly [Float64Array, Float64Array];
  readonly #levels: [number, number] = [0, 0];
  readonly #depth: [number, number] = [0, 0];
  /** Ticks; -1 for an empty side. */
  readonly #best: [number, number] = [-1, -1];
  #lastMs: number | null = null;
  #crossedSinceMs: number | null = null;

  /** @param tickMicros the market's tick; every price must be on it */
  constructor(tickMicros: number) {
    this.#tick = tickMicros;
    const slots = ONE / tickMicros + 1;
    this.#amounts = [new Float64Array(slots), new Float64Array(slots)];
  }

  play({ length, timeMs, kind, side, priceMicros, amountMicros }: EventChunk): void {
    for (let at = 0; at < length; at++) {
      // Columns are as long as their chunk.
      this.advance(timeMs[at] as number);
      this.apply(kind[at] as number, side[at] as number, priceMicros[at] as number, amountMicros[at] as number);
    }
  }

  advance(timeMs: number): void {
    const lastMs = this.#lastMs;
    this.#lastMs = timeMs;
    if (lastMs === null || timeMs <= lastMs) return;
    const passedMs = timeMs - lastMs;
    const { time } = this;
    time.knownMs += passedMs;
    for (const side of [0, 1] as const) {
      time.levelsMs[side] += this.#levels[side] * passedMs;
      time.depthMicrosMs[side] += this.#depth[side] * passedMs;
      time.touchMicrosMs[side] += (this.#amounts[side][this.#best[side]] ?? 0) * passedMs;
    }
    const [bid, ask] = this.#best;
    if (bid >= 0 && ask >= 0) {
      time.twoSidedMs += passedMs;
      time.spreadMicrosMs += (ask - bid) * this.#tick * passedMs;
      if (bid >= ask) time.crossedMs += passedMs;
    }
    this.#watchCross(lastMs, timeMs);
  }

  /** Time until the next event is unknown and does not count. */
  skip(timeMs: number): void {
    this.#lastMs = timeMs;
    this.#crossedSinceMs = null;
  }

  /** A level, a clear or an end; trades change nothing themselves. */
  apply(kind: number, side: number, priceMicros: number, amountMicros: number): void {
    if (kind === EVENT.clear || kind === EVENT.end) return this.#clear();
    if (kind === EVENT.level) this.#set(side === SIDE.bid ? 0 : 1, Math.round(priceMicros / this.#tick), amountMicros);
  }

  amountAt(side: number, priceMicros: number): number {
    return this.#amounts[side === SIDE.bid ? 0 : 1][Math.round(priceMicros / this.#tick)] ?? 0;
  }

  get levelCount(): number {
    return this.#levels[0] + this.#levels[1];
  }

  #set(side: 0 | 1, tick: number, amount: number): void {
    const amounts = this.#amounts[side];
    const before = amounts[tick] ?? 0;
    amounts[tick] = amount;
    this.#depth[side] += amount - before;
    this.#levels[side] += Number(amount > 0) - Number(before > 0);
    const best = this.#best[side];
    const isBetter = best < 0 || (side === 0 ? tick > best : tick < best);
    if (amount > 0 && isBetter) this.#best[side] = tick;
    else if (amount === 0 && tick === best) this.#best[side] = this.#nextBest(side, tick);
  }

  #nextBest(side: 0 | 1, from: number): number {
    const amounts = this.#amounts[side];
    const step = side === 0 ? -1 : 1;
    for (let tick = from; tick >= 0 && tick < amounts.length; tick += step) if ((amounts[tick] ?? 0) > 0) return tick;
    return -1;
  }

  #clear(): void {
    for (const side of [0, 1] as const) {
      this.#amounts[side].fill(0);
      this.#levels[side] = 0;
      this.#depth[side] = 0;
      this.#best[side] = -1;
    }
  }

  #watchCross(fromMs: number, toMs: number): void {
    const [bid, ask] = this.#best;
    if (bid < 0 || ask < 0 || bid < ask) {
      this.#crossedSinceMs = null;
      return;
    }
    this.#crossedSinceMs ??= fromMs;
    if (toMs - this.#crossedSinceMs <= this.longestCrossedMs) return;
    this.longestCrossedMs = toMs - this.#crossedSinceMs;
    this.longestCrossedFromMs = this.#crossedSinceMs;
  }
}
