/** Identifies a process, and checks whether it is gone. If the system does not report it, the process counts as alive. */

import { readFileSync } from 'node:fs';
import { systemCode } from './errors.js';

/** Identifies a process by more than its number, which the system reuses. */
export interface ProcessMark {
  readonly pid: number;
  /** Start time in the system's own units; null where the system does not report it. */
  readonly born: string | null;
}

/** Fields of /proc/PID/stat after the name, which may hold blanks and brackets. */
const STATE_FIELD = 0;
const START_FIELD = 19;
/** Dead, but not yet reaped by its parent. */
const DEAD = ['Z', 'X'];

/** Mark of an existing process. */
export const readMark = (pid: number): ProcessMark => ({ pid, born: readBirth(pid) });

export function isGone({ pid, born: wanted }: ProcessMark): boolean {
  if (!exists(pid)) return true;
  if (DEAD.includes(readStat(pid)?.[STATE_FIELD] ?? '')) return true;
  const found = readBirth(pid);
  return wanted !== null && found !== null && found !== wanted;
}

/** Ticks since a boot, and which boot: equal for one process alone. */
function readBirth(pid: number): string | null {
  const ticks = readStat(pid)?.[START_FIELD];
  const boot = readText('/proc/sys/kernel/random/boot_id');
  return ticks === undefined || boot === null ? null : `${ticks}@${boot.trim()}`;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user exists too.
    return systemCode(error) === 'EPERM';
  }
}

function readStat(pid: number): readonly string[] | null {
  const text = readText(`/proc/${pid}/stat`);
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null; // Not Linux, or the process has just ended.
  }
}
