/** Starts the worker's program as this one runs: compiled, or from its TypeScript sources. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

export interface WorkerProgram {
  /** Without its extension, which is that of whoever asks. */
  readonly name: string;
  readonly data: unknown;
}

/** `from` is the `import.meta.url` of a module beside the program. */
export function startWorker({ name, data }: WorkerProgram, from: string): Worker {
  const isSource = from.endsWith('.ts');
  const file = new URL(`${name}${isSource ? '.ts' : '.js'}`, from);
  return isSource
    ? new Worker(fromSource(file), { eval: true, workerData: data })
    : new Worker(file, { workerData: data });
}

/** A thread does not inherit what lets its parent read TypeScript; in a package this is never reached. */
function fromSource(file: URL): string {
  const folder = join(createRequire(import.meta.url).resolve('tsx/package.json'), '..');
  const tsx = pathToFileURL(join(folder, 'dist', 'esm', 'api', 'index.mjs')).href;
  return `import(${JSON.stringify(tsx)}).then(async ({ register }) => {
    register();
    await import(${JSON.stringify(file.href)});
  });`;
}
