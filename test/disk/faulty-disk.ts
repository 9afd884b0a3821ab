/**
 * A disk that loses what was not synced and fails when told to, under everything that SQLite has in one folder. The
 * product's code is what it always is: the layer sits below SQLite (`faulty-disk.c`), for the whole process, and knows only
 * folders that were put on it. It never makes up content: a power loss leaves what was synced, plus as much of the rest as
 * its mode lets through.
 *
 * A power loss in a process that lives on:
 *
 *     const disk = FaultyDisk.open(folder);          // before any file in it is opened
 *     const ledger = openLedger(join(folder, 'ledger.sqlite'), holder);
 *     …
 *     disk.crash(seed, 'torn');                      // the files are now as after the power loss
 *     ledger.close();                                // nothing of this reaches the files: the connection is dead
 *     const again = openLedger(…);                   // recovers, as after a real power loss
 *     …
 *     disk.close();                                  // before the folder is removed
 *
 * Between `crash` and `close` of the old connection nothing may be opened in that folder; whatever the old one still
 * writes, syncs or begins fails. Files must be changed through SQLite only. Real syncs are left out, so that a commit costs
 * microseconds. Folders do not know of each other: worker threads may each have their own.
 */

import { realpathSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';
import { SqliteDriver } from '../../src/shared/base/sqlite-driver.js';
import { compiledDisk } from './compile.js';

/**
 * What a power loss does to writes that were not synced: keeps all (a process was killed, nothing more), loses all, loses
 * some of them, or loses some and tears others at sectors of 512 or 4096 bytes. Files whose creation or removal was not
 * synced in their folder share that fate.
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
   * EIO: SQLITE_IOERR_WRITE or SQLITE_IOERR_FSYNC. ENOSPC: SQLITE_FULL at a write, of which half is done, and an error at a
   * sync. After a failed sync what it should have made durable never will be, whatever later syncs say. `power-loss`:
   * the power goes just before the operation, as with `crash`.
   */
  readonly error: keyof typeof ERRORS;
  /** The how-manieth operation from now on, counted from 1. */
  readonly at?: number;
  /** And each one after it. */
  readonly stays?: boolean;
  /** Each operation, 0 to 1; drawn from `seed`. */
  readonly chance?: number;
  /** Only this file, by its path in the folder, with its write-ahead log and journal. Others are not counted either. */
  readonly file?: string;
  readonly seed?: number;
  /** Of a power loss; default `all`. */
  readonly loses?: LossMode;
}

/** A fault as `disk_fail` takes it, behind the folder. */
export function faultValues(fault: DiskFault): readonly (number | string)[] {
  const { kind, error, at = 0, stays = false, chance = 0, file = '', seed = 1, loses = 'all' } = fault;
  return [KINDS[kind], file, at, stays ? 1 : 0, chance, ERRORS[error], LOSS_MODES.indexOf(loses), seed];
}

/** What `disk_counts` says. */
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

  /** Null when faulty disks can be had here; otherwise why not. */
  static missing(): string | null {
    const compiled = compiledDisk();
    return 'missing' in compiled ? compiled.missing : null;
  }

  /** Puts a folder on a faulty disk. None of its files may be open. Throws when there is no such disk here. */
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

  /** The power goes: see above. Disarms the fault. The same seed after the same operations leaves the same files. */
  crash(seed: number, mode: LossMode): void {
    this.#call('disk_crash', LOSS_MODES.indexOf(mode), seed);
  }

  /** Arms one fault in place of the one before. Without `stays` and `chance` it happens once. */
  failAt(fault: DiskFault): void {
    this.#call('disk_fail', ...faultValues(fault));
  }

  /** No fault any more. */
  heal(): void {
    this.#call('disk_fail', 0, '', 0, 0, 0, 0, 0, 0);
  }

  /** Since the folder was put on the disk. */
  counts(): DiskCounts {
    return countsOf(String(this.#call('disk_counts')));
  }

  /** Takes the folder off the disk; connections that are still open lose nothing more. */
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
