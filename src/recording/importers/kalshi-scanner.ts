/**
 * Reads the lines that Kalshi recordings consist of almost wholly, changes of a level and trades of the one market in
 * the form in which the venue sends them, straight from their bytes: ten times as fast as JSON. Whatever differs from
 * that form in a single byte, and whatever is wrong with what a line says, is left to `parseKalshiLine`.
 */

import { ONE, stepOfPrecision } from '../../shared/base/micros.js';
import { SIDE } from '../contract.js';
import { isPrice } from '../levels.js';
import { EARLIEST_MS, LATEST_MS } from './clock-regression.js';
import { KALSHI_AMOUNT_PRECISION, MOST_AHEAD_MS } from './kalshi-message.js';

const LOT_MICROS = stepOfPrecision(KALSHI_AMOUNT_PRECISION);

/** What a line is: one of the two that are read here, or one for `parseKalshiLine`. */
export const SCANNED = { no: 0, delta: 1, trade: 2 } as const;

/**
 * Bytes that are compared eight at a time, as doubles. Two that are equal are the same bytes but for zero, whose bytes no text of
 * JSON has; bytes that are no number equal nothing, and their line is left to `parseKalshiLine`.
 */
interface Word {
  readonly length: number;
  readonly octets: Float64Array;
  /** The last eight, which may overlap those before; of a word of four to seven bytes its first and its last four. */
  readonly lastOctet: number;
  readonly firstQuad: number;
  readonly lastQuad: number;
}

function makeWord(bytes: Uint8Array): Word {
  const { length } = bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const octets = Float64Array.from({ length: Math.floor(length / 8) }, (_, at) => view.getFloat64(8 * at, true));
  const lastOctet = length < 8 ? 0 : view.getFloat64(length - 8, true);
  return { length, octets, lastOctet, firstQuad: view.getInt32(0), lastQuad: view.getInt32(length - 4) };
}

const toWord = (text: string): Word => makeWord(new Uint8Array(Buffer.from(text)));

const RECEIVED = toWord('{"recv_ms":');
const TYPE = toWord(',"event":{"type":"');
const DELTA = toWord('orderbook_delta","sid":');
const TRADE = toWord('trade","sid":');
const SEQ = toWord(',"seq":');
const DELTA_TICKER = ',"msg":{"market_ticker":"';
const MARKET_ID = '","market_id":"';
const PRICE = toWord('","price_dollars":"');
const CHANGE = toWord('","delta_fp":"');
const OWN_SIDE = toWord('","side":"');
const TEXT_TIME = toWord('","ts":"');
const TIME_AFTER_TEXT = toWord('","ts_ms":');
const TRADE_ID = toWord(',"msg":{"trade_id":"');
const TRADE_TICKER = '","market_ticker":"';
const YES_PRICE = '","yes_price_dollars":"';
const NO_PRICE = toWord('","no_price_dollars":"');
const COUNT = toWord('","count_fp":"');
const TAKER = toWord('","taker_side":"');
const TAKER_OUTCOME = toWord('","taker_outcome_side":"');
const TAKER_BOOK = toWord('","taker_book_side":"');
const TIME = toWord('","ts":');
const TIME_AFTER_NUMBER = toWord(',"ts_ms":');

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACE = 0x7d;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LETTER = { e: 0x65, n: 0x6e, o: 0x6f, s: 0x73, t: 0x74, y: 0x79 } as const;
/** Below it are the characters that may not stand in a JSON text. */
const FIRST_PLAIN = 0x20;

/** Digits of a whole number, and of the whole part of a decimal, that stay exact in whatever is made of them. */
const MOST_DIGITS = 15;
const MOST_WHOLE_DIGITS = 9;
const MOST_PLACES = 6;

/** What the last line that `scan` read says: fields, not an object for each of millions of lines. */
export class KalshiScanner {
  sid = 0;
  seq = 0;
  // As in `pairing.ts`: fields of numbers beyond 32 bits begin as no integers.
  /** Unix ms of the venue. */
  timeMs = Number.NaN;
  side: number = SIDE.bid;
  priceMicros = 0;
  /** Of a change: by how much the level's size changes. */
  amountMicros = Number.NaN;
  /** Where the line ends, if it was read: at its newline, or at the end of the bytes. */
  lineEnd = 0;

