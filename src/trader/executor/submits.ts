/** Signs, and interprets the answer to a submit. */

import type { RequestResult } from '../../shared/protocol/seam.js';
import type { ExecutorContext } from './context.js';
import type { DraftSigner, PlaceObjection } from './contract.js';
import type { InFlightIntent } from './in-flight-intents.js';
import { FIRST_LOOK_MS } from './pace.js';
import { observeRecord } from './records.js';

export function sign(
  context: ExecutorContext,
  signer: DraftSigner,
  inFlight: InFlightIntent,
  nowMs: number,
  objectionTo: PlaceObjection = () => null,
): void {
  // Its order may have ended, or it may have been withdrawn.
  if (inFlight.intent.state !== 'drafted') return;
  const withdrawn = context.findObjection(inFlight, nowMs);
  const crossing = inFlight.intent.kind === 'place' ? objectionTo(inFlight.intent) : null;
  const objection = withdrawn ?? crossing;
  if (objection !== null) {
    const slug = withdrawn === null ? 'post_only' : 'withdrawn';
    context.giveUp(inFlight, 'withdrawn', slug, nowMs, `not signed: ${objection}`);
    return;
  }
  const answer = signer.sign(inFlight.intent.id);
  if (!answer.ok && answer.isWithheld === true) {
    context.giveUp(inFlight, 'withdrawn', 'withdrawn', nowMs, `not signed: ${answer.reason}`);
    return;
  }
  if (!answer.ok) {
    context.refuseToSign(inFlight, nowMs, answer.reason);
    return;
  }
  const change = { signature: answer.signature, submitCount: 1 };
  context.intents.move(inFlight, 'signed', nowMs, 'its signature may leave', change);
  context.queueRequest(inFlight, 'submit', nowMs);
}

export function onSubmit(context: ExecutorContext, inFlight: InFlightIntent, report: RequestResult): void {
  const { outcome, nowMs } = report;
  switch (outcome.kind) {
    case 'answered':
      observeRecord(context, inFlight, report);
      // The answer to a cancel shows that the order still rests: the cancel is in flight.
      if (inFlight.intent.kind === 'cancel' && inFlight.intent.state === 'signed') {
        markUncertain(context, inFlight, nowMs, nowMs + FIRST_LOOK_MS, 'accepted, but the order still rests');
      }
      break;
    case 'refused':
      if (outcome.slug === 'throttled' || outcome.slug === 'gringotts_unavailable') {
        context.sendAgain(inFlight, { nowMs });
      } else {
        // A submit may answer with an error although it worked: only the record decides.
        markUncertain(context, inFlight, nowMs, nowMs, `${outcome.slug}: ${outcome.message}`);
      }
      break;
    case 'unknown':
      if (outcome.sent) {
        markUncertain(context, inFlight, nowMs, nowMs + FIRST_LOOK_MS, outcome.reason);
      } else if (isStale(context, inFlight)) {
        context.giveUp(inFlight, 'neverSent', 'unsent', nowMs, outcome.reason);
      } else {
        context.sendAgain(inFlight, { nowMs });
      }
  }
}

/**
 * True when a submit that never left is abandoned: the price of an order is too old by then, and the mode may forbid
 * other intents.
 */
function isStale(
  context: ExecutorContext,
  { intent: { kind, strategy, state, submitCount } }: InFlightIntent,
): boolean {
  if (state !== 'signed' || submitCount !== 1) return false;
  return kind === 'place' || !context.isAllowed(kind, strategy);
}

/** The submit may have worked: its record is read at `dueMs`. */
export function markUncertain(
  context: ExecutorContext,
  inFlight: InFlightIntent,
  nowMs: number,
  dueMs: number,
  reason: string,
): void {
  context.intents.move(inFlight, 'uncertain', nowMs, reason);
  inFlight.resend = false;
  inFlight.dueMs = dueMs;
}
