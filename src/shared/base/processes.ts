/** Functions and settings of processes and threads. A process whose state is unknown counts as alive. */

import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { systemCode } from './errors.js';

/**
 * Keeps garbage collections short in all threads of an interactive program. By default, V8 allocates some
 * objects, such as zod's, in its old space. Objects there stay in memory until a full collection.
 */
export function keepCollectionsBrief(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/** Makes V8 collect when the heap has doubled, in all threads of a program with little long-lived data. */
export function boundHeapGrowth(): void {
  // V8's default growth between two full collections is 300 %.
  setFlagsFromString('--heap-growing-percent=100');
}

/** Time to connect to one address of a host before the next address is tried, ms. Node's default: 250. */
export const ADDRESS_ATTEMPT_MS = 1_000;

/** Compiled program that a worker thread runs. A worker thread does not inherit its parent's TypeScript loader. */
interface WorkerProgram {
  /** File name of the program without its extension. */
  readonly name: string;
  readonly data: unknown;
  /** Size of the young generation, MB, for a program whose new objects are short-lived. Default: 48 MB. */
  readonly youngMb?: number;
}

/** Starts a worker. `from` is the `import.meta.url` of a module in the worker's folder; in tests, the built worker runs. */
export function startWorker({ name, data, youngMb }: WorkerProgram, from: string): Worker {
  // Only the last `/src/` is replaced by `/dist/`, because the project's own path may contain `/src/`.
  const root = from.lastIndexOf('/src/');
  const beside = from.endsWith('.ts') ? `${from.slice(0, root)}/dist${from.slice(root)}` : from;
  const resourceLimits = youngMb === undefined ? {} : { maxYoungGenerationSizeMb: youngMb };
  return new Worker(new URL(`${name}.js`, beside), { workerData: data, resourceLimits });
}

/** Wraps a handler of a socket, pipe or child process: an uncaught error would end the process with open orders. */
export const guarded =
  <Args extends readonly unknown[]>(handle: (...args: Args) => void, onFailure: (error: unknown) => void) =>
  (...args: Args): void => {
    try {
      handle(...args);
    } catch (error) {
      onFailure(error);
    }
  };

/** Identity of a process: its id and its start time, because the system reuses ids. */
interface ProcessMark {
  readonly pid: number;
  /** Start time in the system's units; null if the system does not report it. */
  readonly born: string | null;
}

/** Positions of fields in /proc/PID/stat after the process name, which may contain spaces and brackets. */
const STATE_FIELD = 0;
const START_FIELD = 19;
/** States of a dead process that its parent process has not yet removed. */
const DEAD = ['Z', 'X'];

export const readMark = (pid: number): ProcessMark => ({ pid, born: readBirth(pid) });

export function isGone({ pid, born: wanted }: ProcessMark): boolean {
  if (!exists(pid)) return true;
  if (DEAD.includes(readStat(pid)?.[STATE_FIELD] ?? '')) return true;
  const found = readBirth(pid);
  return wanted !== null && found !== null && found !== wanted;
}

/** Returns the start time in ticks since the boot, with the boot's id; null if the system does not report it. */
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
    // EPERM means that the process exists but belongs to another user.
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
    return null; // The system is not Linux, or the process has just ended.
  }
}
