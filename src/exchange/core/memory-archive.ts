/** The archive of an exchange without a data folder: simulations, backtests and tests. It grows with what happens. */

import { type Archive, type Archived, type ArchiveQuery, accepts, type Shelf } from './archive.js';
import { countBelow } from './pages.js';

interface Rows {
  readonly byId: Map<number, Archived>;
  readonly byPubkey: Map<string, Archived>;
  /** Ids by account, ascending. */
  readonly ids: Map<number, number[]>;
}

export class MemoryArchive implements Archive {
  readonly #shelves = new Map<Shelf, Rows>();

  put(shelf: Shelf, row: Archived): void {
    const { byId, byPubkey, ids } = this.#rows(shelf);
    insert(ids, row);
    byId.set(row.id, row);
    if (row.pubkey !== '') byPubkey.set(row.pubkey, row);
  }

  byId(shelf: Shelf, id: number): Archived | null {
    return this.#rows(shelf).byId.get(id) ?? null;
  }

  byPubkey(shelf: Shelf, pubkey: string): Archived | null {
    return this.#rows(shelf).byPubkey.get(pubkey) ?? null;
  }

  list(shelf: Shelf, query: ArchiveQuery): readonly Archived[] {
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

  rewind(shelf: Shelf, lastId: number, live: Iterable<number>): void {
    const { byId } = this.#rows(shelf);
    for (const id of live) this.#remove(shelf, id);
    for (const id of [...byId.keys()]) if (id > lastId) this.#remove(shelf, id);
  }

  #remove(shelf: Shelf, id: number): void {
    const { byId, byPubkey, ids } = this.#rows(shelf);
    const row = byId.get(id);
    if (row === undefined) return;
    byId.delete(id);
    byPubkey.delete(row.pubkey);
    const own = ids.get(row.account) ?? [];
    own.splice(countBelow(own, id), 1);
  }

  #rows(shelf: Shelf): Rows {
    let rows = this.#shelves.get(shelf);
    if (rows === undefined) {
      rows = { byId: new Map(), byPubkey: new Map(), ids: new Map() };
      this.#shelves.set(shelf, rows);
    }
    return rows;
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
