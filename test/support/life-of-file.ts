/** In every file of the system tier: ends the processes that its tests left, and reports them. */

import { randomUUID } from 'node:crypto';
import { afterAll } from 'vitest';
import { endMarked, FILE_MARK } from './life.js';

const mark = randomUUID();
process.env[FILE_MARK] = mark;

// Registered before the file's own hooks, so it runs after them.
afterAll(() => {
  for (const { pid, command } of endMarked(FILE_MARK, mark)) console.warn(`left running by a test: ${pid} ${command}`);
});
