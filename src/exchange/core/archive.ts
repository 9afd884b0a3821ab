/**
 * Where records go once they are final. The core keeps what may still change; what is over is put here, found by pubkey
 * and listed newest first. In memory for an exchange that forgets, in SQLite beside the journal for one with a data folder,
 * so that years of history cost no memory and no start-up time.
 *
 * A recovery replays calls whose records were put away before the crash: `put` of an id that is there replaces it, and the
 * core always looks among its own live records first.
 */

/** One shelf for each kind of record. Ids count from 1 on each shelf, over all accounts, ascending with time. */
export const SHELVES = ['order', 'trade', 'merge', 'split', 'redeem', 'request', 'position', 'settlement'] as const;
export type Shelf = (typeof SHELVES)[number];

/** A record with what lists filter by. `record` is plain JSON. */
export interface Archived<R = unknown> {
  readonly id: number;
  readonly account: number;
  /** Unique on its shelf; empty for records that nobody asks for by name. */
  readonly pubkey: string;
  /** Index of its market. */
  readonly market: number;
  /** Its final state, as lists spell it. */
  readonly state: string;
  readonly isYes: boolean | null;
  readonly side: 'buy' | 'sell' | null;
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

export interface Archive {
  put(shelf: Shelf, row: Archived): void;
  byId(shelf: Shelf, id: number): Archived | null;
  byPubkey(shelf: Shelf, pubkey: string): Archived | null;
  list(shelf: Shelf, query: ArchiveQuery): readonly Archived[];
}
