/**
 * One list of what has happened (orders, trades, merges, splits, redeems), read from its newest row down to a durable
 * mark. Requests are dear and history only grows, so a row is looked at in two complete rounds and then never again,
 * unless it differs: such a row is kept and compared until it agrees.
 *
 * A mark is the names of several rows, because a list that lags may leave out its newest. A list that shows none of them
 * is not what it was. What happened before the first look is nobody's business here.
 */

import type { PlannedRequest, RequestResult } from '../../shared/protocol/seam.js';
import type { Booked, LedgerReader, Notes } from '../ledger/contract.js';
import { type Difference, LONGEST_LAG_MS, UNKNOWN } from './differences.js';
import { type ListEndpoint, PageWalk, type RowOf } from './page-walk.js';

/** Enough for a list that lags by some rows. */
const MARKED_ROWS = 8;
/** Twenty thousand rows since the mark; beyond that an operator must look. */
const MOST_PAGES = 200;
/**
 * Rounds that the mark waits for a differing row, so that it is read again and may agree. Later the row is kept as last
 * seen: the walk would grow too long.
 */
const HELD_ROUNDS = 10;
/** Maximum differing rows kept; more have a cause that no row explains. */
const MOST_KEPT = 200;

/** Result of one step: the next page to request, a complete list, or a void round. */
export type ListCursorStep =
  | { readonly kind: 'more'; readonly next: PlannedRequest }
  | { readonly kind: 'complete' }
  | { readonly kind: 'void'; readonly reason: string };

export interface ListCursorRule<N extends ListEndpoint> {
  readonly endpoint: N;
  getPubkey(row: RowOf<N>): string | null;
  /** Time of the record, exchange clock, s; null if rows lack it. */
  bornS(row: RowOf<N>): number | null;
  /** True when nothing in this row can change any more. */
  isSettled(row: RowOf<N>): boolean;
  /** @param listMs our clock, when the list's first page left */
  compare(row: RowOf<N>, listMs: number): Difference | null;
  /** Bookings that this list must show; null when other lists show them too. */
  readonly booked: {
    newestSeq(): number;
    after(seq: number): readonly Booked<{ readonly pubkey: string }>[];
    /** Null while it is so young that the list may lag behind it. */
    findInvented(pubkey: string, list: ListTime): Difference | null;
  } | null;
}

/** When a list's first page left, our clock, ms, and the exchange's time in its answer, s; null if absent. */
export interface ListTime {
  readonly listMs: number;
  readonly venueS: number | null;
}

interface Mark {
  /** Pubkeys, newest first; a walk ends at one of them. */
  readonly older: readonly string[];
  /** The next mark: rows of the newest complete round. */
  readonly newer: readonly string[];
  /** Ledger bookings up to this place were seen, or are kept. */
  readonly seq: number;
  /** Complete rounds in a row with a difference. */
  readonly held: number;
}

/** Differing rows, and bookings that only the ledger has. */
interface Kept<Row> {
  readonly rows: readonly Row[];
  readonly invented: readonly string[];
}

export class ListCursor<N extends ListEndpoint> {
  readonly name: string;
  readonly #rule: ListCursorRule<N>;
  readonly #ledger: Notes;
  #walk: PageWalk<N> | null = null;
  #found = false;
  #isComplete = false;
  #venueS: number | null = null;

  /** @param name of the list in the ledger's notes */
  constructor(name: string, ledger: Notes, rule: ListCursorRule<N>) {
    this.name = name;
    this.#ledger = ledger;
    this.#rule = rule;
  }

  begin(): void {
    this.#walk = new PageWalk<N>((row) => this.#rule.getPubkey(row) ?? JSON.stringify(row), MOST_PAGES);
    this.#found = false;
    this.#isComplete = false;
    this.#venueS = null;
  }

  onReport(report: RequestResult): ListCursorStep {
    const walk = this.#walk;
    if (walk === null) return { kind: 'void', reason: 'the walk was not begun' };
    const step = walk.onReport(report);
    if (step.kind === 'void') return step;
    if (report.venueTimeMs !== null) this.#venueS ??= Math.floor(report.venueTimeMs / 1000);
    const mark = this.#mark;
    this.#found = mark === null || step.rows.some((row) => isOneOf(this.#rule.getPubkey(row), mark.older));
    const ends = step.next === null || this.#found || (walk.pages >= MOST_PAGES - 1 && mark?.older.length !== 0);
    this.#isComplete = ends;
    return ends ? { kind: 'complete' } : { kind: 'more', next: step.next };
  }

