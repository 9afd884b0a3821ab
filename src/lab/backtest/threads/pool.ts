/** A pool of worker threads. A task fails if it throws or its worker dies; a dead worker is replaced. */

import { parentPort, type Worker } from 'node:worker_threads';
import { AssertionFailed, assert, must, TwinbookError } from '../../../shared/base/errors.js';
import { guarded, startWorker } from '../../../shared/base/processes.js';
import type { Config } from '../../../shell/config/config.js';
import { loadConfig } from '../../../shell/config/load.js';
import { type BacktestOptions, type BacktestResult, compareRuns, type ModelRuns } from '../backtest.js';
import { endAfterReads } from '../replay-driver.js';

export interface ModelSetup extends ConfigOfThreads {
  readonly options: Omit<BacktestOptions, 'progress' | 'fillModels'>;
}

interface ThreadedBacktest extends ModelSetup {
  readonly fillModels: readonly string[];
  readonly workers: number;
  readonly progress: (share: number, what: string) => void;
}

/** Runs backtests like `backtestOf`, but with one thread per fill model; results and errors are the same. */
export async function backtestOnThreads(asked: ThreadedBacktest): Promise<readonly BacktestResult[]> {
  const { source, configHash, options, fillModels, workers, progress } = asked;
  const setup: ModelSetup = { source, configHash, options };
  const program = { name: './model-worker', from: import.meta.url };
  const pool = new TaskPool<string, ModelRuns>({ workers, program, setup, readsFiles: true });
  const parts = new Map<string, number>();
  const runs = new Map<string, ModelRuns>();
  const onPart = (fillModel: string, part: number): void => {
    const done = [...parts.set(fillModel, part).values()].reduce((sum, each) => sum + each, 0);
    progress(done / fillModels.length, `${fillModels.length} fill models on ${workers} threads`);
  };
  const done: Batch<string, ModelRuns>['done'] = (fillModel, end) => {
    if (end.kind === 'done') runs.set(fillModel, end.figures);
    else if (end.known === undefined) throw new AssertionFailed(`a thread of the backtest failed: ${end.error}`);
    else throw new TwinbookError(end.known.code, end.known.message, end.known.hint);
  };
  await pool.run({ tasks: fillModels, onPart, done }).finally(() => pool.close());
  const models = fillModels.map((name) => must(runs.get(name), name));
  return compareRuns(models, options.seed ?? 1);
}

/** Source of a configuration. Each thread loads the configuration, because strategies cannot be sent to threads. */
export interface ConfigOfThreads {
  readonly source: {
    readonly file: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly cwd: string;
    readonly feeds?: readonly string[] | 'any';
  };
  /** Hash of the main thread's configuration. A thread rejects a configuration with another hash; null: no check. */
  readonly configHash: string | null;
}

export async function sameConfig({ source, configHash }: ConfigOfThreads): Promise<Config> {
  const loaded = await loadConfig(source.file, { ...source, strategyFileToo: true });
  if (configHash === null || loaded.configHash === configHash) return loaded;
  const hint = 'Do not change the configuration or its strategies during the run.';
  throw new TwinbookError('config_invalid', `${source.file} has changed since the run began`, hint);
}

export type TaskEnd<R> =
  | { readonly kind: 'done'; readonly figures: R }
  | { readonly kind: 'failed'; readonly error: string; readonly known?: KnownError };

/** Fields of a `TwinbookError`. These fields are sent separately, because an error loses its class between threads. */
type KnownError = Pick<TwinbookError, 'code' | 'message' | 'hint'>;

type WorkerReport<R> =
  | { readonly kind: 'ready' }
  | { readonly kind: 'part'; readonly part: number }
  | { readonly kind: 'outcome'; readonly outcome: TaskEnd<R> };

export function serveTasks<T, R>(run: (task: T, tell: (part: number) => void) => Promise<R>): void {
  assert(parentPort !== null, 'this program must run in a worker thread');
  const port = parentPort;
  // A strategy may cause uncaught errors, for example by a promise that is rejected.
  process.on('uncaughtException', endAfterReads);
  const report = (message: WorkerReport<R>) => port.postMessage(message);
  port.on('message', async (task: T) => {
    try {
      const figures = await run(task, (part) => report({ kind: 'part', part }));
      report({ kind: 'outcome', outcome: { kind: 'done', figures } });
    } catch (error) {
      const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      const known =
        error instanceof TwinbookError ? { known: { code: error.code, message: error.message, hint: error.hint } } : {};
      report({ kind: 'outcome', outcome: { kind: 'failed', error: text, ...known } });
    }
  });
  report({ kind: 'ready' });
}

interface PoolSetup {
  readonly workers: number;
  readonly program: { readonly name: string; readonly from: string };
  /** Data for each thread. The pool adds the shared flag `stop` to the data; a value other than 0 cancels the work. */
  readonly setup: object;
  readonly readsFiles: boolean;
}

