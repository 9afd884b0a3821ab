/** One line of a Kalshi recording: the venue's message, checked and in numbers. */

import { parseDecimal } from '../../shared/base/decimal.js';
import { ONE, stepOfPrecision } from '../../shared/base/micros.js';
import { SIDE } from '../contract.js';
import { isPrice } from '../levels.js';
import { EARLIEST_MS, LATEST_MS } from './clock-regression.js';

/** Whole cents; markets of a finer price structure trade in tenths of a cent. */
export const KALSHI_TICK_PRECISION = 2;
export const KALSHI_FINE_TICK_PRECISION = 3;
export const KALSHI_AMOUNT_PRECISION = 2;
const LOT_MICROS = stepOfPrecision(KALSHI_AMOUNT_PRECISION);

interface LevelAmount {
  /** In YES space, like every price here. */
  readonly side: number;
  readonly priceMicros: number;
  readonly amountMicros: number;
}

/** How the venue counts its messages, and when the recorder got this one; null where the line does not say. */
export interface KalshiOrigin {
  readonly sid: number | null;
  readonly seq: number | null;
  readonly receivedMs: number | null;
}

export type KalshiMessage = KalshiOrigin & KalshiContent;

type KalshiContent =
  /** The whole book. It carries no venue time: `timeMs` is when the recorder got it. */
  | { readonly kind: 'snapshot'; readonly ticker: string; readonly timeMs: number; readonly levels: LevelAmount[] }
  /** `amountMicros` is the change of the level's size. */
  | ({ readonly kind: 'delta'; readonly ticker: string; readonly timeMs: number } & LevelAmount)
  /** `side` is what the taker did in YES space. */
  | ({ readonly kind: 'trade'; readonly ticker: string; readonly timeMs: number } & LevelAmount);

/** Of a line: `other` is a message that is neither about a book nor a trade, `broken` none that we can read in full. */
export type KalshiLine = KalshiMessage | 'other' | 'broken';

/** So much may our clock be behind the venue's: a message from farther ahead has a wrong time. */
export const MOST_AHEAD_MS = 60_000;

/** @param tickMicros the market's tick; a price off it makes a line broken */
export function parseKalshiLine(line: string, tickMicros: number): KalshiLine {
  let row: unknown;
  try {
    row = JSON.parse(line);
  } catch {
    return 'broken';
  }
  const event = field(row, 'event');
  const type = field(event, 'type');
  if (type !== 'orderbook_snapshot' && type !== 'orderbook_delta' && type !== 'trade') {
    return typeof type === 'string' ? 'other' : 'broken';
  }
  const message = field(event, 'msg');
  const ticker = field(message, 'market_ticker');
  if (typeof ticker !== 'string' || ticker === '') return 'broken';
  const receivedMs = parseTime(field(row, 'recv_ms'));
  const content = parseContent(type, ticker, receivedMs, message, tickMicros);
  if (content === null || (receivedMs !== null && content.timeMs > receivedMs + MOST_AHEAD_MS)) return 'broken';
  return { ...content, receivedMs, sid: parseCount(field(event, 'sid')), seq: parseCount(field(event, 'seq')) };
}

function parseContent(
  type: 'orderbook_snapshot' | 'orderbook_delta' | 'trade',
  ticker: string,
  receivedMs: number | null,
  message: unknown,
  tickMicros: number,
): KalshiContent | null {
  if (type === 'orderbook_snapshot') return parseSnapshot(ticker, receivedMs, message, tickMicros);
  return type === 'trade' ? parseTrade(ticker, message, tickMicros) : parseDelta(ticker, message, tickMicros);
}

function parseSnapshot(
  ticker: string,
  receivedMs: number | null,
  message: unknown,
  tickMicros: number,
): KalshiContent | null {
  if (receivedMs === null) return null;
  const levels: LevelAmount[] = [];
  for (const [name, outcome] of [
    ['yes_dollars_fp', 'yes'],
    ['no_dollars_fp', 'no'],
  ] as const) {
    // A missing key is an empty side.
    const rows = field(message, name) ?? [];
    if (!Array.isArray(rows)) return null;
    for (const row of rows as unknown[]) {
      const level = Array.isArray(row) ? parseLevel(outcome, row[0], row[1], tickMicros) : null;
      if (level === null || level.amountMicros < 0) return null;
      levels.push(level);
    }
  }
  return { kind: 'snapshot', ticker, timeMs: receivedMs, levels };
}

function parseDelta(ticker: string, message: unknown, tickMicros: number): KalshiContent | null {
  const timeMs = parseTime(field(message, 'ts_ms'));
  const [side, price, change] = ['side', 'price_dollars', 'delta_fp'].map((name) => field(message, name));
  const level = parseLevel(side, price, change, tickMicros);
  return level === null || timeMs === null ? null : { kind: 'delta', ticker, timeMs, ...level };
}

function parseTrade(ticker: string, message: unknown, tickMicros: number): KalshiContent | null {
  const timeMs = parseTime(field(message, 'ts_ms'));
  const taker = field(message, 'taker_side');
  const price = field(message, taker === 'yes' ? 'yes_price_dollars' : 'no_price_dollars');
  // A buyer of NO at q sells YES at 1 - q: as a price, the same mirror as that of a NO level.
  const trade = parseLevel(taker, price, field(message, 'count_fp'), tickMicros);
  if (trade === null || trade.amountMicros <= 0 || timeMs === null) return null;
  return { kind: 'trade', ticker, timeMs, ...trade };
}

/** A level of the YES or NO bids in YES space: a NO bid at q is a YES ask at 1 - q. */
function parseLevel(outcome: unknown, price: unknown, amount: unknown, tickMicros: number): LevelAmount | null {
  if (outcome !== 'yes' && outcome !== 'no') return null;
  if (typeof price !== 'string' || typeof amount !== 'string') return null;
  const own = parseDecimal(price);
  const amountMicros = parseDecimal(amount);
  if (own === null || amountMicros === null) return null;
  if (!isPrice(own, tickMicros) || amountMicros % LOT_MICROS !== 0) return null;
  return outcome === 'yes'
    ? { side: SIDE.bid, priceMicros: own, amountMicros }
    : { side: SIDE.ask, priceMicros: ONE - own, amountMicros };
}

const parseTime = (value: unknown): number | null =>
  Number.isSafeInteger(value) && (value as number) >= EARLIEST_MS && (value as number) <= LATEST_MS
    ? (value as number) // a safe integer is a number
    : null;

// As above.
const parseCount = (value: unknown): number | null => (Number.isSafeInteger(value) ? (value as number) : null);

function field(value: unknown, name: string): unknown {
  // Narrowing `object` does not make it indexable; the result is unknown again either way.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
