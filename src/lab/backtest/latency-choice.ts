/** What latencies are drawn from: what was asked for, and what the recordings have measured. */

import type { Recording } from '../../recording/contract.js';
import type { LatencyModel } from './contract.js';
import { type LatencySpec, latencyModel, type RoundTripSpread, readLatency, USUAL_LATENCY } from './latency.js';

/** So many measured round trips say enough of a network. */
const MAX_ROUND_TRIPS = 20_000;

/** Plain data, so that threads can be handed it. */
export interface LatencyChoice {
  readonly spec: LatencySpec;
  readonly roundTripsMs: readonly number[];
}

/**
 * What was asked for; without a wish, what the recordings have measured, else the usual. A wish that cannot be fulfilled is
 * a TwinbookError here, before anything runs.
 */
export async function latencyChoice(wish: string | null, recordings: readonly Recording[]): Promise<LatencyChoice> {
  const asked = wish === null ? null : readLatency(wish);
  if (asked?.kind === 'constant') return { spec: asked, roundTripsMs: [] };
  const roundTripsMs = await roundTrips(recordings);
  const spec = asked ?? readLatency(roundTripsMs.length > 0 ? 'recorded' : USUAL_LATENCY);
  latencyModel(spec, roundTripsMs, 0);
  return { spec, roundTripsMs };
}

/** A model draws from a sequence of its own, so each run takes a new one. */
export const modelOfChoice = (choice: LatencyChoice, seed: number, spread?: RoundTripSpread): LatencyModel =>
  latencyModel(choice.spec, choice.roundTripsMs, seed, spread);

async function roundTrips(recordings: readonly Recording[]): Promise<number[]> {
  const trips: number[] = [];
  for (const recording of recordings) {
    for await (const { sentMs, seenMs, outcome } of recording.polls?.() ?? []) {
      if (outcome !== 'unknown' && seenMs >= sentMs) trips.push(seenMs - sentMs);
      if (trips.length >= MAX_ROUND_TRIPS) return trips;
    }
  }
  return trips;
}
