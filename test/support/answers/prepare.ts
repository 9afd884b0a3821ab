/** Before the tests: writes the OpenAPI document and its compiled checks, and compiles the processes' module. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import type { TestProject } from 'vitest/node';
import { openApiDocument } from '../../../src/exchange/http/openapi/document.js';
import { readProfile } from '../../../src/shell/config/config.js';
import { COMPILED } from './check.js';
import { type Json, writeCompiled } from './compiled.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder with `openapi.json` and its compiled checks; real processes write violations into it. */
    answersFolder: string;
  }
}

const root = resolve(import.meta.dirname, '../../..');

export default function prepare(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-answers-'));
  const profile = readProfile('config/venues/paper.yaml', root);
  const text = JSON.stringify(openApiDocument({ profile, controls: true }));
  writeFileSync(join(folder, 'openapi.json'), text);
  writeCompiled(JSON.parse(text) as Json, join(folder, COMPILED));
  compileHook();
  project.provide('answersFolder', folder);
  // For the reporter, which runs in this process and has no project.
  process.env['TWINBOOK_ANSWERS_FOLDER'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** Both tiers may start at once as separate runs: a correct file stays, and a reader never sees half of one. */
function compileHook(): void {
  const { outputFiles } = buildSync({
    entryPoints: ['check.ts', 'child.ts', 'compiled.ts'].map((name) => resolve(import.meta.dirname, name)),
    outdir: resolve(root, 'node_modules/.twinbook-hook'),
    format: 'esm',
    target: 'node20',
    write: false,
  });
  for (const { path, text } of outputFiles) {
    if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
    mkdirSync(dirname(path), { recursive: true });
    const whole = `${path}-${process.pid}`;
    writeFileSync(whole, text);
    renameSync(whole, path);
  }
}
