/**
 * What tests start ends with them: also when a test fails before it could end it, when a process has detached itself (a
 * guardian does) or was stopped by SIGSTOP, and when the run itself is killed. Whoever is started inherits a mark in its
 * environment, and hands it on; by that mark it is found and killed. Where there is no /proc nothing is found.
 */

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names of the marks: one for the run, one for each file of tests. */
export const RUN_MARK = 'TWINBOOK_TEST_RUN';
export const FILE_MARK = 'TWINBOOK_TEST_FILE';

/** A process found once may have started another meanwhile; one that is found this often starts faster than we kill. */
const MOST_SWEEPS = 100;

export interface Ended {
  readonly pid: number;
  /** Its command line. */
  readonly command: string;
}

/** Kills every process that was started with this mark, but for the one that asks. Returns which those were. */
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
    return ''; // gone, or somebody else's
  }
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It went by itself.
  }
}

/**
 * From here on whatever this process starts, and whatever that starts, ends at the latest when this process does, by
 * whatever means. Nothing happens in a process that was itself started so. Returns what ends them all now.
 */
export function tieToThisProcess(): () => void {
  if (process.env[RUN_MARK] !== undefined) return () => undefined;
  const mark = randomUUID();
  // Its input is a pipe that the system closes when we are gone. In a session of its own, for what kills us may kill groups.
  const words = [join(import.meta.dirname, 'life-watch.sh'), `${RUN_MARK}=${mark}`];
  const watch = spawn('sh', words, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  watch.unref();
  // A socket in Node's hands, which must not keep us either; its type says less.
  (watch.stdin as unknown as { unref(): void }).unref();
  process.env[RUN_MARK] = mark;
  return () => void endMarked(RUN_MARK, mark);
}
