/** The archive of an exchange without a data folder: simulations, backtests and tests. It grows with its records. */

import { type Archive, type Archived, type ArchiveQuery, accepts, type RecordKind } from './archive.js';

interface Rows {
  readonly byId: Map<number, Archived>;
  readonly byPubkey: Map<string, Archived>;
  /** Ids by account, ascending. */
  readonly ids: Map<number, number[]>;
  /** Rows that may be dropped, in order of `put`. */
  readonly passing: number[];
}

/** Rows with a bounded history: of those that `passes` selects, only about the newest `keep` of each kind stay. */
export interface Forgetting {
  passes(recordKind: RecordKind, row: Archived): boolean;
  readonly keep: number;
}

/** An archive in memory; drops rows only by the given rule. */
export class MemoryArchive implements Archive {
  readonly #rowsByKind = new Map<RecordKind, Rows>();
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
    // Many at once: each drop walks the lists of ids.
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

  #rows(recordKind: RecordKind): Rows {
    let rows = this.#rowsByKind.get(recordKind);
    if (rows === undefined) {
      rows = { byId: new Map(), byPubkey: new Map(), ids: new Map(), passing: [] };
      this.#rowsByKind.set(recordKind, rows);
    }
    return rows;
  }
}

function forget({ byId, byPubkey, ids }: Rows, gone: readonly number[]): void {
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

/** Number of ascending ids below `bound`. */
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
