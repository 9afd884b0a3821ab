/** Reads a list page by page, and decides whether its rows can be trusted. */

import type { DataOf, EndpointName } from '../../shared/protocol/endpoints.js';
import type { PlannedRequest, RequestResult } from '../../shared/protocol/seam.js';

/** Maximum pages of one walk: far above a trader's resting orders, and it ends a looping cursor. */
const MAX_PAGES = 50;
/** Maximum wait of a further page for the request budget; later the walk is planned again. */
const PAGE_USEFUL_MS = 10_000;

export type ListEndpoint = Extract<EndpointName, `${string}.list` | 'account.assets'>;
export type RowOf<N extends ListEndpoint> = DataOf<N>[number];

export type WalkStep<Page = unknown> =
  /** A page. `next` requests the following page; null on the last. The caller decides whether to send it. */
  | (Page & { readonly kind: 'page'; readonly next: PlannedRequest | null })
  /** The walk is void: a page was lost, or the list contradicts itself. */
  | { readonly kind: 'void'; readonly reason: string };

/**
 * Reads one list. A repeated cursor or row, or a lost page, voids the walk: rows may have moved, and an incomplete list
 * must not look complete.
 */
export class PageWalk<N extends ListEndpoint> {
  readonly #getKey: (row: RowOf<N>) => string;
  /** Rows of all pages read until now. */
  rows: RowOf<N>[] = [];
  readonly #keys = new Set<string>();
  readonly #cursors = new Set<string>();
  #startedMs: number | null = null;
  /** Number of pages read until now. */
  pages = 0;

  readonly #mostPages: number;

  /** @param getKey returns a row's unique key */
  constructor(getKey: (row: RowOf<N>) => string, mostPages = MAX_PAGES) {
    this.#getKey = getKey;
    this.#mostPages = mostPages;
  }

  /** Restarts the walk with the first page. */
  begin(): void {
    this.rows = [];
    this.#keys.clear();
    this.#cursors.clear();
    this.#startedMs = null;
    this.pages = 0;
  }

  /** Our clock, ms, when the first page was requested; later rows may be missing. */
  get startedMs(): number {
    return this.#startedMs ?? Number.NEGATIVE_INFINITY;
  }

  /** Takes in the report of the first page, or of a `next` from this walk. */
  onReport(report: RequestResult): WalkStep<{ readonly rows: readonly RowOf<N>[] }> {
    const { outcome } = report;
    this.#startedMs ??= report.sentMs;
    if (outcome.kind === 'refused') return { kind: 'void', reason: `${outcome.slug}: ${outcome.message}` };
    if (outcome.kind === 'unknown') return { kind: 'void', reason: outcome.reason };
    // The answer has the data type of the request's endpoint, and every request of this walk reads its list.
    const page = outcome.data as unknown as readonly RowOf<N>[];
    const tooMany = overfull(report.request, page);
    if (tooMany !== null) return { kind: 'void', reason: tooMany };
    this.pages += 1;
    for (const row of page) {
      const key = this.#getKey(row);
      if (this.#keys.has(key)) return { kind: 'void', reason: `row ${key} appears twice` };
      this.#keys.add(key);
      this.rows.push(row);
    }
    const cursor = outcome.nextCursor;
    if (cursor === null) return { kind: 'page', rows: page, next: null };
    if (this.#cursors.has(cursor)) return { kind: 'void', reason: 'the cursor repeats' };
    if (this.pages >= this.#mostPages)
      return { kind: 'void', reason: `the list does not end within ${this.pages} pages` };
    this.#cursors.add(cursor);
    const { request, nowMs } = report;
    // Every list query accepts a cursor.
    const call = { ...request.call, query: { ...request.call.query, cursor } } as PlannedRequest['call'];
    const latestMs = Math.max(request.latestMs, nowMs + PAGE_USEFUL_MS);
    return { kind: 'page', rows: page, next: { ...request, call, latestMs } };
  }
}

/**
 * Describes an answer with more rows than its request allows; null for a valid page. Requests use the service's
 * maximum, so a longer page is invalid.
 */
export function overfull({ call }: PlannedRequest, data: unknown): string | null {
  const most = 'limit' in call.query ? call.query.limit : undefined;
  if (!Array.isArray(data) || most === undefined || data.length <= Number(most)) return null;
  return `a page of ${most} holds ${data.length} rows`;
}
