import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { Archiving, removeOldest } from '../../../src/shell/backup/archive/archiving.js';
import { listArchives, locateArchiveFolder } from '../../../src/trader/ledger/archive/archive-file.js';
import { RECENT, START_MS, withOldAsync } from '../../trader/ledger/archive/old-ledger.js';

const DAY_MS = 86_400_000;
const NOW_MS = START_MS + 301 * DAY_MS;
const PACE = { firstAfterMs: 0, rows: 9, restMs: 0, newest: RECENT };

test('a running trader’s ledger loses what is over, some rows at a time, and archives beyond their room go', () =>
  withOldAsync(async (ledger, path) => {
    const told: string[] = [];
    const steps: number[] = [];
    const archiving = new Archiving({
      ledgerPath: path,
      policy: { afterMs: 2 * DAY_MS, maxBytes: 1 },
      putAway: (archived) => {
        steps.push(archived.whole.length + archived.texts.length);
        ledger.transaction(() => ledger.putAway(archived));
      },
      note: (text) => told.push(text),
      warn: (text) => told.push(`! ${text}`),
      nowMs: () => NOW_MS,
      pace: PACE,
    });
    await vi.waitFor(() => expect(told).toHaveLength(2), { timeout: 20_000 });
    archiving.close();
    expect(told).toEqual([
      '76 intents that are over for long went into the archive',
      '! archives beyond ledger.archive.max_mb were removed: 2026-01',
    ]);
    expect(Math.max(...steps)).toBe(PACE.rows);
    expect(ledger.orders({ limit: 1e6 })).toHaveLength(5);
    expect(ledger.verify()).toEqual([]);
    expect(listArchives(path).map(({ month }) => month)).toEqual(['2026-02']);
    expect(removeOldest(path, 1)).toEqual([]);
  }));

test('says why nothing goes into an archive that cannot be written, and takes nothing out', () =>
  withOldAsync(async (ledger, path) => {
    const before = ledger.intents({ limit: 1e6 });
    mkdirSync(locateArchiveFolder(path));
    writeFileSync(`${locateArchiveFolder(path)}/2026-01.sqlite`, 'something else '.repeat(1_000));
    const told: string[] = [];
    const archiving = new Archiving({
      ledgerPath: path,
      policy: { afterMs: 2 * DAY_MS, maxBytes: 1e9 },
      putAway: (archived) => ledger.transaction(() => ledger.putAway(archived)),
      note: (text) => told.push(text),
      warn: (text) => told.push(`! ${text}`),
      nowMs: () => NOW_MS,
      pace: PACE,
    });
    await vi.waitFor(() => expect(told).toHaveLength(1), { timeout: 20_000 });
    archiving.close();
    expect(told[0]).toContain('! nothing more goes into the archive for now');
    expect(ledger.intents({ limit: 1e6 })).toEqual(before);
  }));
