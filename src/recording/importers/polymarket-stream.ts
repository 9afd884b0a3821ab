/**
 * Merges the two mirrored tokens of a Polymarket market into one event stream.
 *
 * The venue sends every change for both tokens, so the levels of the YES token are the whole book. A trade is reported
 * once, for the taker's token: a buyer of NO at price q is a seller of YES at 1 - q. The report of a trade comes about
 * 20 ms (3 to 135 ms) after the change of the level. Sizes of levels have two decimals; sizes of trades have six.
 *
 * A file may start without a snapshot. The book is then built from changes, and is unknown (a gap) until its best
 * prices equal the best prices in a row. Even then, levels behind the best price are missing until they change.
 */

import { ONE } from '../../shared/base/micros.js';
import { ChunkWriter, Levels, type PairingRules, TradePairing } from '../chunks.js';
import {
  EVENT,
  type EventChunk,
  invalidRecording,
  noteGaps,
  type ReadFindings,
  type RecordedGap,
  type RecordingWarning,
  SIDE,
} from '../contract.js';
import { connect, streamChunks } from '../store/duckdb.js';
import { parquetSource, quote } from '../store/layout.js';
import { ClockRegression } from './message-files.js';
import { type formOf, openEvents, ROW_IS_SOUND } from './polymarket-rows.js';

const newReport = () => ({
  stepsBack: new ClockRegression(0),
  unpairedTrades: 0,
  /** Number of trades that were left out because the book was unknown. */
  unseenTrades: 0,
  /** Time of the first row, and time from which the book is known, Unix ms; null until then. */
  firstMs: null as number | null,
  knownMs: null as number | null,
  /** True if the book is known from a snapshot or the previous file. */
  isTold: false,
  /** Number of rows that state a best price, and number of rows whose best price differs from the book's. */
  rows: 0,
  disagreeing: 0,
});

type CaptureReport = ReturnType<typeof newReport>;

function describeReport(report: CaptureReport, path: string): RecordingWarning[] {
  const { stepsBack, unpairedTrades: unpaired, rows, disagreeing } = report;
  const percent = ((disagreeing / rows) * 100).toFixed(2);
  const messages = [
    describeUnseen(report),
    rows === 0
      ? 'no row has best prices, so the book cannot be checked'
      : `the best prices of ${percent} % of the rows (${disagreeing} of ${rows}) disagree with the book`,
    unpaired === 0 ? '' : `${unpaired} trades have no matching decrease of a price level`,
  ];
  const told = messages.filter((message) => message !== '').map((message) => ({ path, message }));
  return [...told, ...stepsBack.warnings(path)];
}

function describeUnseen({ unseenTrades, knownMs, isTold, firstMs }: CaptureReport): string {
  const left = unseenTrades === 0 ? '' : `; trades left out: ${unseenTrades}`;
  if (knownMs === null)
    return `there is no starting snapshot, and the best prices of no row agree with the book: the book is never known${left}`;
  if (isTold && left === '') return '';
  const seconds = (Math.max(0, knownMs - (firstMs ?? knownMs)) / 1000).toFixed(1);
  return `there is no starting snapshot: the book is not known for the first ${seconds} s, until the best prices of a row agree with it${left}`;
}

export interface PolymarketCapture {
  readonly path: string;
  readonly form: NonNullable<ReturnType<typeof formOf>>;
  readonly yes: string;
  readonly no: string | null;
  /** The venue's id of the market; null if no message has it. */
  readonly market: string | null;
  /** Hour of the data in an archive file, in hours since 1970; null for other files. */
  readonly hour: number | null;
  /** Returns the path of a copy sorted by market, which the first call writes; null to read the original file. */
  readonly sorted: () => Promise<string> | null;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly tickPrecision: number;
  readonly warnings: readonly RecordingWarning[];
}

const NO_SNAPSHOT = 'no starting snapshot: the book is not known yet';
const BETWEEN_CAPTURES = 'between two captures';

/** Rules for matching trades. The tolerance covers the rounding of a level's old and new size to 0.01. */
const POLYMARKET_PAIRING: PairingRules = { tradeLagMs: 140, tradeLeadMs: 50, toleranceMicros: 10_001 };

const HINT = 'Check whether the file has events of this token; `twinbook data import --help` describes the input.';

/** Streams one market. `captures`: files without overlap, oldest first. `hours`: hours (since 1970) with a file. */
export async function* polymarketChunks(
  captures: readonly PolymarketCapture[],
  hours: ReadonlySet<number>,
  tickMicros: number,
  found: ReadFindings,
): AsyncGenerator<EventChunk> {
  found.warnings.length = 0;
  const stream = new TokenStream(tickMicros);
  for (const [at, capture] of captures.entries()) {
    stream.begin(isNext(captures[at - 1]?.hour ?? null, capture.hour, hours));
    for await (const rows of streamRows(capture)) {
      stream.rows(rows);
      noteGaps(found, stream.gaps);
      yield* stream.writer.take();
    }
    if (stream.report.firstMs === null)
      throw invalidRecording(`no event of token ${capture.yes} can be read from ${capture.path}`, HINT);
    stream.finish();
    found.warnings.push(...describeReport(stream.report, capture.path));
  }
  const [first] = captures;
  if (first !== undefined && first.form !== 'table' && !stream.sawTrade) {
    const message = 'the recording has no trades: in a backtest, only orders that cross the book are filled';
    found.warnings.push({ path: first.path, message });
  }
  const rest = stream.end();
  noteGaps(found, stream.gaps);
  yield* rest;
}

