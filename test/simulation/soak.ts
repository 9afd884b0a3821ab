/**
 * A trader that lives for simulated days, its ledger on a disk, without faults, on the paper exchange with its crowd; what is over leaves the
 * ledger as the daemon does it. Every hour: what ledger and archives take on the disk.
 */

import { existsSync, statSync } from 'node:fs';
import { Random } from '../../src/shared/base/random.js';
import { listArchives } from '../../src/trader/ledger/archive/archive-file.js';
import { ArchiveCopier } from '../../src/trader/ledger/archive/copier.js';
import type { Ledger } from '../../src/trader/ledger/contract.js';
import { CALM } from './faults.js';
import { drawSetting, type Pace } from './setting.js';
import { World } from './world.js';

const HOUR_MS = 3_600_000;
/** Markets end, and others come. */
const RESOLVES_EVERY_HOURS = 3;
/** Rows at a time, as the daemon takes them. */
const ROWS = 25;

export interface SoakOptions {
  readonly seed: number;
  readonly hours: number;
  /** What is over for so long leaves the ledger, simulated hours. */
  readonly keepHours: number;
  readonly pace: Pace;
  /** So many of the newest intents stay. */
  readonly newest: number;
  /** Archives are looked for so often, simulated hours. */
  readonly everyHours: number;
}

/** After so many simulated hours. */
export interface SoakRow {
  readonly hours: number;
  readonly ledgerBytes: number;
  readonly archiveBytes: number;
  /** Rows of the ledger. */
  readonly orders: number;
  readonly fills: number;
  /** Intents that have left it. */
  readonly archived: number;
  /** Of the process after a collection of garbage, where there is one to be asked for: trader, checks, and an exchange that forgets nothing. */
  readonly heapBytes: number;
}

export interface Soaked {
  readonly violations: readonly string[];
  readonly last: SoakRow | null;
}

export function soak(options: SoakOptions, told: (row: SoakRow) => void): Soaked {
  const { seed, hours, everyHours } = options;
  const setting = drawSetting(Random.fromSeed(seed, 'setting'), options.pace);
  const world = new World(seed, CALM, null, 'given', setting);
  const violations = (): readonly string[] => world.invariants.violations;
  let archived = 0;
  let last: SoakRow | null = null;
  try {
    for (let passed = everyHours; passed <= hours && violations().length === 0; passed += everyHours) {
      if (Math.floor(passed / RESOLVES_EVERY_HOURS) > Math.floor((passed - everyHours) / RESOLVES_EVERY_HOURS))
        world.resolveAny();
      world.pass(everyHours * HOUR_MS);
      const ledger = world.process?.ledger;
      if (ledger === undefined) continue;
      archived += archive(ledger, world.ourMs - options.keepHours * HOUR_MS, options.newest);
      last = rowOf(ledger, passed, archived);
      told(last);
    }
    const ledger = world.process?.ledger;
    const wrong = ledger === undefined ? ['no trader is left'] : ledger.verify();
    return { violations: [...violations(), ...wrong], last };
  } finally {
    world.close();
  }
}

function archive(ledger: Ledger, beforeMs: number, newest: number): number {
  const copier = new ArchiveCopier(ledger.path, beforeMs, newest);
  let count = 0;
  try {
    for (let next: number | null = 0; next !== null; ) {
      const copied = copier.copy(next, ROWS);
      ledger.transaction(() => ledger.putAway(copied.archived));
      count += copied.archived.whole.length;
      next = copied.next;
    }
  } finally {
    copier.close();
  }
  return count;
}

function rowOf(ledger: Ledger, hours: number, archived: number): SoakRow {
  globalThis.gc?.();
  const files = [ledger.path, `${ledger.path}-wal`].filter((file) => existsSync(file));
  return {
    hours,
    ledgerBytes: files.reduce((sum, file) => sum + statSync(file).size, 0),
    archiveBytes: listArchives(ledger.path).reduce((sum, { bytes }) => sum + bytes, 0),
    orders: ledger.orders({ limit: Number.MAX_SAFE_INTEGER }).length,
    fills: ledger.newestSeq('fills'),
    archived,
    heapBytes: process.memoryUsage().heapUsed,
  };
}
