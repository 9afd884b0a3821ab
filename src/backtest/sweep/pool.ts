/**
 * Worker threads that run tasks, one each at a time. A task that throws has failed; a worker that dies has failed its
 * task and is replaced. A worker that cannot even begin is an error of the whole sweep.
 */

import type { Worker } from 'node:worker_threads';
import { AssertionFailed, TwinbookError } from '../../base/errors.js';
import type { Task, TaskOutcome } from './contract.js';
import type { WorkerReport, WorkerSetup } from './thread-contract.js';
import { startWorker } from './worker-start.js';

export interface PoolOptions {
  readonly tasks: readonly Task[];
  readonly workers: number;
  readonly setup: WorkerSetup;
  /** Told in the order in which tasks end. What it throws ends the pool. */
  readonly done: (task: Task, outcome: TaskOutcome) => void;
  readonly stopAsked: Promise<void>;
}

/** True when every task has ended, false when it was asked to stop before: what ran then is forgotten. */
export async function runTasks(options: PoolOptions): Promise<boolean> {
  const pool = new Pool(options);
  try {
    return await pool.run();
  } finally {
    await pool.close();
  }
}

class Pool {
  readonly #options: PoolOptions;
  /** Each with the place of the task that it is busy with. */
  readonly #busy = new Map<Worker, number | null>();
  #next = 0;
  #ended = 0;
  #isClosed = false;
  #resolve: (isComplete: boolean) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  run(): Promise<boolean> {
    const { tasks, workers, stopAsked } = this.#options;
    if (tasks.length === 0) return Promise.resolve(true);
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      void stopAsked.then(() => resolve(false));
      for (let i = 0; i < Math.min(workers, tasks.length); i++) this.#hire();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#busy.keys()].map((worker) => worker.terminate()));
  }

  #hire(): void {
    const worker = startWorker({ name: './worker', data: this.#options.setup }, import.meta.url);
    let isReady = false;
    let reason: unknown = null;
    this.#busy.set(worker, null);
    worker.on('message', (report: WorkerReport) => {
      isReady = true;
      this.#guarded(() => this.#heard(worker, report));
    });
    worker.on('error', (error) => {
      reason = error;
    });
    worker.on('exit', (code) => this.#guarded(() => this.#left(worker, isReady, reason, code)));
  }

  #heard(worker: Worker, report: WorkerReport): void {
    if (this.#isClosed) return;
    if (report.kind === 'outcome') this.#end(report.id, report.outcome);
    this.#assign(worker);
  }

  #assign(worker: Worker): void {
    const id = this.#next;
    const task = this.#options.tasks[id];
    this.#busy.set(worker, task === undefined ? null : id);
    if (task === undefined) return;
    this.#next++;
    worker.postMessage({ id, task });
  }

  #end(id: number, outcome: TaskOutcome): void {
    const task = this.#options.tasks[id];
    if (task === undefined) throw new AssertionFailed(`a worker answers for task ${id}, which there is not`);
    this.#options.done(task, outcome);
    this.#ended++;
    if (this.#ended === this.#options.tasks.length) this.#resolve(true);
  }

  #left(worker: Worker, isReady: boolean, reason: unknown, code: number): void {
    const id = this.#busy.get(worker) ?? null;
    this.#busy.delete(worker);
    if (this.#isClosed) return;
    if (!isReady) throw asTwinbookError(reason, code);
    if (id !== null) this.#end(id, { kind: 'failed', error: `the worker ended: ${described(reason, code)}` });
    if (this.#next < this.#options.tasks.length) this.#hire();
  }

  #guarded(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#reject(error);
    }
  }
}

const described = (reason: unknown, code: number): string =>
  reason instanceof Error ? reason.message : `exit code ${code}`;

/** Errors lose their class between threads, but not their fields. */
function asTwinbookError(reason: unknown, code: number): unknown {
  if (reason instanceof Error && reason.name === 'TwinbookError') {
    const { code: kind, hint } = reason as TwinbookError;
    return new TwinbookError(kind, reason.message, hint);
  }
  return reason ?? new AssertionFailed(`a worker could not begin: exit code ${code}`);
}