/** Returns true if every hour from the first to the second archive file has a file that is not empty. */
function isNext(before: number | null, next: number | null, hours: ReadonlySet<number>): boolean {
  if (before === null || next === null) return false;
  for (let hour = before + 1; hour < next; hour++) if (!hours.has(hour)) return false;
  return true;
}

async function* streamRows({ path, yes, no, market, sorted }: PolymarketCapture) {
  const copy = await sorted();
  const connection =
    copy === null ? (await openEvents(path, market === null ? [] : [market])).connection : await connect();
  const rows = copy === null ? 'events' : `(FROM ${parquetSource(copy)} WHERE market_id = ${quote(market ?? '')})`;
  // In a file sorted by token, the NO token's trades are read first. All other rows stream in the file's order.
  const apart = copy === null ? `(asset_id <> ${quote(yes)} AND received_ms IS NOT NULL)` : 'false';
  const select = `SELECT time_ms, price_micros, amount_micros, best_bid_micros, best_ask_micros, is_level, is_bid,
    asset_id = ${quote(yes)}, sides, received_ms FROM ${rows} WHERE ${ROW_IS_SOUND}
    AND (asset_id = ${quote(yes)} OR (is_trade AND asset_id = ${quote(no ?? yes)}))`;
  const stream = (wanted: string) => streamChunks(connection, `${select} AND ${wanted}`, `cannot read ${path}`);
  const trades: unknown[][] = [];
  try {
    for await (const chunk of stream(apart)) trades.push(...chunk.getRows());
    for await (const chunk of stream(`NOT ${apart}`)) yield insertTrades(chunk.getRows(), trades);
    yield trades;
  } finally {
    connection.closeSync();
  }
}

/** Moves the trades received before the last row from `trades` into `rows`, in the order of receipt. */
function insertTrades(rows: unknown[][], trades: unknown[][]): unknown[][] {
  const receivedMs = (row?: unknown[]) => Number(row?.at(-1));
  const later = trades.findIndex((trade) => receivedMs(trade) >= receivedMs(rows.at(-1)));
  const due = trades.splice(0, later < 0 ? trades.length : later);
  return due.length === 0 ? rows : [...rows, ...due].sort((a, b) => receivedMs(a) - receivedMs(b));
}

type Unknown = Pick<RecordedGap, 'fromMs' | 'reason'>;

class TokenStream {
  readonly gaps: RecordedGap[] = [];
  report = newReport();
  readonly writer = new ChunkWriter();
  #pairing = new TradePairing(this.writer, POLYMARKET_PAIRING);
  readonly #tickMicros: number;
  #levels: Levels;
  /** Start and reason of the present gap in the recording; null while the book is known. */
  #unknown: Unknown | null = null;
  /** True if any trade was read, even while the book was unknown. */
  sawTrade = false;
  #started = false;
  /** True before the first row of a file that continues the previous file. */
  #isNext = false;
  #latestMs = Number.NEGATIVE_INFINITY;

  constructor(tickMicros: number) {
    this.#tickMicros = tickMicros;
    this.#levels = new Levels(tickMicros);
  }

