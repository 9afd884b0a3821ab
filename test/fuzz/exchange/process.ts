/** Starts and ends the process of `server-process.ts`. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ServerMessage, ServerOrder } from './server-process.js';

export class ServerProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(order: ServerOrder): Promise<ServerProcess> {
    const child = fork(join(import.meta.dirname, 'server-process.ts'));
    child.send(order);
    const message = await heard(child);
    if (!('url' in message)) throw new Error('the exchange did not say where it is');
    return new ServerProcess(child, message.url);
  }

  async heapBytes(): Promise<number> {
    this.#child.send('heap');
    const message = await heard(this.#child);
    if ('url' in message) throw new Error('the exchange did not say what it holds');
    return message.heapBytes;
  }

  /** The error of its end; null after a normal end. */
  async end(): Promise<string | null> {
    if (this.#child.exitCode === null) {
      const exit = once(this.#child, 'exit');
      this.#child.send('end');
      await exit;
    }
    const { exitCode, signalCode } = this.#child;
    return exitCode === 0 ? null : `the exchange ended with ${exitCode ?? signalCode}`;
  }
}

/** The next message; throws if the process ends instead. */
function heard(child: ChildProcess): Promise<ServerMessage> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('the exchange ended'));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message as ServerMessage);
    });
  });
}
