/** Latency models: travel times of requests and answers, and their failures. Deterministic for a seed. */

import type { Recording } from '../../recording/contract.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { Random } from '../../shared/base/random.js';
import { declarationOf, ENDPOINTS, type EndpointName } from '../../shared/protocol/endpoints.js';
import { type CallFailure, GIVES_UP_MS, type LatencyModel } from './contract.js';

/** Default without a recorded round trip: a venue on another continent. */
export const USUAL_LATENCY = 'constant:150';

/** Kinds of calls with different times: a submit waits for a chain or a matching engine, a read for a cache. */
const CALL_KINDS = ['read', 'draft', 'submit', 'cancel'] as const;
type CallKind = (typeof CALL_KINDS)[number];
type ByKind<T> = Readonly<Partial<Record<CallKind, T>>>;

/** A user's choice: `constant:MS` (the whole round trip) or `recorded`, either followed by `:xK`. */
interface LatencySpec {
  readonly kind: 'constant' | 'recorded';
  /** The round trip, only for `constant`. */
  readonly constantMs: number;
  readonly scale: number;
  /** For kinds of calls with another time. */
  readonly byKind?: ByKind<LatencySpec>;
}

export interface LatencySource {
  readonly roundTripsMs: readonly number[];
  /** Of some kinds of calls; the others use `roundTripsMs`. */
  readonly byKind?: ByKind<readonly number[]>;
}

/** Fractions of all calls, 0 to 1. Half of each kind reach the exchange and take effect. */
interface FailureRates {
  /** No answer until the client times out. */
  readonly lost: number;
  readonly error: number;
}

/** Plain data for threads. */
export interface LatencyChoice extends LatencySource {
  readonly spec: LatencySpec;
  readonly failures?: FailureRates;
}

/** Random deviation of one run's round trips from the chosen ones. */
interface RoundTripSpread {
  /** Factor of all times. */
  readonly scale: number;
  /** Extra time of each call: mean of an exponential distribution, as a fraction of it. */
  readonly jitterShare: number;
}

export function callKind(endpoint: EndpointName): CallKind {
  if (endpoint === 'orders.cancel' || endpoint === 'orders.cancelSubmit') return 'cancel';
  if (declarationOf(endpoint).method === 'GET') return 'read';
  return endpoint.toLowerCase().endsWith('submit') ? 'submit' : 'draft';
}

/**
 * One spec for all calls, then others for kinds of them, as in `constant:150,submit=constant:400`. Throws TwinbookError
 * `usage` otherwise.
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

/** Parses `none`, `recorded` (the recordings' own rate of lost requests), or rates as in `lost:0.01,error:0.005`. */
export function readFailures(text: string): FailureRates | 'recorded' {
  if (text === 'recorded') return text;
  const rates = { lost: 0, error: 0 };
  if (text === 'none') return rates;
  const unknown = new TwinbookError(
    'usage',
    `the failures '${text}' are not known`,
    'Wanted none, recorded, or parts of 1 such as lost:0.01,error:0.005, together at most 1.',
  );
  for (const part of text.split(',')) {
    const found = /^(lost|error):(0(?:\.\d{1,6})?|1)$/.exec(part.trim());
    if (found === null) throw unknown;
    rates[found[1] === 'lost' ? 'lost' : 'error'] = Number(found[2]);
  }
  if (rates.lost + rates.error > 1) throw unknown;
  return rates;
}

/** Maximum measured round trips: enough for a network. */
const MAX_ROUND_TRIPS = 20_000;
/** Minimum samples of a kind of call with its own times. */
const LEAST_OF_KIND = 20;

/**
 * The chosen latency; default: the recordings' measurement, else the usual one. An impossible choice is a TwinbookError
 * before any run.
 */
export async function latencyChoice(
  wish: string | null,
  recordings: readonly Recording[],
  failureWish: string | null = null,
): Promise<LatencyChoice> {
  const asked = wish === null ? null : readLatency(wish);
  const failures = failureWish === null ? null : readFailures(failureWish);
  const isRecorded = [asked, ...Object.values(asked?.byKind ?? {})].some((spec) => spec?.kind !== 'constant');
  const isMeasured = isRecorded || failures === 'recorded';
  const { calls, lostShare } = isMeasured ? await measureCalls(recordings) : { calls: [], lostShare: 0 };
  const source = makeLatencySource(calls);
  const spec = asked ?? readLatency(calls.length > 0 ? 'recorded' : USUAL_LATENCY);
  const choice = { spec, ...source };
  modelOfChoice(choice, 0);
  if (failures === null) return choice;
  return { ...choice, failures: failures === 'recorded' ? { lost: lostShare, error: 0 } : failures };
}

export interface MeasuredCall {
  readonly endpoint: string;
  readonly roundTripMs: number;
}

async function measureCalls(recordings: readonly Recording[]) {
  const calls: MeasuredCall[] = [];
  let lost = 0;
  for (const recording of recordings) {
    if (calls.length >= MAX_ROUND_TRIPS) break;
    for await (const { endpoint, sentMs, seenMs, outcome } of recording.polls?.() ?? []) {
      if (outcome === 'unknown') lost++;
      else if (seenMs >= sentMs) calls.push({ endpoint, roundTripMs: seenMs - sentMs });
      if (calls.length >= MAX_ROUND_TRIPS) break;
    }
  }
  return { calls, lostShare: calls.length === 0 ? 0 : lost / (calls.length + lost) };
}

