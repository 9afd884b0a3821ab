/** In every file of the system tier: what its tests have left running ends with the file, and is told. */

import { randomUUID } from 'node:crypto';
import { afterAll } from 'vitest';
import { endMarked, FILE_MARK } from './life.js';

const mark = randomUUID();
process.env[FILE_MARK] = mark;

// Registered before those of the file, so it comes after them.
afterAll(() => {
  for (const { pid, command } of endMarked(FILE_MARK, mark)) console.warn(`left running by a test: ${pid} ${command}`);
});
