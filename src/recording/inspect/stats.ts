/** Computes statistics of a recording in one pass over its events. */

import { ONE, stepOfPrecision } from '../../shared/base/micros.js';
import { EVENT, type EventChunk, gapsIn, type RecordedGap, type Recording, SIDE } from '../contract.js';

/** Rebuilds a recorded book, and computes time-weighted figures of the book. */
export class BookMeter {
  /** Durations with a known book and with a two-sided book, ms, and time integrals (mean = integral / duration). */
  readonly time = {
    knownMs: 0,
    twoSidedMs: 0,
    /** Integral of the spread (in millionths) over the time with a two-sided book. */
    spreadMicrosMs: 0,
    /** Integrals over the time with a known book, for each side: of the number of levels, and of the total amount. */
    levelsMs: [0, 0] as [number, number],
    depthMicrosMs: [0, 0] as [number, number],
  };
  /** Longest time with a crossed book (bid not below ask), ms, and its start, Unix ms; 0 if it never was crossed. */
  longestCrossedMs = 0;
  longestCrossedFromMs = 0;
  readonly #tick: number;
  readonly #amounts: readonly [Float64Array, Float64Array];
  readonly #levels: [number, number] = [0, 0];
  readonly #depth: [number, number] = [0, 0];
  /** Best prices of both sides, in ticks; -1 for an empty side. */
  readonly #best: [number, number] = [-1, -1];
  #lastMs: number | null = null;
  #crossedSinceMs: number | null = null;

  /** @param tickMicros tick of the market; every price must be a multiple of it */
  constructor(tickMicros: number) {
    this.#tick = tickMicros;
    const slots = ONE / tickMicros + 1;
    this.#amounts = [new Float64Array(slots), new Float64Array(slots)];
  }

  play({ length, timeMs, kind, side, priceMicros, amountMicros }: EventChunk): void {
    for (let at = 0; at < length; at++) {
      // The casts are safe, because the columns have `length` entries.
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
    }
    const [bid, ask] = this.#best;
    if (bid >= 0 && ask >= 0) {
      time.twoSidedMs += passedMs;
      time.spreadMicrosMs += (ask - bid) * this.#tick * passedMs;
    }
    this.#watchCross(lastMs, timeMs);
  }

  /** Ends a gap at a given time. Durations exclude the time since the last call of `advance`. */
  skip(timeMs: number): void {
    this.#lastMs = timeMs;
    this.#crossedSinceMs = null;
  }

  /** Applies an event. Trades do not change the book, because a decrease of the level follows each trade. */
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

export async function computeStats(recording: Recording) {
  const { market } = recording;
  const meter = new BookMeter(stepOfPrecision(market.tickPrecision));
  let passedGaps = 0;
  let [firstMs, lastMs]: [number | null, number] = [null, 0];
  let [levels, trades, volumeMicros] = [0, 0, 0];
  for await (const { length, timeMs, kind, side, priceMicros, amountMicros } of recording.chunks()) {
    // The recording lists a gap before it yields the chunk in which the gap ends.
    const gaps = gapsIn(recording).filter(({ toMs }) => toMs !== null);
    firstMs ??= timeMs[0] ?? null;
    lastMs = timeMs[length - 1] ?? lastMs;
    for (let at = 0; at < length; at++) {
      // The casts are safe, because the columns have `length` entries.
      const [time, what, amount] = [timeMs[at] as number, kind[at] as number, amountMicros[at] as number];
      for (let gap = gaps[passedGaps]; gap !== undefined && time >= (gap.toMs ?? 0); gap = gaps[++passedGaps]) {
        meter.advance(gap.fromMs);
        meter.skip(time);
      }
      meter.advance(time);
      meter.apply(what, side[at] as number, priceMicros[at] as number, amount);
      if (what === EVENT.level) levels++;
      if (what === EVENT.trade) {
        trades++;
        volumeMicros += amount;
      }
    }
  }
  const from = firstMs ?? lastMs;
  const gaps = gapsIn(recording);
  const gapMs = sumGapMs(gaps, from, lastMs);
  const life = { fromMs: market.openTimeMs, toMs: market.closeTimeMs };
  const recorded = { fromMs: from, toMs: lastMs };
  return {
    firstMs: from,
    lastMs,
    levels,
    trades,
    volumeMicros,
    gaps,
    gapMs,
    /** Fraction of the recorded time (first event to last event) outside gaps. */
    known: computeCoverage(recorded, recorded, gaps),
    coverage: computeCoverage(life, recorded, gaps),
    ...computeMeans(meter),
  };
}

function computeMeans({ time, longestCrossedMs }: BookMeter) {
  const { knownMs, twoSidedMs } = time;
  const mean = ([bid, ask]: readonly [number, number]): readonly [number, number] | null =>
    knownMs > 0 ? [bid / knownMs, ask / knownMs] : null;
  return {
    twoSided: knownMs > 0 ? twoSidedMs / knownMs : null,
    spreadMicros: twoSidedMs > 0 ? time.spreadMicrosMs / twoSidedMs : null,
    levelsBySide: mean(time.levelsMs),
    depthMicros: mean(time.depthMicrosMs),
    longestCrossedMs,
  };
}

type RecordedSpan = Readonly<{ fromMs: number; toMs: number }>;

/** Returns the fraction of the span `life` that is in span `recorded` and outside gaps; null if `life` is empty. */
export function computeCoverage(life: RecordedSpan, recorded: RecordedSpan, gaps: readonly RecordedGap[]) {
  const lifeMs = life.toMs - life.fromMs;
  if (lifeMs <= 0) return null;
  const from = Math.max(life.fromMs, recorded.fromMs);
  const to = Math.min(life.toMs, recorded.toMs);
  return Math.max(0, to - from - sumGapMs(gaps, from, to)) / lifeMs;
}

/** Returns the total gap time in a span, ms. A gap without end lasts until the span's end. Gaps never overlap. */
const sumGapMs = (gaps: readonly RecordedGap[], fromMs: number, toMs: number): number =>
  gaps.reduce((sum, gap) => sum + Math.max(0, Math.min(gap.toMs ?? toMs, toMs) - Math.max(gap.fromMs, fromMs)), 0);