/** Kinds with enough samples have their own times. */
export function makeLatencySource(calls: readonly MeasuredCall[]): LatencySource {
  const byKind: Partial<Record<CallKind, readonly number[]>> = {};
  for (const kind of CALL_KINDS) {
    const own = calls.filter(({ endpoint }) => isEndpoint(endpoint) && callKind(endpoint) === kind);
    // Reads are nearly all calls.
    if (kind !== 'read' && own.length >= LEAST_OF_KIND) byKind[kind] = own.map(({ roundTripMs }) => roundTripMs);
  }
  const roundTripsMs = calls.map(({ roundTripMs }) => roundTripMs);
  return Object.keys(byKind).length === 0 ? { roundTripsMs } : { roundTripsMs, byKind };
}

const isEndpoint = (name: string): name is EndpointName => name in ENDPOINTS;

/**
 * The model of a spec without failures. `recorded` without measured round trips is a TwinbookError `recording_invalid`.
 */
export const latencyModel = (
  spec: LatencySpec,
  source: readonly number[] | LatencySource,
  seed: number,
): LatencyModel => modelOfChoice({ spec, ...('roundTripsMs' in source ? source : { roundTripsMs: source }) }, seed);

/** A model has its own random sequence, so each run takes a new one. */
export const modelOfChoice = (choice: LatencyChoice, seed: number, spread?: RoundTripSpread): LatencyModel =>
  new DrawnLatency(choice, seed, spread);

type RoundTrips = ReturnType<typeof makeRoundTrips>;

function makeRoundTrips(spec: LatencySpec, measuredMs: readonly number[], seed: number, stream: string) {
  const scaled = spec.scale === 1 ? '' : `:x${spec.scale}`;
  const random = Random.fromSeed(seed, stream);
  if (spec.kind === 'constant') {
    const tripsMs = Float64Array.of(spec.constantMs * spec.scale);
    return { name: `constant:${spec.constantMs}${scaled}`, tripsMs, random };
  }
  if (measuredMs.length === 0) {
    const hint = `Choose another one, such as --latency ${USUAL_LATENCY}.`;
    throw new TwinbookError('recording_invalid', 'these recordings have measured no round trips', hint);
  }
  return { name: `recorded${scaled}`, tripsMs: Float64Array.from(measuredMs, (ms) => ms * spec.scale), random };
}

const NO_SPREAD: RoundTripSpread = { scale: 1, jitterShare: 0 };
const TIMED_OUT: CallFailure = { kind: 'lost', hasActed: true };

/** Draws a round trip and splits it in halves: the slower direction was not measured. */
class DrawnLatency implements LatencyModel {
  readonly name: string;
  thereMs = 0;
  backMs = 0;
  failure: CallFailure | null = null;
  readonly #usual: RoundTrips;
  /** Kinds of calls with their own times. */
  readonly #own = new Map<CallKind, RoundTrips>();
  readonly #spread: RoundTripSpread;
  readonly #rates: FailureRates;
  /** Failures have their own random sequence: latencies do not change. Null: none fails. */
  readonly #failures: Random | null;

  constructor({ spec, roundTripsMs, byKind, failures }: LatencyChoice, seed: number, spread = NO_SPREAD) {
    this.#spread = spread;
    this.#rates = failures ?? { lost: 0, error: 0 };
    const { lost, error } = this.#rates;
    this.#failures = lost === 0 && error === 0 ? null : Random.fromSeed(seed, 'failures');
    this.#usual = makeRoundTrips(spec, roundTripsMs, seed, 'latency');
    const names = [this.#usual.name];
    for (const kind of CALL_KINDS) {
      const wanted = spec.byKind?.[kind];
      const measured = byKind?.[kind];
      if (wanted === undefined && (spec.kind === 'constant' || measured === undefined)) continue;
      const own = makeRoundTrips(wanted ?? spec, measured ?? roundTripsMs, seed, `latency of ${kind}`);
      this.#own.set(kind, own);
      // Measured kinds need no mention.
      if (wanted !== undefined) names.push(`${kind}=${own.name}`);
    }
    const percent = (share: number): string => `${Math.round(share * 10_000) / 100} %`;
    const failing = this.#failures === null ? '' : `; ${percent(lost)} lost, ${percent(error)} errors`;
    this.name = `${names.join(',')}${failing}`;
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
    // A slower call was executed, but its answer comes after the time-out.
    this.failure = wholeMs > GIVES_UP_MS ? TIMED_OUT : null;
    if (this.#failures !== null) this.#drawFailure(this.#failures);
  }

  #drawFailure(random: Random): void {
    const { lost, error } = this.#rates;
    const drawn = random.uniform();
    const hasActed = random.chance(0.5);
    if (drawn < lost) this.failure = { kind: 'lost', hasActed };
    else if (drawn < lost + error) this.failure = { kind: 'error', hasActed };
  }
}

export const MAX_REPEATS = 1_000;
/** A repeat's round trips are within this factor of the chosen ones. */
const SCALE_RANGE = 1.25;
/** Mean extra time of a call, as a fraction of the round trip. */
const JITTER_SHARE = 0.1;

/** Draws of run `index` of `count`. A single run draws nothing. */
export function makeDraws(
  choice: LatencyChoice,
  { seed, index, count }: { readonly seed: number; readonly index: number; readonly count: number },
  pollMs: number,
) {
  if (count === 1) return { seed, latency: modelOfChoice(choice, seed) };
  const random = Random.fromSeed(seed, `repeat ${index}`);
  const own = random.below(2 ** 32);
  const scale = Math.exp((2 * random.uniform() - 1) * Math.log(SCALE_RANGE));
  const phases = Random.fromSeed(own, 'phases');
  return {
    seed: own,
    latency: modelOfChoice(choice, own, { scale, jitterShare: choice.spec.kind === 'constant' ? JITTER_SHARE : 0 }),
    /** Delay of the trader's first beat after a market was listed or a pause ended, ms. */
    phaseMs: () => phases.below(Math.max(1, pollMs)),
  };
}
