/** What a run of tests leaves for the search: the output of its programs, and the search itself at its end. */

import { randomUUID } from 'node:crypto';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { filesBelow, homeAt, isVenueMemory, type Leak, leaksIn, learn } from '../evidence.js';
import { plainReadings } from '../readings.js';
import { SecretSearch } from '../search.js';

/** A recording of this size was made by a bench or an import, neither of which knows a secret. */
const LARGEST_BYTES = 64 * 1024 * 1024;

/** Keeps what a program said; nothing happens outside of a run that is searched. */
export function keepOutput(name: string, text: string): void {
  const folder = process.env['TWINBOOK_EVIDENCE'];
  if (folder === undefined || text === '') return;
  writeFileSync(join(folder, 'output', `${randomUUID()} ${name.replace(/[^\w.-]+/g, ' ').slice(0, 60)}.txt`), text);
}

export interface RunSearch {
  /** Secrets that lived in the run's wallet and credentials files. */
  readonly secrets: number;
  readonly files: number;
  readonly bytes: number;
  readonly skipped: number;
  readonly leaks: readonly Leak[];
}

/**
 * Searches everything that a run wrote for everything secret that it made, file by file: whoever waits for something else
 * meanwhile (the runner, that its workers end) is not held up.
 */
export async function searchRun(folder: string): Promise<RunSearch> {
  const search = new SecretSearch();
  const homes = new Set<string>();
  // Processes that outlive their test may still remove files: what is gone leaks nothing.
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

/** Null where a file goes while it is read. */
function ifThere<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
