/** What passes between the thread that leads a sweep and those that run its backtests. */

import type { ConfigSource, Task, TaskFigures, TaskOutcome } from '../contract.js';
import type { SharedMarket } from '../reading.js';
import type { TaskSettings } from '../task.js';

/** Handed to a worker when it starts. */
export interface WorkerSetup {
  readonly source: ConfigSource;
  /** The configuration that the leading thread has read: another one must not be swept unnoticed. */
  readonly configHash: string;
  readonly settings: TaskSettings;
  readonly data: PlayedData;
  /** One word of shared memory: not 0 once what the worker does is not wanted any more. */
  readonly stop: Int32Array;
}

/** What a worker plays. */
export type PlayedData =
  | { readonly kind: 'shared'; readonly markets: readonly SharedMarket[] }
  | { readonly kind: 'streamed'; readonly paths: readonly string[] };

/** To a worker. */
export interface Assignment<T = Task> {
  readonly id: number;
  readonly task: T;
}

/** From a worker: `ready` first, and one outcome for each assignment. */
export type WorkerReport<R = TaskFigures> =
  | { readonly kind: 'ready' }
  | { readonly kind: 'outcome'; readonly id: number; readonly outcome: TaskOutcome<R> };

/** A task that throws has failed. */
export async function toOutcome<R>(run: () => Promise<R>): Promise<TaskOutcome<R>> {
  try {
    return { kind: 'done', figures: await run() };
  } catch (error) {
    return { kind: 'failed', error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}
