/** Paths of recordings as commands are given them. */

import { resolve } from 'node:path';
import type { CliIo } from '../output/io.js';

export const resolveData = (paths: readonly string[], io: CliIo): string[] =>
  paths.map((path) => resolve(io.cwd, path));

/** In powers of ten, as storage is sold. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [unit, size] =
    bytes < 1e6 ? ['kB', 1e3] : bytes < 1e9 ? ['MB', 1e6] : bytes < 1e12 ? ['GB', 1e9] : ['TB', 1e12];
  return `${(bytes / Number(size)).toFixed(1)} ${unit}`;
}
