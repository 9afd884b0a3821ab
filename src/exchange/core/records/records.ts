import { assert, must } from '../../../shared/base/errors.js';
import type { Catalog } from '../catalog.js';
import type { FiltersOf, RecordPage } from '../contract.js';
import type { CoreContext } from '../core-context.js';
import {
  type ArchiveQuery,
  accepts,
  type Facets,
  type RecordKind,
  type RecordOfAccount,
  type Shelf,
} from './archive.js';

/** Description of a kind of record, for `Records`. A record is plain JSON. */
interface Filing<R, W> {
  readonly recordKind: RecordKind;
  /** Returns true if a state is final. Without this function, every list also reads the archive. */
  readonly isFinal?: (state: string) => boolean;
  readonly facets: (record: R) => Facets;
  readonly toRow: (record: R) => W;
}

/** Filters of a list's page, named as in the interface. The page has ids below `beforeId`, newest first. */
type RecordQuery = Partial<FiltersOf<'orders.list'>> & {
  readonly state?: string | undefined;
  readonly limit: number;
  readonly beforeId?: number | undefined;
};

type RecordOfMarket = RecordOfAccount & { readonly market: number };

/** All records of one kind. A live record may still change, a final record may not. Subsystems extend this class. */
export class Records<R extends RecordOfMarket, W> {
  readonly toRow: (record: R) => W;
  protected readonly context: CoreContext;
  readonly #filing: Filing<R, W>;
  readonly #archive: Shelf;
  #lastId = 0;
  readonly #live = new Map<number, R>();
  readonly #byPubkey = new Map<string, R>();
  /** Live records by account and id, in order of creation. */
  readonly #byAccount = new Map<number, Map<number, R>>();

  constructor(context: CoreContext, filing: Filing<R, W>) {
    this.context = context;
    this.#filing = filing;
    this.#archive = context.archive[filing.recordKind];
    this.toRow = filing.toRow;
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Adds a live record. The id of an added record must be the highest so far. */
  keep(record: R): void {
    this.#live.set(record.id, record);
    this.#byPubkey.set(record.pubkey, record);
    const own = this.#byAccount.get(record.account) ?? new Map<number, R>();
    this.#byAccount.set(record.account, own.set(record.id, record));
  }

  /** Archives a record that will not change again. */
  finish(record: R): void {
    assert(this.#live.delete(record.id), 'a record must become final only once');
    const { id, account, pubkey } = record;
    this.#byPubkey.delete(pubkey);
    const own = this.#byAccount.get(account);
    own?.delete(id);
    if (own?.size === 0) this.#byAccount.delete(account);
    this.#archive.put({ id, account, pubkey, ...this.#filing.facets(record), record });
  }

  live(id: number): R | null {
    return this.#live.get(id) ?? null;
  }

  allLive(): Iterable<R> {
    return this.#live.values();
  }

  listLive(account: number): Iterable<R> {
    return this.#byAccount.get(account)?.values() ?? [];
  }

  /** The record with this id, live or final; null if there is none. */
  get(id: number): R | null {
    return this.#live.get(id) ?? this.#read(this.#archive.byId(id));
  }

  requireLive(id: number): R {
    return must(this.live(id), `live ${this.#filing.recordKind} ${id}`);
  }

  find(account: number, pubkey: string): R | null {
    const record = this.#byPubkey.get(pubkey) ?? this.#read(this.#archive.byPubkey(pubkey));
    return record?.account === account ? record : null;
  }

  #read(row: { readonly record: unknown } | null): R | null {
    // The cast is right: only `finish` archives records of this kind.
    return row === null ? null : (row.record as R);
  }

  row(account: number, pubkey: string): W | null {
    const record = this.find(account, pubkey);
    return record === null ? null : this.toRow(record);
  }

  page(account: number, query: RecordQuery): RecordPage<W> {
    const { state, status, is_yes: isYes, side, limit, beforeId: from } = query;
    const market = askedMarket(this.context.catalog, query.market_condition_id);
    if (market === null) return NO_ROWS;
    const states = state === undefined ? status : [state];
    const found = firstOf(this.list({ account, market, states, isYes, side, from }, limit + 1), limit);
    return { rows: found.rows.map(this.toRow), nextBeforeId: found.last?.id ?? null };
  }

  /** Lists matching live and final records by creation, newest or oldest first. The archive is read in blocks. */
  *list(query: Omit<ArchiveQuery, 'limit'>, block: number, isLiveOnly = false): Generator<R> {
    const { account, states, from, oldestFirst = false } = query;
    const { isFinal, facets } = this.#filing;
    const comesFirst = (a: number, b: number) => (oldestFirst ? a < b : a > b);
    const live = [...this.listLive(account)].filter(
      (record) => (from === undefined || comesFirst(from, record.id)) && accepts(query, facets(record)),
    );
    if (!oldestFirst) live.reverse();
    // A query for live records must not read the archive, which may be long.
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
      const rows = this.#archive.list({ ...query, from, limit });
      for (const row of rows) yield row.record as R; // as in #read
      const last = rows.at(-1);
      if (last === undefined || rows.length < limit) return;
      from = last.id;
    }
  }

  dump() {
    return { lastId: this.#lastId, records: structuredClone([...this.#live.values()]) };
  }

  load({ lastId, records }: { readonly lastId: number; readonly records: readonly R[] }): void {
    this.#lastId = lastId;
    const live = records.map(({ id }) => id);
    this.#archive.rewind(lastId, live);
    for (const record of structuredClone(records)) {
      this.keep(record);
      // The account of a live record may still trade, so the market must have memory for the account's shares.
      this.context.catalog.market(record.market).shares.ensureAccount(record.account);
    }
  }
}

/** Takes the first `limit` records of a list. `last` is the page's last record; null if no further record follows. */
export function firstOf<R>(records: Iterable<R>, limit: number) {
  const rows: R[] = [];
  for (const record of records) {
    if (rows.length === limit) return { rows, last: rows.at(-1) ?? null };
    rows.push(record);
  }
  return { rows, last: null };
}

/** Returns the index of the market that a list's filter names; undefined without a filter, null for an unknown id. */
export function askedMarket(catalog: Catalog, conditionId: string | undefined): number | undefined | null {
  return conditionId === undefined ? undefined : (catalog.byId(conditionId)?.index ?? null);
}

export const NO_ROWS: RecordPage<never> = { rows: [], nextBeforeId: null };
