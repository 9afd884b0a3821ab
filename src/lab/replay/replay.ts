/**
 * A recorded run decided once more: a fresh trader on a copy of the starting ledger is given the very observations of
 * the journal, and everything that it asks and signs is compared with what was asked and signed then, step by step.
 *
 * There is no key here and no network: a signature is given back from the journal, and one that was never made is a
 * difference. Nothing outside the given ledger is written. Past the first difference nothing is believed any more: the
 * answers that follow belong to requests that this trader may never have made.
 */

import type { AnyCall } from '../../shared/protocol/seam.js';
import type { Step } from '../../shell/journal/contract.js';
import type { Trader } from '../../trader/engine/trader.js';
import { findDifference } from './compare.js';
import type { Aftermath, Difference, Redone, ReplayPlan, ReplayResult } from './contract.js';
import { RecordedInputs } from './recorded-inputs.js';
import { remadeTrader } from './remade-trader.js';

/** Throws what the steps throw: TwinbookError `recording_invalid` for a journal that is damaged in the middle. */
export async function replay(plan: ReplayPlan): Promise<ReplayResult> {
  const replaying = new Replay(plan);
  const { untilMs = Number.POSITIVE_INFINITY, afterStep } = plan.look ?? {};
  for await (const step of plan.steps) {
    const { nowMs } = step.observation;
    if (nowMs > untilMs) break;
    replaying.take(step);
    afterStep?.(replaying.trader, nowMs);
  }
  return replaying.result();
}

class Replay {
  readonly #plan: ReplayPlan;
  readonly #inputs: RecordedInputs;
  readonly #trader: Trader;
  /** Requests of the run whose outcome is still to come. */
  readonly #underWay = new Map<number, AnyCall>();
  #steps = 0;
  #requests = 0;
  #signatures = 0;
  #repeatedSteps = 0;
  #repeatedRequests = 0;
  #fromMs: number | null = null;
  #toMs: number | null = null;
  #difference: Difference | null = null;
  #after: Aftermath | null = null;

  constructor(plan: ReplayPlan) {
    this.#plan = plan;
    this.#inputs = new RecordedInputs(plan.strategyLimitMs);
    this.#trader = remadeTrader({ ...plan, signer: this.#inputs, boundedCall: this.#inputs.boundedCall });
  }

  get trader(): Trader {
    return this.#trader;
  }

  take(step: Step): void {
    this.#steps++;
    this.#requests += step.requests.length;
    this.#signatures += step.signed.length;
    this.#fromMs ??= step.observation.nowMs;
    this.#toMs = step.observation.nowMs;
    if (typeof this.#after?.endedBecause === 'string') return;
    const asked = this.#askedBy(step);
    const redone = this.#redo(step);
    const difference = findDifference(step, redone, {
      asked,
      titles: (id) => this.#plan.ledger.market(id)?.title ?? null,
    });
    if (this.#difference === null && difference === null) {
      this.#repeatedSteps++;
      this.#repeatedRequests += step.requests.length;
    } else this.#follow(difference, redone, step);
  }

  /** The call that this step's outcome belongs to. */
  #askedBy({ observation, requests }: Step): AnyCall | null {
    const call = observation.kind === 'outcome' ? this.#underWay.get(observation.requestId) : undefined;
    if (observation.kind === 'outcome') this.#underWay.delete(observation.requestId);
    for (const { id, call: begun } of requests) this.#underWay.set(id, begun);
    return call ?? null;
  }

  #redo(step: Step): Redone {
    this.#inputs.begin(step);
    try {
      const requests = this.#trader.handle(step.observation);
      this.#trader.takeNotices();
      return { requests, signed: this.#inputs.asked, failure: null };
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      return { requests: [], signed: this.#inputs.asked, failure };
    }
  }

  #follow(difference: Difference | null, { failure }: Redone, step: Step): void {
    if (this.#difference === null) {
      this.#difference = difference;
      this.#after = { steps: 0, differing: 0, endedBecause: failure };
      return;
    }
    const { steps = 0, differing = 0 } = this.#after ?? {};
    const endedBecause = failure === null ? null : `in step ${step.index}: ${failure}`;
    this.#after =
      failure === null
        ? { steps: steps + 1, differing: differing + (difference === null ? 0 : 1), endedBecause }
        : { steps, differing, endedBecause };
  }

  result(): ReplayResult {
    return {
      steps: this.#steps,
      repeatedSteps: this.#repeatedSteps,
      requests: this.#requests,
      repeatedRequests: this.#repeatedRequests,
      signatures: this.#signatures,
      fromMs: this.#fromMs,
      toMs: this.#toMs,
      difference: this.#difference,
      after: this.#after,
    };
  }
}
