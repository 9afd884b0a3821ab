/** What latencies are drawn from: what was asked for, and what the recordings have measured. */

import type { Recording } from '../../recording/contract.js';
import { ENDPOINTS, type EndpointName } from '../../shared/protocol/endpoints.js';
import type { LatencyModel } from './contract.js';
import { CALL_KINDS, type CallKind, callKind, type FailureRates, readFailures, withFailures } from './friction.js';
import {
  type LatencySource,
  type LatencySpec,
  latencyModel,
  type RoundTripSpread,
  readLatency,
  USUAL_LATENCY,
} from './latency.js';

/** So many measured round trips say enough of a network. */
const MAX_ROUND_TRIPS = 20_000;

/** A kind of call that was measured less often than this takes the time of all. */
const LEAST_OF_KIND = 20;

/** Plain data, so that threads can be handed it. */
export interface LatencyChoice extends LatencySource {
  readonly spec: LatencySpec;
  /** Absent: none. */
  readonly failures?: FailureRates;
}

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
  const { lostShare, ...source } = isMeasured ? await measuredIn(recordings) : NOTHING_MEASURED;
  const spec = asked ?? readLatency(source.roundTripsMs.length > 0 ? 'recorded' : USUAL_LATENCY);
  latencyModel(spec, source, 0);
  if (failures === null) return { spec, ...source };
  return { spec, ...source, failures: failures === 'recorded' ? { lost: lostShare, error: 0 } : failures };
}

/** A model draws from a sequence of its own, so each run takes a new one. */
export function modelOfChoice(choice: LatencyChoice, seed: number, spread?: RoundTripSpread): LatencyModel {
  const model = latencyModel(choice.spec, choice, seed, spread);
  return choice.failures === undefined ? model : withFailures(model, choice.failures, seed);
}

const NOTHING_MEASURED = { roundTripsMs: [], lostShare: 0 };

async function measuredIn(recordings: readonly Recording[]): Promise<LatencySource & { readonly lostShare: number }> {
  const calls: MeasuredCall[] = [];
  let lost = 0;
  for (const recording of recordings) {
    for await (const { endpoint, sentMs, seenMs, outcome } of recording.polls?.() ?? []) {
      if (outcome === 'unknown') lost++;
      else if (seenMs >= sentMs) calls.push({ endpoint, roundTripMs: seenMs - sentMs });
      if (calls.length >= MAX_ROUND_TRIPS)
        return { ...makeLatencySource(calls), lostShare: lost / (calls.length + lost) };
    }
  }
  return { ...makeLatencySource(calls), lostShare: calls.length === 0 ? 0 : lost / (calls.length + lost) };
}

export interface MeasuredCall {
  readonly endpoint: string;
  readonly roundTripMs: number;
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
