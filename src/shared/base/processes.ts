/** Processes and threads. A process that the system does not report counts as alive. */

import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { systemCode } from './errors.js';

/**
 * Keeps garbage collections short, for all threads of a program with a waiting user. Otherwise V8 allocates some
 * objects, such as zod's, in old space, where each keeps a whole answer in memory until the next full collection.
 */
export function keepCollectionsBrief(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/** Allowed growth beyond the last full collection, per cent; V8's own bound is three times that. */
const GROWTH = 100;

/** Bounds heap growth for all threads: collects at twice the size, for a program with little long-lived data. */
export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
}

/** A worker's compiled program: a thread does not inherit its parent's TypeScript loader. */
interface WorkerProgram {
  /** Without its extension. */
  readonly name: string;
  readonly data: unknown;
  /** Size of the young generation, MB, for a program without long-lived new objects; default: three times 16. */
  readonly youngMb?: number;
}

/** `from` is the `import.meta.url` of a module beside the program; a source (in tests) uses the build. */
export function startWorker({ name, data, youngMb }: WorkerProgram, from: string): Worker {
  // The last folder of that name: the project's path may contain another.
  const root = from.lastIndexOf('/src/');
  const beside = from.endsWith('.ts') ? `${from.slice(0, root)}/dist${from.slice(root)}` : from;
  const resourceLimits = youngMb === undefined ? {} : { maxYoungGenerationSizeMb: youngMb };
  return new Worker(new URL(`${name}.js`, beside), { workerData: data, resourceLimits });
}

/** Guards a handler of a socket, pipe or child process: a thrown error would end the process, with orders open. */
export const guarded =
  <Args extends readonly unknown[]>(handle: (...args: Args) => void, onFailure: (error: unknown) => void) =>
  (...args: Args): void => {
    try {
      handle(...args);
    } catch (error) {
      onFailure(error);
    }
  };

/** Identifies a process by more than its number, which the system reuses. */
export interface ProcessMark {
  readonly pid: number;
  /** Start time in the system's own units; null where the system does not report it. */
  readonly born: string | null;
}

/** Fields of /proc/PID/stat after the name, which may hold blanks and brackets. */
const STATE_FIELD = 0;
const START_FIELD = 19;
/** States of a dead process that its parent has not reaped. */
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
