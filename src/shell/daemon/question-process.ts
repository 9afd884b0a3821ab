/** The program that `askProcess` starts: answers one question from standard input and ends. */

import { TwinbookError } from '../../shared/base/errors.js';
import { ANSWER, type ProcessAnswer, type ProcessQuestion } from './ask-process.js';

let text = '';
for await (const chunk of process.stdin) text += String(chunk);
// The cast is safe: `askProcess` of the same version wrote the question.
const said = await answerTo(JSON.parse(text) as ProcessQuestion);
// The exit is explicit, because a loaded module may have left timers.
process.stdout.write(`\n${ANSWER}${JSON.stringify(said)}`, () => process.exit(0));

async function answerTo(question: ProcessQuestion): Promise<ProcessAnswer> {
  try {
    return { ok: true, data: question.kind === 'query' ? await select(question) : await load(question) };
  } catch (error) {
    if (!(error instanceof TwinbookError)) throw error;
    const { code, message, hint } = error;
    return { ok: false, code, message, hint };
  }
}

async function select({ path, sql, most }: Extract<ProcessQuestion, { kind: 'query' }>) {
  const { selectFromLedger } = await import('../../trader/ledger/select.js');
  return selectFromLedger(path, sql, most);
}

async function load(question: Extract<ProcessQuestion, { kind: 'load' }>): Promise<readonly string[]> {
  const { file, cwd, env, copied } = question;
  const { loadConfig } = await import('../config/load.js');
  const { strategies } = await loadConfig(file, { cwd, env, ...(copied && { copy: new Map(copied) }) });
  return strategies.map(({ moduleKey }) => moduleKey);
}
