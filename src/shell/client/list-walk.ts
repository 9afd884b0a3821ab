/**
 * Walks a list page by page and knows whether its rows are the complete list. A page is checked whole before
 * its first row is handed out. Of a long list it remembers every cursor, one a page, and its newest rows.
 */

import type { Page } from './contract.js';
import type { ListFault } from './errors.js';

/** Rows remembered to recognise repetitions. */
const REMEMBERED_ROWS = 10_000;
/** Lists that skip rows may return empty pages; an endless series of them must end. */
const MOST_EMPTY_PAGES = 1_000;

/** Order of a walk, and expectations of its pages. */
export interface WalkOptions<R> {
  readonly getKey: ((row: R) => string | null) | null;
  /** Whether a page before the last must be full. */
  readonly fullPages: boolean;
  /** The page size that was asked for; a page that says its own is measured by that. */
  readonly limit: number;
  readonly fetch: (cursor: string | undefined) => Promise<Page<R>>;
  readonly makeError: (fault: ListFault, what: string) => Error;
}

/**
 * Yields every row of the list. Requests a page when its first row is needed; leaving the loop requests nothing more.
 */
export async function* walkList<R>(options: WalkOptions<R>): AsyncGenerator<R, void, undefined> {
  const rows = new RowWatch(options);
  const cursors = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await options.fetch(cursor);
    rows.check(page);
    if (page.nextCursor !== null && cursors.has(page.nextCursor)) {
      throw options.makeError('cursor_repeated', `the cursor ${page.nextCursor.slice(0, 100)} came a second time`);
    }
    yield* page.rows;
    cursor = page.nextCursor ?? undefined;
    if (cursor !== undefined) cursors.add(cursor);
  } while (cursor !== undefined);
}

class RowWatch<R> {
  readonly #options: WalkOptions<R>;
  /** A list that restarts under new cursors is recognised by its first page, whatever its length. */
  readonly #first = new Set<string>();
  readonly #recent = new Recent();
  #pages = 0;
  #emptyPages = 0;

  constructor(options: WalkOptions<R>) {
    this.#options = options;
  }

  check(page: Page<R>): void {
    this.#checkSize(page);
    this.#pages += 1;
    const { getKey, makeError } = this.#options;
    if (getKey === null) return;
    for (const row of page.rows) {
      const key = getKey(row);
      if (key === null) continue;
      if (this.#first.has(key) || !this.#recent.add(key))
        throw makeError('row_repeated', `the row ${key.slice(0, 200)} came twice`);
      if (this.#pages === 1) this.#first.add(key);
    }
  }

  #checkSize({ rows, nextCursor, limit: told }: Page<R>): void {
    const { fullPages, limit: asked, makeError } = this.#options;
    const limit = told ?? asked;
    const found = `a page of ${limit} holds ${rows.length} rows`;
    if (rows.length > limit) throw makeError('page_overfull', found);
    if (fullPages && nextCursor !== null && rows.length < limit) {
      throw makeError('page_cut', `${found} though another page follows`);
    }
    this.#emptyPages = rows.length === 0 ? this.#emptyPages + 1 : 0;
    if (nextCursor !== null && this.#emptyPages >= MOST_EMPTY_PAGES) {
      throw makeError('pages_empty', `${this.#emptyPages} pages in a row hold nothing though another follows`);
    }
  }
}

class Recent {
  readonly #texts = new Set<string>();

  /** False for a known key. */
  add(text: string): boolean {
    if (this.#texts.has(text)) return false;
    this.#texts.add(text);
    // A Set keeps the order of insertion: the first is the oldest.
    const [oldest = ''] = this.#texts;
    if (this.#texts.size > REMEMBERED_ROWS) this.#texts.delete(oldest);
    return true;
  }
}
