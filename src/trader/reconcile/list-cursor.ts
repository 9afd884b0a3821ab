/**
 * Reads one list of past records (orders, trades, merges, splits, redeems) from its newest row back to a stored mark.
 * Each list row is compared in two complete rounds. A row that differs from the ledger is compared until it agrees.
 *
 * A mark is the set of pubkeys of several rows, because a lagging list may lack its newest rows. If a list shows none
 * of these pubkeys, it lacks rows that it showed before. The first read compares only records known to the ledger.
 */

import type { DataOf, EndpointName } from '../../shared/protocol/endpoints.js';
import type { RoundList } from '../../shared/protocol/request-owner.js';
import type { PlannedRequest, RequestResult } from '../../shared/protocol/seam.js';
import type { Booked, Notes } from '../ledger/contract.js';
import { StoredMemory } from '../ledger/tables.js';
import { type Difference, isStuck, LONGEST_LAG_MS, pastTime, UNKNOWN } from './differences.js';

/** Maximum pages of one list read. Resting orders need far fewer. The maximum ends the read of an endless list. */
const MAX_PAGES = 50;
/** Maximum time for which a page's request waits in the request queue, ms. After this time, the read is void. */
const PAGE_USEFUL_MS = 10_000;

type ListEndpoint = Extract<EndpointName, `${string}.list` | 'account.assets'>;
type HistoryEndpoint = Extract<EndpointName, `${'orders' | 'trades' | 'merges' | 'splits' | 'redeems'}.list`>;
type ListedRow<N extends ListEndpoint> = DataOf<N>[number];

type WalkStep<Page = unknown> =
  /** One page of the list. The request `next` asks for the following page; null on the last page. */
  | (Page & { readonly kind: 'page'; readonly next: PlannedRequest | null })
  /** The read of the list is void, because a page could not be read or the list contradicts itself. */
  | { readonly kind: 'void'; readonly reason: string };

export interface Reading {
  begin(): void;
  onReport(report: RequestResult): WalkStep;
}

/** Reads all pages of a list. The read is void if a cursor or row repeats, or a page cannot be read. */
export class PageWalk<N extends ListEndpoint> {
  readonly #getKey: (row: ListedRow<N>) => string;
  rows: ListedRow<N>[] = [];
  readonly #keys = new Set<string>();
  readonly #cursors = new Set<string>();
  /** Time when the first page was requested, our clock, ms. The read may lack newer rows. */
  startedMs = Number.NEGATIVE_INFINITY;
  pages = 0;

  readonly #mostPages: number;

  constructor(getKey: (row: ListedRow<N>) => string, mostPages = MAX_PAGES) {
    this.#getKey = getKey;
    this.#mostPages = mostPages;
  }

  begin(): void {
    this.rows = [];
    this.#keys.clear();
    this.#cursors.clear();
    this.startedMs = Number.NEGATIVE_INFINITY;
    this.pages = 0;
  }

  /** Processes the answer to the request for a list's first page, or for a further page (`next`). */
  onReport(report: RequestResult): WalkStep<{ readonly rows: readonly ListedRow<N>[] }> {
    const { outcome } = report;
    if (this.startedMs === Number.NEGATIVE_INFINITY) this.startedMs = report.sentMs;
    if (outcome.kind === 'refused') return { kind: 'void', reason: `${outcome.slug}: ${outcome.message}` };
    if (outcome.kind === 'unknown') return { kind: 'void', reason: outcome.reason };
    // The cast is safe, because every request of this read has the same endpoint.
    const page = outcome.data as unknown as readonly ListedRow<N>[];
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
    // The cast is safe, because every list accepts a cursor.
    const call = { ...request.call, query: { ...request.call.query, cursor } } as PlannedRequest['call'];
    const latestMs = Math.max(request.latestMs, nowMs + PAGE_USEFUL_MS);
    return { kind: 'page', rows: page, next: { ...request, call, latestMs } };
  }
}

/** Returns the error of an answer with more rows than its request allows; null for a valid page. */
export function overfull({ call }: PlannedRequest, data: unknown): string | null {
  const most = 'limit' in call.query ? call.query.limit : undefined;
  if (!Array.isArray(data) || most === undefined || data.length <= Number(most)) return null;
  return `a page of at most ${most} rows has ${data.length} rows`;
}

/** Number of pubkeys in a mark; several, because a lagging list may lack some rows. */
const MARKED_ROWS = 8;
/** Maximum pages of one read (20,000 rows). If these pages lack the mark, an operator must check the list. */
const MOST_PAGES = 200;
/** Maximum rounds for which a difference holds the mark. Then the mark moves, and only the differing rows are kept. */
const HELD_ROUNDS = 10;
/** Maximum number of differing rows stored for later rounds. More differing rows probably have one cause. */
const MOST_KEPT = 200;

