/** Latency models: random travel times of requests and answers, equal for equal seeds. */

import type { Recording } from '../../recording/contract.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { Random } from '../../shared/base/random.js';
import { declarationOf, ENDPOINTS, type EndpointName } from '../../shared/protocol/endpoints.js';

export const GIVES_UP_MS = 10_000;

export const USUAL_LATENCY = 'constant:150';

/** Kinds of calls with different latencies: submits wait for a chain or a matching engine, reads for a cache. */
const CALL_KINDS = ['read', 'draft', 'submit', 'cancel'] as const;
type CallKind = (typeof CALL_KINDS)[number];

export interface LatencyChoice {
  readonly spec: ReturnType<typeof readLatency>;
  readonly roundTripsMs: readonly number[];
  readonly byKind?: Readonly<Partial<Record<CallKind, readonly number[]>>>;
}

export function callKind(endpoint: EndpointName): CallKind {
  if (endpoint === 'orders.cancel' || endpoint === 'orders.cancelSubmit') return 'cancel';
  if (declarationOf(endpoint).method === 'GET') return 'read';
  return endpoint.toLowerCase().endsWith('submit') ? 'submit' : 'draft';
}

/** Parses `constant:MS` (whole round trip) or `recorded`, with an optional factor `:xK`. */
export function readLatency(text: string) {
  const found = /^(?:(constant):(\d{1,6})|(recorded))(?::x(\d{1,3}(?:\.\d{1,3})?))?$/.exec(text);
  const constantMs = Number(found?.[2] ?? 0);
  const scale = Number(found?.[4] ?? 1);
  if (found === null || constantMs * scale > GIVES_UP_MS) {
    const wanted = `constant:MS (the round trip, up to ${GIVES_UP_MS}), recorded, or one of them scaled, such as constant:100:x4`;
    throw new TwinbookError('usage', `unknown latency model '${text}'`, `Wanted ${wanted}.`);
  }
  return { kind: found[1] === 'constant' ? 'constant' : 'recorded', constantMs, scale } as const;
}

const MAX_ROUND_TRIPS = 20_000;
const LEAST_OF_KIND = 20;

/** Default: the recorded round trips, else `constant:150`. Throws for `recorded` without recorded round trips. */
export async function latencyChoice(wish: string | null, recordings: readonly Recording[]): Promise<LatencyChoice> {
  const asked = wish === null ? null : readLatency(wish);
  const calls = asked?.kind === 'constant' ? [] : await measureCalls(recordings);
  const spec = asked ?? readLatency(calls.length > 0 ? 'recorded' : USUAL_LATENCY);
  const choice = { spec, ...makeLatencySource(calls) };
  new LatencyModel(choice, 0);
  return choice;
}

async function measureCalls(recordings: readonly Recording[]) {
  const calls: MeasuredCall[] = [];
  for (const recording of recordings) {
    for await (const { endpoint, sentMs, seenMs, outcome } of recording.polls?.() ?? []) {
      if (outcome !== 'unknown' && seenMs >= sentMs) calls.push({ endpoint, roundTripMs: seenMs - sentMs });
      if (calls.length >= MAX_ROUND_TRIPS) return calls;
    }
  }
  return calls;
}

type MeasuredCall = Readonly<{ endpoint: string; roundTripMs: number }>;

export function makeLatencySource(calls: readonly MeasuredCall[]): Omit<LatencyChoice, 'spec'> {
  const byKind: Partial<Record<CallKind, readonly number[]>> = {};
  for (const kind of CALL_KINDS) {
    const own = calls.filter(({ endpoint: name }) => name in ENDPOINTS && callKind(name as EndpointName) === kind);
    if (own.length >= LEAST_OF_KIND && own.length < calls.length)
      byKind[kind] = own.map(({ roundTripMs }) => roundTripMs);
  }
  const roundTripsMs = calls.map(({ roundTripMs }) => roundTripMs);
  return Object.keys(byKind).length === 0 ? { roundTripsMs } : { roundTripsMs, byKind };
}

