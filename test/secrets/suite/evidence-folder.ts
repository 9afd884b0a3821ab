/**
 * Before the tests: gives the whole run a folder of its own for temporary files, so that all that it writes can be searched
 * for secrets at its end (closing-line.ts). A folder that a test removes is put aside by put-aside.ts.
 */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of this run with `tmp`, `removed` and `output`. */
    evidenceFolder: string;
  }
}

export default function prepare(project: TestProject): () => void {
  // Short: paths of sockets have a limit.
  const folder = mkdtempSync(join(tmpdir(), 'tb-'));
  for (const name of ['tmp', 'removed', 'output']) mkdirSync(join(folder, name));
  project.provide('evidenceFolder', folder);
  // For the reporter, which runs in this process and has no project.
  process.env['TWINBOOK_EVIDENCE'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
