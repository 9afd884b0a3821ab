/** The output of a run's programs for the search, and the search at its end. */

import { randomUUID } from 'node:crypto';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { filesBelow, homeAt, isVenueMemory, type Leak, leaksIn, learn } from '../evidence.js';
import { plainReadings } from '../readings.js';
import { SecretSearch } from '../search.js';

/** Only a bench or an import makes a recording of this size, without any secret. */
const LARGEST_BYTES = 64 * 1024 * 1024;

/** Keeps a program's output; does nothing outside a searched run. */
export function keepOutput(name: string, text: string): void {
  const folder = process.env['TWINBOOK_EVIDENCE'];
  if (folder === undefined || text === '') return;
  writeFileSync(join(folder, 'output', `${randomUUID()} ${name.replace(/[^\w.-]+/g, ' ').slice(0, 60)}.txt`), text);
}

export interface RunSearch {
  /** Number of secrets in the run's wallet and credentials files. */
  readonly secrets: number;
  readonly files: number;
  readonly bytes: number;
  readonly skipped: number;
  readonly leaks: readonly Leak[];
}

/** Searches all files of a run for all its secrets, file by file, so that other work can run between files. */
export async function searchRun(folder: string): Promise<RunSearch> {
  const search = new SecretSearch();
  const homes = new Set<string>();
  // Processes that outlive their test may still remove files: a removed file leaks nothing.
  const below = ifThere(() => filesBelow(folder)) ?? filesBelow(folder);
  const files = below.filter((file) => !isVenueMemory(file) && existsSync(file));
  for (const file of files) {
    const home = ifThere(() => homeAt(file));
    if (home === null) continue;
    homes.add(file);
    learn(search, home);
  }
  let [searched, bytes, skipped] = [0, 0, 0];
  const leaks: Leak[] = [];
  for (const file of files.filter((path) => !homes.has(path) && existsSync(path))) {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LARGEST_BYTES) {
      skipped += 1;
      continue;
    }
    await nextTurn();
    const readings = ifThere(() => plainReadings(file));
    if (readings === null) continue;
    searched += 1;
    bytes += readings.reduce((sum, reading) => sum + reading.bytes.length, 0);
    leaks.push(...leaksIn(file.slice(folder.length + 1), readings, search));
  }
  return { secrets: search.size, files: searched, bytes, skipped, leaks };
}

/** Null if a file is removed while it is read. */
function ifThere<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
