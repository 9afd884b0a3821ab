/**
 * Before the tests: gives the whole run a folder of its own for temporary files, so that all that it writes can be searched
 * for secrets at its end (closing-line.ts). A folder that a test removes is put aside by put-aside.ts.
 */

import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of this run with `tmp`, `removed` and `output`. */
    evidenceFolder: string;
  }
}

/** Linux's disk in memory: a sync costs nothing there, and a tenth of what tests of ledgers take is the disk's work. */
const IN_MEMORY = '/dev/shm';
/** A run of both tiers writes half a GiB, which stays until it is searched. */
const ROOM_BYTES = 2 * 2 ** 30;
/** Free memory that is needed before files go there: the run's programs need a few GiB themselves. */
const MEMORY_BYTES = 8 * 2 ** 30;

export default function prepare(project: TestProject): () => void {
  // Short: paths of sockets have a limit.
  const folder = mkdtempSync(join(roomyFolder(), 'tb-'));
  for (const name of ['tmp', 'removed', 'output']) mkdirSync(join(folder, name));
  project.provide('evidenceFolder', folder);
  // For the reporter, which runs in this process and has no project.
  process.env['TWINBOOK_EVIDENCE'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** Where the run's files lie: in memory if there is plenty, unless TMPDIR says where. */
function roomyFolder(): string {
  if (process.env['TMPDIR'] !== undefined) return tmpdir();
  try {
    accessSync(IN_MEMORY, constants.W_OK);
    // Tests run programs that they wrote, which containers forbid there.
    if (new RegExp(`^\\S+ ${IN_MEMORY} .*noexec`, 'm').test(readFileSync('/proc/mounts', 'utf8'))) return tmpdir();
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= ROOM_BYTES && process.availableMemory() >= MEMORY_BYTES ? IN_MEMORY : tmpdir();
  } catch {
    return tmpdir(); // there is none
  }
}
