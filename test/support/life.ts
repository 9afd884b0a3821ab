/**
 * Ends processes with the tests that started them: even if a test fails first, a process has detached itself (like a
 * guardian) or was stopped by SIGSTOP, or the run itself is killed. A started process inherits a mark in its
 * environment and passes it on; it is found by that mark and killed. Without /proc none is found.
 */

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names of the marks: one for the run, one for each test file. */
export const RUN_MARK = 'TWINBOOK_TEST_RUN';
export const FILE_MARK = 'TWINBOOK_TEST_FILE';

/** A found process may have started another meanwhile; after this number of sweeps it outruns the kills. */
const MOST_SWEEPS = 100;

export interface Ended {
  readonly pid: number;
  /** Its command line. */
  readonly command: string;
}

/** Kills every process with this mark except the caller. Returns the killed ones. */
export function endMarked(name: string, value: string): readonly Ended[] {
  const ended = new Map<number, Ended>();
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    const found = marked(`${name}=${value}`);
    if (found.length === 0) break;
    for (const pid of found) {
      ended.set(pid, ended.get(pid) ?? { pid, command: textOf(pid, 'cmdline').replaceAll('\0', ' ').trim() });
      killNow(pid);
    }
  }
  return [...ended.values()];
}

function marked(assignment: string): readonly number[] {
  const pids = namesIn('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => pid !== process.pid && textOf(pid, 'environ').split('\0').includes(assignment));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // no Linux
  }
}

function textOf(pid: number, file: 'environ' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // ended, or of another user
  }
}

/** Kills a process; no effect if it has already ended. */
export function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

/**
 * From now on all descendants of this process end with it at the latest, however it ends. No effect in a process that
 * was itself started so. Returns a function that ends them all at once.
 */
export function tieToThisProcess(): () => void {
  if (process.env[RUN_MARK] !== undefined) return () => undefined;
  const mark = randomUUID();
  // The system closes its input pipe when this process ends. It has its own session, as a kill may hit a group.
  const words = [join(import.meta.dirname, 'life-watch.sh'), `${RUN_MARK}=${mark}`];
  const watch = spawn('sh', words, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  watch.unref();
  // A socket of Node, which must not keep this process alive; its type does not say so.
  (watch.stdin as unknown as { unref(): void }).unref();
  process.env[RUN_MARK] = mark;
  return () => void endMarked(RUN_MARK, mark);
}
