/** What traders of a fleet keep in their database, and what they ask of it. */

import type { Expected, OwnerRow } from './lease.js';

/** How a trader does, as it said at its last renewal: for eyes, never for decisions. Money is decimal text. */
export interface TraderSummary {
  readonly mode: string;
  readonly reason: string;
  readonly cash: string | null;
  readonly equity: string | null;
  /** Since its ledger began. */
  readonly result: string | null;
  readonly openOrders: number;
  readonly fills: number;
  readonly version: string;
}

/** A wallet in the fleet. */
export interface WalletRow extends OwnerRow {
  readonly wallet: string;
  readonly machine: string;
  /** False: what the owner before left resting is not proven gone. */
  readonly isSettled: boolean;
  /** Of the fleet's capital, micros. */
  readonly grantedMicros: number;
  readonly markets: readonly string[];
  /** By the database's clock, seconds ago. */
  readonly takenS: number;
  readonly renewedS: number;
  /** Null before its first renewal. */
  readonly summary: TraderSummary | null;
}

/** Who takes a lease. */
export interface Candidate {
  readonly wallet: string;
  readonly holder: string;
  readonly instance: string;
  readonly machine: string;
  readonly leaseMs: number;
}

/** `guarded`: the owner's session is still there; it was ended if `mayEvict`, and the next try may succeed. */
export type TakeAnswer =
  | { readonly kind: 'taken'; readonly term: number; readonly isSettled: boolean; readonly grantedMicros: number }
  | { readonly kind: 'changed' }
  | { readonly kind: 'guarded' };

/** `fenced`: the row says another owner, or none. */
export type RenewAnswer = { readonly kind: 'renewed' } | { readonly kind: 'fenced'; readonly owner: OwnerRow | null };

/** The owner's question about capital. */
export type GrantAnswer =
  | { readonly kind: 'granted' }
  /** What others have, and what the fleet has, micros. */
  | { readonly kind: 'too_much'; readonly othersMicros: number; readonly capitalMicros: number }
  | { readonly kind: 'fenced' };

/** Of the markets asked for, those that are ours now, and who has the others. */
export interface ClaimAnswer {
  readonly ours: readonly string[];
  readonly others: ReadonlyMap<string, string>;
}

/** What a trader asks of the database about its own wallet. Every call rejects with TwinbookError `fleet_unusable`. */
export interface OwnerDesk {
  look(): Promise<OwnerRow | null>;
  take(candidate: Candidate, expected: Expected): Promise<TakeAnswer>;
  /** Also after another connection was made: takes up the session lock again. */
  renew(term: number, summary: TraderSummary | null): Promise<RenewAnswer>;
  /** What the owner before left resting is proven gone. */
  settle(term: number): Promise<void>;
  grant(term: number, micros: number): Promise<GrantAnswer>;
  claim(term: number, markets: readonly string[]): Promise<ClaimAnswer>;
  /** Gives back all markets but these, those of the owner before too. */
  keepOnly(term: number, markets: readonly string[]): Promise<void>;
  /** Nothing rests: gives back lease and markets, and capital beyond `keptMicros`. */
  release(term: number, keptMicros: number, reason: string): Promise<void>;
  close(): Promise<void>;
}
