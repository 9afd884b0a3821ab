import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../src/trader/ledger/contract.js';
import { LedgerBroken } from '../../src/trader/ledger/database.js';
import { openLedger } from '../../src/trader/ledger/ledger.js';
import { times } from '../support/effort.js';
import { HOLDER, intentOf } from '../trader/ledger/books.js';
import { FaultyDisk, onDisk } from './faulty-disk.js';
import { diskError, inPeace, type Work } from './power-loss.js';

const missing = FaultyDisk.missing();
if (missing !== null) console.warn(`the tests of disk errors are skipped: ${missing}`);

/** Long enough that the log is checkpointed into the file during the work. */
const WORK: Work = { seed: 6, commits: 140, reopenAfter: 30 };

/** Writes and syncs in steps that cover each kind of file; `npm run lab -- disk` takes each one. */
const FAULTS = [
  { kind: 'sync', error: 'EIO', every: times(12, 4) },
  { kind: 'write', error: 'ENOSPC', every: times(201, 101) },
  { kind: 'sync', error: 'ENOSPC', every: 11 },
  { kind: 'write', error: 'EIO', every: 97 },
] as const;

describe.skipIf(missing !== null)('a ledger whose disk fails', () => {
  it.each(FAULTS.slice(0, times(2, 4)))(
    'at any $kind ($error) stops, and has every commit that it acknowledged',
    ({ kind, error, every }) => {
      const peace = inPeace(WORK);
      let tried = 0;
      for (let at = 1; ; at += every) {
        const result = diskError(WORK, peace, { kind, error, at }, tried % 2 === 0);
        if (!result.happened) break;
        tried += 1;
        expect({ at, ...result }).toMatchObject({ isSilent: false, lost: 0, damage: [] });
      }
      expect(tried).toBeGreaterThan(10);
    },
  );

  /** Opens the ledger of a folder, and adds intents to it. */
  const ledgerIn = (folder: string) => {
    const ledger = openLedger(join(folder, 'ledger.sqlite'), HOLDER);
    return { ledger, add: (id: string) => ledger.transaction(() => ledger.addIntent(intentOf({ id }))) };
  };
  const startRun = (ledger: Ledger) =>
    ledger.transaction(() => ledger.startRun({ id: 'run', version: '0', configHash: 'hash', startedMs: 1 }));

  it('refuses everything after a failed sync, though the disk would take it', () =>
    onDisk((disk, folder) => {
      const { ledger, add } = ledgerIn(folder);
      startRun(ledger);
      disk.failAt({ kind: 'sync', error: 'EIO', at: 1 });
      expect(() => add('first')).toThrow(LedgerBroken);
      const before = disk.counts();
      expect(() => add('second')).toThrow(LedgerBroken);
      expect(() => ledger.intent('first')).toThrow(LedgerBroken);
      expect(disk.counts()).toEqual(before);
      ledger.close();
    }));

  it('after a failed sync and a restart loses nothing of either process when the power goes', () =>
    onDisk((disk, folder) => {
      const before = ledgerIn(folder);
      startRun(before.ledger);
      before.add('first');
      disk.failAt({ kind: 'sync', error: 'EIO', at: 1 });
      expect(() => before.add('unsynced')).toThrow(LedgerBroken);
      // The disk keeps failing, so that the last connection cannot checkpoint the log.
      disk.failAt({ kind: 'any', error: 'EIO', at: 1, stays: true });
      before.ledger.close();
      disk.heal();
      const between = ledgerIn(folder);
      between.add('second');
      disk.crash(1, 'all');
      between.ledger.close();
      const { ledger: after } = ledgerIn(folder);
      expect(['first', 'second'].filter((id) => after.intent(id) === null)).toEqual([]);
      after.close();
    }));
});
