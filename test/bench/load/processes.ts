/** Starts services and the load generator as processes of their own, and ends them. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { JobOutcome, Jobs } from './generator.js';
import type { ServiceMessage, ServiceOrder } from './service.js';

/** `TWINBOOK_BENCH_PROFILE=folder`: services write a processor profile there when they end. */
const profileFolder = process.env['TWINBOOK_BENCH_PROFILE'];

function startProcess(file: string, execArgv: readonly string[] = []): ChildProcess {
  // The loader of this process's own command line reads TypeScript there, too.
  return fork(join(import.meta.dirname, file), { execArgv: [...process.execArgv, ...execArgv] });
}

/** The next message; throws when the process ends instead. */
function heard<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => {
      child.off('message', onMessage);
      reject(new Error(`a benchmark process ended with ${code}`));
    };
    const onMessage = (message: unknown) => {
      child.off('exit', onExit);
      resolve(message as T); // each kind of process sends the one type that its callers name
    };
    child.once('exit', onExit);
    child.once('message', onMessage);
  });
}

export class LoadGenerator {
  readonly #child = startProcess('generator.ts');

  async run<N extends keyof Jobs>(name: N, ...args: Parameters<Jobs[N]>): Promise<Awaited<ReturnType<Jobs[N]>>> {
    this.#child.send({ name, args });
    const outcome = await heard<JobOutcome>(this.#child);
    if ('failure' in outcome) throw new Error(outcome.failure);
    // What the job of this name returned, over a channel of JSON.
    return outcome.result as Awaited<ReturnType<Jobs[N]>>;
  }

  end(): Promise<void> {
    return ended(this.#child);
  }
}

export class Service {
  readonly #child: ChildProcess;
  readonly port: number;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  static async start(order: ServiceOrder): Promise<Service> {
    const profiling = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];
    const child = startProcess('service.ts', profiling);
    child.send(order);
    const message = await heard<ServiceMessage>(child);
    if (!('port' in message)) throw new Error('the service did not say its port');
    return new Service(child, message.port);
  }

  async usage(): Promise<{ rssBytes: number; cpuMicros: number }> {
    this.#child.send('usage');
    const message = await heard<ServiceMessage>(this.#child);
    if ('port' in message) throw new Error('the service did not say what it uses');
    return message;
  }

  end(): Promise<void> {
    return ended(this.#child);
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  child.disconnect();
  await exit;
}
