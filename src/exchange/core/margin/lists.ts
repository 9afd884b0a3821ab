/**
 * The lists of margin: live and final records together, in order of creation either way. They filter by more than the
 * archive knows (leverage, a market's state), so rows are taken from it in blocks until the page is full.
 */

import type { Catalog } from '../catalog.js';
import type { Archive, ArchiveQuery, RecordKind } from '../records/archive.js';
import { askedMarket } from '../records/pages.js';
import type { RecordOfAccount, Records } from '../records/records.js';
import type { MarginPage, MarginQuery } from './contract.js';

/** Rows asked of the archive at once. */
const BLOCK = 100;

/** What the archive can filter by itself. */
export type ListFilter = Omit<ArchiveQuery, 'from' | 'oldestFirst' | 'limit' | 'side'>;

/** One list of margin: where its records are, which of them it shows, and how they are sorted. */
export interface MarginList<R> {
  readonly archive: Archive;
  readonly recordKind: RecordKind;
  readonly records: Records<R & RecordOfAccount>;
  /** Whether a record is one of the list; sees live and final ones alike. */
  readonly accepts: (record: R) => boolean;
  /** No final record can be one of the list: the archive is not asked. */
  readonly isLiveOnly?: boolean;
}

export const NOTHING: MarginPage<never> = { rows: [], next: null };

/** The filter that a query comes to; null when it names a market that does not exist. */
export function makeFilter(catalog: Catalog, account: number, query: MarginQuery): ListFilter | null {
  const market = askedMarket(catalog, query.marketConditionId);
  return market === null ? null : { account, market };
}

/** The page of a list; `toRow` is asked for its rows alone. */
export function marginPage<R extends RecordOfAccount, T>(
  list: MarginList<R>,
  filter: ListFilter | null,
  query: MarginQuery,
  toRow: (record: R) => T,
): MarginPage<T> {
  if (filter === null) return NOTHING;
  const rows: T[] = [];
  let last: R | null = null;
  for (const record of merge(list, filter, query)) {
    if (!list.accepts(record)) continue;
    // One more than the page holds: there is a next page.
    if (rows.length === query.limit) {
      return { rows, next: last === null ? null : { pubkey: last.pubkey, sortValue: last.id } };
    }
    rows.push(toRow(record));
    last = record;
  }
  return { rows, next: null };
}

function* merge<R extends RecordOfAccount>(
  list: MarginList<R>,
  filter: ListFilter,
  { after, oldestFirst = false }: MarginQuery,
): Generator<R> {
  const comesFirst = (a: number, b: number) => (oldestFirst ? a < b : a > b);
  const live = listLive(list.records, filter).filter(
    ({ id }) => after === undefined || comesFirst(after.sortValue, id),
  );
  if (!oldestFirst) live.reverse();
  let at = 0;
  const final = list.isLiveOnly === true ? [] : readArchived(list, filter, after?.sortValue, oldestFirst);
  for (const record of final) {
    for (let next = live[at]; next !== undefined && comesFirst(next.id, record.id); next = live[at]) {
      at += 1;
      yield next;
    }
    yield record;
  }
  yield* live.slice(at);
}

/** In order of creation. */
function listLive<R extends RecordOfAccount>(records: Records<R>, { account, market }: ListFilter): R[] {
  const found: R[] = [];
  for (const record of records.listLive(account)) {
    if (market === undefined || getMarket(record) === market) found.push(record);
  }
  return found;
}

const getMarket = (record: RecordOfAccount): unknown => ('market' in record ? record.market : undefined);

function* readArchived<R extends RecordOfAccount>(
  { archive, recordKind }: MarginList<R>,
  filter: ListFilter,
  after: number | undefined,
  oldestFirst: boolean,
): Generator<R> {
  for (let from = after; ; ) {
    const block = archive.list(recordKind, { ...filter, from, oldestFirst, limit: BLOCK });
    // Only the subsystem of this kind of record puts rows there.
    for (const row of block) yield row.record as R;
    const last = block.at(-1);
    if (last === undefined || block.length < BLOCK) return;
    from = last.id;
  }
}
