/** Kalshi recordings made or moved by other programs: oddities are reported, joined or rejected, never guessed. */

import { cpSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openRecordings } from '../../src/recording/recording.js';
import type { TwinbookError } from '../../src/shared/base/errors.js';
import type { MarketOutcome } from '../../src/shared/protocol/outcome.js';
import { newFolder } from '../support/folders.js';
import { CLOSE_MS, delta, kalshiFile, OPEN_MS, PADDING, rowsOf, snapshot, TICKER, writeKalshi } from './samples.js';

const T = OPEN_MS + 60_000;
const START = snapshot(T, [['0.40', '100.00']], [['0.55', '50.00']]);
const CLOSED = snapshot(CLOSE_MS, [], []);
const CHANGE = delta(T + 10, 'yes', '0.40', '1.00');

const numbered = (line: string, seq: number): string => line.replace('"seq":1', `"seq":${seq}`);

async function read(lines: readonly string[], options = {}) {
  const [recording] = await openRecordings([writeKalshi(lines, options)]);
  const rows = await rowsOf(recording, T);
  return { recording, rows, told: recording?.warnings.map(({ message }) => message) ?? [] };
}

describe('the lines of a stranger', () => {
  it('are taken once where they stand twice', async () => {
    const lines = [START, CHANGE, CHANGE, delta(T + 20, 'yes', '0.40', '1.00'), CLOSED].map((line, at) =>
      numbered(line, at < 2 ? at : at - 1),
    );
    const { rows, told } = await read(lines);
    expect(rows).toContain('20 level bid 0.4 102');
    expect(told).toEqual(['1 message repeated: used once']);
  });

  it('that are alike but not numbered are two changes', async () => {
    const { rows } = await read([START, CHANGE, CHANGE, CLOSED]);
    expect(rows).toContain('10 level bid 0.4 102');
  });

  const withTime = (time: unknown): string => {
    const change = JSON.parse(CHANGE) as { event: { msg: { ts_ms: unknown } } };
    change.event.msg.ts_ms = time;
    return JSON.stringify(change);
  };

  it('with a time of an hour ahead of its receipt are broken, and stop no other', async () => {
    const later = delta(T + 20, 'yes', '0.40', '1.00');
    const { rows, told } = await read([START, ...PADDING, withTime(T + 3_600_000), later, CLOSED]);
    expect(rows).toContain('20 level bid 0.4 101');
    expect(told).toContain('1 broken lines were skipped');
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
    const { rows } = await read([START, withTime(time), CLOSED]);
    expect(rows).toContain(`${afterMs} level bid 0.4 101`);
  });

  it('that go back by seconds are raised, and that is told', async () => {
    const { told } = await read([START, delta(T + 9000, 'yes', '0.40', '1.00'), CHANGE, CLOSED]);
    expect(told).toEqual([
      expect.stringContaining('1 event has a time before that of the previous event, by up to 8.99 s'),
    ]);
  });

  it('of other kinds are no damage', async () => {
    const other = JSON.stringify({ recv_ms: T, event: { type: 'subscribed', id: 1 } });
    const { recording } = await read([START, other, CHANGE, CLOSED]);
    expect(recording?.warnings).toMatchObject([
      { message: expect.stringContaining('neither about a book nor a trade') },
    ]);
    expect(recording?.warnings[0]?.isDamage).toBeUndefined();
  });

  it('without a snapshot are an error that says so', async () => {
    const [recording] = await openRecordings([writeKalshi([CHANGE, CHANGE])]);
    await expect(rowsOf(recording)).rejects.toThrow('there is no snapshot of the book among its 2 messages');
  });

  it('empty the book in their middle when nobody knows the close', async () => {
    const { rows } = await read([START, snapshot(T + 50, [], []), delta(T + 90, 'yes', '0.30', '7.00')], {
      about: false,
    });
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
    for (const [name, ticker] of [
      ['a', 'KXA-1'],
      ['b', 'KXB-1'],
    ] as const)
      writeFileSync(join(folder, `${name}.ndjson.gz`), gzipSync(START.replaceAll(TICKER, ticker)));
    expect((await openRecordings([folder])).map(({ market }) => market.source.ticker)).toEqual(['KXA-1', 'KXB-1']);
  });

  it('that are copies are left out, and the recording says so', async () => {
    const set = writeKalshi([START, CHANGE, CLOSED]);
    const copy = newFolder();
    cpSync(set, copy, { recursive: true });
    const found = await openRecordings([set, copy]);
    expect(found).toHaveLength(1);
    expect(found[0]?.warnings).toMatchObject([
      { path: kalshiFile(copy), message: expect.stringContaining('is left out') },
    ]);
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
  const times = '2026-08-01T10:00:00Z,2026-08-01T10:15:00Z';
  const tables: [string, string, MarketOutcome | null][] = [
    [
      'with quoted commas',
      `window,title,open_time,close_time,result\r\n${TICKER},"Up, or ""down""?",${times},no\r\n`,
      false,
    ],
    ['with its columns in another order', `result,open_time,close_time,window\nYES,${times},${TICKER}\n`, true],
    [
      'with a value in cents',
      `window,open_time,close_time,result,settlement_value\n${TICKER},${times},scalar,37\n`,
      0.37,
    ],
    ['with a result that is neither', `window,open_time,close_time,result\n${TICKER},${times},void\n`, 0.5],
  ];
  it.each(tables)('%s is read', async (_, text, outcome) => {
    const [recording] = await openRecordings([about(text)]);
    expect(recording?.market).toMatchObject({ outcome, openTimeMs: OPEN_MS, closeTimeMs: CLOSE_MS });
  });

  it('that closes a market before it opens is not believed, and that is told', async () => {
    const set = about(`window,open_time,close_time,result\n${TICKER},2026-08-01T10:15:00Z,2026-08-01T10:00:00Z,yes\n`);
    const [recording] = await openRecordings([set]);
    expect(recording?.market.openTimeMs).toBe(T);
    expect(recording?.warnings[0]?.message).toContain('times are those of its events');
  });
});
