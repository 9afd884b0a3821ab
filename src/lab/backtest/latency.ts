/** Latency models: how long a request travels, and its answer. Deterministic for a seed. */

import { TwinbookError } from '../../shared/base/errors.js';
import { Random } from '../../shared/base/random.js';
import type { EndpointName } from '../../shared/protocol/endpoints.js';
import { type CallFailure, GIVES_UP_MS, type LatencyModel } from './contract.js';
import { CALL_KINDS, type CallKind, callKind } from './friction.js';

/** Without a recorded round trip and without a word from the user: a venue on another continent. */
export const USUAL_LATENCY = 'constant:150';

/** What a user asked for: `constant:MS` (the whole round trip) or `recorded`, either with `:xK` behind it. */
export interface LatencySpec {
  readonly kind: 'constant' | 'recorded';
  /** Of the round trip; of `constant` only. */
  readonly constantMs: number;
  readonly scale: number;
  /** Where one kind of call takes another time. */
  readonly byKind?: Readonly<Partial<Record<CallKind, LatencySpec>>>;
}

/**
 * One spec for all calls, then others for kinds of them, as in `constant:150,submit=constant:400`. Throws TwinbookError
 * `usage` for anything else.
 */
export function readLatency(text: string): LatencySpec {
  const [first = '', ...others] = text.split(',').map((part) => part.trim());
  const byKind: Partial<Record<CallKind, LatencySpec>> = {};
  for (const other of others) {
    const [name = '', spec = ''] = other.split('=');
    const kind = CALL_KINDS.find((known) => known === name);
    if (kind === undefined || byKind[kind] !== undefined) {
      const hint = `Wanted one of ${CALL_KINDS.join(', ')}, each once, as in constant:150,submit=constant:400.`;
      throw new TwinbookError('usage', `the latency of '${name}' is not known`, hint);
    }
    byKind[kind] = readSpec(spec);
  }
  return others.length === 0 ? readSpec(first) : { ...readSpec(first), byKind };
}

function readSpec(text: string): LatencySpec {
  const found = /^(?:(constant):(\d{1,6})|(recorded))(?::x(\d{1,3}(?:\.\d{1,3})?))?$/.exec(text);
  const constantMs = Number(found?.[2] ?? 0);
  const scale = Number(found?.[4] ?? 1);
  if (found === null || constantMs * scale > GIVES_UP_MS) {
    const wanted = `constant:MS (the round trip, up to ${GIVES_UP_MS}), recorded, or one of them scaled, such as constant:100:x4`;
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

/** What a model draws from and how. */
export interface LatencySource {
  readonly roundTripsMs: readonly number[];
  /** Round trips of some kinds of calls; those of the others are `roundTripsMs`. */
  readonly byKind?: Readonly<Partial<Record<CallKind, readonly number[]>>>;
}

/**
 * The model of a spec. The round trips are those that the recordings themselves have measured; `recorded` without any is a
 * TwinbookError `recording_invalid`.
 */
export function latencyModel(
  spec: LatencySpec,
  source: readonly number[] | LatencySource,
  seed: number,
  spread = NO_SPREAD,
): LatencyModel {
  const { roundTripsMs, byKind = {} }: LatencySource = 'roundTripsMs' in source ? source : { roundTripsMs: source };
  const usual = makeSampledLatency(spec, roundTripsMs, { seed, stream: 'latency', spread });
  const own = CALL_KINDS.flatMap((kind): (readonly [CallKind, Sampled])[] => {
    const wanted = spec.byKind?.[kind];
    const measured = byKind[kind];
    const draws = { seed, stream: `latency of ${kind}`, spread };
    if (wanted !== undefined) return [[kind, makeSampledLatency(wanted, measured ?? roundTripsMs, draws)]];
    return spec.kind === 'recorded' && measured !== undefined
      ? [[kind, makeSampledLatency(spec, measured, draws)]]
      : [];
  });
  if (own.length === 0) return usual;
  // What was measured by kind goes without saying.
  const named = own.filter(([kind]) => spec.byKind?.[kind] !== undefined).map(([kind, { name }]) => `${kind}=${name}`);
  return new SampledByKind([usual.name, ...named].join(','), usual, new Map(own));
}

interface Draws {
  readonly seed: number;
  readonly stream: string;
  readonly spread: RoundTripSpread;
}

function makeSampledLatency(spec: LatencySpec, roundTripsMs: readonly number[], draws: Draws): Sampled {
  const scaled = spec.scale === 1 ? '' : `:x${spec.scale}`;
  if (spec.kind === 'constant') {
    return new Sampled(`constant:${spec.constantMs}${scaled}`, [spec.constantMs * spec.scale], draws);
  }
  if (roundTripsMs.length === 0) {
    const hint = `Choose another one, such as --latency ${USUAL_LATENCY}.`;
    throw new TwinbookError('recording_invalid', 'these recordings have measured no round trips', hint);
  }
  return new Sampled(
    `recorded${scaled}`,
    roundTripsMs.map((ms) => ms * spec.scale),
    draws,
  );
}

/** Another model for some kinds of calls. */
class SampledByKind implements LatencyModel {
  readonly name: string;
  readonly #usual: LatencyModel;
  readonly #own: ReadonlyMap<CallKind, LatencyModel>;
  #drawn: LatencyModel;

  constructor(name: string, usual: LatencyModel, own: ReadonlyMap<CallKind, LatencyModel>) {
    this.name = name;
    this.#usual = usual;
    this.#own = own;
    this.#drawn = usual;
  }

  draw(endpoint: EndpointName): void {
    this.#drawn = this.#own.get(callKind(endpoint)) ?? this.#usual;
    this.#drawn.draw(endpoint);
  }

  get thereMs(): number {
    return this.#drawn.thereMs;
  }

  get backMs(): number {
    return this.#drawn.backMs;
  }

  get failure(): CallFailure | null {
    return this.#drawn.failure;
  }
}

/** Draws one of the round trips and cuts it in halves: which half was the slower one nobody has measured. */
class Sampled implements LatencyModel {
  readonly name: string;
  thereMs = 0;
  backMs = 0;
  failure: CallFailure | null = null;
  readonly #roundTripsMs: Float64Array;
  readonly #random: Random;
  readonly #spread: RoundTripSpread;

  constructor(name: string, roundTripsMs: readonly number[], { seed, stream, spread }: Draws) {
    this.name = name;
    this.#spread = spread;
    this.#roundTripsMs = Float64Array.from(roundTripsMs);
    this.#random = Random.fromSeed(seed, stream);
  }

  draw(): void {
    const trips = this.#roundTripsMs;
    const drawnMs = trips[trips.length === 1 ? 0 : this.#random.below(trips.length)] ?? 0;
    const { scale, jitterShare } = this.#spread;
    const jitter = jitterShare === 0 ? 0 : this.#random.exponential(jitterShare);
    const wholeMs = drawnMs * scale * (1 + jitter);
    const roundTripMs = Math.min(GIVES_UP_MS, wholeMs);
    // What takes longer was done, but nobody waits for its answer any more.
    this.failure = wholeMs > GIVES_UP_MS ? TIMED_OUT : null;
    this.thereMs = Math.ceil(roundTripMs / 2);
    this.backMs = Math.floor(roundTripMs / 2);
  }
}

const TIMED_OUT: CallFailure = { kind: 'lost', hasActed: true };