function makeRoundTrips({ kind, constantMs, scale }: LatencyChoice['spec'], measuredMs: readonly number[]) {
  if (kind === 'constant') return Float64Array.of(constantMs * scale);
  if (measuredMs.length > 0) return Float64Array.from(measuredMs, (ms) => ms * scale);
  const hint = `Choose another model, such as --latency ${USUAL_LATENCY}.`;
  throw new TwinbookError('recording_invalid', 'these recordings contain no measured round trips', hint);
}

/** `jitterShare`: mean extra time of a call (exponential), as a fraction of its round trip. */
const NO_SPREAD = { scale: 1, jitterShare: 0 };

/** Draws round-trip times, half for each direction. Each run needs a new model with separate random numbers. */
export class LatencyModel {
  readonly name: string;
  /** Travel times of the last drawn call, to the exchange and back, ms. */
  thereMs = 0;
  backMs = 0;
  /** True if the exchange executes the call, but its answer comes after the client's time-out. */
  isLost = false;
  readonly #usual: { readonly tripsMs: Float64Array; readonly random: Random };
  readonly #own = new Map<CallKind, { readonly tripsMs: Float64Array; readonly random: Random }>();
  readonly #spread: Readonly<typeof NO_SPREAD>;

  constructor({ spec, roundTripsMs, byKind }: LatencyChoice, seed: number, spread = NO_SPREAD) {
    const scaled = spec.scale === 1 ? '' : `:x${spec.scale}`;
    this.name = spec.kind === 'constant' ? `constant:${spec.constantMs}${scaled}` : `recorded${scaled}`;
    this.#spread = spread;
    this.#usual = { tripsMs: makeRoundTrips(spec, roundTripsMs), random: Random.fromSeed(seed, 'latency') };
    for (const kind of CALL_KINDS) {
      const measured = byKind?.[kind];
      if (spec.kind === 'constant' || measured === undefined) continue;
      const random = Random.fromSeed(seed, `latency of ${kind}`);
      this.#own.set(kind, { tripsMs: makeRoundTrips(spec, measured), random });
    }
  }

  draw(endpoint: EndpointName): void {
    const own = this.#own.size === 0 ? undefined : this.#own.get(callKind(endpoint));
    const { tripsMs, random } = own ?? this.#usual;
    const drawnMs = tripsMs[tripsMs.length === 1 ? 0 : random.below(tripsMs.length)] ?? 0;
    const { scale, jitterShare } = this.#spread;
    const jitter = jitterShare === 0 ? 0 : random.exponential(jitterShare);
    const wholeMs = drawnMs * scale * (1 + jitter);
    const roundTripMs = Math.min(GIVES_UP_MS, wholeMs);
    this.thereMs = Math.ceil(roundTripMs / 2);
    this.backMs = Math.floor(roundTripMs / 2);
    this.isLost = wholeMs > GIVES_UP_MS;
  }
}
const SCALE_RANGE = 1.25;
const JITTER_SHARE = 0.1;

/** Returns seed, latency and poll phase of run `index` of `count`. A single run uses the given seed and latency. */
export function makeDraws(
  choice: LatencyChoice,
  { seed, index, count }: { readonly seed: number; readonly index: number; readonly count: number },
  pollMs: number,
) {
  if (count === 1) return { seed, latency: new LatencyModel(choice, seed) };
  const random = Random.fromSeed(seed, `repeat ${index}`);
  const own = random.below(2 ** 32);
  const scale = Math.exp((2 * random.uniform() - 1) * Math.log(SCALE_RANGE));
  const phases = Random.fromSeed(own, 'phases');
  return {
    seed: own,
    latency: new LatencyModel(choice, own, { scale, jitterShare: choice.spec.kind === 'constant' ? JITTER_SHARE : 0 }),
    phaseMs: () => phases.below(Math.max(1, pollMs)),
  };
}
