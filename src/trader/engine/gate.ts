/** Passes intents to the executor: the risk module must approve an intent before its first request. */

import { ZERO } from '../../shared/base/micros.js';
import type { Sight } from '../market/view.js';
import { type RiskFacts, toWorkingOrder } from '../risk/controls.js';
import type { Intent, Refused } from '../risk/intent.js';
import type { RiskLimits } from '../risk/limits.js';
import { judge } from '../risk/risk.js';
import { LADDER } from './control/modes.js';
import type { TraderState } from './state.js';

export type StepContext = ReturnType<typeof makeStepContext>;

/** @param hold reason why no market may be quoted; null when quoting is allowed */
export function makeStepContext(state: TraderState, hold: string | null, nowMs: number) {
  const { account, safety, requests, executor, settings } = state;
  const { averages, equityMicros } = account.valuation;
  const held = hold ?? (equityMicros === null ? describeUnvalued(account) : null);
  const { mode, reason } = safety.mode();
  return {
    nowMs,
    hold: held,
    requests,
    executor,
    guards: safety.guards,
    /** The trader's risk limits; a strategy's own limits may differ. */
    limits: settings.risk,
    economics: settings.economics,
    stance: held === null ? LADDER[mode].stance : 'halted',
    /** Reason of the quoting stance; empty when the stance is `normal`. */
    stanceReason: held ?? reason,
    /** Own orders and holdings; the caller replaces them for each market and after a conversion. */
    own: account.own,
    /** Complete sets of the current market that a merge waits for; no new quote may offer their shares. */
    blockedMicros: ZERO,
    findCaps: (conditionId: string) => averages.caps(conditionId),
  };
}

function describeUnvalued({ own, valuation: { marks } }: TraderState['account']): string {
  const unpriced = [...own.held].find(([id, { yesMicros, noMicros }]) => yesMicros !== noMicros && !marks.has(id));
  return `starting: the holdings cannot be valued yet${unpriced === undefined ? '' : `: no price in held market ${unpriced[0]}`}`;
}

export function approveAndExecute(
  intent: Intent,
  facts: RiskFacts,
  reason: () => string,
  context: StepContext,
): Refused | null {
  const verdict = judge(intent, facts);
  if (verdict.verdict === 'refused') return verdict;
  for (const request of context.executor.begin(verdict, context.nowMs, reason())) context.requests.queue.push(request);
  if (intent.kind === 'place' || intent.kind === 'cancel') context.guards.pace.note(context.nowMs);
  // The exposure counts the approved order as open when risk checks the next order.
  if (intent.kind === 'place') context.own.exposure.addOrder(toWorkingOrder(intent, facts));
  if (intent.kind === 'split')
    context.own.exposure.split(intent.marketConditionId, intent.eventConditionId, intent.amountMicros);
  return null;
}

/** Collects the facts for a risk check: the account and, if `sight` is given, the order's market. */
export const gatherFacts = (
  context: StepContext,
  sight: Sight | null = null,
  limits: RiskLimits = context.limits,
): RiskFacts => ({
  sight,
  limits,
  exposure: context.own.exposure,
  cashMicros: context.own.cashMicros,
  loss: context.guards.loss.facts,
  findCaps: context.findCaps,
  fills: context.guards.fills.state,
  pace: context.guards.pace.facts(context.nowMs),
  stance: context.stance,
  stanceReason: context.stanceReason,
  requestHeadroom: context.requests.queue.headroom('signed', 'draft', context.nowMs),
});

/** Returns the reason of an intent as empty JSON, for intents about which `explain` shows nothing more. */
export const NO_REASON = (): string => '{}';
