/**
 * Loaded first into every process that a test starts (`--import`, see setup.ts): checks each answer of an exchange in
 * that process, and writes errors to a file that the test reads. Sets the engine's flags, most of which Node does not
 * read from an environment.
 */

import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { isMainThread } from 'node:worker_threads';
import { ANSWERS_CHANNEL, type Answer, AnswerCheck } from './check.js';

const { TWINBOOK_OPENAPI: document, TWINBOOK_VIOLATIONS: file, TWINBOOK_V8_FLAGS: flags } = process.env;

// For the whole process: its threads load this too.
if (flags !== undefined && isMainThread) setFlagsFromString(flags);

if (document !== undefined && file !== undefined) {
  let check: AnswerCheck | null = null;
  subscribe(ANSWERS_CHANNEL, (answer) => {
    check ??= AnswerCheck.ofFile(document);
    for (const violation of check.violations(answer as Answer)) appendFileSync(file, `${JSON.stringify(violation)}\n`);
  });
}
