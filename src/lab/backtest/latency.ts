/** Latency models: how long a request and its answer travel, and what goes wrong with them. Deterministic for a seed. */

import type { Recording } from '../../recording/contract.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { Random } from '../../shared/base/random.js';
import { declarationOf, ENDPOINTS, type EndpointName } from '../../shared/protocol/endpoints.js';
import { type CallFailure, GIVES_UP_MS, type LatencyModel } from './contract.js';

/** Without a recorded round trip and without a word from the user: a venue on another continent. */
export const USUAL_LATENCY = 'constant:150';

/** Calls that take their time differently: a submit waits for a chain or a matching engine, a read for a cache. */
const CALL_KINDS = ['read', 'draft', 'submit', 'cancel'] as const;
type CallKind = (typeof CALL_KINDS)[number];
type ByKind<T> = Readonly<Partial<Record<CallKind, T>>>;

/** What a user asked for: `constant:MS` (the whole round trip) or `recorded`, either with `:xK` behind it. */
export interface LatencySpec {
  readonly kind: 'constant' | 'recorded';
  /** Of the round trip; of `constant` only. */
  readonly constantMs: number;
  readonly scale: number;
  /** Where one kind of call takes another time. */
  readonly byKind?: ByKind<LatencySpec>;
}

/** Measured round trips. */
export interface LatencySource {
  readonly roundTripsMs: readonly number[];
  /** Those of some kinds of calls; those of the others are `roundTripsMs`. */
  readonly byKind?: ByKind<readonly number[]>;
}

/** Shares of all calls, 0 to 1. Half of each kind reach the exchange and take effect all the same. */
interface FailureRates {
  /** Nothing comes back until the client gives up. */
  readonly lost: number;
  /** Answered with 500. */
  readonly error: number;
}

/** Plain data, so that threads can be handed it. */
export interface LatencyChoice extends LatencySource {
  readonly spec: LatencySpec;
  /** Absent: none. */
  readonly failures?: FailureRates;
}

/** By how much the round trips of one run differ from those that were asked for. */
export interface RoundTripSpread {
  /** Of all of them. */
  readonly scale: number;
  /** What each takes beyond that, in the mean of an exponential distribution, as a part of it. */
  readonly jitterShare: number;
}

