/** The archive of an exchange without a data folder: simulations, backtests and tests. It grows with what it keeps. */

import { type Archive, type Archived, type ArchiveQuery, accepts, type RecordKind } from './archive.js';
import { countBelow } from './pages.js';

interface Rows {
  readonly byId: Map<number, Archived>;
  readonly byPubkey: Map<string, Archived>;
  /** Ids by account, ascending. */
  readonly ids: Map<number, number[]>;
  /** What may be forgotten, in the order in which it was put. */
  readonly passing: number[];
}

/** What need not be kept for ever: of the rows that `passes` names, on each shelf only the newest `keep` or a little more. */
export interface Forgetting {
  passes(shelf: RecordKind, row: Archived): boolean;
  readonly keep: number;
}

/** An archive in memory that forgets nothing unless it is told how much to keep. */
export class MemoryArchive implements Archive {
  readonly #shelves = new Map<RecordKind, Rows>();
  readonly #forgetting: Forgetting | null;

  constructor(forgetting: Forgetting | null = null) {
    this.#forgetting = forgetting;
  }

  put(shelf: RecordKind, row: Archived): void {
    const rows = this.#rows(shelf);
    insert(rows.ids, row);
    rows.byId.set(row.id, row);
    if (row.pubkey !== '') rows.byPubkey.set(row.pubkey, row);
    const forgetting = this.#forgetting;
    if (forgetting === null || !forgetting.passes(shelf, row)) return;
    rows.passing.push(row.id);
    // Many at once: each time the lists of ids are gone through.
    if (rows.passing.length >= 2 * forgetting.keep) forget(rows, rows.passing.splice(0, forgetting.keep));
  }

  byId(shelf: RecordKind, id: number): Archived | null {
    return this.#rows(shelf).byId.get(id) ?? null;
  }

  byPubkey(shelf: RecordKind, pubkey: string): Archived | null {
    return this.#rows(shelf).byPubkey.get(pubkey) ?? null;
  }

  list(shelf: RecordKind, query: ArchiveQuery): readonly Archived[] {
    const { byId, ids } = this.#rows(shelf);
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

  rewind(shelf: RecordKind, lastId: number, live: Iterable<number>): void {
    const { byId } = this.#rows(shelf);
    for (const id of live) this.#remove(shelf, id);
    for (const id of [...byId.keys()]) if (id > lastId) this.#remove(shelf, id);
  }

  #remove(shelf: RecordKind, id: number): void {
    const { byId, byPubkey, ids } = this.#rows(shelf);
    const row = byId.get(id);
    if (row === undefined) return;
    byId.delete(id);
    byPubkey.delete(row.pubkey);
    const own = ids.get(row.account) ?? [];
    own.splice(countBelow(own, id), 1);
  }

  #rows(shelf: RecordKind): Rows {
    let rows = this.#shelves.get(shelf);
    if (rows === undefined) {
      rows = { byId: new Map(), byPubkey: new Map(), ids: new Map(), passing: [] };
      this.#shelves.set(shelf, rows);
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
