/**
 * A flag of V8, the engine of Node: bytes of bytecode that a function runs before threads beside it compile it to fast code. Later
 * than usual pays for what ends within seconds. What is run does the same. The engines of Node 22 and 24 have no such measure any
 * more, and say so on the standard error of whoever is told of it.
 */

import { setFlagsFromString } from 'node:v8';
import { afterAll, beforeAll } from 'vitest';

const [USUAL, LATE] = ['--interrupt-budget=67584', '--interrupt-budget=600000'] as const;

/** For programs that tests start, which take a seventh less of a processor by it; null where Node has none. */
export const LATE_OPTIMISING: string | null = Number.parseInt(process.versions.node, 10) < 22 ? LATE : null;

/**
 * For a file whose tests start threads, each of which compiles for itself what it runs for a second or two: a sixth less. Of the whole
 * process, as V8 knows it of no thread; a process that computes for long is the slower for it, so the file gives the usual back.
 */
export function optimiseThreadsLate(): void {
  if (LATE_OPTIMISING === null) return;
  beforeAll(() => setFlagsFromString(LATE));
  afterAll(() => setFlagsFromString(USUAL));
}