export function callKind(endpoint: EndpointName): CallKind {
  if (endpoint === 'orders.cancel' || endpoint === 'orders.cancelSubmit') return 'cancel';
  if (declarationOf(endpoint).method === 'GET') return 'read';
  return endpoint.toLowerCase().endsWith('submit') ? 'submit' : 'draft';
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

/** Reads `none`, `recorded` (as often as the recordings' own requests were lost), or rates as in `lost:0.01,error:0.005`. */
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

/** The limit of measured round trips: as many say enough of a network. */
const MAX_ROUND_TRIPS = 20_000;
/** A kind of call that was measured less often than this takes the time of all. */
const LEAST_OF_KIND = 20;

/**
 * What was asked for; without a wish, what the recordings have measured, else the usual. A wish that cannot be fulfilled is
 * a TwinbookError here, before anything runs.
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

/** Those of a kind that was measured often enough stand by themselves. */
export function makeLatencySource(calls: readonly MeasuredCall[]): LatencySource {
  const byKind: Partial<Record<CallKind, readonly number[]>> = {};
  for (const kind of CALL_KINDS) {
    const own = calls.filter(({ endpoint }) => isEndpoint(endpoint) && callKind(endpoint) === kind);
    // Reads are nearly all of them.
    if (kind !== 'read' && own.length >= LEAST_OF_KIND) byKind[kind] = own.map(({ roundTripMs }) => roundTripMs);
  }
  const roundTripsMs = calls.map(({ roundTripMs }) => roundTripMs);
  return Object.keys(byKind).length === 0 ? { roundTripsMs } : { roundTripsMs, byKind };
}

const isEndpoint = (name: string): name is EndpointName => name in ENDPOINTS;

/** The model of a spec without failures. `recorded` without measured round trips is a TwinbookError `recording_invalid`. */
export const latencyModel = (
  spec: LatencySpec,
  source: readonly number[] | LatencySource,
  seed: number,
): LatencyModel => modelOfChoice({ spec, ...('roundTripsMs' in source ? source : { roundTripsMs: source }) }, seed);

/** A model draws from a sequence of its own, so each run takes a new one. */
export const modelOfChoice = (choice: LatencyChoice, seed: number, spread?: RoundTripSpread): LatencyModel =>
  new DrawnLatency(choice, seed, spread);

/** Round trips of all calls, or of one kind. */
interface RoundTrips {
  readonly name: string;
  readonly tripsMs: Float64Array;
  readonly random: Random;
}

function makeRoundTrips(spec: LatencySpec, measuredMs: readonly number[], seed: number, stream: string): RoundTrips {
  const scaled = spec.scale === 1 ? '' : `:x${spec.scale}`;
  const random = Random.fromSeed(seed, stream);
  if (spec.kind === 'constant') {
    return {
      name: `constant:${spec.constantMs}${scaled}`,
      tripsMs: Float64Array.of(spec.constantMs * spec.scale),
      random,
    };
  }
  if (measuredMs.length === 0) {
    const hint = `Choose another one, such as --latency ${USUAL_LATENCY}.`;
    throw new TwinbookError('recording_invalid', 'these recordings have measured no round trips', hint);
  }
  return { name: `recorded${scaled}`, tripsMs: Float64Array.from(measuredMs, (ms) => ms * spec.scale), random };
}

const NO_SPREAD: RoundTripSpread = { scale: 1, jitterShare: 0 };
const TIMED_OUT: CallFailure = { kind: 'lost', hasActed: true };

/** Draws one of the round trips and cuts it in halves: which half was the slower one nobody has measured. */
class DrawnLatency implements LatencyModel {
  readonly name: string;
  thereMs = 0;
  backMs = 0;
  failure: CallFailure | null = null;
  readonly #usual: RoundTrips;
  /** Of kinds of calls that differ. */
  readonly #own = new Map<CallKind, RoundTrips>();
  readonly #spread: RoundTripSpread;
  readonly #rates: FailureRates;
  /** Failures draw from a sequence of their own: no latency moves. Null: none fails. */
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
      // What was measured by kind goes without saying.
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
    // What takes longer was done, but nobody waits for its answer any more.
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
/** A repeat's round trips lie within this factor of those that were asked for, either way. */
const SCALE_RANGE = 1.25;
/** What a call takes beyond the least, in the mean, as a part of the round trip. */
const JITTER_SHARE = 0.1;

/** What one run of several draws from its seed: when polls fall, and how long a call takes. */
export interface Draws {
  readonly seed: number;
  readonly latency: LatencyModel;
  /** How long after a market was listed, or a pause ended, the trader beats first, ms; absent: at once. */
  readonly phaseMs?: () => number;
}

/** Of `count` runs the one at `index`. A single run draws nothing anew: it is what it always was. */
export function makeDraws(
  choice: LatencyChoice,
  { seed, index, count }: { readonly seed: number; readonly index: number; readonly count: number },
  pollMs: number,
): Draws {
  if (count === 1) return { seed, latency: modelOfChoice(choice, seed) };
  const random = Random.fromSeed(seed, `repeat ${index}`);
  const own = random.below(2 ** 32);
  const scale = Math.exp((2 * random.uniform() - 1) * Math.log(SCALE_RANGE));
  const phases = Random.fromSeed(own, 'phases');
  return {
    seed: own,
    latency: modelOfChoice(choice, own, { scale, jitterShare: choice.spec.kind === 'constant' ? JITTER_SHARE : 0 }),
    phaseMs: () => phases.below(Math.max(1, pollMs)),
  };
}
