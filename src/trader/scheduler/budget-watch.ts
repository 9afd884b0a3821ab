/** Detects that the venue leaves so few requests that waiting work stops, and says so in words. */

import type { Scope } from '../../shared/protocol/endpoints.js';
import type { RequestQueue } from './request-queue.js';

/** Below this fraction of the profile's limit almost nothing is read or quoted. Normal throttling stays above it. */
const SHORT_PART = 1 / 5;
const ENOUGH_PART = 1 / 2;
/** A wrong answer expires within the first; the second avoids a notice for each repetition. */
const SHORT_AFTER_MS = 10_000;
const ENOUGH_AFTER_MS = 120_000;

const SCOPES = ['public', 'signed'] as const satisfies readonly Scope[];

export interface BudgetNews {
  readonly kind: 'budget_short' | 'budget_back';
  readonly text: string;
}

interface Watched {
  readonly scope: (typeof SCOPES)[number];
  /** Requests per minute of the profile. */
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

  /** Call about once a second. Returns one notice when it begins, and one when it has ended for some time. */
  look(queue: Pick<RequestQueue, 'perMinute' | 'status'>, nowMs: number): readonly BudgetNews[] {
    return this.#watched.flatMap((watched): BudgetNews[] => {
      const { scope, usual, isTold } = watched;
      const perMinute = queue.perMinute(scope, nowMs);
      const isOtherwise = isTold ? perMinute >= usual * ENOUGH_PART : perMinute < usual * SHORT_PART;
      // After a clock set back, the time begins again.
      watched.sinceMs = isOtherwise ? Math.min(watched.sinceMs ?? nowMs, nowMs) : null;
      if (watched.sinceMs === null || nowMs - watched.sinceMs < (isTold ? ENOUGH_AFTER_MS : SHORT_AFTER_MS)) return [];
      watched.isTold = !isTold;
      watched.sinceMs = null;
      if (isTold) return [{ kind: 'budget_back', text: `there are ${perMinute} ${scope} requests a minute again` }];
      const { limit } = queue.status(scope, nowMs);
      const why = limit < usual ? `it says that it allows ${limit}` : 'it says that others use the rest';
      const left = `the exchange leaves us ${perMinute} of ${usual} ${scope} requests a minute`;
      return [{ kind: 'budget_short', text: `${left}: ${why}; ${WAITING[scope]} wait` }];
    });
  }
}

const WAITING = { public: 'looks at markets', signed: 'orders' } as const;
