/** A cancel has no record of its own: what its order shows decides what became of it. */

import type { ExecutorContext, Look } from './context.js';
import { STANDINGS } from './lifecycle.js';

/** The order is over: whatever ended it, there is nothing left to cancel. */
export function cancelOfEndedOrder(desk: ExecutorContext, orderPubkey: string, nowMs: number): void {
  const track = desk.tracks.cancelOf(orderPubkey);
  if (track === null) return;
  desk.tracks.move(track, 'settled', nowMs, 'its order is over');
  const { id: intentId, marketConditionId: market } = track.intent;
  desk.tell({ kind: 'cancelDone', intentId, orderPubkey, market });
}

/** The order still rests: the cancel did not arrive, or not yet. */
export function cancelOfRestingOrder(desk: ExecutorContext, orderPubkey: string, look: Look): void {
  const track = desk.tracks.cancelOf(orderPubkey);
  if (track === null || track.busy !== null) return;
  // Signed and not under way: its submit was throttled or never left, and while it waited its draft may have lapsed.
  if (STANDINGS[track.intent.state].effect !== 'maybe') return;
  // A look that left before the submit became uncertain says nothing about it.
  const { updatedMs } = track.intent;
  // (Unless our clock has stepped back since: then the later time says nothing.)
  if (look.source === 'list' || (look.sentMs < updatedMs && updatedMs <= look.nowMs)) return;
  const { expiresAtS } = track.intent;
  const lapsed = expiresAtS !== null && look.venueTimeMs !== null && look.venueTimeMs > expiresAtS * 1000;
  if (!lapsed) {
    desk.sendAgain(track, look);
  } else if (desk.believesExpiry(track, look)) {
    desk.tracks.move(track, 'recordExpired', look.nowMs, 'its draft lapsed while the order rested');
    desk.notDone(track, 'expired', 'the cancel draft lapsed while the order rested');
  }
}
