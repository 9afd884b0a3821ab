/**
 * An archive stores the final records of one core: in memory (`MemoryArchive`), or in the journal's SQLite file. A core
 * that loads a snapshot first calls `rewind`, because replaying later calls adds the later rows again.
 */

interface ArchivedRows {
  readonly byId: Map<number, Archived>;
  readonly byPubkey: Map<string, Archived>;
  /** Ids by account, ascending. */
  readonly ids: Map<number, number[]>;
  /** Ids of archived rows that may be dropped, in order of `put`. */
  readonly passing: number[];
}

/** Rule that limits the history: of the rows of a kind that `passes` selects, about the newest `keep` rows stay. */
export interface Forgetting {
  passes(recordKind: RecordKind, row: Archived): boolean;
  readonly keep: number;
}

/** An archive in memory. Rows are dropped only by the rule `forgetting`. */
export class MemoryArchive implements Archive {
  readonly #rowsByKind = new Map<RecordKind, ArchivedRows>();
  readonly #forgetting: Forgetting | null;

  constructor(forgetting: Forgetting | null = null) {
    this.#forgetting = forgetting;
  }

  put(recordKind: RecordKind, row: Archived): void {
    const rows = this.#rows(recordKind);
    insert(rows.ids, row);
    rows.byId.set(row.id, row);
    if (row.pubkey !== '') rows.byPubkey.set(row.pubkey, row);
    const forgetting = this.#forgetting;
    if (forgetting === null || !forgetting.passes(recordKind, row)) return;
    rows.passing.push(row.id);
    // Many rows are dropped at once, because each drop rewrites all lists of ids.
    if (rows.passing.length >= 2 * forgetting.keep) forget(rows, rows.passing.splice(0, forgetting.keep));
  }

  byId(recordKind: RecordKind, id: number): Archived | null {
    return this.#rows(recordKind).byId.get(id) ?? null;
  }

  byPubkey(recordKind: RecordKind, pubkey: string): Archived | null {
    return this.#rows(recordKind).byPubkey.get(pubkey) ?? null;
  }

  list(recordKind: RecordKind, query: ArchiveQuery): readonly Archived[] {
    const { byId, ids } = this.#rows(recordKind);
    const own = ids.get(query.account) ?? [];
    const { from, oldestFirst = false } = query;
    const step = oldestFirst ? 1 : -1;
    const found: Archived[] = [];
    for (let at = start(own, from, oldestFirst); found.length < query.limit; at += step) {
      const id = own[at];
      if (id === undefined) break;
      const row = byId.get(id);
      if (row !== undefined && accepts(query, row)) found.push(row);
    }
    return found;
  }

  rewind(recordKind: RecordKind, lastId: number, live: Iterable<number>): void {
    const { byId } = this.#rows(recordKind);
    for (const id of live) this.#remove(recordKind, id);
    for (const id of [...byId.keys()]) if (id > lastId) this.#remove(recordKind, id);
  }

  #remove(recordKind: RecordKind, id: number): void {
    const { byId, byPubkey, ids } = this.#rows(recordKind);
    const row = byId.get(id);
    if (row === undefined) return;
    byId.delete(id);
    byPubkey.delete(row.pubkey);
    const own = ids.get(row.account) ?? [];
    own.splice(countBelow(own, id), 1);
  }

  #rows(recordKind: RecordKind): ArchivedRows {
    let rows = this.#rowsByKind.get(recordKind);
    if (rows === undefined) {
      rows = { byId: new Map(), byPubkey: new Map(), ids: new Map(), passing: [] };
      this.#rowsByKind.set(recordKind, rows);
    }
    return rows;
  }
}

function forget({ byId, byPubkey, ids }: ArchivedRows, gone: readonly number[]): void {
  for (const id of gone) {
    byPubkey.delete(byId.get(id)?.pubkey ?? '');
    byId.delete(id);
  }
  for (const [account, own] of ids) {
    ids.set(
      account,
      own.filter((id) => byId.has(id)),
    );
  }
}

function insert(ids: Map<number, number[]>, { account, id }: Archived): void {
  const own = ids.get(account);
  if (own === undefined) ids.set(account, [id]);
  else own.splice(countBelow(own, id), 0, id);
}

function start(ids: readonly number[], from: number | undefined, oldestFirst: boolean): number {
  if (oldestFirst) return from === undefined ? 0 : countBelow(ids, from + 1);
  return (from === undefined ? ids.length : countBelow(ids, from)) - 1;
}

/** Number of ids below `bound` in an ascending list. */
function countBelow(ids: readonly number[], bound: number): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] ?? 0) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** All kinds of archived records. Within a kind, ids ascend with time over all accounts. */
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
/** Kind of an archived record. The archive has one table for each kind. */
export type RecordKind = (typeof RECORD_KINDS)[number];

/** Fields of a record by which lists filter. */
export interface Facets {
  /** Index of the record's market; -1 for a record without a market. */
  readonly market: number;
  /** State of the record, spelled as in the filters of lists. */
  readonly state: string;
  readonly isYes: boolean | null;
  readonly side: 'buy' | 'sell' | null;
}

/** Id, account and name of a record. */
export interface RecordOfAccount {
  readonly id: number;
  readonly account: number;
  /** Name of the record, unique within its kind; empty for records that are never read by name. */
  readonly pubkey: string;
}

/** A final record, with the fields by which lists filter. */
export interface Archived<R = unknown> extends Facets, RecordOfAccount {
  /** Content of the record: plain JSON that never changes after `put`. */
  readonly record: R;
}

/** A list's filters; absent fields match everything. */
export interface ArchiveQuery {
  readonly account: number;
  readonly market?: number | undefined;
  readonly states?: readonly string[] | undefined;
  readonly isYes?: boolean | undefined;
  readonly side?: 'buy' | 'sell' | undefined;
  /** Lists only ids below this id; with `oldestFirst`, only ids above it. */
  readonly from?: number | undefined;
  readonly oldestFirst?: boolean | undefined;
  readonly limit: number;
}

/** Store of records that no longer change. */
export interface Archive {
  /** Adds a final record, whose id must be new within its kind. */
  put(recordKind: RecordKind, row: Archived): void;
  byId(recordKind: RecordKind, id: number): Archived | null;
  byPubkey(recordKind: RecordKind, pubkey: string): Archived | null;
  list(recordKind: RecordKind, query: ArchiveQuery): readonly Archived[];
  /** Drops rows archived after a snapshot: ids above `lastId`, and the ids of the snapshot's live records. */
  rewind(recordKind: RecordKind, lastId: number, live: Iterable<number>): void;
}

/** True if a record matches a list's filters. */
export const accepts = (query: Omit<ArchiveQuery, 'limit' | 'account'>, facets: Facets): boolean =>
  (query.market === undefined || facets.market === query.market) &&
  (query.states === undefined || query.states.includes(facets.state)) &&
  (query.isYes === undefined || facets.isYes === query.isYes) &&
  (query.side === undefined || facets.side === query.side);
