/** Counts sent requests by purpose, for display only. */

import { type Micros, ONE } from '../../shared/base/micros.js';
import { SlidingMinute } from '../../shared/base/sliding-minute.js';
import type { RequestOwner } from '../../shared/protocol/request-owner.js';
import type { AnyCall } from '../../shared/protocol/seam.js';

/**
 * `looks`: books, trades, details and market list. `moves`: orders placed and their records. `cancels`. `conversions`:
 * merges, splits, redeems. `own`: resting orders, own trades, assets, reconciliation rounds.
 */
export const PURPOSES = ['looks', 'moves', 'cancels', 'conversions', 'own'] as const;
export type Purpose = (typeof PURPOSES)[number];

export function classifyPurpose({ endpoint }: Pick<AnyCall, 'endpoint'>, owner: RequestOwner): Purpose {
  if (owner.kind === 'round') return 'own';
  if (owner.kind === 'poll') {
    const { kind } = owner.target;
    return kind === 'orders' || kind === 'fills' || kind === 'assets' ? 'own' : 'looks';
  }
  if (endpoint === 'orders.cancel' || endpoint === 'orders.cancelSubmit') return 'cancels';
  return /^(merges|splits|redeems)\./.test(endpoint) ? 'conversions' : 'moves';
}

/** Counts by purpose. Times of a clock that never steps back. */
export class PurposeCounts {
  readonly #minutes = new Map<Purpose, SlidingMinute>(PURPOSES.map((purpose) => [purpose, new SlidingMinute()]));
  readonly #totals = new Map<Purpose, number>();

  note(purpose: Purpose, nowMs: number): void {
    const minute = this.#minutes.get(purpose);
    minute?.forget(nowMs);
    minute?.add(nowMs);
    this.#totals.set(purpose, (this.#totals.get(purpose) ?? 0) + 1);
  }

  at(nowMs: number) {
    return PURPOSES.map((purpose) => ({
      purpose,
      lastMinute: this.#minutes.get(purpose)?.countAt(nowMs) ?? 0,
      /** Of this run. */
      total: this.#totals.get(purpose) ?? 0,
    }));
  }
}

/** Requests of one purpose. */
export type PurposeUse = Readonly<ReturnType<PurposeCounts['at']>[number]>;

/** Requests per fill and result per request; null without a fill, a request or a result. */
export function worthOfRequests(
  spent: readonly Pick<PurposeUse, 'total'>[],
  fills: number,
  resultMicros: Micros | null,
) {
  const requests = spent.reduce((sum, { total }) => sum + total, 0);
  return {
    requestsPerFill: fills === 0 ? null : requests / fills,
    /** Currency: this run's requests, and the result of all runs with this capital. */
    valuePerRequest: requests === 0 || resultMicros === null ? null : resultMicros / ONE / requests,
  };
}
