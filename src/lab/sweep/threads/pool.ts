/**
 * Worker threads that run tasks, one each at a time. A task that throws has failed; a worker that dies has failed its
 * task and is replaced. A worker that cannot even begin is an error of the whole sweep.
 */

import type { Worker } from 'node:worker_threads';
import { AssertionFailed, TwinbookError } from '../../../shared/base/errors.js';
import { startWorker } from '../../../shared/base/worker-start.js';
import type { Task, TaskFigures, TaskOutcome } from '../contract.js';
import type { Assignment, WorkerReport } from './thread-contract.js';

interface PoolSetup {
  readonly workers: number;
  /** What each thread runs: it speaks as `thread-contract.ts` says. */
  readonly program: { readonly name: string; readonly from: string };
  /** Handed to each thread, with one word of shared memory as `stop`: not 0 once its work is not wanted any more. */
  readonly setup: object;
  /** Its threads read files while they work. */
  readonly readsFiles: boolean;
}

/** Tasks that are run together. */
export interface Batch<T = Task, R = TaskFigures> {
  readonly tasks: readonly T[];
  /** Told in the order in which tasks end. What it throws ends the pool. */
  readonly done: (task: T, outcome: TaskOutcome<R>) => void;
  readonly stopAsked: Promise<void>;
}

/** A worker thread. */
interface Hired {
  /** It has begun. */
  isReady: boolean;
  /** The place of the task that it is busy with; null: none. */
  task: number | null;
}

/** Threads that run one batch of tasks after the other, and are warm from the second one on. */
export class TaskPool<T = Task, R = TaskFigures> {
  readonly #options: PoolSetup;
  readonly #hired = new Map<Worker, Hired>();
  readonly #stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #tasks: readonly T[] = [];
  #done: Batch<T, R>['done'] = () => undefined;
  #next = 0;
  #ended = 0;
  #isClosed = false;
  #resolve: (isComplete: boolean) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(options: PoolSetup) {
    this.#options = options;
  }

  /**
   * True when every task has ended, false when it was asked to stop before: what ran then is forgotten. After anything but
   * true there is nothing to do with it but to close it.
   */
  run({ tasks, done, stopAsked }: Batch<T, R>): Promise<boolean> {
    if (tasks.length === 0) return Promise.resolve(true);
    [this.#tasks, this.#done, this.#next, this.#ended] = [tasks, done, 0, 0];
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      void stopAsked.then(() => resolve(false));
      for (const [worker, hired] of this.#hired) if (hired.isReady) this.#assign(worker, hired);
      for (let i = this.#hired.size; i < Math.min(this.#options.workers, tasks.length); i++) this.#hire();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    Atomics.store(this.#stop, 0, 1);
    await Promise.all([...this.#hired].map(([worker, hired]) => this.#dismiss(worker, hired)));
  }

  /** A worker that reads files must not be ended within a read: see `waitForReads`. */
  async #dismiss(worker: Worker, { isReady, task }: Hired): Promise<void> {
    if (this.#options.readsFiles && (!isReady || task !== null)) await awaitWorker(worker);
    await worker.terminate();
  }

  #hire(): void {
    const { program, setup } = this.#options;
    const worker = startWorker({ name: program.name, data: { ...setup, stop: this.#stop } }, program.from);
    const hired: Hired = { isReady: false, task: null };
    let reason: unknown = null;
    this.#hired.set(worker, hired);
    worker.on('message', (report: WorkerReport<R>) => this.#guarded(() => this.#heard(worker, hired, report)));
    worker.on('error', (error) => {
      reason = error;
    });
    worker.on('exit', (code) => this.#guarded(() => this.#left(worker, hired, reason, code)));
  }

  #heard(worker: Worker, hired: Hired, report: WorkerReport<R>): void {
    hired.isReady = true;
    hired.task = null;
    if (this.#isClosed) return;
    if (report.kind === 'outcome') this.#end(report.id, report.outcome);
    this.#assign(worker, hired);
  }

  #assign(worker: Worker, hired: Hired): void {
    const id = this.#next;
    const task = this.#tasks[id];
    if (task === undefined) return;
    hired.task = id;
    this.#next++;
    worker.postMessage({ id, task } satisfies Assignment<T>);
  }

  #end(id: number, outcome: TaskOutcome<R>): void {
    const task = this.#tasks[id];
    if (task === undefined) throw new AssertionFailed(`a worker answers for task ${id}, which there is not`);
    this.#done(task, outcome);
    this.#ended++;
    if (this.#ended === this.#tasks.length) this.#resolve(true);
  }

  #left(worker: Worker, { isReady, task }: Hired, reason: unknown, code: number): void {
    this.#hired.delete(worker);
    if (this.#isClosed) return;
    if (!isReady) throw asTwinbookError(reason, code);
    if (task !== null) this.#end(task, { kind: 'failed', error: `the worker ended: ${describeEnd(reason, code)}` });
    if (this.#next < this.#tasks.length) this.#hire();
  }

  #guarded(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#reject(error);
    }
  }
}

/** Resolves with the next word of a worker, or its end: its reading breaks off, so that is soon. */
const awaitWorker = (worker: Worker): Promise<void> =>
  new Promise((resolve) => {
    for (const event of ['message', 'exit']) worker.once(event, () => resolve());
  });

const describeEnd = (reason: unknown, code: number): string =>
  reason instanceof Error ? reason.message : `exit code ${code}`;

/** Errors lose their class between threads, but not their fields. */
function asTwinbookError(reason: unknown, code: number): unknown {
  if (reason instanceof Error && reason.name === 'TwinbookError') {
    const { code: kind, hint } = reason as TwinbookError;
    return new TwinbookError(kind, reason.message, hint);
  }
  return reason ?? new AssertionFailed(`a worker could not begin: exit code ${code}`);
}
