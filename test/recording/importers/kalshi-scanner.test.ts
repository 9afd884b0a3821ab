/** The scanner of bytes against the reader of JSON: what it reads is the same, and the venue's own form it does read. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseKalshiLine } from '../../../src/recording/importers/kalshi-message.js';
import { KalshiScanner, SCANNED } from '../../../src/recording/importers/kalshi-scanner.js';

const TICKER = 'KXTEST-26AUG01-00';
const TICK_MICROS = 10_000;
const ID = '4f5c2e39-5132-4147-ba3f-b3485ad89427';

interface Said {
  readonly receivedMs: number;
  readonly sid: number;
  readonly seq: number;
  readonly ms: number;
  readonly side: string;
  readonly price: string;
  readonly amount: string;
}

/** As the venue writes them, to the byte. */
const deltaLine = ({ receivedMs, sid, seq, ms, side, price, amount }: Said, ticker = TICKER): string =>
  `{"recv_ms":${receivedMs},"event":{"type":"orderbook_delta","sid":${sid},"seq":${seq},"msg":{"market_ticker":"${ticker}",` +
  `"market_id":"${ID}","price_dollars":"${price}","delta_fp":"${amount}","side":"${side}","ts":"2026-08-05T03:45:40.722003Z","ts_ms":${ms}}}}`;
const tradeLine = ({ receivedMs, sid, seq, ms, side, price, amount }: Said): string =>
  `{"recv_ms":${receivedMs},"event":{"type":"trade","sid":${sid},"seq":${seq},"msg":{"trade_id":"${ID}","market_ticker":"${TICKER}",` +
  `"yes_price_dollars":"${price}","no_price_dollars":"0.3200","count_fp":"${amount}","taker_side":"${side}","taker_outcome_side":"${side}",` +
  `"taker_book_side":"bid","ts":${Math.floor(ms / 1000)},"ts_ms":${ms}}}}`;

const MS = 1_785_901_540_722;
const USUAL: Said = { receivedMs: MS + 9, sid: 1, seq: 2146643, ms: MS, side: 'no', price: '0.3200', amount: '46.02' };

/** What the scanner makes of a line that stands among others, after a change that it has read; null where it leaves it. */
function scanned(line: Buffer) {
  const scanner = new KalshiScanner(TICKER, TICK_MICROS);
  const before = Buffer.from(`${deltaLine(USUAL)}\n`);
  const bytes = Buffer.concat([before, line, Buffer.from('\n{"recv_ms":1')]);
  expect(scanner.scan(bytes, 0, bytes.length)).toBe(SCANNED.delta);
  const read = readAt(scanner, bytes, before.length, line.length);
  // The same where it is the first line that is read, and the last of the bytes.
  const alone = Buffer.concat([Buffer.from('before\n'), line]);
  expect(readAt(new KalshiScanner(TICKER, TICK_MICROS), alone, 7, line.length)).toEqual(read);
  return read;
}

function readAt(scanner: KalshiScanner, bytes: Buffer, from: number, length: number) {
  const kind = scanner.scan(bytes, from, bytes.length);
  if (kind === SCANNED.no) return null;
  const { sid, seq, timeMs, side, priceMicros, amountMicros, lineEnd } = scanner;
  expect(lineEnd).toBe(from + length);
  return { kind: kind === SCANNED.trade ? 'trade' : 'delta', sid, seq, timeMs, side, priceMicros, amountMicros };
}

/** The same of `parseKalshiLine`. */
function parsed(line: Buffer) {
  const message = parseKalshiLine(line.toString('utf8'), TICK_MICROS);
  if (typeof message === 'string' || message.kind === 'snapshot' || message.ticker !== TICKER) return null;
  const { kind, sid, seq, timeMs, side, priceMicros, amountMicros } = message;
  return { kind, sid, seq, timeMs, side, priceMicros, amountMicros };
}

