/** What every turn of one step needs, as the trader's state has it. */

import type { OrderExecutor } from '../../executor/contract.js';
import type { ActionPace } from '../../risk/action-pace.js';
import type { RiskStance } from '../../risk/facts.js';
import type { FillFacts } from '../../risk/fill-guard.js';
import type { RiskLimits } from '../../risk/limits.js';
import type { LossFacts } from '../../risk/loss-guard.js';
import type { FindCaps } from '../../risk/loss-to-average.js';
import type { Queue } from '../../scheduler/contract.js';
import type { Economics } from '../../strategy/economics.js';
import { LADDER } from '../control/modes.js';
import type { StepContext } from '../gate.js';
import type { OwnState } from '../own/own-state.js';
import type { TraderState } from '../state.js';

/** A cancel that was begun is given this long before another is tried. */
const CANCEL_RETRY_MS = 2_000;

export class TraderStepContext implements StepContext {
  readonly nowMs: number;
  readonly hold: string | null;
  readonly queue: Queue;
  readonly executor: OrderExecutor;
  readonly limits: RiskLimits;
  readonly economics: Economics;
  readonly stance: RiskStance;
  readonly stanceReason: string;
  readonly pace: ActionPace;
  /** As it was when this turn, or the last `refresh`, began. */
  own: OwnState;
  readonly #state: TraderState;

  constructor(state: TraderState, hold: string | null, nowMs: number) {
    this.#state = state;
    this.nowMs = nowMs;
    this.hold = hold ?? (state.valuation.equityMicros === null ? 'starting: what we hold cannot be valued yet' : null);
    this.queue = state.queue;
    this.executor = state.executor;
    this.limits = state.settings.risk;
    this.economics = state.settings.economics;
    const { mode, reason } = state.mode();
    this.stance = this.hold === null ? LADDER[mode].stance : 'halted';
    this.stanceReason = this.hold ?? reason;
    this.pace = state.guards.pace;
    this.own = state.own;
  }

  refresh(): void {
    this.own = this.#state.own;
  }

  get loss(): LossFacts {
    return this.#state.guards.loss.facts;
  }

  get fills(): FillFacts {
    return this.#state.guards.fills.facts;
  }

  readonly findCaps: FindCaps = (conditionId) => this.#state.valuation.averages.caps(conditionId);

  nextIntentId(conditionId: string): string {
    return this.#state.nextIntentId(conditionId);
  }

  noteCancelTry(orderPubkey: string): boolean {
    const { cancelTries } = this.#state;
    const triedMs = cancelTries.get(orderPubkey);
    if (triedMs !== undefined && this.nowMs - triedMs < CANCEL_RETRY_MS && this.nowMs >= triedMs) return true;
    cancelTries.set(orderPubkey, this.nowMs);
    return false;
  }
}
