/** Unknown books: no starting snapshot, rows that disagree, consecutive captures. */

import { describe, expect, it } from 'vitest';
import { streamRecording } from '../../../src/lab/backtest/replay-driver.js';
import type { Recording } from '../../../src/recording/contract.js';
import { importRecordings } from '../../../src/recording/import.js';
import { computeStats } from '../../../src/recording/inspect/stats.js';
import { verifyRecordings } from '../../../src/recording/inspect/verify.js';
import { openRecordings } from '../../../src/recording/recording.js';
import { newFolder } from '../../support/folders.js';
import { rowsOf } from '../samples.js';
import { BOOK, change, NO, print, type Row, T, write, YES } from './polymarket-files.js';

const open = async (rows: readonly Row[]): Promise<Recording> => first(await openRecordings([await write(rows)]));

function first(recordings: readonly Recording[]): Recording {
  const [recording] = recordings;
  if (recording === undefined) throw new Error('no recording');
  return recording;
}

const gapsOf = ({ gaps = [] }: Pick<Recording, 'gaps'>): unknown[] =>
  gaps.map(({ fromMs, toMs, reason }) => [fromMs - T, toMs === null ? null : toMs - T, reason]);

/** For 300 ms rows name 0.42 as the best bid without its level; then it changes. */
const LATE = [
  ...change(0, 'ASK', 0.45, 50, 0.42, 0.45),
  ...change(100, 'BID', 0.4, 100, 0.42, 0.45),
  print(150, 'ASK', 0.42, 3, YES),
  print(200, 'BID', 0.58, 4, NO),
  ...change(300, 'BID', 0.42, 7, 0.42, 0.45),
  ...change(400, 'ASK', 0.45, 40, 0.42, 0.45),
];
const LATE_ROWS = [
  '0 clear',
  '300 clear',
  '300 level bid 0.4 100',
  '300 level bid 0.42 7',
  '300 level ask 0.45 50',
  '400 level ask 0.45 40',
  '400 end',
];
const START_GAP = [0, 300, 'no starting snapshot: the book is not known yet'];

describe('a Polymarket file without a starting snapshot', () => {
  it('has no book, and no trades, until the best prices of a row are those of the book, each time it is read', async () => {
    const recording = await open(LATE);
    for (let time = 0; time < 2; time++) {
      expect(await rowsOf(recording, T)).toEqual(LATE_ROWS);
      expect(gapsOf(recording)).toEqual([START_GAP]);
    }
    expect(recording.warnings.map(({ message }) => message)).toContain(
      'there is no starting snapshot: the book is not known for the first 0.3 s, until the best prices of a row agree with it; trades left out: 2',
    );
  });

  it('is a gap from its start to its end where no row agrees', async () => {
    const recording = await open(LATE.slice(0, 6));
    expect(await rowsOf(recording, T)).toEqual(['0 clear', '200 end']);
    expect(gapsOf(recording)).toEqual([[0, 200, START_GAP[2]]]);
    expect(recording.warnings[0]?.message).toContain('the book is never known');
  });

  it('needs both sides: a row that names no ask agrees with an empty side alone', async () => {
    const oneSided = await open([...change(0, 'BID', 0.4, 100, 0.4, 1), ...change(5, 'BID', 0.4, 90, 0.4, 1)]);
    expect(await rowsOf(oneSided, T)).toEqual(['0 clear', '0 level bid 0.4 100', '5 level bid 0.4 90', '5 end']);
    expect(gapsOf(oneSided)).toEqual([]);
    const other = await open([...change(0, 'ASK', 0.45, 5, 0.4, 0.45), ...change(5, 'BID', 0.4, 90, 0.4, 1)]);
    await rowsOf(other);
    expect(gapsOf(other)).toEqual([[0, 5, START_GAP[2]]]);
  });

  it('keeps its gap when it is imported, and that is measured and played as a gap', async () => {
    const [path, out] = [await write(LATE), newFolder()];
    await importRecordings('polymarket', [path], out);
    const imported = first(await openRecordings([out]));
    expect(await rowsOf(imported, T)).toEqual(LATE_ROWS);
    expect(gapsOf({ gaps: imported.summary?.gaps ?? [] })).toEqual([START_GAP]);
    for (const recording of [imported, first(await openRecordings([path]))]) {
      expect(await computeStats(recording)).toMatchObject({ gapMs: 300, known: 0.25, trades: 0 });
      const source = streamRecording(recording);
      expect(gapsOf({ gaps: source.summary?.gaps ?? source.gaps ?? [] })).toEqual([START_GAP]);
    }
    expect((await verifyRecordings([out])).findings.filter(({ severity }) => severity === 'difference')).toEqual([]);
  });
});

