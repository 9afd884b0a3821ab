/**
 * A flag of V8, the engine of Node: bytes of bytecode that a function runs before background threads compile it to fast
 * code. A later compilation saves time in programs that end within seconds, with the same results. The engines of Node
 * 22 and 24 no longer have this flag, and print an error about it.
 */

import { setFlagsFromString } from 'node:v8';
import { afterAll, beforeAll } from 'vitest';

const [USUAL, LATE] = ['--interrupt-budget=67584', '--interrupt-budget=600000'] as const;

/** For programs that tests start: saves a seventh of their processor time; null if Node does not have it. */
export const LATE_OPTIMISING: string | null = Number.parseInt(process.versions.node, 10) < 22 ? LATE : null;

/**
 * For a file whose tests start threads, each of which compiles the code of a second or two: saves a sixth. V8 only has
 * one setting per process. Long computations need the usual value, which the file restores.
 */
export function optimiseThreadsLate(): void {
  if (LATE_OPTIMISING === null) return;
  beforeAll(() => setFlagsFromString(LATE));
  afterAll(() => setFlagsFromString(USUAL));
}
