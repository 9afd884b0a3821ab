/** Whether answers leave so few requests that what waits for them stands still, in the words of a person. */

import type { Scope } from '../../shared/protocol/endpoints.js';
import type { RequestQueue } from './request-queue.js';

/** Below this part of the profile's limit next to nothing is looked at or quoted. A venue that throttles does not slow us so far. */
const SHORT_PART = 1 / 5;
const ENOUGH_PART = 1 / 2;
/** One answer that is not true is forgotten within the first; the second keeps those that come again from being told each time. */
const SHORT_AFTER_MS = 10_000;
const ENOUGH_AFTER_MS = 120_000;

const SCOPES = ['public', 'signed'] as const satisfies readonly Scope[];

export interface BudgetNews {
  readonly kind: 'budget_short' | 'budget_back';
  readonly text: string;
}

interface Watched {
  readonly scope: (typeof SCOPES)[number];
  /** Requests a minute of the profile. */
  readonly usual: number;
  isTold: boolean;
  /** Our clock, ms: since when it is otherwise than was told; null while it is as told. */
  sinceMs: number | null;
}

export class BudgetWatch {
  readonly #watched: readonly Watched[];

  constructor(limits: { readonly public_per_minute: number; readonly signed_per_minute: number }) {
    const usual = { public: limits.public_per_minute, signed: limits.signed_per_minute };
    this.#watched = SCOPES.map((scope) => ({ scope, usual: usual[scope], isTold: false, sinceMs: null }));
  }

  /** To be asked every second or so. What a person should hear, once as it begins and once when it has been over for a while. */
  look(queue: Pick<RequestQueue, 'perMinute' | 'status'>, nowMs: number): readonly BudgetNews[] {
    return this.#watched.flatMap((watched): BudgetNews[] => {
      const { scope, usual, isTold } = watched;
      const perMinute = queue.perMinute(scope, nowMs);
      const isOtherwise = isTold ? perMinute >= usual * ENOUGH_PART : perMinute < usual * SHORT_PART;
      // A clock that stepped back begins anew.
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