it.each([
  ['a level that is missing', change(9, 'BID', 0.38, 5, 0.41, 0.45)],
  ['a level that was missed going away', change(9, 'BID', 0.38, 5, 0.38, 0.45)],
])('the best prices that rows name are compared with the book: %s', async (_, disagreeing) => {
  const path = await write([...BOOK, ...change(5, 'BID', 0.4, 80, 0.4, 0.45), ...disagreeing]);
  const share = 'the best prices of 50.00 % of the rows (2 of 4) disagree with the book';
  const out = newFolder();
  await importRecordings('polymarket', [path], out);
  for (const place of [path, out]) {
    const { findings } = await verifyRecordings([place]);
    expect(findings).toContainEqual(expect.objectContaining({ severity: 'note', message: share }));
    const recording = first(await openRecordings([place]));
    await computeStats(recording);
    expect(recording.warnings.map(({ message }) => message)).toContain(share);
  }
});

/** Two captures; the second one's book is known 20 ms after its start. */
const SECOND = [
  ...change(10_000, 'BID', 0.5, 9, 0.5, 0.6),
  print(10_010, 'BID', 0.6, 1, YES),
  ...change(10_020, 'ASK', 0.6, 8, 0.5, 0.6),
  ...change(10_030, 'BID', 0.5, 4, 0.5, 0.6),
];

describe('captures of one market', () => {
  it('that follow one another are one recording, in order of time, with a gap between them', async () => {
    const [late, early] = [await write(SECOND), await write(BOOK)];
    const opened = await openRecordings([late, early]);
    expect(opened).toHaveLength(1);
    const joined = first(opened);
    expect(joined.market).toMatchObject({ openTimeMs: T, closeTimeMs: T + 10_030, source: { path: early } });
    expect(await rowsOf(joined, T)).toEqual([
      '0 clear',
      '0 level bid 0.4 100',
      '0 level ask 0.45 50',
      '10020 clear',
      '10020 level bid 0.5 9',
      '10020 level ask 0.6 8',
      '10030 level bid 0.5 4',
      '10030 end',
    ]);
    expect(gapsOf(joined)).toEqual([[0, 10_020, 'between two captures']]);
    for (const path of [late, early])
      expect(joined.warnings).toContainEqual({ path, message: expect.stringContaining('no starting snapshot') });
  });

  it('are imported as one, with their gap', async () => {
    const out = newFolder();
    const paths = [await write(LATE), await write(SECOND)];
    expect(await importRecordings('polymarket', paths, out)).toMatchObject([{ status: 'imported' }]);
    const imported = first(await openRecordings([out]));
    expect(await rowsOf(imported, T)).toEqual(await rowsOf(first(await openRecordings(paths)), T));
    expect(gapsOf({ gaps: imported.summary?.gaps ?? [] })).toEqual([START_GAP, [400, 10_020, 'between two captures']]);
  });

  it('are one gap where the first of them never agrees', async () => {
    const joined = first(await openRecordings([await write(LATE.slice(0, 6)), await write(SECOND)]));
    expect((await rowsOf(joined, T)).slice(0, 2)).toEqual(['0 clear', '10020 clear']);
    expect(gapsOf(joined)).toEqual([[0, 10_020, START_GAP[2]]]);
  });

  it('that overlap are not joined: the later one is left out, and that is told', async () => {
    const [second, overlapping] = [
      await write(SECOND),
      await write([...BOOK, ...change(10_005, 'BID', 0.4, 1, 0.4, 0.45)]),
    ];
    const opened = await openRecordings([second, overlapping]);
    expect(opened).toHaveLength(1);
    expect(first(opened).market.source.path).toBe(overlapping);
    expect(first(opened).warnings).toContainEqual({ path: second, message: expect.stringContaining('is left out') });
  });
});
