/** Takes in what the exchange lists as ours, and what reconciliation makes of it. */

import type { DataOf } from '../../../shared/protocol/endpoints.js';
import type { RoundList } from '../../../shared/protocol/request-owner.js';
import type { RequestResult } from '../../../shared/protocol/seam.js';
import { cancelOrder } from '../quoting/quoting.js';
import { makeStepContext } from '../quoting/step-context.js';
import { react } from '../reactions.js';
import type { TraderState } from '../state.js';

export function observeOwnList(state: TraderState, list: 'orders' | 'fills', report: RequestResult): void {
  const { ownLists, reconciler, poller } = state;
  const step = ownLists.onReport(list, report);
  for (const request of step.requests) state.queue.push(request);
  react(state, step.reaction, report.nowMs);
  tellNews(state, report.nowMs);
  if (step.result === 'ok' && reconciler.awaits.includes(list)) poller.expedite({ kind: list });
  const isMissing = list === 'orders' && state.polling.isOwnSlow && state.executor.missingFills().length > 0;
  if (isMissing) poller.expedite({ kind: 'fills' });
  if (step.restingOrders !== null) observeResting(state, step.restingOrders, report.nowMs);
  if (step.result !== null) state.noteLook(list, step.result, report);
}

/** One list of a round of reconciliation; the poll that began it has ended when all of them have. */
export function observeRound(state: TraderState, list: RoundList, report: RequestResult): void {
  const { reconciler, poller, queue } = state;
  const { requests, result } = reconciler.onRound(list, report);
  for (const request of requests) queue.push(request);
  tellNews(state, report.nowMs);
  if (result === null) return;
  poller.onReport({ kind: 'assets' }, result, report.nowMs);
  for (const kind of reconciler.awaits) poller.expedite({ kind });
}

function tellNews(state: TraderState, nowMs: number): void {
  for (const { loud, text } of state.reconciler.takeNews()) {
    if (loud) state.alert(nowMs, 'reconciliation', text);
    else state.notify(nowMs, 'reconciliation', text);
  }
}

interface Resting {
  readonly rows: readonly DataOf<'orders.list'>[number][];
  readonly startedMs: number;
}

/** While everything is being canceled, resting orders that this ledger does not know are canceled too. */
function observeResting(state: TraderState, { rows, startedMs }: Resting, nowMs: number): void {
  if (!state.modes.wantsProof) return;
  // One that began later than it ended was asked for before our clock was set back.
  if (state.settledMs !== null && startedMs >= state.settledMs && startedMs <= nowMs) {
    state.modes.proof(rows.length, nowMs);
    if (state.modes.proven) state.saveModes();
  }
  const context = makeStepContext(state, 'canceling', nowMs);
  for (const { pubkey, market } of rows) {
    const ours = pubkey !== null && state.ledger.order(pubkey) !== null;
    if (pubkey === null || ours || context.noteCancelTry(pubkey)) continue;
    if (cancelOrder(pubkey, market.condition_id, context)) state.invalidateOwn();
  }
}
