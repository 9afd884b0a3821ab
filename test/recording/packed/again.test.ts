/** A packed day that is packed again holds what was recorded since, wherever that is broken off, and whoever reads it meanwhile. */

import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packRecordings } from '../../../src/recording/packed/pack.js';
import { newFolder } from '../../support/folders.js';
import { market, openStore, START_MS } from '../store/writing.js';
import { ask, differences, recordSome, told } from './reading.js';

const DAY = 'date=2026-11-20';
const pack = (folder: string, remove = false) =>
  packRecordings(folder, folder, { shards: 2, remove, nowMs: START_MS + 86_400_000 * 40 });

/** One more file of each market, with a request that belongs to it. */
async function recordMore(folder: string, ids: readonly string[], fromMs: number): Promise<void> {
  const store = await openStore(folder);
  for (const conditionId of ids) recordSome(store.market(market({ conditionId })), fromMs);
  await store.close();
}

describe('a day that is packed again', () => {
  it('takes up further files and markets, each once, whether the folders were removed before or not', async () => {
    const [plain, folder] = [newFolder(), newFolder()];
    await recordMore(plain, ['a', 'b'], 0);
    cpSync(plain, folder, { recursive: true });
    expect(await pack(folder)).toMatchObject({ packed: 1, addedTo: 0, removed: 0 });
    await recordMore(plain, ['b', 'c'], 100);
    for (const name of readdirSync(plain)) cpSync(join(plain, name), join(folder, name), { recursive: true });
    // One part of `b` is packed, one is not; both layouts beside each other.
    const wanted = await told(plain);
    expect(wanted.map(({ polls }) => polls.length)).toEqual([1, 2, 1]);
    expect(await told(folder)).toEqual(wanted);
    const sums = await ask(plain);
    expect(await ask(folder)).toEqual(sums);
    const before = new Map(readdirSync(join(folder, DAY)).map((name) => [name, readFileSync(join(folder, DAY, name))]));
    expect(await pack(folder)).toMatchObject({ packed: 0, addedTo: 1, there: 0, marketDays: 2, left: [] });
    // What was there stays as it was, but for the manifest: whoever reads it need not begin anew.
    before.delete('manifest.json');
    for (const [name, content] of before)
      expect(readFileSync(join(folder, DAY, name)).equals(content), name).toBe(true);
    expect(await pack(folder)).toMatchObject({ packed: 0, addedTo: 0, there: 1 });
    expect(await told(folder)).toEqual(wanted);
    for (const id of ['a', 'b', 'c']) rmSync(join(folder, `market=${id}`), { recursive: true });
    expect(await told(folder)).toEqual(wanted);
    expect(await ask(folder)).toEqual(sums);
    expect(await differences(folder)).toEqual([]);
  });

  it('goes on from wherever it was broken off, and counts nothing twice meanwhile', async () => {
    const folder = newFolder();
    await recordMore(folder, ['a'], 0);
    await pack(folder);
    await recordMore(folder, ['a', 'b'], 100);
    const wanted = await told(folder);
    const sums = await ask(folder);
    const manifest = join(folder, DAY, 'manifest.json');
    const first = readFileSync(manifest);
    await pack(folder);
    const second = readFileSync(manifest);
    // Killed before the manifest was written: the new files are there and do not count.
    writeFileSync(manifest, first);
    expect(await told(folder)).toEqual(wanted);
    expect(await ask(folder)).toEqual(sums);
    expect(await pack(folder)).toMatchObject({ addedTo: 1 });
    expect(JSON.parse(readFileSync(manifest, 'utf8')).files).toHaveLength(JSON.parse(second.toString()).files.length);
    expect(await told(folder)).toEqual(wanted);
    expect(existsSync(join(folder, '.packing'))).toBe(false);
    expect(await differences(folder)).toEqual([]);
  });
});
