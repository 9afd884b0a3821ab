/** The first part of a step: takes in when something was seen, and finds the request that an outcome belongs to. */

import type { FeedValue, Observation, OperatorCommand, RequestResult } from '../../shared/protocol/seam.js';
import { PLACE_PAUSE_MS } from './quoting/quoting.js';
import type { TraderState } from './state.js';

/** An observation, an outcome together with its request. */
export type Received =
  | { readonly kind: 'time' }
  | { readonly kind: 'command'; readonly command: OperatorCommand; readonly nowMs: number }
  | { readonly kind: 'feed'; readonly feed: string; readonly values: readonly FeedValue[]; readonly nowMs: number }
  | { readonly kind: 'report'; readonly report: RequestResult; readonly requestId: number };

/**
 * Answers may be told in another order than they came in, and clocks are set by milliseconds: so small a step back is
 * waited out. A book seems younger by no more than that.
 */
const WAITED_OUT_MS = 1_000;

/** The same observation, not earlier than the one before it unless the clock was set back. */
export function orderInTime<T extends Observation>(seen: T, { seenMs }: TraderState): T {
  return seen.nowMs < seenMs && seenMs - seen.nowMs <= WAITED_OUT_MS ? { ...seen, nowMs: seenMs } : seen;
}

export function receive(state: TraderState, observation: Observation): Received {
  const { nowMs } = observation;
  state.advanceClock(nowMs);
  switch (observation.kind) {
    case 'time':
      return { kind: 'time' };
    case 'command':
      return { kind: 'command', command: observation.command, nowMs };
    case 'feed':
      return { kind: 'feed', feed: observation.feed, values: observation.values, nowMs };
    case 'outcome': {
      const request = state.queue.onOutcome(observation);
      const { outcome, sentMs, venueTimeMs, requestId } = observation;
      if (venueTimeMs !== null) state.venueClock.observe(venueTimeMs, sentMs, nowMs);
      noteSilence(state, outcome.kind === 'unknown' ? outcome.reason : null, nowMs);
      return { kind: 'report', report: { request: request, outcome, nowMs, sentMs, venueTimeMs }, requestId };
    }
  }
}

/** Says once that the exchange has fallen silent, and once that it is back; then looks at what is ours first. */
function noteSilence(state: TraderState, silentBecause: string | null, nowMs: number): void {
  if (silentBecause === null) return endSilence(state, nowMs);
  if (state.silence.onUnknown(nowMs))
    state.alert(
      nowMs,
      'silent',
      `the exchange does not answer: ${silentBecause}; what rests there is unknown, not gone`,
    );
  // The looks at what is ours tell when it is back; drafts would be asked for as fast as connections are refused.
  if (state.silence.isOn) state.pausePlacing(nowMs + PLACE_PAUSE_MS);
}

function endSilence(state: TraderState, nowMs: number): void {
  const { wasOn, isBack } = state.silence.onAnswer();
  if (isBack) state.alert(nowMs, 'answering', 'the exchange answers again');
  if (!wasOn) return;
  for (const kind of ['orders', 'fills', 'assets'] as const) state.poller.expedite({ kind });
}
