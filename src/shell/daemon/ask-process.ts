/** Runs SQL or loads a configuration in a separate process: only a kill of that process stops code that hangs. */

import { type ExecFileException, type ExecFileOptions, execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type ErrorCode, TwinbookError } from '../../shared/base/errors.js';
import type { Selected } from '../../trader/ledger/select.js';
import type { Environment } from '../config/config.js';

interface SqlQuestion {
  readonly path: string;
  readonly sql: string;
  readonly most: number;
}

const MOST_BYTES = 256 * 1024 * 1024;

/** Runs SQL on a ledger in a separate process. Throws like `selectFromLedger`; throws `timed_out` after `withinMs`. */
export async function queryLedger(query: SqlQuestion, withinMs: number): Promise<Selected> {
  const explain = (error: ExecFileException | null, stderr: string): TwinbookError => {
    if (error?.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
      return new TwinbookError('usage', 'the answer is larger than 256 MB', 'Ask for fewer rows or columns.');
    if (error?.killed === true) {
      const hint = 'Narrow the query (a WHERE, fewer joins), or allow more time with --timeout.';
      return new TwinbookError('timed_out', `the query took longer than ${withinMs / 1000} s and was ended`, hint);
    }
    const hint = '`twinbook ledger query "select sql from sqlite_schema"` prints the tables with their columns.';
    return new TwinbookError('file_unreadable', `the query failed: ${stderr.trim() || error?.message}`, hint);
  };
  const limits = { withinMs, maxBuffer: MOST_BYTES };
  return (await askProcess({ kind: 'query', ...query }, limits, explain)) as Selected;
}

/** Maximum time for loading a configuration, ms. Loading takes about 1 s, on a very busy machine 10 s. */
const LOADED_WITHIN_MS = 20_000;
const MOST_MB = 512;

interface CheckLoadOptions {
  readonly cwd: string;
  readonly env: Environment;
  /** Stored copy of the configuration, as in `Config.texts`. If present, the files are not read. */
  readonly copy?: ReadonlyMap<string, string>;
  readonly withinMs?: number;
}

/** Loads a configuration in a separate process, safe from code that hangs or exits. Returns its module keys. */
export async function checkLoad(
  file: string,
  { cwd, env, copy, withinMs = LOADED_WITHIN_MS }: CheckLoadOptions,
): Promise<ReadonlySet<string>> {
  const overrides = Object.entries(env).filter(([name]) => name.toUpperCase().startsWith('TWINBOOK__'));
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  const limits = {
    withinMs,
    env: { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }) },
    nodeOptions: [`--max-old-space-size=${MOST_MB}`],
  };
  const explain = (error: ExecFileException | null, stderr: string): TwinbookError => {
    const [first = ''] = stderr.trim().split('\n');
    const why =
      error?.killed === true
        ? `the process did not end within ${withinMs / 1000} s`
        : `the strategies’ code ended the process${first === '' ? '' : `: ${first}`}`;
    return new TwinbookError(
      'strategy_invalid',
      `loading the strategies’ code in a separate process failed: ${why}`,
      'Nothing was applied. The top level of a module may only have declarations: no endless loop, no waiting, no process.exit.',
    );
  };
  const copied = copy === undefined ? null : [...copy];
  const question = { kind: 'load', file, cwd, env: Object.fromEntries(overrides), copied } as const;
  return new Set((await askProcess(question, limits, explain)) as readonly string[]);
}

export type ProcessQuestion =
  | ({ readonly kind: 'query' } & SqlQuestion)
  | {
      readonly kind: 'load';
      readonly file: string;
      readonly cwd: string;
      readonly env: Environment;
      readonly copied: readonly (readonly [path: string, text: string])[] | null;
    };

export type ProcessAnswer =
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string; readonly hint: string };

/** Prefix of the answer, the last line that the process prints. A strategy module may print lines before it. */
export const ANSWER = 'answer: ';

interface ProcessLimits extends Pick<ExecFileOptions, 'env' | 'maxBuffer'> {
  readonly withinMs: number;
  readonly nodeOptions?: readonly string[];
}

/** Asks a new process. Throws the TwinbookError in its answer; without an answer, the error that `explain` returns. */
function askProcess(
  question: ProcessQuestion,
  { withinMs, nodeOptions = [], ...limits }: ProcessLimits,
  explain: (error: ExecFileException | null, stderr: string) => TwinbookError,
): Promise<unknown> {
  // Tests run TypeScript sources, but the separate process needs compiled code, because it has no TypeScript loader.
  const beside = import.meta.url.endsWith('.ts') ? import.meta.url.replace('/src/', '/dist/src/') : import.meta.url;
  const program = fileURLToPath(new URL('./question-process.js', beside));
  const options = { ...limits, timeout: withinMs, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [...nodeOptions, program], options, (error, stdout, stderr) => {
      const last = stdout.slice(stdout.lastIndexOf('\n') + 1);
      if (error !== null || !last.startsWith(ANSWER)) return reject(explain(error, stderr));
      const answer = JSON.parse(last.slice(ANSWER.length)) as ProcessAnswer;
      if (answer.ok) resolve(answer.data);
      else reject(new TwinbookError(answer.code, answer.message, answer.hint));
    });
    // Errors of this write are ignored: they mean that the child process ended, and `execFile` reports its end.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(JSON.stringify(question));
  });
}
