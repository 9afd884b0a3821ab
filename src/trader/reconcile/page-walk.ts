/** Walks a list page by page and decides whether its rows can be trusted. */

import type { DataOf, EndpointName } from '../../shared/protocol/endpoints.js';
import type { PlannedRequest, RequestResult } from '../../shared/protocol/seam.js';

/** Maximum pages of one walk: far above a trader's resting orders, and it ends a looping cursor. */
const MAX_PAGES = 50;
/** A further page stays useful as long as the first; a longer wait for the budget is planned again. */
const PAGE_USEFUL_MS = 10_000;

export type ListEndpoint = Extract<EndpointName, `${string}.list` | 'account.assets'>;
export type RowOf<N extends ListEndpoint> = DataOf<N>[number];

export type WalkStep<Page = unknown> =
  /** One page; `next` requests the following one, null on the last. The caller decides whether to send it. */
  | (Page & { readonly kind: 'page'; readonly next: PlannedRequest | null })
  /** Nothing follows from this walk: a page was lost, or the list contradicts itself. */
  | { readonly kind: 'void'; readonly reason: string };

/**
 * A walk over one list. A repeated cursor or row, or a lost page, voids the walk: rows may have moved, and an
 * incomplete list that looks complete is worse than none.
 */
export class PageWalk<N extends ListEndpoint> {
  readonly #getKey: (row: RowOf<N>) => string;
  /** All rows so far. */
  rows: RowOf<N>[] = [];
  readonly #keys = new Set<string>();
  readonly #cursors = new Set<string>();
  #startedMs: number | null = null;
  /** Pages so far. */
  pages = 0;

  readonly #mostPages: number;

  /** @param getKey identifies a row */
  constructor(getKey: (row: RowOf<N>) => string, mostPages = MAX_PAGES) {
    this.#getKey = getKey;
    this.#mostPages = mostPages;
  }

  /** Starts again with the first page. */
  begin(): void {
    this.rows = [];
    this.#keys.clear();
    this.#cursors.clear();
    this.#startedMs = null;
    this.pages = 0;
  }

  /** Our clock, ms, when the first page's request left: rows missing in the list did not exist then. */
  get startedMs(): number {
    return this.#startedMs ?? Number.NEGATIVE_INFINITY;
  }

  /** Takes the report of the first page, or of a `next` from this walk. */
  onReport(report: RequestResult): WalkStep<{ readonly rows: readonly RowOf<N>[] }> {
    const { outcome } = report;
    this.#startedMs ??= report.sentMs;
    if (outcome.kind === 'refused') return { kind: 'void', reason: `${outcome.slug}: ${outcome.message}` };
    if (outcome.kind === 'unknown') return { kind: 'void', reason: outcome.reason };
    // The shell answers with the data of the request's endpoint, and all requests of this walk are for its list.
    const page = outcome.data as unknown as readonly RowOf<N>[];
    const tooMany = overfull(report.request, page);
    if (tooMany !== null) return { kind: 'void', reason: tooMany };
    this.pages += 1;
    for (const row of page) {
      const key = this.#getKey(row);
      if (this.#keys.has(key)) return { kind: 'void', reason: `row ${key} came twice` };
      this.#keys.add(key);
      this.rows.push(row);
    }
    const cursor = outcome.nextCursor;
    if (cursor === null) return { kind: 'page', rows: page, next: null };
    if (this.#cursors.has(cursor)) return { kind: 'void', reason: 'the cursor repeats' };
    if (this.pages >= this.#mostPages) return { kind: 'void', reason: `it does not end within ${this.pages} pages` };
    this.#cursors.add(cursor);
    return { kind: 'page', rows: page, next: withCursor(report, cursor) };
  }
}

/**
 * Why an answer has more rows than its request allows, in a sentence; null when it has not. Requests name the service's
 * maximum, so a longer answer is no valid page and would be stored row by row.
 */
export function overfull({ call }: PlannedRequest, data: unknown): string | null {
  const most = 'limit' in call.query ? call.query.limit : undefined;
  if (!Array.isArray(data) || most === undefined || data.length <= Number(most)) return null;
  return `a page of ${most} holds ${data.length} rows`;
}

/** The same request for the page after this cursor. */
function withCursor({ request, nowMs }: RequestResult, cursor: string): PlannedRequest {
  // Only the cursor is added; every list query has one.
  const call = { ...request.call, query: { ...request.call.query, cursor } } as PlannedRequest['call'];
  return { ...request, call, latestMs: Math.max(request.latestMs, nowMs + PAGE_USEFUL_MS) };
}
