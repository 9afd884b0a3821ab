/**
 * Worker threads that run tasks, one each at a time. A task that throws has failed; a worker that dies has failed its
 * task and is replaced. A worker that cannot even begin is an error of the whole sweep.
 */

import type { Worker } from 'node:worker_threads';
import { AssertionFailed, TwinbookError } from '../../../shared/base/errors.js';
import { startWorker } from '../../../shared/base/worker-start.js';
import type { Task, TaskFigures, TaskOutcome } from '../contract.js';
import type { Assignment, DataChange, PlayedData, WorkerReport } from './thread-contract.js';

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

/** Threads that run one batch of tasks after the other, and are warm from the second one on. */
export class TaskPool<T = Task, R = TaskFigures> {
  #options: PoolSetup;
  /** Each with the place of the task that it is busy with. */
  readonly #busy = new Map<Worker, number | null>();
  /** Those that wait for a task: nothing of theirs is under way. */
  readonly #idle = new Set<Worker>();
  /** How often each has yet to say that it is ready: once for its start, and once for each change of its data. */
  readonly #unready = new Map<Worker, number>();
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
      for (const worker of [...this.#idle]) this.#assign(worker);
      for (let i = this.#busy.size; i < Math.min(this.#options.workers, tasks.length); i++) this.#hire();
    });
  }

  /** Between two batches: what the next one plays. */
  replaceData(data: PlayedData): void {
    const { setup, ...options } = this.#options;
    this.#options = { ...options, setup: { ...setup, data }, readsFiles: data.kind === 'streamed' };
    // What they cannot open is an error of the whole sweep, as at their start, and not of a task.
    for (const [worker, times] of this.#unready) {
      this.#unready.set(worker, times + 1);
      worker.postMessage({ kind: 'data', data } satisfies DataChange);
    }
    this.#idle.clear();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    Atomics.store(this.#stop, 0, 1);
    await Promise.all([...this.#busy.keys()].map((worker) => this.#dismiss(worker)));
  }

  /** A worker that reads files must not be ended within a read: see `waitForReads`. */
  async #dismiss(worker: Worker): Promise<void> {
    if (this.#options.readsFiles && !this.#idle.has(worker)) await awaitWorker(worker);
    await worker.terminate();
  }

  #hire(): void {
    const { program, setup } = this.#options;
    const worker = startWorker({ name: program.name, data: { ...setup, stop: this.#stop } }, program.from);
    let reason: unknown = null;
    this.#busy.set(worker, null);
    this.#unready.set(worker, 1);
    worker.on('message', (report: WorkerReport<R>) => this.#guarded(() => this.#heard(worker, report)));
    worker.on('error', (error) => {
      reason = error;
    });
    worker.on('exit', (code) => this.#guarded(() => this.#left(worker, reason, code)));
  }

  #heard(worker: Worker, report: WorkerReport<R>): void {
    if (report.kind === 'ready') this.#unready.set(worker, (this.#unready.get(worker) ?? 1) - 1);
    if (this.#unready.get(worker) !== 0) return;
    this.#idle.add(worker);
    if (this.#isClosed) return;
    if (report.kind === 'outcome') this.#end(report.id, report.outcome);
    this.#assign(worker);
  }

  #assign(worker: Worker): void {
    const id = this.#next;
    const task = this.#tasks[id];
    this.#busy.set(worker, task === undefined ? null : id);
    if (task === undefined) return;
    this.#next++;
    this.#idle.delete(worker);
    worker.postMessage({ kind: 'task', id, task } satisfies Assignment<T>);
  }

  #end(id: number, outcome: TaskOutcome<R>): void {
    const task = this.#tasks[id];
    if (task === undefined) throw new AssertionFailed(`a worker answers for task ${id}, which there is not`);
    this.#done(task, outcome);
    this.#ended++;
    if (this.#ended === this.#tasks.length) this.#resolve(true);
  }

  #left(worker: Worker, reason: unknown, code: number): void {
    const id = this.#busy.get(worker) ?? null;
    const isReady = this.#unready.get(worker) === 0;
    this.#unready.delete(worker);
    this.#busy.delete(worker);
    this.#idle.delete(worker);
    if (this.#isClosed) return;
    if (!isReady) throw asTwinbookError(reason, code);
    if (id !== null) this.#end(id, { kind: 'failed', error: `the worker ended: ${describeEnd(reason, code)}` });
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