export interface Batch<T, R> {
  readonly tasks: readonly T[];
  /** Callback at the end of each task, in the order in which tasks end. An error of this callback ends the batch. */
  readonly done: (task: T, outcome: TaskEnd<R>) => void;
  readonly onPart?: (task: T, part: number) => void;
  readonly stopAsked?: Promise<void>;
}

type Hired<T> = { isReady: boolean; task: T | null };

export class TaskPool<T, R> {
  readonly #options: PoolSetup;
  readonly #hired = new Map<Worker, Hired<T>>();
  readonly #stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #batch: Batch<T, R> = { tasks: [], done: () => undefined };
  #next = 0;
  #ended = 0;
  #isClosed = false;
  #resolve: (isComplete: boolean) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(options: PoolSetup) {
    this.#options = options;
  }

  /** Returns true after all tasks; false if `stopAsked` resolved earlier. After false, call only `close`. */
  run(batch: Batch<T, R>): Promise<boolean> {
    const { tasks, stopAsked } = batch;
    if (tasks.length === 0) return Promise.resolve(true);
    [this.#batch, this.#next, this.#ended] = [batch, 0, 0];
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      void stopAsked?.then(() => resolve(false));
      for (const [worker, hired] of this.#hired) if (hired.isReady) this.#assign(worker, hired);
      for (let i = this.#hired.size; i < Math.min(this.#options.workers, tasks.length); i++) this.#hire();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    Atomics.store(this.#stop, 0, 1);
    await Promise.all([...this.#hired].map(([worker, hired]) => this.#dismiss(worker, hired)));
  }

  /** Ends a worker. A worker must not be ended during a read of a file: see `waitForReads`. */
  async #dismiss(worker: Worker, { isReady, task }: Hired<T>): Promise<void> {
    if (this.#options.readsFiles && (!isReady || task !== null)) await awaitWorker(worker);
    await worker.terminate();
  }

  #hire(): void {
    const { program, setup } = this.#options;
    const worker = startWorker({ name: program.name, data: { ...setup, stop: this.#stop } }, program.from);
    const hired: Hired<T> = { isReady: false, task: null };
    let reason: unknown = null;
    this.#hired.set(worker, hired);
    const failed = (error: unknown) => this.#reject(error);
    const heard = (report: WorkerReport<R>) => this.#heard(worker, hired, report);
    const left = (code: number) => this.#left(worker, hired, reason, code);
    worker.on('message', guarded(heard, failed));
    worker.on('error', (error) => {
      reason = error;
    });
    worker.on('exit', guarded(left, failed));
  }

  #heard(worker: Worker, hired: Hired<T>, report: WorkerReport<R>): void {
    const { task } = hired;
    if (report.kind === 'part') {
      if (task !== null && !this.#isClosed) this.#batch.onPart?.(task, report.part);
      return;
    }
    hired.isReady = true;
    hired.task = null;
    if (this.#isClosed) return;
    if (report.kind === 'outcome') this.#end(must(task, 'the task of a result'), report.outcome);
    this.#assign(worker, hired);
  }

  #assign(worker: Worker, hired: Hired<T>): void {
    const task = this.#batch.tasks[this.#next];
    if (task === undefined) return;
    hired.task = task;
    this.#next++;
    worker.postMessage(task);
  }

  #end(task: T, outcome: TaskEnd<R>): void {
    this.#batch.done(task, outcome);
    this.#ended++;
    if (this.#ended === this.#batch.tasks.length) this.#resolve(true);
  }

  #left(worker: Worker, { isReady, task }: Hired<T>, reason: unknown, code: number): void {
    this.#hired.delete(worker);
    if (this.#isClosed) return;
    if (!isReady) throw asTwinbookError(reason, code);
    const why = reason instanceof Error ? reason.message : `exit code ${code}`;
    if (task !== null) this.#end(task, { kind: 'failed', error: `the thread ended: ${why}` });
    if (this.#next < this.#batch.tasks.length) this.#hire();
  }
}

/** Resolves once a worker is ready, has ended its task, or has exited. The flag `stop` ends a worker's reads early. */
const awaitWorker = (worker: Worker): Promise<void> =>
  new Promise((resolve) => {
    worker.on('message', ({ kind }: WorkerReport<unknown>) => {
      if (kind !== 'part') resolve();
    });
    worker.once('exit', () => resolve());
  });

/** Restores a TwinbookError that was sent between threads: its fields were kept, but not its class. */
function asTwinbookError(reason: unknown, code: number): unknown {
  if (reason instanceof Error && reason.name === 'TwinbookError') {
    const { code: kind, hint } = reason as TwinbookError;
    return new TwinbookError(kind, reason.message, hint);
  }
  return reason ?? new AssertionFailed(`a backtest thread could not start: exit code ${code}`);
}
