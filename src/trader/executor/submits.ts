/** The signature, and what the answer to its submit means. */

import type { Report } from '../../shared/protocol/seam.js';
import type { ExecutorContext } from './context.js';
import type { DraftSigner } from './contract.js';
import type { InFlightIntent } from './in-flight-intents.js';
import { FIRST_LOOK_MS } from './pace.js';
import { observe } from './records.js';

export function sign(desk: ExecutorContext, signer: DraftSigner, track: InFlightIntent, nowMs: number): void {
  // Its order may have ended since, or it may have been withdrawn.
  if (track.intent.state !== 'drafted') return;
  const objection = desk.objectionTo(track, nowMs);
  if (objection !== null) {
    desk.giveUp(track, 'withdrawn', 'withdrawn', nowMs, `not signed: ${objection}`);
    return;
  }
  const answer = signer.sign(track.intent.id);
  if (!answer.ok) {
    desk.refuseToSign(track, nowMs, answer.reason);
    return;
  }
  const change = { signature: answer.signature, submitCount: 1 };
  desk.tracks.move(track, 'signed', nowMs, 'its signature may leave', change);
  desk.ask(track, 'submit', nowMs);
}

export function onSubmit(desk: ExecutorContext, track: InFlightIntent, report: Report): void {
  const { outcome, nowMs } = report;
  switch (outcome.kind) {
    case 'answered':
      observe(desk, track, report);
      // The answer to a cancel shows the order, and the order still rests: the cancel is under way.
      if (track.intent.kind === 'cancel' && track.intent.state === 'signed') {
        uncertain(desk, track, nowMs, nowMs + FIRST_LOOK_MS, 'accepted, but the order still rests');
      }
      break;
    case 'refused':
      if (outcome.slug === 'throttled' || outcome.slug === 'gringotts_unavailable') {
        desk.sendAgain(track, { nowMs });
      } else {
        // A submit can answer an error though the record moved on: only the record decides.
        uncertain(desk, track, nowMs, nowMs, `${outcome.slug}: ${outcome.message}`);
      }
      break;
    case 'unknown':
      if (outcome.sent) {
        uncertain(desk, track, nowMs, nowMs + FIRST_LOOK_MS, outcome.reason);
      } else if (isStale(desk, track)) {
        desk.giveUp(track, 'neverSent', 'unsent', nowMs, outcome.reason);
      } else {
        desk.sendAgain(track, { nowMs });
      }
  }
}

/** Of what never left: a place has waited too long by then, and what may not leave any more is let go. */
function isStale(desk: ExecutorContext, { intent: { kind, strategy, state, submitCount } }: InFlightIntent): boolean {
  if (state !== 'signed' || submitCount !== 1) return false;
  return kind === 'place' || !desk.isAllowed(kind, strategy);
}

/** A submit may have worked: its record is to be read at `dueMs`. */
export function uncertain(
  desk: ExecutorContext,
  track: InFlightIntent,
  nowMs: number,
  dueMs: number,
  reason: string,
): void {
  desk.tracks.move(track, 'uncertain', nowMs, reason);
  track.resend = false;
  track.dueMs = dueMs;
}
