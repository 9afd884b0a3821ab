/** Starts the worker's program, compiled: a thread does not inherit what lets its parent read TypeScript. */

import { Worker } from 'node:worker_threads';

export interface WorkerProgram {
  /** Without its extension. */
  readonly name: string;
  readonly data: unknown;
  /** Young generation, MB: for a program that keeps none of its new objects; the default would use three times sixteen. */
  readonly youngMb?: number;
}

/** `from` is the `import.meta.url` of a module beside the program; of a source (in tests) it is the program's build. */
export function startWorker({ name, data, youngMb }: WorkerProgram, from: string): Worker {
  // The last folder of that name: the project may lie in one itself.
  const root = from.lastIndexOf('/src/');
  const beside = from.endsWith('.ts') ? `${from.slice(0, root)}/dist${from.slice(root)}` : from;
  const resourceLimits = youngMb === undefined ? {} : { maxYoungGenerationSizeMb: youngMb };
  return new Worker(new URL(`${name}.js`, beside), { workerData: data, resourceLimits });
}
