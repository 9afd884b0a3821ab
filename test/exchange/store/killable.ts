/** `twinbook exchange` as a separate process that a test can kill. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

const TWINBOOK = resolve(import.meta.dirname, '../../../dist/src/cli/twinbook.js');

export class Killable {
  readonly #child: ChildProcess;
  readonly url: string;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** Resolves when it listens. */
  static async start(dataDir: string, crowd: 'crowd' | 'quiet'): Promise<Killable> {
    const options = ['--data-dir', dataDir, '--port', '0', '--controls', '--no-rate-limits'];
    const child = spawn(
      process.execPath,
      [TWINBOOK, 'exchange', ...options, ...(crowd === 'quiet' ? ['--no-crowd'] : [])],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    for await (const line of createInterface({ input: child.stdout })) {
      return new Killable(child, line.replace('listening on ', ''));
    }
    throw new Error('the exchange ended before it listened');
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.kill(signal);
    await gone;
  }
}
