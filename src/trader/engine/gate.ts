/**
 * The gate between decision and execution: intent, judgement, approval, executor. Every request that can move money
 * passes here, and needs an approval by risk.
 */

import type { PlannedRequest } from '../../shared/protocol/seam.js';
import type { Executor } from '../executor/executor.js';
import type { Sight } from '../market/view.js';
import type { ActionPace } from '../risk/action-pace.js';
import { type RiskFacts, type RiskStance, toWorkingOrder } from '../risk/controls.js';
import type { FindCaps } from '../risk/exposure.js';
import type { FillFacts } from '../risk/fill-guard.js';
import type { Intent, Refused } from '../risk/intent.js';
import type { RiskLimits } from '../risk/limits.js';
import type { LossFacts } from '../risk/loss-guard.js';
import { judge } from '../risk/risk.js';
import type { RequestQueue } from '../scheduler/request-queue.js';
import type { Economics } from '../strategy/economics.js';
import type { OwnState } from './own/own-state.js';

/** True for a request that brings an order closer to resting. */
export const isOfPlace = ({ call }: PlannedRequest): boolean =>
  call.endpoint === 'orders.create' || call.endpoint === 'orders.submit';

/** Shared facts of one step that a decision uses. */
export interface StepContext {
  readonly nowMs: number;
  /** As of the beginning of this turn or the last `refresh`. */
  own: OwnState;
  refresh(): void;
  readonly loss: LossFacts;
  readonly findCaps: FindCaps;
  readonly fills: FillFacts;
  readonly pace: ActionPace;
  /** The trader's limits; those of a strategy are tighter. */
  readonly limits: RiskLimits;
  readonly economics: Economics;
  /** Why nothing may be quoted; null when quoting is allowed. */
  readonly hold: string | null;
  readonly stance: RiskStance;
  /** Empty when the stance is `normal`. */
  readonly stanceReason: string;
  readonly queue: RequestQueue;
  readonly executor: Executor;
  nextIntentId(conditionId: string): string;
  /** True when a cancel of this order was sent so recently that its answer should be awaited. */
  noteCancelTry(orderPubkey: string): boolean;
}

/** Judges one intent and begins it when risk approves. Returns the refusal; null when it was begun. */
export function approveAndExecute(
  intent: Intent,
  facts: RiskFacts,
  reason: () => string,
  context: StepContext,
): Refused | null {
  const verdict = judge(intent, facts);
  if (verdict.verdict === 'refused') return verdict;
  for (const request of context.executor.begin(verdict, context.nowMs, reason())) context.queue.push(request);
  if (intent.kind === 'place' || intent.kind === 'cancel') context.pace.note(context.nowMs);
  // The next order is judged as if this one already rested.
  if (intent.kind === 'place') context.own.exposure.addOrder(toWorkingOrder(intent, facts));
  if (intent.kind === 'split')
    context.own.exposure.split(intent.marketConditionId, intent.eventConditionId, intent.amountMicros);
  return null;
}

/** Facts for risk: of the order's market, or of the account for intents without a market. */
export const gatherFacts = (
  context: StepContext,
  sight: Sight | null = null,
  limits: RiskLimits = context.limits,
): RiskFacts => ({
  sight,
  limits,
  exposure: context.own.exposure,
  cashMicros: context.own.cashMicros,
  loss: context.loss,
  findCaps: context.findCaps,
  fills: context.fills,
  pace: context.pace.facts(context.nowMs),
  stance: context.stance,
  stanceReason: context.stanceReason,
  requestHeadroom: context.queue.headroom('signed', 'draft', context.nowMs),
});

/** Reason text for `explain`: empty, since the intent says everything. */
export const NO_REASON = (): string => '{}';
