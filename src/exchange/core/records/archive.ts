/**
 * An archive stores the final records of one core: in memory (`memoryArchive`), or in the journal's SQLite file.
 * `rewind` drops the rows archived after a snapshot, because the replay of the journal adds these rows again.
 */

/** Rule for old rows: when the archive has 2 × `keep` rows that `passes` accepts, it drops the oldest `keep`. */
export interface Forgetting {
  passes(row: Archived): boolean;
  readonly keep: number;
}

/** Final records of one kind in memory. Without the rule `forgetting`, no old record is dropped. */
export class MemoryShelf implements Shelf {
  readonly #byId = new Map<number, Archived>();
  readonly #byPubkey = new Map<string, Archived>();
  /** Ids by account, ascending. */
  readonly #ids = new Map<number, number[]>();
  /** Ids of the rows that `forgetting` accepts, in order of `put`. */
  readonly #passing: number[] = [];
  readonly #forgetting: Forgetting | undefined;

  constructor(forgetting?: Forgetting) {
    this.#forgetting = forgetting;
  }

  put(row: Archived): void {
    const { id, account, pubkey } = row;
    const own = this.#ids.get(account);
    if (own === undefined) this.#ids.set(account, [id]);
    else own.splice(countBelow(own, id), 0, id);
    this.#byId.set(id, row);
    if (pubkey !== '') this.#byPubkey.set(pubkey, row);
    const forgetting = this.#forgetting;
    if (forgetting === undefined || !forgetting.passes(row)) return;
    this.#passing.push(id);
    // Old rows are dropped in blocks of `keep`, because each drop rewrites all lists of ids.
    if (this.#passing.length >= 2 * forgetting.keep) this.#forget(this.#passing.splice(0, forgetting.keep));
  }

  byId(id: number): Archived | null {
    return this.#byId.get(id) ?? null;
  }

  byPubkey(pubkey: string): Archived | null {
    return this.#byPubkey.get(pubkey) ?? null;
  }

  list(query: ArchiveQuery): readonly Archived[] {
    const own = this.#ids.get(query.account) ?? [];
    const { from, oldestFirst = false } = query;
    const step = oldestFirst ? 1 : -1;
    const found: Archived[] = [];
    for (let at = start(own, from, oldestFirst); found.length < query.limit; at += step) {
      const id = own[at];
      if (id === undefined) break;
      const row = this.#byId.get(id);
      if (row !== undefined && accepts(query, row)) found.push(row);
    }
    return found;
  }

  rewind(lastId: number, live: Iterable<number>): void {
    this.#forget([...live, ...[...this.#byId.keys()].filter((id) => id > lastId)]);
  }

  #forget(gone: readonly number[]): void {
    for (const id of gone) {
      this.#byPubkey.delete(this.#byId.get(id)?.pubkey ?? '');
      this.#byId.delete(id);
    }
    for (const [account, own] of this.#ids) {
      const kept = own.filter((id) => this.#byId.has(id));
      this.#ids.set(account, kept);
    }
  }
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

/** All kinds of archived records. Within a kind, newer records have higher ids, across all accounts. */
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

/** Fields of a record that the filters of lists use. */
export interface Facets {
  /** Index of the record's market; -1 for a record without a market. */
  readonly market: number;
  /** State of the record, spelled as in list filters. */
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

/** Store of the final records of one kind. */
export interface Shelf {
  /** Adds a final record, whose id must be new. */
  put(row: Archived): void;
  byId(id: number): Archived | null;
  byPubkey(pubkey: string): Archived | null;
  list(query: ArchiveQuery): readonly Archived[];
  /** Drops rows archived after a snapshot: ids above `lastId`, and the ids of the snapshot's live records. */
  rewind(lastId: number, live: Iterable<number>): void;
}

/** Store of records that no longer change, by kind. */
export type Archive = Readonly<Record<RecordKind, Shelf>>;

/** Makes an archive with one store (`Shelf`) for each kind of record. */
export const makeArchive = (makeShelf: (recordKind: RecordKind) => Shelf): Archive =>
  // The cast is right: the object has a `Shelf` for each kind of record.
  Object.fromEntries(RECORD_KINDS.map((recordKind) => [recordKind, makeShelf(recordKind)])) as Archive;

/** Makes an archive in memory. Without a rule for a kind, no old record of that kind is dropped. */
export const memoryArchive = (rules: Readonly<Partial<Record<RecordKind, Forgetting>>> = {}): Archive =>
  makeArchive((recordKind) => new MemoryShelf(rules[recordKind]));

/** True if a record matches a list's filters. */
export const accepts = (query: Omit<ArchiveQuery, 'limit' | 'account'>, facets: Facets): boolean =>
  (query.market === undefined || facets.market === query.market) &&
  (query.states === undefined || query.states.includes(facets.state)) &&
  (query.isYes === undefined || facets.isYes === query.isYes) &&
  (query.side === undefined || facets.side === query.side);
