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
/** Which of the archive's tables a record belongs to. */
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

/** A final record with what lists filter it by. */
export interface Archived<R = unknown> extends Facets {
  readonly id: number;
  readonly account: number;
  /** Unique within its kind of record; empty for records that nobody asks for by name. */
  readonly pubkey: string;
  /** Plain JSON that nobody changes after it was put. */
  readonly record: R;
}

/** What a list asks for; an absent field matches everything. */
export interface ArchiveQuery {
  readonly account: number;
  readonly market?: number | undefined;
  readonly states?: readonly string[] | undefined;
  readonly isYes?: boolean | undefined;
  readonly side?: 'buy' | 'sell' | undefined;
  /** Newest first and ids below this one; with `oldestFirst` ids above it. */
  readonly from?: number | undefined;
  readonly oldestFirst?: boolean | undefined;
  /** At most so many rows. */
  readonly limit: number;
}

/** Keeps final records and finds them again. */
export interface Archive {
  /** Its id is new to its kind of record: a record becomes final once. */
  put(recordKind: RecordKind, row: Archived): void;
  byId(recordKind: RecordKind, id: number): Archived | null;
  byPubkey(recordKind: RecordKind, pubkey: string): Archived | null;
  list(recordKind: RecordKind, query: ArchiveQuery): readonly Archived[];
  /** Forgets what was put since a snapshot: all ids above `lastId`, and `live`, which the snapshot itself still holds. */
  rewind(recordKind: RecordKind, lastId: number, live: Iterable<number>): void;
}

/** Whether a record has what a list asks for. */
export const accepts = (query: Omit<ArchiveQuery, 'limit' | 'account'>, facets: Facets): boolean =>
  (query.market === undefined || facets.market === query.market) &&
  (query.states === undefined || query.states.includes(facets.state)) &&
  (query.isYes === undefined || facets.isYes === query.isYes) &&
  (query.side === undefined || facets.side === query.side);
