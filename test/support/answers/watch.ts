/**
 * Checks each answer of every exchange, in this process and in those that tests start, against the OpenAPI document.
 * Loaded once per process, for any number of test files.
 */

import { randomUUID } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';
import { LATE_OPTIMISING } from '../late-optimising.js';
import { ANSWERS_CHANNEL, type Answer, AnswerCheck } from './check.js';

const folder = inject('answersFolder');
const document = join(folder, 'openapi.json');
const file = join(folder, `violations-${randomUUID()}.jsonl`);
const found: string[] = [];
let check: AnswerCheck | null = null;

subscribe(ANSWERS_CHANNEL, (answer) => {
  check ??= AnswerCheck.ofFile(document);
  found.push(...check.violations(answer as Answer));
});

// Processes that tests start inherit this.
const hook = resolve(import.meta.dirname, '../../../node_modules/.twinbook-hook/child.js');
process.env['TWINBOOK_OPENAPI'] = document;
process.env['TWINBOOK_VIOLATIONS'] = file;
if (LATE_OPTIMISING !== null) process.env['TWINBOOK_V8_FLAGS'] = LATE_OPTIMISING;
// Additional certificates of this machine: every Node reads the list at its start, which takes longer than the rest of
// it. The tests' processes connect only to this machine.
delete process.env['NODE_EXTRA_CA_CERTS'];
process.env['NODE_OPTIONS'] = `${process.env['NODE_OPTIONS'] ?? ''} --import=${pathToFileURL(hook).href}`.trim();

/** All violations since the last call. */
export function takeViolations(): readonly string[] {
  const taken = [...found.splice(0), ...readViolations(file)];
  rmSync(file, { force: true });
  return [...new Set(taken)];
}

const readViolations = (path: string): string[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as string)
    : [];
