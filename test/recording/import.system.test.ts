import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Recording } from '../../src/recording/contract.js';
import { type ImportProgress, importRecordings } from '../../src/recording/import.js';
import { openRecordings } from '../../src/recording/recording.js';
import { times } from '../support/effort.js';
import { newFolder } from '../support/folders.js';
import {
  CLOSE_MS,
  delta,
  OPEN_MS,
  PADDED,
  PADDING,
  REAL_DATA,
  rowsOf,
  snapshot,
  trade,
  writeKalshi,
} from './samples.js';

const T = OPEN_MS + 60_000;
const LINES = [
  snapshot(T, [['0.4000', '100.00']], [['0.5500', '50.00']]),
  delta(T + 5, 'no', '0.5500', '-10.00'),
  trade(T + 5, 'yes', '0.4500', '0.5500', '10.00'),
  delta(T + 400_000, 'yes', '0.4100', '25.00'),
  snapshot(CLOSE_MS + 800, [], []),
];

/** A checksum of every column of a stream, independent of its chunks, and the number of events. */
async function digestOf(recording: Recording): Promise<readonly string[]> {
  const hashes = COLUMNS.map(() => createHash('sha256'));
  let events = 0;
  for await (const chunk of recording.chunks()) {
    events += chunk.length;
    for (const [at, column] of COLUMNS.entries()) {
      const { buffer, byteOffset, BYTES_PER_ELEMENT } = chunk[column];
      hashes[at]?.update(new Uint8Array(buffer, byteOffset, chunk.length * BYTES_PER_ELEMENT));
    }
  }
  return [`${events} events`, ...hashes.map((hash, at) => `${COLUMNS[at]} ${hash.digest('hex')}`)];
}

const COLUMNS = ['timeMs', 'kind', 'side', 'priceMicros', 'amountMicros'] as const;

async function expectSame(raw: Recording, imported: Recording | undefined): Promise<void> {
  const { source: _, ...market } = raw.market;
  expect(imported?.market).toMatchObject(market);
  const source = { kind: 'twinbook', origin: raw.market.source.kind, ticker: raw.market.source.ticker };
  expect(imported?.market.source).toMatchObject(source);
  if (imported === undefined) throw new Error('not imported');
  expect(await digestOf(imported)).toEqual(await digestOf(raw));
}

describe('an import', () => {
  it('gives the events, the description and the outcome of the raw recording', async () => {
    const set = writeKalshi(LINES);
    const out = newFolder();
    const progress: ImportProgress[] = [];
    const told = await importRecordings('kalshi', [set], out, { progress: (at) => progress.push(at) });
    expect(told).toMatchObject([{ status: 'imported', events: 7, failure: null, warnings: [] }]);
    const [raw] = await openRecordings([set]);
    const [imported] = await openRecordings([out]);
    if (raw === undefined) throw new Error('no raw recording');
    await expectSame(raw, imported);
    expect(progress.at(-1)).toMatchObject({ market: 0, markets: 1, events: 7, share: 1 });
    expect(readdirSync(out)).toEqual([`market=${raw.market.conditionId}`]);
  });

  it('counts broken lines, leaves them out, and says so for ever', async () => {
    const set = writeKalshi([...LINES.slice(0, 2), '{"recv_ms": 12', 'nonsense', ...PADDING, ...LINES.slice(2)]);
    const out = newFolder();
    const [told] = await importRecordings('kalshi', [set], out);
    expect(told?.warnings.map(({ message }) => message)).toEqual(['2 broken lines were skipped', PADDED]);
    const [imported] = await openRecordings([out]);
    expect(imported?.warnings.map(({ message }) => message)).toEqual(['2 broken lines were skipped', PADDED]);
  });

  it('leaves a market alone that is there already, unless told to write it anew', async () => {
    const out = newFolder();
    await importRecordings('kalshi', [writeKalshi(LINES)], out);
    const longer = writeKalshi([...LINES.slice(0, 4), delta(T + 500_000, 'yes', '0.4200', '1.00'), ...LINES.slice(4)]);
    const [again] = await importRecordings('kalshi', [longer], out);
    expect(again).toMatchObject({ status: 'present', events: 0 });
    expect(await rowsOf((await openRecordings([out]))[0])).toHaveLength(7);
    const [anew] = await importRecordings('kalshi', [longer], out, { replace: true });
    expect(anew).toMatchObject({ status: 'imported', events: 8 });
    expect(await rowsOf((await openRecordings([out]))[0])).toHaveLength(8);
  });

  it('clears away what a killed one left behind, and only that', async () => {
    const out = newFolder();
    // The first number is above the system's maximum of four million. The second is this process.
    for (const pid of [99_999_999, process.pid])
      mkdirSync(join(out, `.importing-${pid}-abc`, 'market=half'), { recursive: true });
    await importRecordings('kalshi', [writeKalshi(LINES)], out);
    expect(readdirSync(out).sort()).toEqual([`.importing-${process.pid}-abc`, expect.stringMatching(/^market=/)]);
    expect(await openRecordings([out])).toHaveLength(1);
  });

  it('goes on after a market that cannot be read, of which nothing is written', async () => {
    const set = writeKalshi(LINES);
    const broken = join(set, 'events', 'KXBROKEN-26AUG01-00');
    mkdirSync(broken);
    writeFileSync(join(broken, '2026-08-01.ndjson.gz'), gzipSync('nothing\n'));
    writeFileSync(
      join(set, 'MARKETS.csv'),
      `window,event_ticker,open_time,close_time,result\n${['KXBROKEN-26AUG01-00', 'KXTEST-26AUG01-00']
        .map((window) => `${window},E,2026-08-01T10:00:00Z,2026-08-01T10:15:00Z,yes`)
        .join('\n')}\n`,
    );
    const out = newFolder();
    const told = await importRecordings('kalshi', [set], out);
    expect(told.map(({ status }) => status)).toEqual(['failed', 'imported']);
    expect(told[0]?.failure).toContain('1 of 1 lines');
    expect(await openRecordings([out])).toHaveLength(1);
    expect(readdirSync(out)).toHaveLength(1);
  });
});

it.skipIf(!existsSync(REAL_DATA)).each([
  ['kalshi', times('kalshi-gold15m/events/KXGOLD15M-26AUG050800-00', 'kalshi-gold15m'), times(1, 22)],
  ['polymarket', 'polymarket-tickscope', 6],
] as const)('the real recordings of %s come back event by event', async (kind, folder, markets) => {
  const path = join(REAL_DATA, folder);
  const out = newFolder();
  const told = await importRecordings(kind, [path], out);
  expect(told.filter(({ status }) => status === 'imported')).toHaveLength(markets);
  const raw = await openRecordings([path]);
  const imported = new Map((await openRecordings([out])).map((each) => [each.market.conditionId, each]));
  expect(imported.size).toBe(markets);
  for (const recording of raw) await expectSame(recording, imported.get(recording.market.conditionId));
});