  /** Begins reading a file. The book is unknown, unless the file continues the previous file. */
  begin(isNext: boolean): void {
    this.report = newReport();
    if (isNext) {
      this.#isNext = true;
      this.#pairing.unpairedTrades = 0;
      return;
    }
    this.#pairing = new TradePairing(this.writer, POLYMARKET_PAIRING);
    this.#levels = new Levels(this.#tickMicros);
    if (this.#started) this.#unknown ??= { fromMs: this.writer.lastTimeMs, reason: BETWEEN_CAPTURES };
  }

  rows(rows: readonly unknown[][]): void {
    for (const [time, priceMicros, amountMicros, bid, ask, isLevel, isBid, isYes, sides] of rows) {
      const timeMs = Number(time);
      const price = Number(priceMicros);
      const amount = Number(amountMicros);
      this.#saw(timeMs);
      if (isLevel === true) {
        this.#set(timeMs, isBid === true ? SIDE.bid : SIDE.ask, price, amount);
        this.#compare(timeMs, Number(bid ?? 0), Number(ask ?? 0));
      } else if (typeof sides === 'string') {
        this.#replaceBook(timeMs, sides);
      } else if (amount > 0) {
        this.sawTrade = true;
        const side = isBid === isYes ? SIDE.bid : SIDE.ask;
        // While the book is unknown, a trade cannot be matched, so the trade is counted but not written.
        if (this.#unknown !== null) this.report.unseenTrades++;
        else this.#pairing.trade(timeMs, side, isYes ? price : ONE - price, amount);
      }
    }
  }

  finish(): void {
    this.#pairing.flush();
    this.report.unpairedTrades = this.#pairing.unpairedTrades;
  }

  end(): EventChunk[] {
    if (this.#unknown === null) return this.writer.end(this.writer.lastTimeMs);
    this.#endGap(this.#unknown);
    return this.writer.end(this.#latestMs);
  }

  #saw(timeMs: number): void {
    this.report.stepsBack.saw(timeMs);
    this.report.firstMs ??= timeMs;
    if (timeMs > this.#latestMs) this.#latestMs = timeMs;
    if (this.#isNext && this.#unknown === null) Object.assign(this.report, { knownMs: timeMs, isTold: true });
    this.#isNext = false;
    if (this.#started) return;
    this.#started = true;
    this.writer.write(EVENT.clear, timeMs, 0, 0, 0);
    this.#unknown = { fromMs: timeMs, reason: NO_SNAPSHOT };
  }

  /** Replaces the book by a snapshot of the YES token, as JSON: `[bids, asks]`. Invalid levels are left out. */
  #replaceBook(timeMs: number, sides: string): void {
    const book = JSON.parse(sides) as readonly unknown[];
    for (const [at, side] of [SIDE.bid, SIDE.ask].entries()) {
      const next = readLevels(book[at], this.#tickMicros);
      for (const price of this.#levels.prices(side)) if (!next.has(price)) this.#set(timeMs, side, price, 0);
      for (const [price, amount] of next) this.#set(timeMs, side, price, amount);
    }
    if (this.#unknown !== null) this.#becomeKnown(this.#unknown, true);
  }

  /** Compares the book with the best prices that a row states. If the prices agree, an unknown book becomes known. */
  #compare(timeMs: number, bestBid: number, bestAsk: number): void {
    const stale = this.#dropStale(timeMs, SIDE.bid, bestBid) + this.#dropStale(timeMs, SIDE.ask, bestAsk);
    if (!isInside(bestBid) && !isInside(bestAsk)) return;
    const agrees = this.#isBest(SIDE.bid, bestBid) && this.#isBest(SIDE.ask, bestAsk);
    this.report.rows++;
    if (!agrees || stale > 0) this.report.disagreeing++;
    if (agrees && this.#unknown !== null) this.#becomeKnown(this.#unknown, false);
  }

  #becomeKnown(unknown: Unknown, isTold: boolean): void {
    this.#unknown = null;
    Object.assign(this.report, { knownMs: this.#latestMs, isTold });
    const isFirstMoment = unknown.reason === NO_SNAPSHOT && unknown.fromMs === this.#latestMs;
    if (!isFirstMoment) this.writer.write(EVENT.clear, this.#latestMs, 0, 0, 0);
    this.#endGap(unknown);
    for (const side of [SIDE.bid, SIDE.ask]) {
      for (const price of this.#levels.prices(side))
        this.writer.write(EVENT.level, this.#latestMs, side, price, this.#levels.get(side, price));
    }
  }

  #endGap({ fromMs, reason }: Unknown): void {
    if (this.#latestMs > fromMs) this.gaps.push({ fromMs, toMs: this.#latestMs, reason });
  }

  /** Removes levels that are better than the row's best price: their removal was not recorded. Returns their number. */
  #dropStale(timeMs: number, side: number, best: number): number {
    if (!isInside(best)) return 0;
    const stale = this.#levels.betterThan(side, best);
    for (const price of stale) this.#set(timeMs, side, price, 0);
    return stale.length;
  }

  /** Returns true if book and row have the same best price. A row without a best price means that the side is empty. */
  #isBest(side: number, best: number): boolean {
    return isInside(best) ? this.#levels.get(side, best) > 0 : this.#levels.prices(side).length === 0;
  }

  #set(timeMs: number, side: number, priceMicros: number, total: number): void {
    const before = this.#levels.get(side, priceMicros);
    if (total === before) return;
    this.#levels.set(side, priceMicros, total);
    if (this.#unknown === null) this.#pairing.level(timeMs, side, priceMicros, total, before - total);
  }
}

/** Parses levels; each level is a list `[price, size]` or an object. Returns amounts by price, in micros. */
function readLevels(levels: unknown, tickMicros: number): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const level of Array.isArray(levels) ? (levels as unknown[]) : []) {
    // A level that is neither a list nor an object has no fields, and is left out later.
    const [price, size] = Array.isArray(level)
      ? (level as unknown[])
      : [(level as { price?: unknown })?.price, (level as { size?: unknown })?.size];
    const [priceMicros = 0, amountMicros = 0] = [price, size].map((value) => Math.round(Number(value) * ONE));
    if (isInside(priceMicros) && priceMicros % tickMicros === 0 && amountMicros > 0)
      found.set(priceMicros, amountMicros);
  }
  return found;
}

/** Returns true if a price is between 0 and 1. Any other value in a row means that the row has no best price. */
const isInside = (best: number): boolean => best > 0 && best < ONE;
