/**
 * Power losses at every write and every sync of a ledger at work. The work is done once in peace, to know what the file
 * says after each commit; then again for each place at which the power can go. What is there after reopening must be what
 * was committed: all of it, and of the commit that was under way all or nothing.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { TwinbookError } from '../../src/shared/base/errors.js';
import type { Ledger } from '../../src/trader/ledger/contract.js';
import { openLedger, openMemoryLedger } from '../../src/trader/ledger/ledger.js';
import { HOLDER } from '../trader/ledger/books.js';
import { type DiskFault, FaultyDisk, type LossMode } from './faulty-disk.js';
import { contentOf, LedgerWork } from './ledger-work.js';

export interface Work {
  readonly seed: number;
  readonly commits: number;
  /** After so many commits the ledger is closed, which empties its log into the file, and opened again. */
  readonly reopenAfter: number;
  /** Other than the product's, for the control. */
  readonly synchronous?: 'NORMAL';
}

export interface Peace {
  /** What the file says after so many commits; [0] is a new ledger. */
  readonly contents: readonly string[];
  /** Writes and syncs of the whole work, with the opening. */
  readonly operations: number;
}

/** What one power loss left. */
export interface Aftermath {
  /** Commits that the ledger had acknowledged before the power went. */
  readonly acknowledged: number;
  /** How many of them are gone; 0 when all are there. */
  readonly lost: number;
  /** What is wrong otherwise, in words: a damaged file, half a commit, sums that differ. */
  readonly damage: readonly string[];
}

export function inPeace(work: Work): Peace {
  return onDisk((disk, path) => {
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

/** The power goes at this write or sync, counted from 1; a second time `again` operations into the recovery, when given. */
export function powerLoss(work: Work, peace: Peace, at: number, loses: LossMode, again?: number): Aftermath {
  return onDisk((disk, path) => {
    const fault = { kind: 'any', error: 'power-loss', loses, seed: at } as const;
    disk.failAt({ ...fault, at });
    const { acknowledged } = untilTheLightsGoOut(disk, path, work, true);
    if (again !== undefined) {
      disk.failAt({ ...fault, at: again });
      reopenedOnce(path, work);
    }
    // Whatever fault has not come by now comes no more.
    disk.heal();
    return aftermath(path, work, peace, acknowledged);
  });
}

/**
 * This write or sync fails, counted from 1; the ledger is closed, and opened again as it is, or after a power loss that
 * takes all that was not synced. `isSilent`: the ledger went on as if nothing had been. (That the last checkpoint, while it
 * is closed, fails is no concern of anybody: all is in the log, and synced.)
 */
export function diskError(
  work: Work,
  peace: Peace,
  fault: Pick<DiskFault, 'kind' | 'error' | 'at'>,
  losesPower: boolean,
): Aftermath & { readonly happened: boolean; readonly isSilent: boolean } {
  return onDisk((disk, path) => {
    disk.failAt(fault);
    const { acknowledged, isSilent } = untilTheLightsGoOut(disk, path, work, false);
    const happened = disk.counts().failures > 0;
    disk.heal();
    if (losesPower) disk.crash(1, 'all');
    return { happened, isSilent, ...aftermath(path, work, peace, acknowledged) };
  });
}

interface Dusk {
  /** Commits. */
  readonly acknowledged: number;
  /** A commit was acknowledged during which the disk failed. */
  readonly isSilent: boolean;
}

/** `isPower`: the first failure is the last, also one while the ledger is closed, which nobody is told of. */
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

/** A start that the second power loss may meet, or may not. */
function reopenedOnce(path: string, work: Work): void {
  try {
    open(path, work).close();
  } catch (error) {
    if (!isOurs(error)) throw error;
  }
}

/** How a ledger, or the lock beside it, says that its disk failed. */
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

/** After how many commits the file says what it says; null, with a word in `damage`, when it never said that. */
function contentAfter(path: string, { contents }: Peace, acknowledged: number, damage: string[]): number | null {
  try {
    // Some commits change nothing: of equal contents the newest is what was meant.
    const found = contents.lastIndexOf(contentOf(path), acknowledged + 1);
    if (found >= 0) return found;
    damage.push('it holds a part of a commit');
  } catch (error) {
    damage.push(String(error));
  }
  return null;
}

/** The work goes on where it was, and ends as it does in peace. */
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
  // The product refuses to run this way, so the control reaches for the connection behind the interface: it is SQLite's.
  if (synchronous !== undefined) (ledger.backupSource as Sqlite.Database).pragma(`synchronous = ${synchronous}`);
  return ledger;
}

function onDisk<T>(work: (disk: FaultyDisk, path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-power-'));
  const disk = FaultyDisk.open(folder);
  try {
    return work(disk, join(folder, 'ledger.sqlite'));
  } finally {
    disk.close();
    rmSync(folder, { recursive: true });
  }
}
