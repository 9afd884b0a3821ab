/** SQL over a ledger with a time limit, in a separate process: the trader never waits for it. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type ErrorCode, TwinbookError } from '../../shared/base/errors.js';
import type { Selected } from '../../trader/ledger/select.js';

export interface LedgerQuestion {
  readonly path: string;
  readonly sql: string;
  /** Rows. */
  readonly most: number;
}

export type LedgerAnswer =
  | { readonly ok: true; readonly selected: Selected }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string; readonly hint: string };

/** Larger results must be queried in parts. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Throws like `selectFromLedger`, and `timed_out` after `withinMs`, when the process is ended. */
export async function queryLedger(question: LedgerQuestion, withinMs: number): Promise<Selected> {
  const answer = await ask(question, withinMs);
  if (answer.ok) return answer.selected;
  throw new TwinbookError(answer.code, answer.message, answer.hint);
}

function ask(question: LedgerQuestion, withinMs: number): Promise<LedgerAnswer> {
  // A source (in tests) starts its build: a process does not inherit its parent's TypeScript loader.
  const beside = import.meta.url.endsWith('.ts') ? import.meta.url.replace('/src/', '/dist/src/') : import.meta.url;
  const program = fileURLToPath(new URL('./ledger-query-process.js', beside));
  const limits = { timeout: withinMs, killSignal: 'SIGKILL', maxBuffer: MOST_BYTES } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [program], limits, (error, stdout, stderr) => {
      // Written by the program in this folder.
      if (error === null) resolve(JSON.parse(stdout) as LedgerAnswer);
      else reject(failure(error, stderr, withinMs));
    });
    child.stdin?.end(JSON.stringify(question));
  });
}

function failure(
  error: Error & { readonly killed?: boolean; readonly code?: unknown },
  stderr: string,
  withinMs: number,
) {
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
    return new TwinbookError('usage', 'the answer is larger than 256 MB', 'Ask for fewer rows or columns.');
  if (error.killed === true) {
    const hint = 'Ask for less of it (a WHERE, fewer joins), or give it longer with --timeout.';
    return new TwinbookError('timed_out', `the query took longer than ${withinMs / 1000} s and was ended`, hint);
  }
  return new TwinbookError(
    'file_unreadable',
    `the query failed: ${stderr.trim() || error.message}`,
    '`twinbook ledger query "select sql from sqlite_schema"` prints the tables with their columns.',
  );
}
