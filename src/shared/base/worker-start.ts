/** Starts the worker's compiled program: a thread does not inherit its parent's TypeScript loader. */

import { Worker } from 'node:worker_threads';

export interface WorkerProgram {
  /** Without its extension. */
  readonly name: string;
  readonly data: unknown;
  /** Young generation, MB: for a program without long-lived new objects; the default would use three times sixteen. */
  readonly youngMb?: number;
}

/** `from` is the `import.meta.url` of a module beside the program; a source (in tests) uses the build. */
export function startWorker({ name, data, youngMb }: WorkerProgram, from: string): Worker {
  // The last folder of that name: the project's path may contain another.
  const root = from.lastIndexOf('/src/');
  const beside = from.endsWith('.ts') ? `${from.slice(0, root)}/dist${from.slice(root)}` : from;
  const resourceLimits = youngMb === undefined ? {} : { maxYoungGenerationSizeMb: youngMb };
  return new Worker(new URL(`${name}.js`, beside), { workerData: data, resourceLimits });
}