interface ListCursorRule<N extends HistoryEndpoint> {
  /** Returns the time of the row's record, exchange clock, s; null if the list's rows have no time. */
  bornS(row: ListedRow<N>): number | null;
  /** Returns true if the row can no longer change. */
  isSettled(row: ListedRow<N>): boolean;
  /** Returns the row's difference from the ledger, or null. @param listMs time of the first request, our clock, ms */
  compare(row: ListedRow<N>, listMs: number): Difference | null;
  /** Access to the ledger's bookings that this list must contain; null for the list of orders, which are not booked. */
  readonly booked: {
    newestSeq(): number;
    after(seq: number): readonly Booked<{ readonly pubkey: string }>[];
    /**
     * Returns the difference for a booking that the list lacks; null if the booking is so recent that the list may lag.
     *
     * @param listMs time when the list's first page was requested, our clock, ms
     * @param venueS exchange time in the answer, s; null if absent
     */
    findInvented(pubkey: string, listMs: number, venueS: number | null): Difference | null;
  } | null;
}

interface Mark {
  /** Pubkeys of the current mark, newest first. A read of the list ends at one of them. */
  readonly older: readonly string[];
  /** Pubkeys of the next mark, from the newest complete round. */
  readonly newer: readonly string[];
  /** Sequence number of the last checked booking. A checked booking was in the list, or is stored as missing. */
  readonly seq: number;
  /** Number of consecutive complete rounds with a difference. */
  readonly held: number;
}

/** Stored for later rounds: rows that differ, and pubkeys of bookings that the list lacks. */
interface KeptRows<Row> {
  readonly rows: readonly Row[];
  readonly invented: readonly string[];
  /** Unsettled rows that the mark has passed, newest first. Later reads may end before these rows. */
  readonly unsettled?: readonly Row[];
}

type HistoryList = Exclude<RoundList, 'assets' | 'sums'>;

export class ListCursor<N extends HistoryEndpoint> {
  readonly name: HistoryList;
  readonly #rule: ListCursorRule<N>;
  /** Stored mark of the list; null before its first complete read. */
  readonly #mark: StoredMemory<Mark | null>;
  readonly #kept: StoredMemory<KeptRows<ListedRow<N>>>;
  readonly #walk: PageWalk<N>;
  #found = false;
  #isComplete = false;
  #venueS: number | null = null;
  /** Rows of the newest complete read. */
  rows: readonly ListedRow<N>[] = [];

  /** @param name name of the list in the ledger's notes */
  constructor(name: HistoryList, ledger: Notes, rule: ListCursorRule<N>) {
    this.name = name;
    this.#mark = markNote(ledger, name);
    this.#kept = keptNote(ledger, name);
    this.#walk = new PageWalk<N>((row) => row.pubkey ?? JSON.stringify(row), MOST_PAGES);
    this.#rule = rule;
  }

  begin(): void {
    this.#walk.begin();
    this.#found = false;
    this.#isComplete = false;
    this.#venueS = null;
  }

  onReport(report: RequestResult): WalkStep {
    const step = this.#walk.onReport(report);
    if (step.kind === 'void') return step;
    if (report.venueTimeMs !== null) this.#venueS ??= Math.floor(report.venueTimeMs / 1000);
    const mark = this.#mark.value;
    this.#found = mark === null || step.rows.some((row) => isOneOf(row.pubkey, mark.older));
    const ends = step.next === null || this.#found || (this.#walk.pages >= MOST_PAGES - 1 && mark?.older.length !== 0);
    this.#isComplete = ends;
    return { kind: 'page', next: ends ? null : step.next };
  }