  readonly #deltaTicker: Word;
  readonly #tradeTicker: Word;
  readonly #tickMicros: number;
  /**
   * The bytes from ticker to price of a change that was read: the same in every other change of the market, and so
   * compared as one.
   */
  #usualMiddle: Word | null = null;
  #bytes: Uint8Array = new Uint8Array(0);
  #view: DataView<ArrayBufferLike> = new DataView(new ArrayBuffer(0));
  /** The next byte to read; -1 once something was not as expected. */
  #at = 0;
  #endAt = 0;

  /** @param tickMicros the market's tick; a line with a price off it is not read here */
  constructor(ticker: string, tickMicros: number) {
    // What JSON would write otherwise than as it is never matches: such a market is read by `parseKalshiLine`.
    const text = JSON.stringify(ticker).slice(1, -1);
    this.#deltaTicker = toWord(`${DELTA_TICKER}${text}${MARKET_ID}`);
    this.#tradeTicker = toWord(`${TRADE_TICKER}${text}${YES_PRICE}`);
    this.#tickMicros = tickMicros;
  }

  /** Reads the line that begins at this byte. The bytes end before `endAt`. */
  scan(bytes: Uint8Array, fromAt: number, endAt: number): number {
    if (this.#bytes !== bytes) {
      this.#bytes = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    this.#at = fromAt;
    this.#endAt = endAt;
    this.#pass(RECEIVED);
    const receivedMs = this.#count();
    this.#pass(TYPE);
    // Both begin with another letter.
    const isTrade = this.#isNext(LETTER.t);
    this.#pass(isTrade ? TRADE : DELTA);
    this.sid = this.#count();
    this.#pass(SEQ);
    this.seq = this.#count();
    if (isTrade) this.#trade();
    else this.#delta();
    const last = this.#at;
    if (last < 0 || bytes[last] !== BRACE || bytes[last + 1] !== BRACE || bytes[last + 2] !== BRACE) return SCANNED.no;
    const at = last + 3;
    if (at !== endAt && bytes[at] !== NEWLINE) return SCANNED.no;
    this.lineEnd = at;
    if (!isTime(receivedMs) || !isTime(this.timeMs)) return SCANNED.no;
    if (this.timeMs > receivedMs + MOST_AHEAD_MS) return SCANNED.no;
    if (!isPrice(this.priceMicros, this.#tickMicros) || this.amountMicros % LOT_MICROS !== 0) return SCANNED.no;
    if (isTrade && this.amountMicros <= 0) return SCANNED.no;
    // A bid for NO at q is an ask for YES at 1 - q.
    if (this.side === SIDE.ask) this.priceMicros = ONE - this.priceMicros;
    return isTrade ? SCANNED.trade : SCANNED.delta;
  }

  #delta(): void {
    this.#middle();
    this.priceMicros = this.#decimal();
    this.#pass(CHANGE);
    this.amountMicros = this.#decimal();
    this.#pass(OWN_SIDE);
    this.#outcome();
    this.#pass(TEXT_TIME);
    this.#text();
    this.#pass(TIME_AFTER_TEXT);
    this.timeMs = this.#count();
  }

  /** From ticker to price. What was accepted once is accepted again where it is the same to the byte. */
  #middle(): void {
    const from = this.#at;
    if (from < 0) return;
    if (this.#usualMiddle !== null) {
      this.#pass(this.#usualMiddle);
      if (this.#at >= 0) return;
      this.#at = from;
    }
    this.#pass(this.#deltaTicker);
    this.#text();
    this.#pass(PRICE);
    if (this.#at >= 0) this.#usualMiddle = makeWord(this.#bytes.slice(from, this.#at));
  }

  #trade(): void {
    this.#pass(TRADE_ID);
    this.#text();
    this.#pass(this.#tradeTicker);
    const yesMicros = this.#decimal();
    this.#pass(NO_PRICE);
    const noMicros = this.#decimal();
    this.#pass(COUNT);
    this.amountMicros = this.#decimal();
    this.#pass(TAKER);
    this.#outcome();
    this.priceMicros = this.side === SIDE.bid ? yesMicros : noMicros;
    this.#pass(TAKER_OUTCOME);
    this.#text();
    this.#pass(TAKER_BOOK);
    this.#text();
    this.#pass(TIME);
    this.#count();
    this.#pass(TIME_AFTER_NUMBER);
    this.timeMs = this.#count();
  }

  /** `yes` or `no`: the side of the YES book that it is. */
  #outcome(): void {
    const bytes = this.#bytes;
    const at = this.#at;
    if (at < 0) return;
    const isYes = bytes[at] === LETTER.y && bytes[at + 1] === LETTER.e && bytes[at + 2] === LETTER.s;
    const isNo = bytes[at] === LETTER.n && bytes[at + 1] === LETTER.o;
    this.side = isYes ? SIDE.bid : SIDE.ask;
    if (isYes) this.#at = at + 3;
    else this.#at = isNo ? at + 2 : -1;
  }

  #isNext(byte: number): boolean {
    return this.#at >= 0 && this.#bytes[this.#at] === byte;
  }