const said = fc.record({
  receivedMs: fc.integer({ min: MS - 90_000, max: MS + 90_000 }),
  sid: fc.nat(),
  seq: fc.oneof(fc.nat(), fc.constantFrom(999_999_999_999_999, 1_000_000_000_000_000, 9_007_199_254_740_991)),
  ms: fc.oneof(fc.integer({ min: MS - 90_000, max: MS }), fc.constantFrom(0, 946_684_799_999, 4_102_444_800_001)),
  side: fc.constantFrom('yes', 'no', 'no', 'maybe'),
  price: fc.constantFrom(
    '0.3200',
    '0.32',
    '0.3250',
    '0.0100',
    '1.0000',
    '0.0000',
    '-0.1000',
    '0.32000000',
    '.32',
    '0.',
  ),
  amount: fc.constantFrom(
    ...[
      '46.02',
      '-46.02',
      '0.00',
      '-0.00',
      '5',
      '007.10',
      '0.001',
      '123456789.99',
      '1234567890.99',
      '1e3',
      '12.',
      '-',
      '',
    ],
  ),
});

/** One byte of the line taken out, put in or replaced. */
const changed = (line: string) =>
  fc
    .record({
      at: fc.nat({ max: line.length - 1 }),
      taken: fc.constantFrom(0, 1),
      put: fc.constantFrom(...'"\\0159-+.eE,:{}[] \t\u0001é'.split(''), ''),
    })
    .map(({ at, taken, put }) => line.slice(0, at) + put + line.slice(at + taken));

describe('the scanner of Kalshi lines', () => {
  it('reads changes and trades in the form in which the venue writes them', () => {
    for (const write of [deltaLine, tradeLine]) {
      for (const side of ['yes', 'no']) {
        const line = Buffer.from(write({ ...USUAL, side, price: '0.6800' }));
        expect(scanned(line)).not.toBeNull();
        expect(scanned(line)).toEqual(parsed(line));
      }
    }
    expect(scanned(Buffer.from(deltaLine({ ...USUAL, amount: '-46.02' })))?.amountMicros).toBe(-46_020_000);
  });

  it('leaves the lines of other markets, and of one whose ticker begins like ours', () => {
    for (const ticker of ['KXOTHER', `${TICKER}1`, TICKER.slice(1)])
      expect(scanned(Buffer.from(deltaLine(USUAL, ticker)))).toBeNull();
  });

  it('reads a change whose market has another id than the change before', () => {
    const line = Buffer.from(deltaLine({ ...USUAL, seq: 7 }).replace(ID, ID.replaceAll('4', '5')));
    expect(scanned(line)).not.toBeNull();
    expect(scanned(line)).toEqual(parsed(line));
  });

  it('never reads a line otherwise than as JSON', () => {
    const lines = fc.tuple(said, fc.boolean(), fc.boolean()).chain(([values, isTrade, isChanged]) => {
      const line = isTrade ? tradeLine(values) : deltaLine(values);
      return isChanged ? changed(line) : fc.constant(line);
    });
    fc.assert(
      fc.property(lines, (text) => {
        const line = Buffer.from(text);
        const read = scanned(line);
        if (read !== null) expect(read).toEqual(parsed(line));
      }),
      { numRuns: 3000 },
    );
  });

  it('never reads one otherwise whose every byte in turn is another', () => {
    for (const text of [deltaLine(USUAL), tradeLine(USUAL), deltaLine({ ...USUAL, side: 'yes' })]) {
      // The last one stands after the line.
      for (let at = 0; at <= text.length; at++) {
        for (const byte of '"\\0-{ ') {
          const line = Buffer.from(text.slice(0, at) + byte + text.slice(at + 1));
          const read = scanned(line);
          if (read !== null) expect(read).toEqual(parsed(line));
        }
      }
    }
  });
});

it('reads no line that ends before its end, whatever older text stands behind', () => {
  for (const line of [deltaLine(USUAL), tradeLine({ ...USUAL, side: 'yes' })]) {
    const scanner = new KalshiScanner(TICKER, TICK_MICROS);
    const bytes = Buffer.from(`${line}\n`);
    for (const _ of ['as the first', 'after one that was read']) {
      const read = Array.from({ length: line.length + 1 }, (_, end) => scanner.scan(bytes, 0, end) !== SCANNED.no);
      expect(read.indexOf(true)).toBe(line.length);
    }
  }
});
