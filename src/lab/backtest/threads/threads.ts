/** The runs of several fill models on threads, one model at a time each: no run knows of another, so nothing else changes. */

import type { Worker } from 'node:worker_threads';
import { AssertionFailed, type ErrorCode, TwinbookError } from '../../../shared/base/errors.js';
import { startWorker } from '../../../shared/base/worker-start.js';
import type { Config } from '../../../shell/config/types.js';
import { type BacktestOptions, type BacktestResult, compareRuns, type ModelRuns } from '../backtest.js';

/** How a thread reads the configuration once more: what a strategy is made of cannot be handed to it. */
export interface ConfigOfThreads {
  readonly file: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Names of feeds that the backtest brings. */
  readonly feeds: readonly string[];
}

/** Everything but what is no plain data. */
export type PlainOptions = Omit<BacktestOptions, 'progress' | 'fillModels'>;

/** Handed to a thread when it starts. */
export interface ModelSetup {
  readonly source: ConfigOfThreads;
  /** Of the configuration that was read first: another one must not be run unnoticed. */
  readonly configHash: string;
  readonly options: PlainOptions;
}

/** To a thread; null when there is nothing more to run. */
export type ModelOrder = { readonly index: number; readonly fillModel: string } | null;

/** From a thread: `ready` once, then of each model how far it is, and at last its runs or why there are none. */
export type ModelReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'part'; readonly index: number; readonly part: number }
  | { readonly kind: 'done'; readonly index: number; readonly runs: ModelRuns }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string; readonly hint: string };

export interface ThreadedBacktest {
  readonly config: Config;
  readonly source: ConfigOfThreads;
  readonly options: PlainOptions;
  /** Known names, each once. */
  readonly fillModels: readonly string[];
  readonly workers: number;
  readonly progress: (share: number, what: string) => void;
}

/** As `backtestOf`, and throws the same. */
export async function backtestOnThreads(asked: ThreadedBacktest): Promise<readonly BacktestResult[]> {
  const runs = new Map<number, ModelRuns>();
  const parts = asked.fillModels.map(() => 0);
  let next = 0;
  let failure: unknown = null;
  const order = (): ModelOrder => {
    const [index, fillModel] = [next, asked.fillModels[next]];
    // After a failure the others end what they have begun: a thread must not be cut short in the middle of reading.
    if (fillModel === undefined || failure !== null) return null;
    next += 1;
    return { index, fillModel };
  };
  const hear = (report: ModelReport, worker: Worker): void => {
    if (report.kind === 'part') parts[report.index] = report.part;
    if (report.kind === 'done') runs.set(report.index, report.runs);
    if (report.kind === 'failed') failure ??= new TwinbookError(report.code, report.message, report.hint);
    const done = parts.reduce((sum, part) => sum + part, 0);
    asked.progress(done / parts.length, `${parts.length} fill models on ${asked.workers} threads`);
    if (report.kind !== 'part') worker.postMessage(order());
  };
  const { source, options, config } = asked;
  const setup: ModelSetup = { source, configHash: config.configHash, options };
  const threads = Array.from({ length: Math.min(asked.workers, asked.fillModels.length) }, () =>
    runThread(setup, hear),
  );
  for (const ended of await Promise.allSettled(threads)) if (ended.status === 'rejected') failure ??= ended.reason;
  if (failure !== null) throw failure;
  const all = asked.fillModels.map((name, index) => {
    const found = runs.get(index);
    if (found === undefined) throw new AssertionFailed(`no thread has run ${name}`);
    return found;
  });
  return compareRuns(all, options.seed ?? 1);
}

/** Resolves when it has ended by itself; rejects with what it could not catch. */
function runThread(setup: ModelSetup, hear: (report: ModelReport, worker: Worker) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = startWorker({ name: './model-worker', data: setup }, import.meta.url);
    worker.on('message', (report: ModelReport) => hear(report, worker));
    worker.on('error', reject);
    worker.on('exit', (code) =>
      code === 0 ? resolve() : reject(new AssertionFailed(`a thread of the backtest ended with code ${code}`)),
    );
  });
}
