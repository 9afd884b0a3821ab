/**
 * What goes wrong on purpose, so that a trader can be rehearsed: answers in place of those of the service, smaller request
 * budgets. A control (fault-controls.ts) replaces the whole of it; it ends with the exchange. What takes long is the core's
 * business (../core/delays.ts).
 */

import { Random } from '../../shared/base/random.js';
import type { EndpointName, Scope } from '../../shared/protocol/endpoints.js';
import type { ServiceErrorSlug } from '../../shared/protocol/errors.js';

/** An answer in place of the service's own. */
export interface AnswerFault {
  /** Calls that it strikes; null: every call of the service. */
  readonly calls: readonly EndpointName[] | null;
  /** A proxy's page of this status, or a refusal of the service under this slug. */
  readonly answer: { readonly html: number } | { readonly slug: ServiceErrorSlug };
  readonly retryAfterS: number | null;
  /** Whether the call is carried out all the same. Only one that succeeds is answered with the fault then. */
  readonly acts: boolean;
  /** How many answers; null: until other faults are set. */
  readonly count: number | null;
  /** Part of the calls, above 0 and up to 1. */
  readonly share: number;
}

/** The faults that are wanted now. */
export interface FaultPlan {
  /** The first that strikes a call is its answer. */
  readonly answers: readonly AnswerFault[];
  /** Requests in 60 seconds in place of the profile's. */
  readonly limits: Readonly<Partial<Record<Scope, number | undefined>>>;
  /** From when on nothing of it holds, ms; null: until other faults are set. */
  readonly untilMs: number | null;
}

const NONE: FaultPlan = { answers: [], limits: {}, untilMs: null };

/** The plan of faults in force, and how often each part of it struck. */
export class Faults {
  #plan: FaultPlan = NONE;
  /** How often each answer of the plan was given. */
  #struck: number[] = [];
  readonly #random = Random.fromSeed(1, 'faults');

  set(plan: FaultPlan): void {
    this.#plan = plan;
    this.#struck = plan.answers.map(() => 0);
  }

  /** What holds at this moment, with how often each answer was given. */
  inForce(nowMs: number): FaultPlan & { readonly struck: readonly number[] } {
    const { untilMs } = this.#plan;
    return untilMs !== null && nowMs >= untilMs ? { ...NONE, struck: [] } : { ...this.#plan, struck: this.#struck };
  }

  /** The fault that this call meets, before it is looked at or after it has acted; null for none. Counts it. */
  strike(
    name: EndpointName,
    when: 'before' | 'after',
    kind: 'html' | 'slug' | 'any',
    nowMs: number,
  ): AnswerFault | null {
    for (const [index, fault] of this.inForce(nowMs).answers.entries()) {
      const struck = this.#struck[index] ?? 0;
      if (fault.acts !== (when === 'after') || (fault.count !== null && struck >= fault.count)) continue;
      if (kind !== 'any' && !(kind in fault.answer)) continue;
      if (fault.calls !== null && !fault.calls.includes(name)) continue;
      if (!this.#random.chance(fault.share)) continue;
      this.#struck[index] = struck + 1;
      return fault;
    }
    return null;
  }

  limits(nowMs: number): FaultPlan['limits'] {
    return this.inForce(nowMs).limits;
  }
}