  /** Goes over exactly these bytes. */
  #pass({ length, octets, lastOctet, firstQuad, lastQuad }: Word): void {
    const view = this.#view;
    const from = this.#at;
    if (from < 0) return;
    this.#at = -1;
    const end = from + length;
    if (end > this.#endAt) return;
    if (length < 8) {
      if (view.getInt32(from) === firstQuad && view.getInt32(end - 4) === lastQuad) this.#at = end;
      return;
    }
    for (let i = 0, at = from; i < octets.length; i++, at += 8) if (view.getFloat64(at, true) !== octets[i]) return;
    if (view.getFloat64(end - 8, true) === lastOctet) this.#at = end;
  }

  /** Goes over the rest of a text, up to its closing quotation mark. */
  #text(): void {
    const bytes = this.#bytes;
    if (this.#at < 0) return;
    for (let at = this.#at; at < this.#endAt; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) {
        this.#at = at;
        return;
      }
      if (byte < FIRST_PLAIN || byte === BACKSLASH) break;
    }
    this.#at = -1;
  }

  /** A whole number as JSON has it, without a sign. */
  #count(): number {
    const bytes = this.#bytes;
    const from = this.#at;
    if (from < 0) return 0;
    let value = 0;
    let at = from;
    for (let byte = bytes[at] ?? 0; byte >= ZERO && byte <= NINE; byte = bytes[++at] ?? 0) {
      value = value * 10 + (byte - ZERO);
    }
    const digits = at - from;
    const isPlain = digits > 0 && digits <= MOST_DIGITS && (digits === 1 || bytes[from] !== ZERO);
    this.#at = isPlain ? at : -1;
    return value;
  }

  /** A decimal as `parseDecimal` takes it, in millionths. */
  #decimal(): number {
    const bytes = this.#bytes;
    if (this.#at < 0) return 0;
    const isNegative = bytes[this.#at] === MINUS;
    const from = isNegative ? this.#at + 1 : this.#at;
    let value = 0;
    let at = from;
    let byte = bytes[at] ?? 0;
    for (; byte >= ZERO && byte <= NINE; byte = bytes[++at] ?? 0) value = value * 10 + (byte - ZERO);
    const whole = at - from;
    let places = 0;
    if (byte === POINT) {
      const pointAt = at++;
      for (byte = bytes[at] ?? 0; byte >= ZERO && byte <= NINE; byte = bytes[++at] ?? 0)
        value = value * 10 + (byte - ZERO);
      places = at - pointAt - 1;
      if (places === 0) places = MOST_PLACES + 1; // nothing after the point
    }
    this.#at = whole > 0 && whole <= MOST_WHOLE_DIGITS && places <= MOST_PLACES ? at : -1;
    for (; places < MOST_PLACES; places++) value *= 10;
    return isNegative && value !== 0 ? -value : value;
  }
}

const isTime = (ms: number): boolean => ms >= EARLIEST_MS && ms <= LATEST_MS;
