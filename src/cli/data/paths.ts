/** Paths of recordings in commands. */

import { resolve } from 'node:path';
import type { CliIo } from '../output/io.js';

export const resolveData = (paths: readonly string[], io: CliIo): string[] =>
  paths.map((path) => resolve(io.cwd, path));
