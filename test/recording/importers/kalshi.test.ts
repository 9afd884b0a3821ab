import { cpSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openRecordings } from '../../../src/recording/recording.js';
import type { TwinbookError } from '../../../src/shared/base/errors.js';
import type { MarketOutcome } from '../../../src/shared/protocol/outcome.js';
import { newFolder } from '../../support/folders.js';
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
const BIDS: Parameters<typeof snapshot>[1] = [['0.4000', '100.00']];
const START = snapshot(T, BIDS, [['0.5500', '50.00']]);
const CLOSED = snapshot(CLOSE_MS + 800, [], []);
const CHANGE = delta(T + 10, 'yes', '0.40', '1.00');

/** A change of the bid at 0.4, and a sale of YES at this price. */
const change = (ms: number, by: string): string => delta(T + ms, 'yes', '0.4000', by);
const sale = (ms: number, amount: string): string => trade(T + ms, 'no', '0.4000', '0.6000', amount);

const numbered = (line: string, seq: number): string => line.replace('"seq":1', `"seq":${seq}`);

async function read(lines: readonly string[], options = {}) {
  const [recording] = await openRecordings([writeKalshi(lines, options)]);
  const rows = await rowsOf(recording, T);
  const warnings = recording?.warnings.map(({ message }) => message) ?? [];
  return { recording, market: recording?.market, rows, warnings };
}

/** Between the first book and the close. */
const readBetween = (...lines: readonly string[]) => read([START, ...lines, CLOSED]);

const END = `${CLOSE_MS - T} end`;
const HEAD = ['0 clear', '0 level bid 0.4 100', '0 level ask 0.45 50'];

