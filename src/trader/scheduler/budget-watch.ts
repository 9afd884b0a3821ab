/** Reports when the venue leaves so few requests that work waits. */

import type { Scope } from '../../shared/protocol/endpoints.js';
import type { RequestQueue } from './request-queue.js';

/**
 * Fractions of the profile's limit below which the budget is short, and above which it is enough. Normal throttling
 * stays above the first.
 */
const SHORT_PART = 1 / 5;
const ENOUGH_PART = 1 / 2;
/** Time before a notice. The first outlasts a wrong answer; the second avoids repeated notices. */
const SHORT_AFTER_MS = 10_000;
const ENOUGH_AFTER_MS = 120_000;

const SCOPES = ['public', 'signed'] as const satisfies readonly Scope[];

export interface BudgetNews {
  readonly kind: 'budget_short' | 'budget_back';
  readonly text: string;
}

interface Watched {
  readonly scope: (typeof SCOPES)[number];
  /** Requests per minute by the profile. */
  readonly usual: number;
  isTold: boolean;
  /** Our clock, ms, since the state differs from the last notice; null while it is equal. */
  sinceMs: number | null;
}

export class BudgetWatch {
  readonly #watched: readonly Watched[];

  constructor(limits: { readonly public_per_minute: number; readonly signed_per_minute: number }) {
    const usual = { public: limits.public_per_minute, signed: limits.signed_per_minute };
    this.#watched = SCOPES.map((scope) => ({ scope, usual: usual[scope], isTold: false, sinceMs: null }));
  }

  /**
   * Call it about once a second. Returns one notice when the budget becomes short, and one when it has been enough for
   * some time.
   */
  look(queue: Pick<RequestQueue, 'perMinute' | 'status'>, nowMs: number): readonly BudgetNews[] {
    return this.#watched.flatMap((watched): BudgetNews[] => {
      const { scope, usual, isTold } = watched;
      const perMinute = queue.perMinute(scope, nowMs);
      const isOtherwise = isTold ? perMinute >= usual * ENOUGH_PART : perMinute < usual * SHORT_PART;
      // After our clock was set back, the time begins again.
      watched.sinceMs = isOtherwise ? Math.min(watched.sinceMs ?? nowMs, nowMs) : null;
      if (watched.sinceMs === null || nowMs - watched.sinceMs < (isTold ? ENOUGH_AFTER_MS : SHORT_AFTER_MS)) return [];
      watched.isTold = !isTold;
      watched.sinceMs = null;
      if (isTold) return [{ kind: 'budget_back', text: `${perMinute} ${scope} requests a minute are available again` }];
      const { limit } = queue.status(scope, nowMs);
      const why = limit < usual ? `it reports a limit of ${limit}` : 'by its answers, other programs use the rest';
      const left = `the exchange leaves ${perMinute} of ${usual} ${scope} requests a minute`;
      return [{ kind: 'budget_short', text: `${left}: ${why}; ${WAITING[scope]} wait` }];
    });
  }
}

const WAITING = { public: 'market reads', signed: 'orders' } as const;
