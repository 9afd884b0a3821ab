/** A cancel has no record of its own: what its order shows decides what became of it. */

import type { ExecutorContext, Look } from './context.js';
import { STANDINGS } from './lifecycle.js';

/** The order is over: whatever ended it, there is nothing left to cancel. */
export function cancelOfEndedOrder(context: ExecutorContext, orderPubkey: string, nowMs: number): void {
  const inFlight = context.intents.findCancel(orderPubkey);
  if (inFlight === null) return;
  context.intents.move(inFlight, 'settled', nowMs, 'its order is over');
  const { id: intentId, marketConditionId: market } = inFlight.intent;
  context.emit({ kind: 'cancelDone', intentId, orderPubkey, market });
}

/** The order still rests: the cancel did not arrive, or not yet. */
export function cancelOfRestingOrder(context: ExecutorContext, orderPubkey: string, look: Look): void {
  const inFlight = context.intents.findCancel(orderPubkey);
  if (inFlight === null || inFlight.busy !== null) return;
  // Signed and not under way: its submit was throttled or never left, and while it waited its draft may have lapsed.
  if (STANDINGS[inFlight.intent.state].effect !== 'maybe') return;
  // A look that left before the submit became uncertain says nothing about it.
  const { updatedMs } = inFlight.intent;
  // (Unless our clock has stepped back since: then the later time says nothing.)
  if (look.source === 'list' || (look.sentMs < updatedMs && updatedMs <= look.nowMs)) return;
  const { expiresAtS } = inFlight.intent;
  const lapsed = expiresAtS !== null && look.venueTimeMs !== null && look.venueTimeMs > expiresAtS * 1000;
  if (!lapsed) {
    context.sendAgain(inFlight, look);
  } else if (context.confirmExpiry(inFlight, look)) {
    context.intents.move(inFlight, 'recordExpired', look.nowMs, 'its draft lapsed while the order rested');
    context.reportNotDone(inFlight, 'expired', 'the cancel draft lapsed while the order rested');
  }
}
