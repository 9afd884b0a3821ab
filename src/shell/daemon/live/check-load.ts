/** Loads a configuration's code in a separate process first: code that hangs or exits stays out of the trader. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type ErrorCode, TwinbookError } from '../../../shared/base/errors.js';
import type { ConfigCopy } from './config-copies.js';

/** Loading takes about a second, ten at ten times the load, ms. */
const WITHIN_MS = 20_000;
const MOST_MB = 512;

export interface LoadQuestion {
  readonly file: string;
  readonly cwd: string;
  /** Environment overrides of the configuration. */
  readonly env: Readonly<Record<string, string>>;
  /** Null when the files themselves are loaded. */
  readonly copied: readonly (readonly [path: string, text: string])[] | null;
}

export type LoadAnswer =
  | { readonly ok: true; readonly moduleKeys: readonly string[] }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string; readonly hint: string };

export interface CheckLoadOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly copy?: ConfigCopy;
  readonly withinMs?: number;
}

/**
 * Keys of the modules that can be loaded. Throws like `loadConfig`, and `strategy_invalid` for code that does not end
 * in time.
 */
export async function checkLoad(
  file: string,
  { cwd, env, copy, withinMs = WITHIN_MS }: CheckLoadOptions,
): Promise<ReadonlySet<string>> {
  const overrides = Object.entries(env).flatMap(([name, value]) =>
    name.startsWith('TWINBOOK__') && value !== undefined ? [[name, value]] : [],
  );
  const copied = copy === undefined ? null : [...copy.texts];
  const answer = await ask({ file, cwd, env: Object.fromEntries(overrides), copied }, withinMs);
  if (answer.ok) return new Set(answer.moduleKeys);
  throw new TwinbookError(answer.code, answer.message, answer.hint);
}

function ask(question: LoadQuestion, withinMs: number): Promise<LoadAnswer> {
  // A source (in tests) starts its build: a process does not inherit its parent's TypeScript loader.
  const beside = import.meta.url.endsWith('.ts') ? import.meta.url.replace('/src/', '/dist/src/') : import.meta.url;
  const program = fileURLToPath(new URL('./check-load-process.js', beside));
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  const env = { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }) };
  const limits = { timeout: withinMs, killSignal: 'SIGKILL', env } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [`--max-old-space-size=${MOST_MB}`, program],
      limits,
      (error, stdout, stderr) => {
        const last = stdout.trimEnd().split('\n').at(-1) ?? '';
        // The program in this folder writes the line last, after any output of a module.
        if (error === null && last.startsWith(ANSWER)) resolve(JSON.parse(last.slice(ANSWER.length)) as LoadAnswer);
        else reject(failure(error, stderr, withinMs));
      },
    );
    // An ended child does not read its question.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(JSON.stringify(question));
  });
}

/** First part of the answer's line. */
export const ANSWER = 'checked: ';

function failure(error: (Error & { readonly killed?: boolean }) | null, stderr: string, withinMs: number) {
  const [first = ''] = stderr.trim().split('\n');
  const why =
    error?.killed === true
      ? `it did not end within ${withinMs / 1000} s`
      : `it ended its process${first === '' ? '' : `: ${first}`}`;
  return new TwinbookError(
    'strategy_invalid',
    `the code of the strategies was loaded in a process of its own, and ${why}`,
    'Nothing was applied. At the top level of a module stand declarations only: no endless loop, no waiting, no process.exit.',
  );
}
