/**
 * The records of one kind: those that may still change here in memory, those that are final in the archive, and to whoever
 * asks they lie together. Each subsystem keeps its records in one of these and says when one is final.
 */

import { assert } from '../../../shared/base/errors.js';
import type { Page } from '../contract.js';
import { type Archive, type Archived, type ArchiveQuery, accepts, type Facets, type RecordKind } from './archive.js';
import { mergedPage } from './pages.js';

/** What every record has: a number, an owner and a name. */
export interface RecordOfAccount {
  readonly id: number;
  readonly account: number;
  readonly pubkey: string;
}

/** How the records of a kind are put away and come back. */
export interface Filing<R> {
  readonly recordKind: RecordKind;
  /** Whether a record of this state is over; absent where lists are not asked by states that are not. */
  readonly isFinal?: (state: string) => boolean;
  readonly facets: (record: R) => Facets;
  /** What the archive keeps beside id, account, pubkey and facets: plain JSON, nothing in it is changed later. */
  readonly pack: (record: R) => unknown;
  /** The record that was packed. */
  readonly unpack: (row: Archived) => R;
}

/** What a page asks for: newest first, ids below `beforeId`. */
export type RecordQuery = Omit<ArchiveQuery, 'from' | 'oldestFirst'> & { readonly beforeId?: number | undefined };

/** The row of a record as it is now. */
export function toArchived<R extends RecordOfAccount>({ facets, pack }: Filing<R>, record: R): Archived {
  const { id, account, pubkey } = record;
  return { id, account, pubkey, ...facets(record), record: pack(record) };
}

/** All records of one kind, live or final, found and listed as one. */
export class Records<R extends RecordOfAccount> {
  readonly #archive: Archive;
  readonly #filing: Filing<R>;
  readonly #live = new Map<number, R>();
  readonly #byPubkey = new Map<string, R>();
  /** In the order of their ids: records are kept as they are made. */
  readonly #byAccount = new Map<number, Map<number, R>>();

  constructor(archive: Archive, filing: Filing<R>) {
    this.#archive = archive;
    this.#filing = filing;
  }

  /** Takes a record that is not final; its id is the highest so far. */
  keep(record: R): void {
    this.#live.set(record.id, record);
    this.#byPubkey.set(record.pubkey, record);
    const own = this.#byAccount.get(record.account);
    if (own === undefined) this.#byAccount.set(record.account, new Map([[record.id, record]]));
    else own.set(record.id, record);
  }

  /** Puts a record away that nothing will change again. */
  finish(record: R): void {
    assert(this.#live.delete(record.id), 'a record becomes final once');
    this.#byPubkey.delete(record.pubkey);
    const own = this.#byAccount.get(record.account);
    own?.delete(record.id);
    if (own?.size === 0) this.#byAccount.delete(record.account);
    this.#archive.put(this.#filing.recordKind, toArchived(this.#filing, record));
  }

  /** The record of an id while it is not final, else null. */
  live(id: number): R | null {
    return this.#live.get(id) ?? null;
  }

  /** All that are not final, in the order of their ids. */
  allLive(): Iterable<R> {
    return this.#live.values();
  }

  /** Those of one account, likewise. */
  listLive(account: number): Iterable<R> {
    return this.#byAccount.get(account)?.values() ?? [];
  }

  /** The record of an id, live or final; null for one that never was. */
  get(id: number): R | null {
    return this.#live.get(id) ?? this.#unpack(this.#archive.byId(this.#filing.recordKind, id));
  }

  /** The record of a pubkey if it belongs to this account, else null. A final one is a copy: changing it changes nothing. */
  find(account: number, pubkey: string): R | null {
    const { recordKind } = this.#filing;
    const record = this.#byPubkey.get(pubkey) ?? this.#unpack(this.#archive.byPubkey(recordKind, pubkey));
    return record?.account === account ? record : null;
  }

  #unpack(row: Archived | null): R | null {
    return row === null ? null : this.#filing.unpack(row);
  }

  /** Live and final ones together, newest first; `toRow` is asked for those of the page alone. */
  page<T>(query: RecordQuery, toRow: (record: R) => T): Page<T> {
    const { recordKind, unpack, isFinal } = this.#filing;
    const more = { ...query, limit: query.limit + 1 };
    // Whoever asks for what rests must not pay for all that ever ended.
    const mayBeFinal = isFinal === undefined || query.states === undefined || query.states.some(isFinal);
    const final = mayBeFinal ? this.#archive.list(recordKind, { ...more, from: query.beforeId }).map(asFinal) : [];
    const live = this.#livePage(more).map(asLive);
    return mergedPage(live, final, query.limit, (each) => toRow('record' in each ? each.record : unpack(each.row)));
  }

  #livePage(query: RecordQuery): readonly R[] {
    const { limit, beforeId = Number.POSITIVE_INFINITY } = query;
    const own = [...(this.#byAccount.get(query.account)?.values() ?? [])];
    const found: R[] = [];
    for (let at = own.length - 1; at >= 0 && found.length < limit; at--) {
      const record = own[at];
      if (record === undefined || record.id >= beforeId) continue;
      if (accepts(query, this.#filing.facets(record))) found.push(record);
    }
    return found;
  }

  /** The live records as a snapshot holds them. */
  dump<D>(copy: (record: R) => D): readonly D[] {
    return [...this.#live.values()].map(copy);
  }

  /** Takes the records of a snapshot, whose last id was `lastId`, and sets the archive back to it. */
  load(records: readonly R[], lastId: number): void {
    this.#archive.rewind(
      this.#filing.recordKind,
      lastId,
      records.map(({ id }) => id),
    );
    for (const record of records) this.keep(record);
  }
}

const asFinal = (row: Archived) => ({ id: row.id, row });
const asLive = <R extends RecordOfAccount>(record: R) => ({ id: record.id, record });
