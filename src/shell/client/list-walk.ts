/**
 * Walks a list page by page and knows whether what it has seen may be taken for the list. A page is checked whole before
 * its first row is handed out. Memory is bounded however long the list is, at the price that is told at each check.
 */

import type { Page } from './contract.js';
import type { ListFault } from './errors.js';

/** Rows and cursors that are remembered to be recognised. */
const REMEMBERED_ROWS = 10_000;
const REMEMBERED_CURSORS = 1_000;
/** Lists that skip rows may answer an empty page, and some more after it; a loop over nothing but such would hang. */
const MOST_EMPTY_PAGES = 1_000;

/** How a list is walked, and what is expected of its pages. */
export interface WalkOptions<R> {
  readonly getKey: ((row: R) => string | null) | null;
  /** Whether a page before the last must be full. */
  readonly fullPages: boolean;
  /** The page size that was asked for; a page that says its own is measured by that. */
  readonly limit: number;
  readonly fetch: (cursor: string | undefined) => Promise<Page<R>>;
  /** Makes what is thrown. */
  readonly makeError: (fault: ListFault, what: string) => Error;
}

/** Every row of the list. Asks for a page when its first row is wanted; ending the loop asks for nothing more. */
export async function* walkList<R>(options: WalkOptions<R>): AsyncGenerator<R, void, undefined> {
  const rows = new RowWatch(options);
  const cursors = new CursorWatch();
  let cursor: string | undefined;
  do {
    const page = await options.fetch(cursor);
    rows.check(page);
    if (page.nextCursor !== null && cursors.repeats(page.nextCursor)) {
      throw options.makeError('cursor_repeated', `the cursor ${page.nextCursor.slice(0, 100)} came a second time`);
    }
    yield* page.rows;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** The size of pages, and rows that come twice. */
class RowWatch<R> {
  readonly #options: WalkOptions<R>;
  /** A list that begins anew under fresh cursors is recognised by its first page, however long it is. */
  readonly #first = new Set<string>();
  readonly #recent = new Recent(REMEMBERED_ROWS);
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

/**
 * Cursors that come twice: at once within the last thousand; a longer circle is found by Brent's algorithm, which
 * remembers one cursor only and meets it again after at most three rounds.
 */
class CursorWatch {
  readonly #recent = new Recent(REMEMBERED_CURSORS);
  #anchor: string | null = null;
  #steps = 0;
  #reach = 1;

  repeats(cursor: string): boolean {
    if (!this.#recent.add(cursor) || cursor === this.#anchor) return true;
    this.#steps += 1;
    if (this.#steps === this.#reach) {
      this.#anchor = cursor;
      this.#steps = 0;
      this.#reach *= 2;
    }
    return false;
  }
}

/** The last so many texts. */
class Recent {
  readonly #size: number;
  readonly #texts = new Set<string>();

  constructor(size: number) {
    this.#size = size;
  }

  /** False when it is among them already. */
  add(text: string): boolean {
    if (this.#texts.has(text)) return false;
    this.#texts.add(text);
    // A Set keeps the order of insertion: the first is the oldest.
    for (const oldest of this.#texts) {
      if (this.#texts.size <= this.#size) break;
      this.#texts.delete(oldest);
    }
    return true;
  }
}
