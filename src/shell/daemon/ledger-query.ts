/** SQL over a ledger with a time limit, in a separate process: the trader never waits for it. */

import { TwinbookError } from '../../shared/base/errors.js';
import type { Selected } from '../../trader/ledger/select.js';
import { askProcess, type ProcessFailure, type Questions } from './ask-process.js';

/** Larger results must be queried in parts. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Throws like `selectFromLedger`, and `timed_out` after `withinMs`, when the process is ended. */
export async function queryLedger(question: Questions['query'], withinMs: number): Promise<Selected> {
  const explain = (error: ProcessFailure | null, stderr: string) => failure(error, stderr, withinMs);
  const limits = { withinMs, maxBuffer: MOST_BYTES };
  return (await askProcess({ kind: 'query', ...question }, limits, explain)) as Selected;
}

function failure(error: ProcessFailure | null, stderr: string, withinMs: number): TwinbookError {
  if (error?.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
    return new TwinbookError('usage', 'the answer is larger than 256 MB', 'Ask for fewer rows or columns.');
  if (error?.killed === true) {
    const hint = 'Ask for less of it (a WHERE, fewer joins), or give it longer with --timeout.';
    return new TwinbookError('timed_out', `the query took longer than ${withinMs / 1000} s and was ended`, hint);
  }
  const hint = '`twinbook ledger query "select sql from sqlite_schema"` prints the tables with their columns.';
  return new TwinbookError('file_unreadable', `the query failed: ${stderr.trim() || error?.message}`, hint);
}
