/**
 * A disk below SQLite that loses unsynced writes and fails on command, for all files of one folder. The product's code
 * is unchanged: the layer is below SQLite (`faulty-disk.c`), for the whole process, and affects only registered
 * folders. It never invents content: a power loss keeps synced data, plus as much of the rest as its mode allows.
 *
 * A power loss in a process that continues:
 *
 *     const disk = FaultyDisk.open(folder);          // before any file in it is opened
 *     const ledger = openLedger(join(folder, 'ledger.sqlite'), holder);
 *     …
 *     disk.crash(seed, 'torn');                      // the files are now as after the power loss
 *     ledger.close();                                // writes nothing: the connection is dead
 *     const again = openLedger(…);                   // recovers, as after a real power loss
 *     …
 *     disk.close();                                  // before the folder is removed
 *
 * Open nothing in that folder between `crash` and `close` of the old connection; every write, sync or open by the old
 * one fails. Files must be changed through SQLite only. Real syncs are skipped, so that a commit costs microseconds.
 * Folders are independent: worker threads may each have one.
 */

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { SqliteDriver } from '../../src/shared/base/sqlite-driver.js';
import { compiledDisk } from './compile.js';

/**
 * Effect of a power loss on unsynced writes: none (as with a killed process), all lost, some lost, or some lost and
 * others torn at sectors of 512 or 4096 bytes. The creation or removal of a file that was not synced in its folder is
 * treated the same way.
 */
export const LOSS_MODES = ['none', 'all', 'some', 'torn'] as const;
export type LossMode = (typeof LOSS_MODES)[number];

/** Values as in `faulty-disk.c`. */
const KINDS = { write: 1, sync: 2, any: 3 } as const;
const ERRORS = { EIO: 1, ENOSPC: 2, 'power-loss': 3 } as const;

export interface DiskFault {
  /** Writes (and truncations), syncs, or both counted together. */
  readonly kind: keyof typeof KINDS;
  /**
   * EIO: SQLITE_IOERR_WRITE or SQLITE_IOERR_FSYNC. ENOSPC: SQLITE_FULL at a write, of which half is done, and an error
   * at a sync. Data of a failed sync is never durable, whatever later syncs return. `power-loss`: the power fails just
   * before the operation, as with `crash`.
   */
  readonly error: keyof typeof ERRORS;
  /** Index of the failing operation, from 1, counted from now. */
  readonly at?: number;
  /** Each later operation fails too. */
  readonly stays?: boolean;
  /** Probability of failure per operation, 0 to 1; drawn from `seed`. */
  readonly chance?: number;
  /** Only this file, by its path in the folder, with its write-ahead log and journal. Other files are not counted. */
  readonly file?: string;
  readonly seed?: number;
  /** Loss mode of a power loss; default `all`. */
  readonly loses?: LossMode;
}

/** The arguments of `disk_fail` after the folder. */
export function faultValues(fault: DiskFault): readonly (number | string)[] {
  const { kind, error, at = 0, stays = false, chance = 0, file = '', seed = 1, loses = 'all' } = fault;
  return [KINDS[kind], file, at, stays ? 1 : 0, chance, ERRORS[error], LOSS_MODES.indexOf(loses), seed];
}

/** Parses the result of `disk_counts`. */
export function countsOf(text: string): DiskCounts {
  const [writes = 0, syncs = 0, failures = 0, lost = 0] = text.split(',').map(Number);
  return { writes, syncs, failures, lost };
}

export interface DiskCounts {
  readonly writes: number;
  readonly syncs: number;
  /** Operations that were made to fail. */
  readonly failures: number;
  /** Writes, creations and removals that power losses undid or tore. */
  readonly lost: number;
}

export class FaultyDisk {
  readonly #folder: string;
  readonly #control: Sqlite.Database;

  /** Null if faulty disks are available; otherwise the reason. */
  static missing(): string | null {
    const compiled = compiledDisk();
    return 'missing' in compiled ? compiled.missing : null;
  }

  /** Puts a folder on a faulty disk. None of its files may be open. Throws if faulty disks are not available. */
  static open(folder: string): FaultyDisk {
    const compiled = compiledDisk();
    if ('missing' in compiled) throw new Error(compiled.missing);
    return new FaultyDisk(realpathSync(folder), new SqliteDriver(':memory:').loadExtension(compiled.path));
  }

  private constructor(folder: string, control: Sqlite.Database) {
    this.#folder = folder;
    this.#control = control;
    this.#call('disk_open');
  }

  /** Cuts the power and disarms the fault. The same seed after the same operations leaves the same files. */
  crash(seed: number, mode: LossMode): void {
    this.#call('disk_crash', LOSS_MODES.indexOf(mode), seed);
  }

  /** Arms one fault and replaces the previous one. Without `stays` and `chance` it happens once. */
  failAt(fault: DiskFault): void {
    this.#call('disk_fail', ...faultValues(fault));
  }

  /** Ends the fault. */
  heal(): void {
    this.#call('disk_fail', 0, '', 0, 0, 0, 0, 0, 0);
  }

  /** Counts since the folder was put on the disk. */
  counts(): DiskCounts {
    return countsOf(String(this.#call('disk_counts')));
  }

  /** Takes the folder off the disk; open connections lose nothing from now on. */
  close(): void {
    this.#call('disk_close');
    this.#control.close();
  }

  #call(name: string, ...values: readonly (number | string)[]): unknown {
    const places = ['?', ...values.map(() => '?')].join(', ');
    return this.#control
      .prepare(`SELECT ${name}(${places})`)
      .pluck()
      .get(this.#folder, ...values);
  }
}

/** Does work with a new folder on a faulty disk, and removes it. */
export function onDisk<T>(work: (disk: FaultyDisk, folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-disk-'));
  const disk = FaultyDisk.open(folder);
  try {
    return work(disk, folder);
  } finally {
    disk.close();
    rmSync(folder, { recursive: true });
  }
}
