/**
 * The gate between deciding and executing: intent, judgement, approval, executor. Whatever asks the exchange for anything
 * that can move money comes through here, and only an approval of risk opens it.
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

/** Whether a request brings an order nearer to resting. */
export const isOfPlace = ({ call }: PlannedRequest): boolean =>
  call.endpoint === 'orders.create' || call.endpoint === 'orders.submit';

/** What whoever decides within one step needs and does not own. */
export interface StepContext {
  readonly nowMs: number;
  /** As it was when this turn, or the last `refresh`, began. */
  own: OwnState;
  refresh(): void;
  readonly loss: LossFacts;
  readonly findCaps: FindCaps;
  readonly fills: FillFacts;
  readonly pace: ActionPace;
  /** The trader's own limits; a strategy's are tighter. */
  readonly limits: RiskLimits;
  readonly economics: Economics;
  /** Why nobody may quote; null when they may. */
  readonly hold: string | null;
  readonly stance: RiskStance;
  /** Empty when the stance is `normal`. */
  readonly stanceReason: string;
  readonly queue: RequestQueue;
  readonly executor: Executor;
  nextIntentId(conditionId: string): string;
  /** True when a cancel for this order was tried so recently that its answer should be awaited. */
  noteCancelTry(orderPubkey: string): boolean;
}

/** Judges one intent of any kind, and begins it when risk approves it. Returns the refusal, or null when it was begun. */
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
  // The next order must be judged as if this one rested already.
  if (intent.kind === 'place') context.own.exposure.addOrder(toWorkingOrder(intent, facts));
  if (intent.kind === 'split')
    context.own.exposure.split(intent.marketConditionId, intent.eventConditionId, intent.amountMicros);
  return null;
}

/** What risk is told: about the market of an order, or, for what needs no market, about ourselves. */
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

/** For `explain`: nothing that the intent itself does not say. */
export const NO_REASON = (): string => '{}';
