/** Before the tests: writes the OpenAPI document down, and compiles the check for the processes that tests start. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openApiDocument } from '../../../src/exchange/http/openapi/document.js';
import { readProfile } from '../../../src/shell/config/sections/venue.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder with `openapi.json`; violations that real processes find are written into it. */
    answersFolder: string;
  }
}

const root = resolve(import.meta.dirname, '../../..');

export default function prepare(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-answers-'));
  const profile = readProfile('config/venues/paper.yaml', root);
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(openApiDocument({ profile, controls: true })));
  const compiler = resolve(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', 'test/support/answers'], { cwd: root, stdio: 'inherit' });
  project.provide('answersFolder', folder);
  // For the reporter, which runs in this process and has no project.
  process.env['TWINBOOK_ANSWERS_FOLDER'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
