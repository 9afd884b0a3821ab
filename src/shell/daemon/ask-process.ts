/**
 * Questions for a separate process: SQLite and the top level of a module cannot be interrupted from within, but a
 * process can be ended.
 */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type ErrorCode, TwinbookError } from '../../shared/base/errors.js';

/** Answer of `question-process.ts`. Both files have the same version. */
export interface Questions {
  readonly query: { readonly path: string; readonly sql: string; readonly most: number };
  readonly load: {
    readonly file: string;
    readonly cwd: string;
    /** Environment overrides of the configuration. */
    readonly env: Readonly<Record<string, string>>;
    /** Null when the files themselves are loaded. */
    readonly copied: readonly (readonly [path: string, text: string])[] | null;
  };
}

export type Asked = { readonly [Kind in keyof Questions]: { readonly kind: Kind } & Questions[Kind] }[keyof Questions];

export type ProcessAnswer =
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string; readonly hint: string };

/** First part of the answer's line, the last one: a module may write before it. */
export const ANSWER = 'answer: ';

export interface ProcessLimits {
  readonly withinMs: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly maxBuffer?: number;
  readonly nodeOptions?: readonly string[];
}

export type ProcessFailure = Error & { readonly killed?: boolean; readonly code?: unknown };

/** Throws the process's TwinbookError, and the one of `explain` when it gives no answer. */
export function askProcess(
  question: Asked,
  { withinMs, nodeOptions = [], ...limits }: ProcessLimits,
  explain: (error: ProcessFailure | null, stderr: string) => TwinbookError,
): Promise<unknown> {
  // A source (in tests) starts its build: a process does not inherit its parent's TypeScript loader.
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
    // An ended child does not read its question.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(JSON.stringify(question));
  });
}
