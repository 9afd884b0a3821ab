/**
 * Records of one kind: those that may change in memory, final ones in the archive, read as one. Each subsystem keeps
 * its records in one of these and reports when one is final.
 */

import { assert } from '../../../shared/base/errors.js';
import type { Catalog } from '../catalog.js';
import type { Page } from '../contract.js';
import { type Archive, type ArchiveQuery, accepts, type Facets, type RecordKind } from './archive.js';

/** Fields of every record: number, owner and name. */
export interface RecordOfAccount {
  readonly id: number;
  readonly account: number;
  readonly pubkey: string;
}

/** Description of a kind of record. A record is plain JSON. */
export interface Filing<R> {
  readonly recordKind: RecordKind;
  /** True for a final state; absent when no list filters by live states. */
  readonly isFinal?: (state: string) => boolean;
  readonly facets: (record: R) => Facets;
}

/** A page's filters: newest first with ids below `beforeId`. */
export type RecordQuery = Omit<ArchiveQuery, 'from' | 'oldestFirst'> & { readonly beforeId?: number | undefined };

/** All records of one kind, live or final, found and listed as one. */
export class Records<R extends RecordOfAccount> {
  readonly #archive: Archive;
  readonly #filing: Filing<R>;
  readonly #live = new Map<number, R>();
  readonly #byPubkey = new Map<string, R>();
  /** In order of ids: records are kept as created. */
  readonly #byAccount = new Map<number, Map<number, R>>();

  constructor(archive: Archive, filing: Filing<R>) {
    this.#archive = archive;
    this.#filing = filing;
  }

  /** Adds a live record with the highest id so far. */
  keep(record: R): void {
    this.#live.set(record.id, record);
    this.#byPubkey.set(record.pubkey, record);
    const own = this.#byAccount.get(record.account);
    if (own === undefined) this.#byAccount.set(record.account, new Map([[record.id, record]]));
    else own.set(record.id, record);
  }

  /** Archives a record that will not change again. */
  finish(record: R): void {
    assert(this.#live.delete(record.id), 'a record becomes final once');
    const { id, account, pubkey } = record;
    this.#byPubkey.delete(pubkey);
    const own = this.#byAccount.get(account);
    own?.delete(id);
    if (own?.size === 0) this.#byAccount.delete(account);
    const { recordKind, facets } = this.#filing;
    this.#archive.put(recordKind, { id, account, pubkey, ...facets(record), record });
  }

  /** The record of an id while it is live, else null. */
  live(id: number): R | null {
    return this.#live.get(id) ?? null;
  }

  /** All live records in order of ids. */
  allLive(): Iterable<R> {
    return this.#live.values();
  }

  /** Those of one account, likewise. */
  listLive(account: number): Iterable<R> {
    return this.#byAccount.get(account)?.values() ?? [];
  }

  /** The record of an id, live or final; null for an unknown one. */
  get(id: number): R | null {
    return this.#live.get(id) ?? this.#read(this.#archive.byId(this.#filing.recordKind, id));
  }

  /** The record of a pubkey if it belongs to this account, else null. Final ones must not be changed. */
  find(account: number, pubkey: string): R | null {
    const { recordKind } = this.#filing;
    const record = this.#byPubkey.get(pubkey) ?? this.#read(this.#archive.byPubkey(recordKind, pubkey));
    return record?.account === account ? record : null;
  }

  #read(row: { readonly record: unknown } | null): R | null {
    // Only `finish` archives records of this kind.
    return row === null ? null : (row.record as R);
  }

  /** Live and final ones together, newest first; `toRow` is called only for rows of the page. */
  page<T>({ beforeId: from, ...query }: RecordQuery, toRow: (record: R) => T): Page<T> {
    const found = firstOf(this.list({ ...query, from }, query.limit + 1), query.limit);
    return { rows: found.rows.map(toRow), nextBeforeId: found.last?.id ?? null };
  }

  /**
   * Live and final ones that match, in order of creation in either direction. Reads the archive in blocks of `block`
   * rows, as far as the caller iterates.
   */
  *list(query: Omit<ArchiveQuery, 'limit'>, block: number, isLiveOnly = false): Generator<R> {
    const { account, states, from, oldestFirst = false } = query;
    const { isFinal, facets } = this.#filing;
    const comesFirst = (a: number, b: number) => (oldestFirst ? a < b : a > b);
    const live = [...this.listLive(account)].filter(
      (record) => (from === undefined || comesFirst(from, record.id)) && accepts(query, facets(record)),
    );
    if (!oldestFirst) live.reverse();
    // A query for live records must not read the history.
    const mayBeFinal = !isLiveOnly && (isFinal === undefined || states === undefined || states.some(isFinal));
    let at = 0;
    for (const record of mayBeFinal ? this.#listFinal(query, block) : []) {
      for (let next = live[at]; next !== undefined && comesFirst(next.id, record.id); next = live[at]) {
        at += 1;
        yield next;
      }
      yield record;
    }
    yield* live.slice(at);
  }

  *#listFinal(query: Omit<ArchiveQuery, 'limit'>, limit: number): Generator<R> {
    for (let { from } = query; ; ) {
      const rows = this.#archive.list(this.#filing.recordKind, { ...query, from, limit });
      for (const row of rows) yield row.record as R; // as in #read
      const last = rows.at(-1);
      if (last === undefined || rows.length < limit) return;
      from = last.id;
    }
  }

  /** The live records for a snapshot. */
  dump<D>(copy: (record: R) => D): readonly D[] {
    return [...this.#live.values()].map(copy);
  }

  /** Restores a snapshot's records, whose last id was `lastId`, and rewinds the archive to it. */
  load(records: readonly R[], lastId: number): void {
    this.#archive.rewind(
      this.#filing.recordKind,
      lastId,
      records.map(({ id }) => id),
    );
    for (const record of records) this.keep(record);
  }
}

/** The first `limit` records, and the last of them when more follow. */
export function firstOf<R>(
  records: Iterable<R>,
  limit: number,
): { readonly rows: readonly R[]; readonly last: R | null } {
  const rows: R[] = [];
  for (const record of records) {
    if (rows.length === limit) return { rows, last: rows.at(-1) ?? null };
    rows.push(record);
  }
  return { rows, last: null };
}

/** Index of a list's market; undefined for all, null for an unknown one. */
export function askedMarket(catalog: Catalog, conditionId: string | undefined): number | undefined | null {
  return conditionId === undefined ? undefined : (catalog.byId(conditionId)?.index ?? null);
}

export const NO_ROWS: Page<never> = { rows: [], nextBeforeId: null };
