/**
 * Runs one query in its own process: SQLite cannot be interrupted from within, but a process can be ended. Reads the
 * question from its input.
 */

import { TwinbookError } from '../../shared/base/errors.js';
import { selectFromLedger } from '../../trader/ledger/select.js';
import type { LedgerAnswer, LedgerQuestion } from './ledger-query.js';

let text = '';
for await (const chunk of process.stdin) text += String(chunk);
// Written by `queryLedger`.
process.stdout.write(JSON.stringify(answerTo(JSON.parse(text) as LedgerQuestion)));

function answerTo({ path, sql, most }: LedgerQuestion): LedgerAnswer {
  try {
    return { ok: true, selected: selectFromLedger(path, sql, most) };
  } catch (error) {
    if (!(error instanceof TwinbookError)) throw error;
    const { code, message, hint } = error;
    return { ok: false, code, message, hint };
  }
}
