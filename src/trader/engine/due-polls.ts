/** Asks what is due to be looked at: polls of the plan, of which one begins a round of reconciliation. */

import type { PlannedRequest } from '../../shared/protocol/seam.js';
import type { Reconciler } from '../reconcile/reconciler.js';
import type { PollPlan } from '../scheduler/poll-plan.js';
import type { RequestQueue } from '../scheduler/request-queue.js';
import type { Modes } from './control/modes.js';
import type { OwnState } from './own/own-state.js';
import type { Polling } from './polling.js';

/** What of the trader's state it takes to ask. */
interface Asking {
  readonly queue: Pick<RequestQueue, 'push' | 'setOpenOrders'>;
  readonly poller: Pick<PollPlan, 'takeDue' | 'expedite'>;
  readonly polling: Polling;
  readonly reconciler: Pick<Reconciler, 'againMs' | 'begin' | 'onAsk'>;
  readonly own: OwnState;
  readonly modes: Pick<Modes, 'wantsProof'>;
}

/** @param stopping only what is ours is looked at */
export function askDue(
  { queue, poller, polling, reconciler, own, modes }: Asking,
  stopping: boolean,
  nowMs: number,
): void {
  queue.setOpenOrders(own.exposure.workingOrders, modes.wantsProof);
  polling.nowMs = nowMs;
  polling.stopping = stopping;
  if (nowMs >= reconciler.againMs) poller.expedite({ kind: 'assets' });
  const requests = poller.takeDue(nowMs, polling);
  if (requests.length === 0) return;
  // The round first: looks that leave together with its lists begin after it.
  const round = requests.filter(beginsRound).flatMap((request) => reconciler.begin(request, nowMs));
  for (const request of requests) {
    if (request.call.endpoint === 'orders.list') reconciler.onAsk('orders');
    if (request.call.endpoint === 'trades.list') reconciler.onAsk('fills');
    for (const each of beginsRound(request) ? round : [request]) queue.push(each);
  }
}

/** The poll of assets is the first request of a round. That of the venue's marks makes the same call, for looks alone. */
const beginsRound = ({ owner }: PlannedRequest): boolean => owner.kind === 'poll' && owner.target.kind === 'assets';
