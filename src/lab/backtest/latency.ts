/** Latency models: how long a request travels, and its answer. Deterministic for a seed. */

import { TwinbookError } from '../../shared/base/errors.js';
import { Random } from '../../shared/base/random.js';
import type { LatencyModel } from './contract.js';

/** A slower answer than this the client would have given up on. */
const LONGEST_MS = 10_000;
/** Without a recorded round trip and without a word from the user: a venue on another continent. */
export const USUAL_LATENCY = 'constant:150';

/** What a user asked for: `constant:MS` (the whole round trip) or `recorded`, either with `:xK` behind it. */
export interface LatencySpec {
  readonly kind: 'constant' | 'recorded';
  /** Of the round trip; of `constant` only. */
  readonly constantMs: number;
  readonly scale: number;
}

/** Throws TwinbookError `usage` for anything else. */
export function readLatency(text: string): LatencySpec {
  const found = /^(?:(constant):(\d{1,6})|(recorded))(?::x(\d{1,3}(?:\.\d{1,3})?))?$/.exec(text);
  const constantMs = Number(found?.[2] ?? 0);
  const scale = Number(found?.[4] ?? 1);
  if (found === null || constantMs * scale > LONGEST_MS) {
    const wanted = `constant:MS (the round trip, up to ${LONGEST_MS}), recorded, or one of them scaled, such as constant:100:x4`;
    throw new TwinbookError('usage', `the latency model '${text}' is not known`, `Wanted ${wanted}.`);
  }
  return { kind: found[1] === 'constant' ? 'constant' : 'recorded', constantMs, scale };
}

/** By how much the round trips of one run differ from those that were asked for. */
export interface RoundTripSpread {
  /** Of all of them. */
  readonly scale: number;
  /** What each takes beyond that, in the mean of an exponential distribution, as a part of it. */
  readonly jitterShare: number;
}

const NO_SPREAD: RoundTripSpread = { scale: 1, jitterShare: 0 };

/**
 * The model of a spec. `roundTripsMs` are those that the recordings themselves have measured; `recorded` without any is
 * a TwinbookError `recording_invalid`.
 */
export function latencyModel(
  spec: LatencySpec,
  roundTripsMs: readonly number[],
  seed: number,
  spread = NO_SPREAD,
): LatencyModel {
  const scaled = spec.scale === 1 ? '' : `:x${spec.scale}`;
  if (spec.kind === 'constant') {
    return new Sampled(`constant:${spec.constantMs}${scaled}`, [spec.constantMs * spec.scale], seed, spread);
  }
  if (roundTripsMs.length === 0) {
    const hint = `Choose another one, such as --latency ${USUAL_LATENCY}.`;
    throw new TwinbookError('recording_invalid', 'these recordings have measured no round trips', hint);
  }
  const trips = roundTripsMs.map((ms) => Math.min(LONGEST_MS, ms * spec.scale));
  return new Sampled(`recorded${scaled}`, trips, seed, spread);
}

/** Draws one of the round trips and cuts it in halves: which half was the slower one nobody has measured. */
class Sampled implements LatencyModel {
  readonly name: string;
  thereMs = 0;
  backMs = 0;
  readonly #roundTripsMs: Float64Array;
  readonly #random: Random;

  readonly #spread: RoundTripSpread;

  constructor(name: string, roundTripsMs: readonly number[], seed: number, spread: RoundTripSpread) {
    this.name = name;
    this.#spread = spread;
    this.#roundTripsMs = Float64Array.from(roundTripsMs);
    this.#random = Random.seeded(seed, 'latency');
  }

  draw(): void {
    const trips = this.#roundTripsMs;
    const drawnMs = trips[trips.length === 1 ? 0 : this.#random.below(trips.length)] ?? 0;
    const { scale, jitterShare } = this.#spread;
    const jitter = jitterShare === 0 ? 0 : this.#random.exponential(jitterShare);
    const roundTripMs = Math.min(LONGEST_MS, drawnMs * scale * (1 + jitter));
    this.thereMs = Math.ceil(roundTripMs / 2);
    this.backMs = Math.floor(roundTripMs / 2);
  }
}