describe('a Kalshi recording', () => {
  it.each<[behaviour: string, lines: readonly string[], rows: readonly string[], warnings?: readonly string[]]>([
    [
      'becomes absolute levels in YES space, a NO level at p being an ask at 1 - p',
      [change(10, '-30.50'), delta(T + 20, 'no', '0.5500', '25.00'), change(30, '-69.50')],
      ['10 level bid 0.4 69.5', '20 level ask 0.45 75', '30 level bid 0.4 0'],
    ],
    [
      'keeps every trade at its own decrease when others stand between them',
      [...['-10.00', '7.00', '-4.00'].map((by) => change(5, by)), sale(5, '4.00'), sale(5, '10.00')],
      ['5 trade ask 0.4 10', '5 level bid 0.4 90', '5 level bid 0.4 97', '5 trade ask 0.4 4', '5 level bid 0.4 93'],
    ],
    [
      'does not pair a trade with a decrease of another price, side or moment',
      [change(5, '-10.00'), sale(90, '10.00')],
      ['5 level bid 0.4 90', '90 trade ask 0.4 10'],
      ['1 trades have no matching decrease of a price level'],
    ],
    [
      'writes of a later snapshot only what differs',
      [snapshot(T + 30, [...BIDS, ['0.3900', '5.00']], []), delta(T + 40, 'yes', '0.3900', '1.00')],
      ['30 level bid 0.39 5', '30 level ask 0.45 0', '40 level bid 0.39 6'],
    ],
    [
      'counts and skips lines that it cannot read, and goes on',
      [
        ...[...PADDING, '{"recv_ms": 1, "event":', 'null', change(10, 'NaN')],
        delta(T + 10, 'yes', '0.405', '1.00'), // off the tick
        delta(T + 10, 'yes', '1.0000', '1.00'), // no price
        delta(T + 11, 'yes', '0.4000', '1.00', 'ANOTHER'),
        change(12, '1.00'),
      ],
      ['12 level bid 0.4 101'],
      ['5 broken lines were skipped', '1 messages of other markets were skipped', PADDED],
    ],
    [
      'shows an impossible level as empty and finds back to the true total',
      [change(1, '-120.00'), change(2, '30.00')],
      ['1 level bid 0.4 0', '2 level bid 0.4 10'],
      ['1 change takes more from a level than the level has, so messages are missing: the level is treated as empty'],
    ],
  ])('%s', async (_, lines, rows, warnings = []) => {
    expect(await readBetween(...lines)).toMatchObject({ rows: [...HEAD, ...rows, END], warnings });
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
    const { market, rows, warnings } = await read([START, CHANGE, CLOSED], { about: false });
    expect(market).toMatchObject({ openTimeMs: T, closeTimeMs: T + 10, outcome: null, title: TICKER });
    expect(rows.at(-1)).toBe('10 end');
    expect(warnings).toHaveLength(2);
  });

  it('puts a trade before the level decrease that belongs to it, whichever was sent first', async () => {
    const deltaFirst = [delta(T + 5, 'no', '0.5500', '-10.00'), trade(T + 5, 'yes', '0.4500', '0.5500', '10.00')];
    for (const pair of [deltaFirst, [...deltaFirst].reverse()]) {
      const { rows } = await readBetween(...pair);
      expect(rows).toEqual([...HEAD, '5 trade bid 0.45 10', '5 level ask 0.45 40', END]);
    }
  });

  it('has no gap where the empty snapshot after the close is of a new subscription', async () => {
    const { recording } = await read([START, CHANGE, CLOSED.replace('"sid":1', '"sid":7')]);
    expect(recording?.gaps).toEqual([]);
  });

  it('never lets time go back', async () => {
    const { rows } = await readBetween(...[50, 43, 51].map((ms) => change(ms, '1.00')));
    expect(rows.slice(3).map((row) => Number(row.split(' ')[0]))).toEqual([50, 50, 51, CLOSE_MS - T]);
  });

  it('takes the time of a snapshot that arrived late from the change after it', async () => {
    const { rows } = await read([snapshot(T + 9000, BIDS, [['0.5500', '50.00']]), change(0, '1.00'), CLOSED]);
    expect(rows).toEqual([...HEAD, '0 level bid 0.4 101', END]);
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
    expect(await rowsOf(recording, T)).toEqual(await rowsOf(recording, T));
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

describe('the lines of a stranger', () => {
  it('are taken once where they stand twice', async () => {
    const lines = [START, CHANGE, CHANGE, delta(T + 20, 'yes', '0.40', '1.00'), CLOSED].map((line, at) =>
      numbered(line, at < 2 ? at : at - 1),
    );
    const { rows, warnings } = await read(lines);
    expect(rows).toContain('20 level bid 0.4 102');
    expect(warnings).toEqual(['1 message skipped as repeated']);
  });

  it('that are alike but not numbered are two changes', async () => {
    const { rows } = await readBetween(CHANGE, CHANGE);
    expect(rows).toContain('10 level bid 0.4 102');
  });

  const withTime = (time: unknown): string => {
    const change = JSON.parse(CHANGE) as { event: { msg: { ts_ms: unknown } } };
    change.event.msg.ts_ms = time;
    return JSON.stringify(change);
  };

  it('with a time of an hour ahead of its receipt are broken, and stop no other', async () => {
    const later = delta(T + 20, 'yes', '0.40', '1.00');
    const { rows, warnings } = await readBetween(...PADDING, withTime(T + 3_600_000), later);
    expect(rows).toContain('20 level bid 0.4 101');
    expect(warnings).toContain('1 broken lines were skipped');
  });

  const times: [string, unknown, number][] = [
    ['in seconds', T / 1000 + 1, 1000],
    ['in seconds with decimals', (T + 10) / 1000, 10],
    ['in milliseconds', T + 10, 10],
    ['in microseconds', (T + 10) * 1000, 10],
    ['in nanoseconds', (T + 10) * 1_000_000, 10],
    ['as text', String(T + 10), 10],
    ['by ISO 8601', new Date(T + 10).toISOString(), 10],
    ['by ISO 8601 in another zone', new Date(T + 10 + 7_200_000).toISOString().replace('Z', '+02:00'), 10],
  ];
  it.each(times)('may have their time %s', async (_, time, afterMs) => {
    const { rows } = await readBetween(withTime(time));
    expect(rows).toContain(`${afterMs} level bid 0.4 101`);
  });

  it('that go back by seconds are raised, and that is told', async () => {
    const { warnings } = await readBetween(delta(T + 9000, 'yes', '0.40', '1.00'), CHANGE);
    expect(warnings).toEqual([expect.stringContaining('1 event has a time up to 8.99 s before the previous event')]);
  });

  it('of other kinds are no damage', async () => {
    const other = JSON.stringify({ recv_ms: T, event: { type: 'subscribed', id: 1 } });
    const { recording } = await readBetween(other, CHANGE);
    const message = expect.stringContaining('neither about a book nor a trade');
    expect(recording?.warnings).toEqual([expect.not.objectContaining({ isDamage: true })]);
    expect(recording?.warnings).toMatchObject([{ message }]);
  });

  it('without a snapshot are an error that says so', async () => {
    const [recording] = await openRecordings([writeKalshi([CHANGE, CHANGE])]);
    await expect(rowsOf(recording)).rejects.toThrow('there is no snapshot of the book among its 2 messages');
  });

  it('empty the book in their middle when nobody knows the close', async () => {
    const lines = [START, snapshot(T + 50, [], []), delta(T + 90, 'yes', '0.30', '7.00')];
    const { rows } = await read(lines, { about: false });
    expect(rows.slice(3)).toEqual(['50 level bid 0.4 0', '50 level ask 0.45 0', '90 level bid 0.3 7', '90 end']);
  });
});

describe('the files of a stranger', () => {
  it('that are of one market are one recording, in order of time, wherever they are named', async () => {
    const set = writeKalshi([START, CHANGE]);
    const later = join(dirname(kalshiFile(set)), '2026-07-01.ndjson.gz');
    writeFileSync(later, gzipSync([delta(T + 20, 'yes', '0.40', '1.00'), CLOSED].join('\n')));
    for (const paths of [[set], [later, kalshiFile(set)]]) {
      const found = await openRecordings(paths);
      expect(found).toHaveLength(1);
      expect(await rowsOf(found[0], T)).toContain('20 level bid 0.4 102');
    }
  });

  it('are known by their messages where the folder has another name', async () => {
    const set = writeKalshi([START, CHANGE, CLOSED], { about: false });
    const moved = join(newFolder(), 'copy.ndjson.gz');
    renameSync(kalshiFile(set), moved);
    const [recording] = await openRecordings([moved]);
    expect(recording?.market.source.ticker).toBe(TICKER);
    expect(await rowsOf(recording, T)).toContain('10 level bid 0.4 101');
  });

  it('of two markets in one folder are two recordings', async () => {
    const folder = newFolder();
    const tickers = ['KXA-1', 'KXB-1'];
    for (const name of tickers)
      writeFileSync(join(folder, `${name}.ndjson.gz`), gzipSync(START.replaceAll(TICKER, name)));
    expect((await openRecordings([folder])).map(({ market }) => market.source.ticker)).toEqual(tickers);
  });

  it('that are copies are left out, and the recording says so', async () => {
    const set = writeKalshi([START, CHANGE, CLOSED]);
    const copy = newFolder();
    cpSync(set, copy, { recursive: true });
    const found = await openRecordings([set, copy]);
    expect(found).toHaveLength(1);
    const message = expect.stringContaining('is left out');
    expect(found[0]?.warnings).toMatchObject([{ path: kalshiFile(copy), message }]);
  });

  it('that are empty are left out beside others, or are the error where there is no other', async () => {
    const set = writeKalshi([START, CHANGE, CLOSED], { about: false });
    const empty = join(set, 'events', 'KXEMPTY', '2026-08-01.ndjson.gz');
    mkdirSync(dirname(empty));
    writeFileSync(empty, gzipSync(''));
    symlinkSync('/nowhere', join(set, 'events', 'link'));
    const failures: TwinbookError[] = [];
    expect(await openRecordings([set], { onFailure: (failure) => failures.push(failure) })).toHaveLength(1);
    expect(failures.map(({ message }) => message)).toEqual([expect.stringContaining('KXEMPTY')]);
    await expect(openRecordings([empty], { onFailure: () => undefined })).rejects.toThrow('the file is empty');
  });
});

describe('MARKETS.csv of a stranger', () => {
  const about = (text: string): string => {
    const set = writeKalshi([START, CHANGE, CLOSED], { about: false });
    writeFileSync(join(set, 'MARKETS.csv'), text);
    return set;
  };
  const [TIMES, times] = ['open_time,close_time', '2026-08-01T10:00:00Z,2026-08-01T10:15:00Z'];
  const tables: [string, string, MarketOutcome | null][] = [
    ['with quoted commas', `window,title,${TIMES},result\r\n${TICKER},"Up, or ""down""?",${times},no\r\n`, false],
    ['with its columns in another order', `result,${TIMES},window\nYES,${times},${TICKER}\n`, true],
    ['with a value in cents', `window,${TIMES},result,settlement_value\n${TICKER},${times},scalar,37\n`, 0.37],
    ['with a result that is neither', `window,${TIMES},result\n${TICKER},${times},void\n`, 0.5],
  ];
  it.each(tables)('%s is read', async (_, text, outcome) => {
    const [recording] = await openRecordings([about(text)]);
    expect(recording?.market).toMatchObject({ outcome, openTimeMs: OPEN_MS, closeTimeMs: CLOSE_MS });
  });

  it('that closes a market before it opens is not believed, and that is told', async () => {
    const set = about(`window,open_time,close_time,result\n${TICKER},2026-08-01T10:15:00Z,2026-08-01T10:00:00Z,yes\n`);
    const [recording] = await openRecordings([set]);
    expect(recording?.market.openTimeMs).toBe(T);
    expect(recording?.warnings[0]?.message).toContain('the times of its events are used');
  });
});
