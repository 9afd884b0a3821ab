import { readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openRecordings } from '../../../src/recording/recording.js';
import {
  CLOSE_MS,
  delta,
  kalshiFile,
  OPEN_MS,
  PADDED,
  PADDING,
  rowsOf,
  snapshot,
  TICKER,
  trade,
  writeKalshi,
} from '../samples.js';

const T = OPEN_MS + 60_000;
const START = snapshot(T, [['0.4000', '100.00']], [['0.5500', '50.00']]);
const CLOSED = snapshot(CLOSE_MS + 800, [], []);

async function read(lines: readonly string[], options = {}) {
  const [recording] = await openRecordings([writeKalshi(lines, options)]);
  const rows = await rowsOf(recording, T);
  return { market: recording?.market, rows, warnings: recording?.warnings.map((warning) => warning.message) ?? [] };
}

const END = `${CLOSE_MS - T} end`;
const HEAD = ['0 clear', '0 level bid 0.4 100', '0 level ask 0.45 50'];

describe('a Kalshi recording', () => {
  it('becomes absolute levels in YES space, a NO level at p being an ask at 1 - p', async () => {
    const { rows, warnings } = await read([
      START,
      delta(T + 10, 'yes', '0.4000', '-30.50'),
      delta(T + 20, 'no', '0.5500', '25.00'),
      delta(T + 30, 'yes', '0.4000', '-69.50'),
      CLOSED,
    ]);
    expect(rows).toEqual([...HEAD, '10 level bid 0.4 69.5', '20 level ask 0.45 75', '30 level bid 0.4 0', END]);
    expect(warnings).toEqual([]);
  });

  it('knows title, times and outcome from the records beside it', async () => {
    const { market } = await read([START, CLOSED], { result: 'no' });
    expect(market).toMatchObject({
      openTimeMs: OPEN_MS,
      closeTimeMs: CLOSE_MS,
      outcome: false,
      tickPrecision: 2,
      amountPrecision: 2,
      source: { kind: 'kalshi', ticker: TICKER },
    });
  });

  it.each([
    [{ result: 'void', settlement: '0.5000' }, 0.5],
    [{ result: 'scalar', settlement: '0.37' }, 0.37],
    [{ result: 'void', settlement: '' }, 0.5],
    [{ result: 'scalar', settlement: '' }, null],
    [{ result: 'scalar', settlement: '1.2' }, null],
  ])('is worth what its record says: %j', async (record, outcome) => {
    const { market, warnings } = await read([START, CLOSED], record);
    expect(market?.outcome).toBe(outcome);
    expect(warnings).toEqual([expect.stringMatching(/^the outcome of/)]);
  });

  it('without those records takes times from its events, has no outcome, and says so', async () => {
    const { market, rows, warnings } = await read([START, delta(T + 10, 'yes', '0.4000', '1.00'), CLOSED], {
      about: false,
    });
    expect(market).toMatchObject({ openTimeMs: T, closeTimeMs: T + 10, outcome: null, title: TICKER });
    expect(rows.at(-1)).toBe('10 end');
    expect(warnings).toHaveLength(2);
  });

  it('puts a trade before the level decrease that belongs to it, whichever was sent first', async () => {
    const deltaFirst = [delta(T + 5, 'no', '0.5500', '-10.00'), trade(T + 5, 'yes', '0.4500', '0.5500', '10.00')];
    const tradeFirst = [...deltaFirst].reverse();
    for (const pair of [deltaFirst, tradeFirst]) {
      const { rows } = await read([START, ...pair, CLOSED]);
      expect(rows).toEqual([...HEAD, '5 trade bid 0.45 10', '5 level ask 0.45 40', END]);
    }
  });

  it('keeps every trade at its own decrease when others stand between them', async () => {
    const { rows } = await read([
      START,
      delta(T + 5, 'yes', '0.4000', '-10.00'),
      delta(T + 5, 'yes', '0.4000', '7.00'),
      delta(T + 5, 'yes', '0.4000', '-4.00'),
      trade(T + 5, 'no', '0.4000', '0.6000', '4.00'),
      trade(T + 5, 'no', '0.4000', '0.6000', '10.00'),
      CLOSED,
    ]);
    expect(rows).toEqual([
      ...HEAD,
      '5 trade ask 0.4 10',
      '5 level bid 0.4 90',
      '5 level bid 0.4 97',
      '5 trade ask 0.4 4',
      '5 level bid 0.4 93',
      END,
    ]);
  });

  it('does not pair a trade with a decrease of another price, side or moment', async () => {
    const { rows, warnings } = await read([
      START,
      delta(T + 5, 'yes', '0.4000', '-10.00'),
      trade(T + 90, 'no', '0.4000', '0.6000', '10.00'),
      CLOSED,
    ]);
    expect(rows).toEqual([...HEAD, '5 level bid 0.4 90', '90 trade ask 0.4 10', END]);
    expect(warnings).toEqual(['1 trades have no level decrease of their own']);
  });

  it('never lets time go back', async () => {
    const { rows } = await read([
      START,
      delta(T + 50, 'yes', '0.4000', '1.00'),
      delta(T + 43, 'yes', '0.4000', '1.00'),
      delta(T + 51, 'yes', '0.4000', '1.00'),
      CLOSED,
    ]);
    expect(rows.slice(3).map((row) => Number(row.split(' ')[0]))).toEqual([50, 50, 51, CLOSE_MS - T]);
  });

  it('takes the time of a snapshot that arrived late from the change after it', async () => {
    const late = snapshot(T + 9000, [['0.4000', '100.00']], [['0.5500', '50.00']]);
    const { rows } = await read([late, delta(T, 'yes', '0.4000', '1.00'), CLOSED]);
    expect(rows).toEqual([...HEAD, '0 level bid 0.4 101', END]);
  });

  it('writes of a later snapshot only what differs', async () => {
    const again = snapshot(
      T + 30,
      [
        ['0.4000', '100.00'],
        ['0.3900', '5.00'],
      ],
      [],
    );
    const { rows } = await read([START, again, delta(T + 40, 'yes', '0.3900', '1.00'), CLOSED]);
    expect(rows).toEqual([...HEAD, '30 level bid 0.39 5', '30 level ask 0.45 0', '40 level bid 0.39 6', END]);
  });

  it('counts and skips lines that it cannot read, and goes on', async () => {
    const { rows, warnings } = await read([
      START,
      ...PADDING,
      '{"recv_ms": 1, "event":',
      'null',
      delta(T + 10, 'yes', '0.405', '1.00'), // off the tick
      delta(T + 10, 'yes', '1.0000', '1.00'), // no price
      delta(T + 10, 'yes', '0.4000', 'NaN'),
      delta(T + 11, 'yes', '0.4000', '1.00', 'ANOTHER'),
      delta(T + 12, 'yes', '0.4000', '1.00'),
      CLOSED,
    ]);
    expect(rows).toEqual([...HEAD, '12 level bid 0.4 101', END]);
    expect(warnings).toEqual(['5 broken lines were skipped', '1 messages of other markets were skipped', PADDED]);
  });

  it('shows an impossible level as empty and finds back to the true total', async () => {
    const { rows, warnings } = await read([
      START,
      delta(T + 1, 'yes', '0.4000', '-120.00'),
      delta(T + 2, 'yes', '0.4000', '30.00'),
      CLOSED,
    ]);
    expect(rows).toEqual([...HEAD, '1 level bid 0.4 0', '2 level bid 0.4 10', END]);
    expect(warnings).toEqual([
      '1 change takes more from a level than it holds, so messages are missing: the level is then empty',
    ]);
  });

  it('skips what comes before the first snapshot', async () => {
    const { rows, warnings } = await read([delta(T - 5, 'yes', '0.4000', '9.00'), START, CLOSED]);
    expect(rows).toEqual([...HEAD, END]);
    expect(warnings).toEqual(['1 messages before the first snapshot were skipped']);
  });

  it.each([
    ['starts with a snapshot', [START, delta(T + 10, 'yes', '0.4000', '1.00')], T],
    ['starts late', [delta(T - 20, 'yes', '0.4000', '1.00'), START, delta(T + 3, 'yes', '0.4000', '1.00')], T],
    ['takes its beginning from a change', [START, delta(T - 700, 'yes', '0.4000', '1.00')], T - 700],
  ])('that %s begins with its first event, though the rest is missing', async (_, lines, firstMs) => {
    const more = Array.from({ length: 20_000 }, (_, at) => delta(T + 20 + at, 'yes', '0.4000', `${1 + (at % 89)}.00`));
    const set = writeKalshi([...lines, ...more]);
    const file = kalshiFile(set);
    writeFileSync(file, readFileSync(file).subarray(0, 40_000));
    const [recording] = await openRecordings([set]);
    expect((await rowsOf(recording, firstMs))[0]).toBe('0 clear');
    expect(recording?.warnings.some(({ isDamage }) => isDamage)).toBe(true);
  });

  it('that stops before the close ends at its last event and says so', async () => {
    const { rows, warnings } = await read([START, delta(T + 7, 'yes', '0.4000', '1.00')]);
    expect(rows).toEqual([...HEAD, '7 level bid 0.4 101', '7 end']);
    expect(warnings).toEqual(['the recording stops before the close of the market: the market ends there']);
  });

  it('gives the same stream each time it is read, and its warnings once', async () => {
    const [recording] = await openRecordings([writeKalshi([START, ...PADDING, 'broken', CLOSED])]);
    const first = await rowsOf(recording, T);
    expect(await rowsOf(recording, T)).toEqual(first);
    expect(recording?.warnings).toHaveLength(2);
  });
});

