/**
 * Power losses at every write and every sync of a ledger. The work first runs undisturbed, to record the content after
 * each commit; then again for each power loss. After reopening, all acknowledged commits must be present, and the last
 * unacknowledged commit must be complete or absent.
 */

import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { TwinbookError } from '../../src/shared/base/errors.js';
import type { Ledger } from '../../src/trader/ledger/contract.js';
import { openLedger, openMemoryLedger } from '../../src/trader/ledger/ledger.js';
import { HOLDER } from '../trader/ledger/books.js';
import { type DiskFault, type FaultyDisk, type LossMode, onDisk } from './faulty-disk.js';
import { contentOf, LedgerWork } from './ledger-work.js';

export interface Work {
  readonly seed: number;
  readonly commits: number;
  /** After this number of commits the ledger is closed, which checkpoints its log, and reopened. */
  readonly reopenAfter: number;
  /** Weaker than the product's setting, for the control. */
  readonly synchronous?: 'NORMAL';
}

export interface Peace {
  /** Content after each commit; [0] is a new ledger. */
  readonly contents: readonly string[];
  /** Writes and syncs of the whole work, including the opening. */
  readonly operations: number;
}

/** The result of one power loss. */
export interface Aftermath {
  /** Commits that the ledger acknowledged before the power loss. */
  readonly acknowledged: number;
  /** How many of them are lost; 0 if all are present. */
  readonly lost: number;
  /** Other errors, in words: a damaged file, half a commit, sums that differ. */
  readonly damage: readonly string[];
}

export function inPeace(work: Work): Peace {
  return onLedger((disk, path) => {
    const contents: string[] = [];
    let [ledger, todo] = [open(path, work), new LedgerWork(work.seed)];
    contents.push(contentOf(path));
    for (let done = 1; done <= work.commits; done++) {
      todo.step(ledger);
      contents.push(contentOf(path));
      if (done !== work.reopenAfter) continue;
      ledger.close();
      ledger = open(path, work);
    }
    ledger.close();
    return { contents, operations: operationsOf(disk) };
  });
}

const operationsOf = (disk: FaultyDisk): number => {
  const { writes, syncs } = disk.counts();
  return writes + syncs;
};

/** Cuts the power at this write or sync, counted from 1; also `again` operations into the recovery, if given. */
export function powerLoss(work: Work, peace: Peace, at: number, loses: LossMode, again?: number): Aftermath {
  return onLedger((disk, path) => {
    const fault = { kind: 'any', error: 'power-loss', loses, seed: at } as const;
    disk.failAt({ ...fault, at });
    const { acknowledged } = untilTheLightsGoOut(disk, path, work, true);
    if (again !== undefined) {
      disk.failAt({ ...fault, at: again });
      reopenedOnce(path, work);
    }
    // A fault that has not happened yet is disarmed.
    disk.heal();
    return aftermath(path, work, peace, acknowledged);
  });
}

/**
 * Fails this write or sync, counted from 1; closes the ledger and reopens it, unchanged or after a power loss that
 * takes all unsynced data. `isSilent`: the ledger continued as if nothing had failed. (A failed checkpoint while
 * closing is harmless: the synced log has everything.)
 */
export function diskError(
  work: Work,
  peace: Peace,
  fault: Pick<DiskFault, 'kind' | 'error' | 'at'>,
  losesPower: boolean,
): Aftermath & { readonly happened: boolean; readonly isSilent: boolean } {
  return onLedger((disk, path) => {
    disk.failAt(fault);
    const { acknowledged, isSilent } = untilTheLightsGoOut(disk, path, work, false);
    const happened = disk.counts().failures > 0;
    disk.heal();
    if (losesPower) disk.crash(1, 'all');
    return { happened, isSilent, ...aftermath(path, work, peace, acknowledged) };
  });
}

interface Dusk {
  /** Acknowledged commits. */
  readonly acknowledged: number;
  /** A commit was acknowledged although the disk failed during it. */
  readonly isSilent: boolean;
}

/** `isPower`: the first failure is final, even one while closing, which raises no error. */
function untilTheLightsGoOut(disk: FaultyDisk, path: string, work: Work, isPower: boolean): Dusk {
  let ledger: Ledger | null = null;
  let [acknowledged, isSilent] = [0, false];
  try {
    ledger = open(path, work);
    const todo = new LedgerWork(work.seed);
    while (acknowledged < work.commits) {
      const { failures } = disk.counts();
      todo.step(ledger);
      isSilent ||= disk.counts().failures > failures;
      acknowledged += 1;
      if (acknowledged !== work.reopenAfter) continue;
      ledger.close();
      if (isPower && disk.counts().failures > 0) break;
      ledger = open(path, work);
    }
  } catch (error) {
    if (!isOurs(error)) throw error;
  }
  ledger?.close();
  return { acknowledged, isSilent };
}

/** A start that the second power loss may interrupt. */
function reopenedOnce(path: string, work: Work): void {
  try {
    open(path, work).close();
  } catch (error) {
    if (!isOurs(error)) throw error;
  }
}

/** Whether the error is how a ledger, or its lock, reports that its disk failed. */
const isOurs = (error: unknown): boolean =>
  error instanceof TwinbookError && ['ledger_broken', 'file_unreadable'].includes(error.code);

function aftermath(path: string, work: Work, peace: Peace, acknowledged: number): Aftermath {
  let ledger: Ledger;
  try {
    ledger = openLedger(path, HOLDER);
  } catch (error) {
    return { acknowledged, lost: 0, damage: [`it cannot be opened: ${String(error)}`] };
  }
  try {
    const damage = [...ledger.verify()];
    const found = contentAfter(path, peace, acknowledged, damage);
    if (found !== null) goOn(ledger, work, peace, found, path, damage);
    return { acknowledged, lost: found === null ? 0 : Math.max(0, acknowledged - found), damage };
  } finally {
    ledger.close();
  }
}

/** The number of commits after which the file had this content; null, with an entry in `damage`, if it never did. */
function contentAfter(path: string, { contents }: Peace, acknowledged: number, damage: string[]): number | null {
  try {
    // Some commits change nothing: the newest of equal contents counts.
    const found = contents.lastIndexOf(contentOf(path), acknowledged + 1);
    if (found >= 0) return found;
    damage.push('it holds a part of a commit');
  } catch (error) {
    damage.push(String(error));
  }
  return null;
}

/** Continues the work; the result must equal that of the undisturbed run. */
function goOn(ledger: Ledger, work: Work, peace: Peace, from: number, path: string, damage: string[]): void {
  const todo = new LedgerWork(work.seed);
  const before = openMemoryLedger();
  for (let done = 0; done < from; done++) todo.step(before);
  before.close();
  for (let done = from; done < work.commits; done++) todo.step(ledger);
  if (contentOf(path) !== peace.contents[work.commits]) damage.push('what was done after it differs');
}

function open(path: string, { synchronous }: Work): Ledger {
  const ledger = openLedger(path, HOLDER);
  // The product refuses this setting, so the control uses the connection behind the interface: it is SQLite's.
  if (synchronous !== undefined) (ledger.backupSource as Sqlite.Database).pragma(`synchronous = ${synchronous}`);
  return ledger;
}

const onLedger = <T>(work: (disk: FaultyDisk, path: string) => T): T =>
  onDisk((disk, folder) => work(disk, join(folder, 'ledger.sqlite')));
