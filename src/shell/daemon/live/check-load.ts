/** Loads a configuration's code in a separate process first: code that hangs or exits stays out of the trader. */

import { TwinbookError } from '../../../shared/base/errors.js';
import type { Environment } from '../../config/environment.js';
import { askProcess, type ProcessFailure } from '../ask-process.js';
import type { ConfigCopy } from './config-copies.js';

/** Loading takes about a second, ten at ten times the load, ms. */
const WITHIN_MS = 20_000;
const MOST_MB = 512;

export interface CheckLoadOptions {
  readonly cwd: string;
  readonly env: Environment;
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
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  const limits = {
    withinMs,
    env: { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }) },
    nodeOptions: [`--max-old-space-size=${MOST_MB}`],
  };
  const explain = (error: ProcessFailure | null, stderr: string) => failure(error, stderr, withinMs);
  const question = { kind: 'load', file, cwd, env: Object.fromEntries(overrides), copied } as const;
  return new Set((await askProcess(question, limits, explain)) as readonly string[]);
}

function failure(error: ProcessFailure | null, stderr: string, withinMs: number): TwinbookError {
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
