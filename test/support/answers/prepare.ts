/** Before the tests: writes the OpenAPI document down, and compiles the check for the processes that tests start. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';
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
  buildSync({
    entryPoints: ['check.ts', 'child.ts'].map((name) => resolve(import.meta.dirname, name)),
    outdir: resolve(root, 'node_modules/.twinbook-answers'),
    format: 'esm',
    target: 'node20',
  });
  project.provide('answersFolder', folder);
  // For the reporter, which runs in this process and has no project.
  process.env['TWINBOOK_ANSWERS_FOLDER'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
