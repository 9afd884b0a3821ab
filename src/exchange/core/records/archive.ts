/**
 * Where records go once they are final. The core keeps what may still change; what is over is put here, found by pubkey
 * and listed newest first. In memory for an exchange that forgets (memory-archive.ts), in SQLite beside the journal for
 * one with a data folder, so that years of history cost no memory and no start-up time.
 *
 * An archive belongs to one core and is always exactly as old as it: whoever loads a snapshot first calls `rewind`, so
 * that a replay of the calls since finds what the first run found, and puts the same rows again.
 */

/** Every kind of record. Ids ascend with time within a kind, over all accounts. */
export const RECORD_KINDS = [
  'key',
  'order',
  'trade',
  'merge',
  'split',
  'redeem',
  'request',
  'position',
  'settlement',
] as const;
/** The archive's table of a record. */
export type RecordKind = (typeof RECORD_KINDS)[number];

/** What lists filter by. */
export interface Facets {
  /** Index of the market; -1 for a record without one. */
  readonly market: number;
  /** As lists spell it. */
  readonly state: string;
  readonly isYes: boolean | null;
  readonly side: 'buy' | 'sell' | null;
}

/** A final record with the fields that lists filter by. */
export interface Archived<R = unknown> extends Facets {
  readonly id: number;
  readonly account: number;
  /** Unique within its kind; empty for records that are never read by name. */
  readonly pubkey: string;
  /** Plain JSON that never changes after `put`. */
  readonly record: R;
}

/** A list's filters; absent fields match everything. */
export interface ArchiveQuery {
  readonly account: number;
  readonly market?: number | undefined;
  readonly states?: readonly string[] | undefined;
  readonly isYes?: boolean | undefined;
  readonly side?: 'buy' | 'sell' | undefined;
  /** Newest first with ids below this one; with `oldestFirst` ids above it. */
  readonly from?: number | undefined;
  readonly oldestFirst?: boolean | undefined;
  /** Maximum rows. */
  readonly limit: number;
}

/** Stores final records and finds them again. */
export interface Archive {
  /** Its id is new within its kind: a record becomes final once. */
  put(recordKind: RecordKind, row: Archived): void;
  byId(recordKind: RecordKind, id: number): Archived | null;
  byPubkey(recordKind: RecordKind, pubkey: string): Archived | null;
  list(recordKind: RecordKind, query: ArchiveQuery): readonly Archived[];
  /** Drops rows put after a snapshot: all ids above `lastId`, and `live`, which the snapshot itself holds. */
  rewind(recordKind: RecordKind, lastId: number, live: Iterable<number>): void;
}

/** True when a record matches a list's filters. */
export const accepts = (query: Omit<ArchiveQuery, 'limit' | 'account'>, facets: Facets): boolean =>
  (query.market === undefined || facets.market === query.market) &&
  (query.states === undefined || query.states.includes(facets.state)) &&
  (query.isYes === undefined || facets.isYes === query.isYes) &&
  (query.side === undefined || facets.side === query.side);