describe('a file that is cut or damaged', () => {
  const lines = [
    START,
    ...Array.from({ length: 20_000 }, (_, i) => delta(T + i, 'yes', '0.3000', `${i % 97}.25`)),
    CLOSED,
  ];

  it('gives what can be read, with a warning', async () => {
    const set = writeKalshi(lines);
    const whole = readFileSync(kalshiFile(set));
    writeFileSync(kalshiFile(set), whole.subarray(0, Math.floor(whole.length / 2)));
    const [recording] = await openRecordings([set]);
    const rows = await rowsOf(recording, T);
    expect(rows.length).toBeGreaterThan(5000);
    expect(rows.length).toBeLessThan(15_000);
    expect(rows.slice(0, 3)).toEqual(HEAD);
    expect(rows.at(-1)).toMatch(/ end$/);
    expect(recording?.warnings.map((warning) => warning.message)).toEqual([
      '1 broken lines were skipped',
      expect.stringContaining('cut or damaged'),
      'the recording stops before the close of the market: the market ends there',
    ]);
  });

  it('with flipped bytes that break many lines is refused', async () => {
    const set = writeKalshi(lines);
    const whole = readFileSync(kalshiFile(set));
    whole.fill(0xff, Math.floor(whole.length / 2), Math.floor(whole.length / 2) + 64);
    writeFileSync(kalshiFile(set), whole);
    const [recording] = await openRecordings([set]);
    await expect(rowsOf(recording, T)).rejects.toThrow(/\d+ of \d+ lines .* cannot be read, such as/);
  });

  it.each([
    ['is not gzip', Buffer.from('{"recv_ms":1}\n')],
    ['is empty', Buffer.alloc(0)],
    ['has no message', gzipSync('not json\nnor this\n')],
  ])('is an error when it %s', async (_, bytes) => {
    const set = writeKalshi([START]);
    writeFileSync(kalshiFile(set), bytes);
    const [recording] = await openRecordings([set]);
    await expect(rowsOf(recording)).rejects.toMatchObject({ code: 'recording_invalid' });
  });
});

describe('opening recordings', () => {
  it('accepts the whole set, its events, one window or one file, and opens a market once', async () => {
    const set = writeKalshi([START, CLOSED]);
    const file = kalshiFile(set);
    const expected = (await openRecordings([set])).map((recording) => recording.market);
    expect(expected).toHaveLength(1);
    for (const path of [dirname(dirname(file)), dirname(file), file]) {
      const found = (await openRecordings([path])).map((recording) => recording.market.conditionId);
      expect(found).toEqual(expected.map((market) => market.conditionId));
    }
    expect(await openRecordings([set, file, set])).toHaveLength(1);
  });

  it.each([
    ['a missing path', () => '/nowhere/at/all', 'file_unreadable'],
    ['a file of another kind', () => import.meta.filename, 'recording_invalid'],
    ['a folder without recordings', () => import.meta.dirname, 'recording_invalid'],
  ])('refuses %s, naming it', async (_, path, code) => {
    await expect(openRecordings([path()])).rejects.toMatchObject({ code, message: expect.stringContaining(path()) });
  });
});
