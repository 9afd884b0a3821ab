/** Runs of several fill models on threads, one model each: runs are independent, so results do not change. */

import { AssertionFailed, type ErrorCode, TwinbookError } from '../../../shared/base/errors.js';
import { type BacktestOptions, type BacktestResult, compareRuns, type ModelRuns } from '../backtest.js';
import { type ConfigOfThreads, TaskPool } from './pool.js';

export interface ModelSetup extends ConfigOfThreads {
  readonly options: Omit<BacktestOptions, 'progress' | 'fillModels'>;
}

export type ModelEnd =
  | { readonly runs: ModelRuns; readonly error: null }
  | {
      readonly runs: null;
      readonly error: { readonly code: ErrorCode; readonly message: string; readonly hint: string };
    };

interface ThreadedBacktest extends ModelSetup {
  readonly fillModels: readonly string[];
  readonly workers: number;
  readonly progress: (share: number, what: string) => void;
}

/** As `backtestOf`, and throws the same. */
export async function backtestOnThreads(asked: ThreadedBacktest): Promise<readonly BacktestResult[]> {
  const { source, configHash, options, fillModels, workers, progress } = asked;
  const setup: ModelSetup = { source, configHash, options };
  const program = { name: './model-worker', from: import.meta.url };
  const pool = new TaskPool<string, ModelEnd>({ workers, program, setup, readsFiles: true });
  const parts = new Map<string, number>();
  const runs = new Map<string, ModelRuns>();
  const onPart = (fillModel: string, part: number): void => {
    const done = [...parts.set(fillModel, part).values()].reduce((sum, each) => sum + each, 0);
    progress(done / fillModels.length, `${fillModels.length} fill models on ${workers} threads`);
  };
  try {
    await pool.run({
      tasks: fillModels,
      onPart,
      done: (fillModel, end) => {
        if (end.kind === 'failed') throw new AssertionFailed(`a thread of the backtest failed: ${end.error}`);
        const { runs: found, error } = end.figures;
        if (error !== null) throw new TwinbookError(error.code, error.message, error.hint);
        runs.set(fillModel, found);
      },
      stopAsked: new Promise(() => undefined),
    });
  } finally {
    await pool.close();
  }
  const all = fillModels.map((name) => {
    const found = runs.get(name);
    if (found === undefined) throw new AssertionFailed(`no thread has run ${name}`);
    return found;
  });
  return compareRuns(all, options.seed ?? 1);
}
