/**
 * Loads a configuration in a process and ends: a module's top level may loop for ever, and only a process can be ended.
 */

import { TwinbookError } from '../../../shared/base/errors.js';
import { loadConfig } from '../../config/load.js';
import { ANSWER, type LoadAnswer, type LoadQuestion } from './check-load.js';

let text = '';
for await (const chunk of process.stdin) text += String(chunk);
// Written by `checkLoad`.
const answer = await loadFiles(JSON.parse(text) as LoadQuestion);
// A module may have left timers.
process.stdout.write(`\n${ANSWER}${JSON.stringify(answer)}\n`, () => process.exit(0));

async function loadFiles({ file, cwd, env, copied }: LoadQuestion): Promise<LoadAnswer> {
  try {
    const { strategies } = await loadConfig(file, { cwd, env, ...(copied && { copy: new Map(copied) }) });
    return { ok: true, moduleKeys: strategies.map(({ moduleKey }) => moduleKey) };
  } catch (error) {
    if (!(error instanceof TwinbookError)) throw error;
    const { code, message, hint } = error;
    return { ok: false, code, message, hint };
  }
}