  /** Compares the rows of a complete read and moves the mark. Returns no differences if the read is not complete. */
  settle(): readonly Difference[] {
    if (!this.#isComplete) return [];
    this.#isComplete = false;
    const walk = this.#walk;
    this.rows = walk.rows;
    const mark = this.#mark.value;
    if (mark === null) return this.#baseline(walk);
    if (!this.#found && mark.older.length > 0) {
      const exchange = 'the list shows none of its earlier rows';
      return [{ what: 'list', subject: this.name, ledger: `last seen: ${mark.older[0] ?? ''}`, exchange }];
    }
    const end = walk.rows.findIndex((row) => isOneOf(row.pubkey, mark.older));
    const rows = end < 0 ? walk.rows : walk.rows.slice(0, end);
    const { differences, seq } = this.#compare(rows, walk.startedMs, mark.seq);
    const held = differences.length === 0 ? 0 : Math.min(mark.held + 1, HELD_ROUNDS);
    const newer = this.#newestSettled(rows, mark.older, false);
    const isHeld = held > 0 && held < HELD_ROUNDS;
    this.#mark.value = isHeld ? { ...mark, held } : { older: mark.newer, newer, seq, held };
    return differences;
  }

  get differing(): readonly ListedRow<N>[] {
    return this.#kept.value.rows;
  }

  /** Rows that were unsettled when the mark passed them. They may have settled since. */
  get passed(): readonly ListedRow<N>[] {
    return this.#kept.value.unsettled ?? [];
  }

  /** Restarts the comparison after a difference was accepted or booked. Rows of `isKept` stay stored as differing. */
  forget(isKept: (pubkey: string) => boolean = () => false): void {
    const { rows, invented } = this.#kept.value;
    this.#mark.value = null;
    // The next read is a first read, which may end before an unsettled row of the newest read.
    const unsettled = this.rows.filter((row) => !this.#rule.isSettled(row));
    const kept = rows.filter(({ pubkey }) => isKept(pubkey ?? ''));
    this.#keep({ rows: kept, invented: invented.filter(isKept), unsettled });
  }

  #compare(rows: readonly ListedRow<N>[], listMs: number, seq: number) {
    const { compare, booked } = this.#rule;
    const kept = this.#kept.value;
    const names = new Set(rows.map(({ pubkey }) => pubkey));
    const all = [...rows, ...kept.rows.filter((row) => !names.has(row.pubkey))];
    const differing = all.flatMap((row) => {
      const difference = compare(row, listMs);
      return difference === null ? [] : [{ row, difference }];
    });
    for (const row of kept.rows) names.add(row.pubkey);
    const newestSeq = Math.max(seq, booked?.newestSeq() ?? 0);
    const unseen = newestSeq > seq ? (booked?.after(seq) ?? []) : [];
    const expected = new Set([...kept.invented, ...unseen.map(({ row }) => row.pubkey)]);
    for (const { pubkey } of this.passed) names.add(pubkey);
    const invented = [...expected].filter((pubkey) => !names.has(pubkey));
    this.#keep({ rows: differing.map(({ row }) => row), invented });
    const inventions = invented.flatMap((pubkey) => booked?.findInvented(pubkey, listMs, this.#venueS) ?? []);
    const differences = [...differing.map(({ difference }) => difference), ...inventions];
    return { differences, seq: newestSeq };
  }

  /** Sets the list's first mark. Compares only records known to the ledger; others are older than the ledger. */
  #baseline(walk: PageWalk<N>): readonly Difference[] {
    const { compare, booked } = this.#rule;
    const known = walk.rows.filter((row) => compare(row, walk.startedMs)?.ledger !== UNKNOWN);
    const { differences, seq } = this.#compare(known, walk.startedMs, booked?.newestSeq() ?? 0);
    const marked = this.#newestSettled(walk.rows, [], true);
    this.#mark.value = { older: marked, newer: marked, seq, held: 0 };
    return differences;
  }

  /**
   * Returns the pubkeys of a new mark: the newest rows that can no longer change, where all older rows are final too,
   * or stuck without a difference.
   *
   * @param isFirst true for the list's first mark, which accepts settled rows of any age
   */
  #newestSettled(rows: readonly ListedRow<N>[], older: readonly string[], isFirst: boolean): readonly string[] {
    const { isSettled, bornS } = this.#rule;
    const nowS = this.#venueS ?? Number.POSITIVE_INFINITY;
    const isYoung = (row: ListedRow<N>) => pastTime(bornS(row) ?? 0, nowS) > nowS - LONGEST_LAG_MS / 1000;
    const differing = new Set(this.differing.map(({ pubkey }) => pubkey));
    const mayChange = (row: ListedRow<N>) =>
      isSettled(row) ? !isFirst && isYoung(row) : differing.has(row.pubkey) || !isStuck(bornS(row), this.#venueS);
    const final = rows.slice(rows.findLastIndex(mayChange) + 1);
    this.#keep({ unsettled: final.filter((row) => !isSettled(row)) });
    return [...final.flatMap(({ pubkey }) => pubkey ?? []), ...older].slice(0, MARKED_ROWS);
  }

  /** Replaces the stored rows that differ and the missing bookings, if given. Adds rows that the mark has passed. */
  #keep({ rows, invented, unsettled = [] }: Partial<KeptRows<ListedRow<N>>>): void {
    const kept = this.#kept.value;
    const passed = [...unsettled, ...this.passed].map((row) => [row.pubkey, row] as const);
    this.#kept.value = {
      rows: (rows ?? kept.rows).slice(0, MOST_KEPT),
      invented: (invented ?? kept.invented).slice(0, MOST_KEPT),
      unsettled: [...new Map(passed).values()].slice(0, MOST_KEPT),
    };
  }
}

const markNote = (ledger: Notes, name: string) => new StoredMemory<Mark | null>(ledger, `history/${name}`, null);
const keptNote = <Row>(ledger: Notes, name: string) =>
  new StoredMemory<KeptRows<Row>>(ledger, `differing/${name}`, { rows: [], invented: [] });

/** Returns the mark of the list of orders (`marks`), and the pubkeys of records that differ (`differing`). */
export function readCompared(ledger: Notes) {
  const kept = ['orders', 'trades'].flatMap((name) => keptNote<ComparedRow>(ledger, name).value.rows);
  const differing = new Set(kept.flatMap(({ pubkey, order }) => [pubkey ?? '', order?.pubkey ?? '']));
  return { marks: markNote(ledger, 'orders').value?.older ?? [], differing };
}

/** Stored differing row of a list: an order, or a trade with its order. */
interface ComparedRow {
  readonly pubkey: string | null;
  readonly order?: { readonly pubkey: string | null };
}

const isOneOf = (pubkey: string | null, names: readonly string[]): boolean => pubkey !== null && names.includes(pubkey);