  /** Compares the complete walk's rows and moves the mark; nothing without a walk. */
  settle(): readonly Difference[] {
    const walk = this.#walk;
    if (walk === null || !this.#isComplete) return [];
    this.#walk = null;
    const mark = this.#mark;
    if (mark === null) return this.#baseline(walk);
    if (!this.#found && mark.older.length > 0) return [this.#makeForgotten(mark.older)];
    const end = walk.rows.findIndex((row) => isOneOf(this.#rule.getPubkey(row), mark.older));
    const rows = end < 0 ? walk.rows : walk.rows.slice(0, end);
    const { differences, seq } = this.#compare(rows, walk.startedMs, mark.seq);
    const held = differences.length === 0 ? 0 : Math.min(mark.held + 1, HELD_ROUNDS);
    const newer = this.#newestSettled(rows, mark.older, this.#venueS);
    const isHeld = held > 0 && held < HELD_ROUNDS;
    this.#setMark(isHeld ? { ...mark, held } : { older: mark.newer, newer, seq, held });
    return differences;
  }

  /** Rows that differed in the newest comparison. */
  get differing(): readonly RowOf<N>[] {
    return this.#kept.rows;
  }

  /** An operator accepted the list as it is: it is compared from here on. */
  forget(): void {
    this.#ledger.setNote(this.#markNote, 'null');
    this.#keep({ rows: [], invented: [] });
  }

  #compare(rows: readonly RowOf<N>[], listMs: number, seq: number) {
    const { getPubkey, compare, booked } = this.#rule;
    const kept = this.#kept;
    const names = new Set(rows.map(getPubkey));
    const all = [...rows, ...kept.rows.filter((row) => !names.has(getPubkey(row)))];
    const differing = all.flatMap((row) => {
      const difference = compare(row, listMs);
      return difference === null ? [] : [{ row, difference }];
    });
    for (const row of kept.rows) names.add(getPubkey(row));
    const unseen = booked?.after(seq) ?? [];
    const expected = new Set([...kept.invented, ...unseen.map(({ row }) => row.pubkey)]);
    const invented = [...expected].filter((pubkey) => !names.has(pubkey));
    this.#keep({ rows: differing.map(({ row }) => row), invented });
    const inventions = invented.flatMap(
      (pubkey) => booked?.findInvented(pubkey, { listMs, venueS: this.#venueS }) ?? [],
    );
    const differences = [...differing.map(({ difference }) => difference), ...inventions];
    return { differences, seq: unseen.at(-1)?.seq ?? seq };
  }

  /** The first walk. Only own rows are compared: the others are older than this ledger. */
  #baseline(walk: PageWalk<N>): readonly Difference[] {
    const { compare, booked } = this.#rule;
    const ours = walk.rows.flatMap((row) => {
      const difference = compare(row, walk.startedMs);
      return difference === null || difference.ledger === UNKNOWN ? [] : [{ row, difference }];
    });
    this.#keep({ rows: ours.map(({ row }) => row), invented: [] });
    const marked = this.#newestSettled(walk.rows, [], null);
    this.#setMark({ older: marked, newer: marked, seq: booked?.newestSeq() ?? 0, held: 0 });
    return ours.map(({ difference }) => difference);
  }

  #makeForgotten(mark: readonly string[]): Difference {
    const exchange = 'shows none of what it showed before';
    return { what: 'list', subject: this.name, ledger: `last seen: ${mark[0] ?? ''}`, exchange };
  }

  /**
   * Names of the newest rows below which nothing can change or appear: a lagging list may lack rows as young as its
   * lag.
   *
   * @param venueS when the list was read, s; null for all rows
   */
  #newestSettled(rows: readonly RowOf<N>[], older: readonly string[], venueS: number | null): readonly string[] {
    const { isSettled, getPubkey, bornS } = this.#rule;
    const youngS = (venueS ?? Number.POSITIVE_INFINITY) - LONGEST_LAG_MS / 1000;
    const settled = rows.slice(rows.findLastIndex((row) => !isSettled(row) || (bornS(row) ?? 0) > youngS) + 1);
    const names = settled.flatMap((row) => getPubkey(row) ?? []);
    return [...names, ...older].slice(0, MARKED_ROWS);
  }

  get #markNote(): string {
    return markNote(this.name);
  }

  // This class alone writes the note; one that does not parse is a bug and throws.
  get #mark(): Mark | null {
    return JSON.parse(this.#ledger.note(this.#markNote) ?? 'null') as Mark | null;
  }

  #setMark(mark: Mark): void {
    this.#write(this.#markNote, mark);
  }

  get #kept(): Kept<RowOf<N>> {
    return JSON.parse(this.#ledger.note(keptNote(this.name)) ?? '{"rows":[],"invented":[]}') as Kept<RowOf<N>>;
  }

  #keep({ rows, invented }: Kept<RowOf<N>>): void {
    this.#write(keptNote(this.name), { rows: rows.slice(0, MOST_KEPT), invented: invented.slice(0, MOST_KEPT) });
  }

  /** Each write costs a part of the transaction: most rounds change nothing. */
  #write(key: string, value: object): void {
    const text = JSON.stringify(value);
    if (text !== this.#ledger.note(key)) this.#ledger.setNote(key, text);
  }
}

const markNote = (name: string): string => `history/${name}`;
const keptNote = (name: string): string => `differing/${name}`;

/** Orders at which the next comparison of own orders ends, and every pubkey that is compared until it agrees. */
export function readCompared(ledger: Pick<LedgerReader, 'note'>) {
  // This file alone writes the notes.
  const read = <T>(key: string): T | null => JSON.parse(ledger.note(key) ?? 'null') as T | null;
  const kept = ['orders', 'trades'].flatMap((name) => read<Kept<ComparedRow>>(keptNote(name))?.rows ?? []);
  const differing = new Set(kept.flatMap(({ pubkey, order }) => [pubkey ?? '', order?.pubkey ?? '']));
  return { marks: read<Mark>(markNote('orders'))?.older ?? [], differing };
}

/** An order, or a trade with its order. */
interface ComparedRow {
  readonly pubkey: string | null;
  readonly order?: { readonly pubkey: string | null };
}

const isOneOf = (pubkey: string | null, names: readonly string[]): boolean => pubkey !== null && names.includes(pubkey);
