/**
 * Before the tests: gives the whole run its own folder for temporary files, so that everything it writes can be
 * searched for secrets at its end (closing-line.ts). put-aside.ts keeps folders that a test removes.
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

/** Linux's file system in memory: syncs are free there, and a tenth of the time of ledger tests is the disk's. */
const IN_MEMORY = '/dev/shm';
/** A run of both tiers writes half a GiB, which stays until it is searched. */
const ROOM_BYTES = 2 * 2 ** 30;
/** Minimum free memory for files there: the run's programs need a few GiB themselves. */
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

/** Folder of the run's files: in memory if there is enough, unless TMPDIR is set. */
function roomyFolder(): string {
  if (process.env['TMPDIR'] !== undefined) return tmpdir();
  try {
    accessSync(IN_MEMORY, constants.W_OK);
    // Tests run programs that they write there, which containers may forbid.
    if (new RegExp(`^\\S+ ${IN_MEMORY} .*noexec`, 'm').test(readFileSync('/proc/mounts', 'utf8'))) return tmpdir();
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= ROOM_BYTES && process.availableMemory() >= MEMORY_BYTES ? IN_MEMORY : tmpdir();
  } catch {
    return tmpdir(); // there is none
  }
}
