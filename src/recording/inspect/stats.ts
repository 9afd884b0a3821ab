/** Statistics of a recording: every event is read once. */

import { stepOfPrecision } from '../../shared/base/micros.js';
import { EVENT, gapsIn, type RecordedGap, type Recording } from '../contract.js';
import { BookMeter } from './book-meter.js';

export type RecordingStats = Awaited<ReturnType<typeof computeStats>>;

export async function computeStats(recording: Recording) {
  const { market } = recording;
  const meter = new BookMeter(stepOfPrecision(market.tickPrecision));
  const skips = new GapWalk();
  let [firstMs, lastMs]: [number | null, number] = [null, 0];
  let [levels, trades, volumeMicros] = [0, 0, 0];
  for await (const { length, timeMs, kind, side, priceMicros, amountMicros } of recording.chunks()) {
    skips.know(gapsIn(recording));
    firstMs ??= timeMs[0] ?? null;
    lastMs = timeMs[length - 1] ?? lastMs;
    for (let at = 0; at < length; at++) {
      // Columns are as long as their chunk.
      const [time, what, amount] = [timeMs[at] as number, kind[at] as number, amountMicros[at] as number];
      const unknownFromMs = skips.endsAt(time);
      if (unknownFromMs !== null) {
        meter.advance(unknownFromMs);
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
    /** Fraction of the time from the first to the last event outside gaps. */
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
    touchMicros: mean(time.touchMicrosMs),
    depthMicros: mean(time.depthMicrosMs),
    longestCrossedMs,
  };
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Fraction of `life` in `recorded` and outside gaps; null when `life` has no length. */
export function computeCoverage(life: Span, recorded: Span, gaps: readonly RecordedGap[]): number | null {
  const lifeMs = life.toMs - life.fromMs;
  if (lifeMs <= 0) return null;
  const from = Math.max(life.fromMs, recorded.fromMs);
  const to = Math.min(life.toMs, recorded.toMs);
  return Math.max(0, to - from - sumGapMs(gaps, from, to)) / lifeMs;
}

/** ms of the gaps within a span; an unfinished gap reaches to its end. Gaps do not overlap. */
const sumGapMs = (gaps: readonly RecordedGap[], fromMs: number, toMs: number): number =>
  gaps.reduce((sum, gap) => {
    const from = Math.max(gap.fromMs, fromMs);
    return sum + Math.max(0, Math.min(gap.toMs ?? toMs, toMs) - from);
  }, 0);

class GapWalk {
  #gaps: readonly RecordedGap[] = [];
  #at = 0;

  /** All known gaps, earlier ones included. */
  know(gaps: readonly RecordedGap[]): void {
    this.#gaps = gaps.filter((gap) => gap.toMs !== null);
  }

  /** At the first event after a gap: since when nothing was known (Unix ms). Null at all other events. */
  endsAt(timeMs: number): number | null {
    let fromMs: number | null = null;
    for (let gap = this.#gaps[this.#at]; gap !== undefined && timeMs >= (gap.toMs ?? 0); gap = this.#gaps[++this.#at]) {
      fromMs ??= gap.fromMs;
    }
    return fromMs;
  }
}
