/** A recorder that packs what it has closed leaves the same recording as one that does not, to whoever reads it at any moment. */

import { cpSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packRecordings } from '../../../src/recording/packed/pack.js';
import { packClosed } from '../../../src/recording/packed/pack-closed.js';
import { openRecordings } from '../../../src/recording/recording.js';
import type { RecordingStore } from '../../../src/recording/store/contract.js';
import { newFolder } from '../../support/folders.js';
import { rowsOf } from '../samples.js';
import { filesIn, market, openStore, START_MS } from '../store/writing.js';
import { ask, differences, recordSome, told } from './reading.js';

const IDS = ['a', 'b'];
const DAY_2 = 'date=2026-11-21';
/** Still the second day. */
const NOW_MS = START_MS + 600_000;

const packed = (folder: string, store: RecordingStore, isRead = true) =>
  packClosed(folder, { nowMs: NOW_MS, exclusively: (run) => store.exclusively(run), isRead });

/** Of every market, by one writer of each folder. */
function recordAll(stores: readonly RecordingStore[], fromMs: number): void {
  for (const store of stores)
    for (const conditionId of IDS) recordSome(store.market(market({ conditionId, outcome: null })), fromMs);
}

const rotated = (stores: readonly RecordingStore[]) => Promise.all(stores.map((store) => store.rotate()));
const flushed = (stores: readonly RecordingStore[]) => Promise.all(stores.map((store) => store.flush()));

describe('a recorder that packs', () => {
  it('has the same rows as one that does not, while it records, over midnight, after a kill and another start', async () => {
    const [plain, folder] = [newFolder(), newFolder()];
    let stores = [await openStore(plain), await openStore(folder)] as const;
    const same = async (): Promise<void> => {
      expect(await told(folder)).toEqual(await told(plain));
      expect(await ask(folder)).toEqual(await ask(plain));
      expect(await differences(folder)).toEqual([]);
    };
    recordAll(stores, 0);
    await rotated(stores);
    recordAll(stores, 1000);
    await flushed(stores);
    const early = await openRecordings([folder]);
    const wanted = await Promise.all(early.map(rowsOf));
    // Killed after the day was packed and before anything was taken out: both have it, nothing counts twice.
    await packRecordings(folder, folder, { shards: 1, remove: false, nowMs: NOW_MS, isRecorder: true });
    await rotated(stores);
    await same();
    expect(await packed(folder, stores[1])).toEqual([]);
    await same();
    // Whoever opened it before reads what he would have read then.
    expect(await Promise.all(early.map(rowsOf))).toEqual(wanted);
    // The same death once a part was taken out: the packed day has more than the folder, and some of it twice.
    recordAll(stores, 2000);
    await rotated(stores);
    await packRecordings(folder, folder, { shards: 1, remove: false, nowMs: NOW_MS, isRecorder: true });
    await same();
    recordAll(stores, 61_000);
    await flushed(stores);
    const killed = newFolder();
    cpSync(folder, killed, { recursive: true });
    await packed(folder, stores[1], false);
    await same();
    expect(await Promise.all(early.map(rowsOf))).toEqual(wanted);
    await Promise.all(stores.map((store) => store.close()));
    // As a killed one leaves it, an open segment beside what is packed.
    stores = [await openStore(plain), await openStore(killed)] as const;
    recordAll(stores, 70_000);
    await rotated(stores);
    await packed(killed, stores[1], false);
    expect(await told(killed)).toEqual(await told(plain));
    expect(await ask(killed)).toEqual(await ask(plain));
    await Promise.all(stores.map((store) => store.close()));
    // Of the newest day only where it ended is left, of the other nothing.
    expect(filesIn(killed).filter((name) => name.startsWith('market='))).toEqual(
      IDS.flatMap((id) => ['manifest.json', 'market.json'].map((name) => `market=${id}/${DAY_2}/${name}`)),
    );
    expect(await differences(killed)).toEqual([]);
  });
});
