/** One line of a Kalshi recording: the venue's message, checked and in numbers. */

import { parseDecimal } from '../base/decimal.js';
import { ONE, stepOfPrecision } from '../base/micros.js';
import { SIDE } from './contract.js';
import { isPrice } from './levels.js';

export const KALSHI_TICK_PRECISION = 2;
export const KALSHI_AMOUNT_PRECISION = 2;
const TICK_MICROS = stepOfPrecision(KALSHI_TICK_PRECISION);
const LOT_MICROS = stepOfPrecision(KALSHI_AMOUNT_PRECISION);

interface LevelAmount {
  /** In YES space, like every price here. */
  readonly side: number;
  readonly priceMicros: number;
  readonly amountMicros: number;
}

export type KalshiMessage =
  /** The whole book. It carries no venue time: `receivedMs` is when the recorder got it. */
  | { readonly kind: 'snapshot'; readonly ticker: string; readonly receivedMs: number; readonly levels: LevelAmount[] }
  /** `amountMicros` is the change of the level's size. */
  | ({ readonly kind: 'delta'; readonly ticker: string; readonly timeMs: number } & LevelAmount)
  /** `side` is what the taker did in YES space. */
  | ({ readonly kind: 'trade'; readonly ticker: string; readonly timeMs: number } & LevelAmount);

/** The message of a line; null when it is not one that we can read in full. */
export function parseKalshiLine(line: string): KalshiMessage | null {
  let row: unknown;
  try {
    row = JSON.parse(line);
  } catch {
    return null;
  }
  const event = field(row, 'event');
  const message = field(event, 'msg');
  const ticker = field(message, 'market_ticker');
  if (typeof ticker !== 'string') return null;
  switch (field(event, 'type')) {
    case 'orderbook_snapshot':
      return snapshotOf(ticker, field(row, 'recv_ms'), message);
    case 'orderbook_delta':
      return deltaOf(ticker, message);
    case 'trade':
      return tradeOf(ticker, message);
    default:
      return null;
  }
}

function snapshotOf(ticker: string, receivedMs: unknown, message: unknown): KalshiMessage | null {
  if (!isTime(receivedMs)) return null;
  const levels: LevelAmount[] = [];
  for (const [name, outcome] of [
    ['yes_dollars_fp', 'yes'],
    ['no_dollars_fp', 'no'],
  ] as const) {
    // A missing key is an empty side.
    const rows = field(message, name) ?? [];
    if (!Array.isArray(rows)) return null;
    for (const row of rows as unknown[]) {
      const level = Array.isArray(row) ? levelOf(outcome, row[0], row[1]) : null;
      if (level === null || level.amountMicros < 0) return null;
      levels.push(level);
    }
  }
  return { kind: 'snapshot', ticker, receivedMs, levels };
}

function deltaOf(ticker: string, message: unknown): KalshiMessage | null {
  const timeMs = field(message, 'ts_ms');
  const level = levelOf(field(message, 'side'), field(message, 'price_dollars'), field(message, 'delta_fp'));
  return level === null || !isTime(timeMs) ? null : { kind: 'delta', ticker, timeMs, ...level };
}

function tradeOf(ticker: string, message: unknown): KalshiMessage | null {
  const timeMs = field(message, 'ts_ms');
  const taker = field(message, 'taker_side');
  const price = field(message, taker === 'yes' ? 'yes_price_dollars' : 'no_price_dollars');
  // A buyer of NO at q sells YES at 1 - q: as a price, the same mirror as that of a NO level.
  const trade = levelOf(taker, price, field(message, 'count_fp'));
  if (trade === null || trade.amountMicros <= 0 || !isTime(timeMs)) return null;
  return { kind: 'trade', ticker, timeMs, ...trade };
}

/** A level of the YES or NO bids in YES space: a NO bid at q is a YES ask at 1 - q. */
function levelOf(outcome: unknown, price: unknown, amount: unknown): LevelAmount | null {
  if (outcome !== 'yes' && outcome !== 'no') return null;
  if (typeof price !== 'string' || typeof amount !== 'string') return null;
  const own = parseDecimal(price);
  const amountMicros = parseDecimal(amount);
  if (own === null || amountMicros === null) return null;
  if (!isPrice(own, TICK_MICROS) || amountMicros % LOT_MICROS !== 0) return null;
  return outcome === 'yes'
    ? { side: SIDE.bid, priceMicros: own, amountMicros }
    : { side: SIDE.ask, priceMicros: ONE - own, amountMicros };
}

const isTime = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;

function field(value: unknown, name: string): unknown {
  // Narrowing `object` does not make it indexable; the result is unknown again either way.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
