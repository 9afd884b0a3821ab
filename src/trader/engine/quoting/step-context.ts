/** Builds the shared context of all turns of one step from the trader's state. */

import { LADDER } from '../control/modes.js';
import type { StepContext } from '../gate.js';
import type { TraderState } from '../state.js';

/** Wait, ms, before a cancel is retried. */
const CANCEL_RETRY_MS = 2_000;

/** @param hold why nothing may be quoted; null when quoting is allowed */
export function makeStepContext(state: TraderState, hold: string | null, nowMs: number): StepContext {
  const { account, requests, executor, settings, safety } = state;
  const { guards } = safety;
  const { valuation } = account;
  const held = hold ?? (valuation.equityMicros === null ? 'starting: what we hold cannot be valued yet' : null);
  const { mode, reason } = safety.mode();
  return {
    nowMs,
    hold: held,
    queue: requests.queue,
    executor,
    limits: settings.risk,
    economics: settings.economics,
    stance: held === null ? LADDER[mode].stance : 'halted',
    stanceReason: held ?? reason,
    pace: guards.pace,
    own: account.own,
    refresh() {
      this.own = account.own;
    },
    get loss() {
      return guards.loss.facts;
    },
    get fills() {
      return guards.fills.facts;
    },
    findCaps: (conditionId) => valuation.averages.caps(conditionId),
    nextIntentId: (conditionId) => requests.nextIntentId(conditionId),
    noteCancelTry: (orderPubkey) => {
      const triedMs = requests.cancelTries.get(orderPubkey);
      if (triedMs !== undefined && nowMs - triedMs < CANCEL_RETRY_MS && nowMs >= triedMs) return true;
      requests.cancelTries.set(orderPubkey, nowMs);
      return false;
    },
  };
}
