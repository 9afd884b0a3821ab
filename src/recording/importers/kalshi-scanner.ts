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
const LETTER = { e: 0x65, n: 0x6e, o: 0x6f, s: 0x73, y: 0x79 } as const;
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
   * The bytes of a change that was read from its type to its number, and from its ticker to its price: the same in every
   * other change of the market, and so compared as one.
   */
  #usualHead: Word | null = null;
  #usualSid = 0;
  #usualMiddle: Word | null = null;
  #bytes: Uint8Array = new Uint8Array(0);
  #view: DataView<ArrayBufferLike> = new DataView(new ArrayBuffer(0));
  #endAt = 0;
  /** The number that was read last. */
  #number = Number.NaN;
  /** The first eight digits of the time that was read last, as bytes and as what they say: they change every 100 s. */
  #usualDigits = Number.NaN;
  #usualMs = Number.NaN;
  /** The first sixteen bytes of the text of a time that was read last. */
  #usualText = Number.NaN;
  #usualTextEnd = Number.NaN;

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
    this.#endAt = endAt;
    let at = this.#time(this.#pass(RECEIVED, fromAt));
    const receivedMs = this.#number;
    const headAt = at;
    at = this.#head(at);
    const isTrade = at < 0;
    at = isTrade ? this.#trade(this.#tradeHead(headAt)) : this.#delta(at);
    if (at < 0 || bytes[at] !== BRACE || bytes[at + 1] !== BRACE || bytes[at + 2] !== BRACE) return SCANNED.no;
    const end = at + 3;
    // Numbers are read as far as there are digits: behind the end stands what is older.
    if (end > endAt || (end < endAt && bytes[end] !== NEWLINE)) return SCANNED.no;
    this.lineEnd = end;
    if (!isTime(receivedMs) || !isTime(this.timeMs)) return SCANNED.no;
    if (this.timeMs > receivedMs + MOST_AHEAD_MS) return SCANNED.no;
    if (!isPrice(this.priceMicros, this.#tickMicros) || this.amountMicros % LOT_MICROS !== 0) return SCANNED.no;
    if (isTrade && this.amountMicros <= 0) return SCANNED.no;
    // A bid for NO at q is an ask for YES at 1 - q.
    if (this.side === SIDE.ask) this.priceMicros = ONE - this.priceMicros;
    return isTrade ? SCANNED.trade : SCANNED.delta;
  }

  // Each of these begins at a byte, and gives the one that it came to; -1, from then on, once something was not as expected.

  /** Of a change, from its type to its number. */
  #head(from: number): number {
    let at = this.#usualHead === null ? -1 : this.#pass(this.#usualHead, from);
    if (at >= 0) this.sid = this.#usualSid;
    else {
      at = this.#count(this.#pass(DELTA, this.#pass(TYPE, from)));
      this.sid = this.#number;
      at = this.#pass(SEQ, at);
      if (at < 0) return -1;
      this.#usualHead = makeWord(this.#bytes.slice(from, at));
      this.#usualSid = this.sid;
    }
    at = this.#count(at);
    this.seq = this.#number;
    return at;
  }

  #tradeHead(from: number): number {
    let at = this.#count(this.#pass(TRADE, this.#pass(TYPE, from)));
    this.sid = this.#number;
    at = this.#count(this.#pass(SEQ, at));
    this.seq = this.#number;
    return at;
  }

  #delta(from: number): number {
    let at = this.#decimal(this.#middle(from));
    this.priceMicros = this.#number;
    at = this.#decimal(this.#pass(CHANGE, at));
    this.amountMicros = this.#number;
    at = this.#outcome(this.#pass(OWN_SIDE, at));
    at = this.#timeText(this.#pass(TEXT_TIME, at));
    at = this.#time(this.#pass(TIME_AFTER_TEXT, at));
    this.timeMs = this.#number;
    return at;
  }

  /** From ticker to price. What was accepted once is accepted again where it is the same to the byte. */
  #middle(from: number): number {
    if (this.#usualMiddle !== null) {
      const usual = this.#pass(this.#usualMiddle, from);
      if (usual >= 0) return usual;
    }
    const at = this.#pass(PRICE, this.#text(this.#pass(this.#deltaTicker, from)));
    if (at >= 0) this.#usualMiddle = makeWord(this.#bytes.slice(from, at));
    return at;
  }

  #trade(from: number): number {
    let at = this.#text(this.#pass(TRADE_ID, from));
    at = this.#decimal(this.#pass(this.#tradeTicker, at));
    const yesMicros = this.#number;
    at = this.#decimal(this.#pass(NO_PRICE, at));
    const noMicros = this.#number;
    at = this.#decimal(this.#pass(COUNT, at));
    this.amountMicros = this.#number;
    at = this.#outcome(this.#pass(TAKER, at));
    this.priceMicros = this.side === SIDE.bid ? yesMicros : noMicros;
    at = this.#text(this.#pass(TAKER_OUTCOME, at));
    at = this.#text(this.#pass(TAKER_BOOK, at));
    at = this.#count(this.#pass(TIME, at));
    at = this.#time(this.#pass(TIME_AFTER_NUMBER, at));
    this.timeMs = this.#number;
    return at;
  }

  /** `yes` or `no`: the side of the YES book that it is. */
  #outcome(at: number): number {
    const bytes = this.#bytes;
    if (at < 0) return -1;
    if (bytes[at] === LETTER.y && bytes[at + 1] === LETTER.e && bytes[at + 2] === LETTER.s) {
      this.side = SIDE.bid;
      return at + 3;
    }
    this.side = SIDE.ask;
    return bytes[at] === LETTER.n && bytes[at + 1] === LETTER.o ? at + 2 : -1;
  }

  /** Goes over exactly these bytes. */
  #pass({ length, octets, lastOctet, firstQuad, lastQuad }: Word, from: number): number {
    const view = this.#view;
    const end = from + length;
    if (from < 0 || end > this.#endAt) return -1;
    if (length < 8) return view.getInt32(from) === firstQuad && view.getInt32(end - 4) === lastQuad ? end : -1;
    for (let i = 0, at = from; i < octets.length; i++, at += 8) if (view.getFloat64(at, true) !== octets[i]) return -1;
    return view.getFloat64(end - 8, true) === lastOctet ? end : -1;
  }

  /** Goes over the rest of a text, up to its closing quotation mark. */
  #text(from: number): number {
    const bytes = this.#bytes;
    if (from < 0) return -1;
    for (let at = from; at < this.#endAt; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) return at;
      if (byte < FIRST_PLAIN || byte === BACKSLASH) break;
    }
    return -1;
  }

  /** As `#text`; of a moment as text the minute is mostly that of the last. */
  #timeText(from: number): number {
    const view = this.#view;
    const rest = from + 16;
    if (from < 0 || rest > this.#endAt) return this.#text(from);
    const [first, second] = [view.getFloat64(from, true), view.getFloat64(from + 8, true)];
    if (first === this.#usualText && second === this.#usualTextEnd) return this.#text(rest);
    const at = this.#text(from);
    if (at >= rest) {
      this.#usualText = first;
      this.#usualTextEnd = second;
    }
    return at;
  }

  /** As `#count`; of thirteen digits, which times have, the first eight are mostly those of the last. */
  #time(from: number): number {
    const bytes = this.#bytes;
    const rest = from + 8;
    if (from < 0 || rest + 5 > this.#endAt) return this.#count(from);
    const digits = this.#view.getFloat64(from, true);
    if (digits === this.#usualDigits) {
      let value = 0;
      let at = rest;
      for (let byte = bytes[at] ?? 0; byte >= ZERO && byte <= NINE; byte = bytes[++at] ?? 0) {
        value = value * 10 + (byte - ZERO);
      }
      if (at === rest + 5) {
        this.#number = this.#usualMs + value;
        return at;
      }
    }
    const at = this.#count(from);
    if (at === rest + 5) {
      this.#usualDigits = digits;
      this.#usualMs = this.#number - (this.#number % 100_000);
    }
    return at;
  }

  /** A whole number as JSON has it, without a sign. */
  #count(from: number): number {
    const bytes = this.#bytes;
    if (from < 0) return -1;
    let value = 0;
    let at = from;
    for (let byte = bytes[at] ?? 0; byte >= ZERO && byte <= NINE; byte = bytes[++at] ?? 0) {
      value = value * 10 + (byte - ZERO);
    }
    this.#number = value;
    const digits = at - from;
    return digits > 0 && digits <= MOST_DIGITS && (digits === 1 || bytes[from] !== ZERO) ? at : -1;
  }

  /** A decimal as `parseDecimal` takes it, in millionths. */
  #decimal(start: number): number {
    const bytes = this.#bytes;
    if (start < 0) return -1;
    const isNegative = bytes[start] === MINUS;
    const from = isNegative ? start + 1 : start;
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
    const isPlain = whole > 0 && whole <= MOST_WHOLE_DIGITS && places <= MOST_PLACES;
    for (; places < MOST_PLACES; places++) value *= 10;
    this.#number = isNegative && value !== 0 ? -value : value;
    return isPlain ? at : -1;
  }
}

const isTime = (ms: number): boolean => ms >= EARLIEST_MS && ms <= LATEST_MS;
