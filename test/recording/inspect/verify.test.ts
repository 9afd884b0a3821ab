import { cpSync, existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { verifyRecordings } from '../../../src/recording/inspect/verify.js';
import { openRecordings } from '../../../src/recording/recording.js';
import { withConnection } from '../../../src/recording/store/duckdb.js';
import { sha256 } from '../../../src/recording/store/manifest.js';
import { newFolder } from '../../support/folders.js';
import { delta, OPEN_MS, PADDING, REAL_DATA, snapshot, writeKalshi } from '../samples.js';
import { at, market, openStore, put, shortLife, written } from '../store/writing.js';

const CROSSED_LIMIT_MS = 5000;
const DAY_1 = 'market=market-1/date=2026-11-20';
const DAY_2 = 'market=market-1/date=2026-11-21';
const EVENTS = `${DAY_1}/events-0001.parquet`;

const differences = async (folder: string): Promise<string[]> =>
  (await verifyRecordings([folder])).findings
    .filter(({ severity }) => severity === 'difference')
    .map(({ message }) => message);

/** Rewrites the file with these columns of its rows, and lists it as if unchanged. */
async function rewrite(folder: string, columns: string, where = ''): Promise<void> {
  const path = join(folder, EVENTS);
  const select = `SELECT ${columns} FROM read_parquet('${path}') ${where}`;
  await withConnection((connection) => connection.run(`COPY (${select}) TO '${path}.new' (FORMAT parquet)`));
  renameSync(`${path}.new`, path);
  const manifestPath = join(folder, DAY_1, 'manifest.json');
  const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'));
  manifest.files[0].bytes = readFileSync(path).length;
  manifest.files[0].sha256 = await sha256(path);
  writeFileSync(manifestPath, JSON.stringify(manifest));
}

const replacing = (columns: string) => (folder: string) => rewrite(folder, `* REPLACE (${columns})`);

let folder: string;
beforeEach(() => (folder = newFolder()));

describe('a check of files', () => {
  it('finds nothing in a good recording', async () => {
    await written(folder, shortLife, { snapshotEveryMs: 500 });
    expect(await verifyRecordings([folder])).toEqual({ markets: 1, events: 7, findings: [] });
  });

  const damages: readonly (readonly [string, (folder: string) => void | Promise<void>, string])[] = [
    ['a cut file', (folder) => truncateSync(join(folder, EVENTS), 300), 'the file has 300 bytes, but its manifest'],
    ['a missing file', (folder) => rmSync(join(folder, EVENTS)), 'the file is missing'],
    [
      'a changed byte',
      (folder) => {
        const bytes = readFileSync(join(folder, EVENTS));
        bytes[20] = (bytes[20] ?? 0) ^ 1;
        writeFileSync(join(folder, EVENTS), bytes);
      },
      'the file has another checksum than its manifest says',
    ],
    ['a cut manifest', (folder) => truncateSync(join(folder, DAY_2, 'manifest.json'), 30), 'is not a manifest'],
    ['a missing description', (folder) => rmSync(join(folder, DAY_1, 'market.json')), 'market.json is missing'],
    [
      'a file that nobody lists',
      (folder) => cpSync(join(folder, EVENTS), join(folder, DAY_1, 'events-0007.parquet')),
      'no manifest lists the file',
    ],
    [
      'a folder under another name',
      (folder) => renameSync(join(folder, DAY_2), join(folder, 'market=market-1/date=2026-11-22')),
      'the manifest describes market market-1 on 2026-11-21',
    ],
    ['a missing day', (folder) => rmSync(join(folder, DAY_1), { recursive: true }), ''],
    ['a missing column', (f) => rewrite(f, '* EXCLUDE (amount_micros)'), 'the file cannot be read'],
    ['time that runs backwards', replacing('-time_ms AS time_ms'), 'rows with a time before that of the previous row'],
    [
      'a price that is not a multiple of the tick',
      replacing('price_micros + 1 AS price_micros'),
      'rows with a price that is not a multiple of the tick',
    ],
    [
      'a missing row',
      (f) => rewrite(f, '*', "WHERE kind <> 'trade'"),
      'rows with a number that does not follow the number of the previous row',
    ],
    ['an unknown kind', replacing("replace(kind, 'trade', 'swap') AS kind"), 'rows with a kind that is not known'],
    [
      'changes that do not make the next snapshot',
      replacing("if(kind = 'level', amount_micros + 1, amount_micros) AS amount_micros"),
      'snapshots that differ from the book',
    ],
  ];
  it.each(damages)('finds %s', async (_, damage, message) => {
    await written(folder, shortLife, { snapshotEveryMs: 500 });
    await damage(folder);
    const found = await differences(folder);
    if (message === '') {
      // The book starts with the day's snapshot: it is correct, and the gap is reported.
      expect(found).toEqual([]);
      const { findings } = await verifyRecordings([folder]);
      expect(findings.map(({ message: note }) => note)).toContain(
        'rows before this file are missing: the book starts with this file',
      );
    } else expect(found.join('\n')).toContain(message);
  });

  it('finds a missing file between two others', async () => {
    await written(folder, async (sink, store) => {
      for (const ms of [0, 1000, 2000]) {
        if (ms === 0) sink.clear(at(0));
        sink.level(at(ms), 0, 400_000, 1_000_000 + ms);
        await store.rotate();
      }
    });
    const manifestPath = join(folder, DAY_1, 'manifest.json');
    const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'));
    const [dropped] = manifest.files.splice(1, 1);
    rmSync(join(folder, DAY_1, dropped.name));
    writeFileSync(manifestPath, JSON.stringify(manifest));
    expect(await differences(folder)).toEqual(['rows 3 to 5, which belong before this file, are missing']);
  });

  it('notes an open segment, and finds the lines of it that are broken', async () => {
    const store = await openStore(folder);
    shortLife(store.market(market()));
    await store.flush();
    expect((await verifyRecordings([folder])).findings).toMatchObject([
      { severity: 'note', message: 'the file is being written' },
    ]);
    const copy = newFolder();
    cpSync(folder, copy, { recursive: true });
    rmSync(join(copy, '.writer'));
    const segment = join(copy, DAY_2, 'open-0001.ndjson');
    truncateSync(segment, readFileSync(segment).length - 3);
    expect((await verifyRecordings([copy])).findings).toMatchObject([
      { severity: 'note', message: expect.stringContaining('--repair') },
      { severity: 'difference', message: '1 line was cut or broken: skipped' },
      { severity: 'note', message: expect.stringContaining('stops before the close') },
    ]);
    await store.close();
  });
});

describe('a check of what is recorded', () => {
  it('finds a book that stays crossed, and lets one pass that does for a moment', async () => {
    for (const [crossedMs, found] of [
      [CROSSED_LIMIT_MS, []],
      [CROSSED_LIMIT_MS + 1, [expect.stringContaining('the book is crossed for 5.0 s from 2026-11-20T23:59:01')]],
    ] as const) {
      const folder = newFolder();
      const crossed = ['0 level bid 0.4 1', '1000 level ask 0.4 1', `${1000 + crossedMs} level bid 0.4 0`];
      await written(folder, (sink) => put(sink, '0 clear', ...crossed, '20000 end'));
      expect(await differences(folder)).toEqual(found);
    }
  });

  it('reads raw recordings too: broken lines are differences', async () => {
    const T = OPEN_MS + 60_000;
    const good = [snapshot(T, [['0.4000', '100.00']], []), delta(T + 5, 'yes', '0.4000', '-10.00')];
    expect(await differences(writeKalshi(good))).toEqual([]);
    expect(await differences(writeKalshi([...good, ...PADDING, 'broken', ...PADDING]))).toEqual([
      '1 broken lines were skipped',
    ]);
  });

  it('has nothing to say of a market that only requests were kept of', async () => {
    const poll = { endpoint: 'markets.book', sentMs: at(0).timeMs, seenMs: at(9).timeMs, venueMs: null } as const;
    await written(folder, (sink) => sink.poll({ ...poll, outcome: 'answered' }));
    expect(await verifyRecordings([folder])).toEqual({ markets: 0, events: 0, findings: [] });
    const message = expect.stringContaining('contains no events of markets');
    await expect(openRecordings([folder])).rejects.toMatchObject({ code: 'recording_invalid', message });
  });

  it('of a path that is no recording is an error', async () => {
    await expect(verifyRecordings([newFolder()])).rejects.toMatchObject({ code: 'recording_invalid' });
    await expect(verifyRecordings(['/nowhere/at/all'])).rejects.toMatchObject({ code: 'file_unreadable' });
  });
});

it.skipIf(!existsSync(REAL_DATA))(
  'a check of real recordings finds nothing wrong with a Kalshi window and the Polymarket game',
  async () => {
    const window = join(REAL_DATA, 'kalshi-gold15m/events/KXGOLD15M-26AUG102030-30');
    const { markets, findings } = await verifyRecordings([window, join(REAL_DATA, 'polymarket-tickscope')]);
    expect(markets).toBe(7);
    expect(findings.filter(({ severity }) => severity === 'difference')).toEqual([]);
  },
);
