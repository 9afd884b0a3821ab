/** Creation of a key: after any kill an existing key file is unchanged, and no key file is partial. */

import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openKeyFile } from '../../src/shell/wallet/key-file.js';
import { BIN, program } from '../support/processes.js';
import type { Comparison } from './kill-comparison.js';
import type { Flow } from './kill-flows.js';
import type { Ending } from './kill-world.js';
import { type Tracing, traced } from './traced.js';

const PASSPHRASE = 'correct horse battery staple';

export class KeyFlow implements Flow {
  readonly #root = mkdtempSync(join(tmpdir(), 'twinbook-key-'));
  #count = 0;
  /** Address of a key file that was complete after a kill: it must not change. */
  #address: string | null = null;
  #broken: string[] = [];

  async prepare(): Promise<void> {
    this.#count += 1;
    this.#address = null;
    this.#broken = [];
  }

  async run(how: Tracing): Promise<Ending> {
    const running = traced([process.execPath, ...this.#words], how, { TWINBOOK_WALLET_PASSPHRASE: PASSPHRASE });
    const code = await running.exited;
    this.#look();
    return code === 0 || /exists/.test(running.output()) ? 'done' : 'killed';
  }

  recover(how: Tracing): Promise<Ending> {
    return this.run(how);
  }

  async finish(): Promise<Comparison> {
    const last = program(process.execPath, this.#words, { TWINBOOK_WALLET_PASSPHRASE: PASSPHRASE });
    const code = await last.exited;
    // An existing key is never replaced.
    if (code !== 0 && this.#address === null) this.#broken.push(`no key could be made: ${last.output()}`);
    this.#look();
    if (this.#address === null) this.#broken.push('there is no key');
    return { lost: this.#broken, doubled: [], different: [] };
  }

  async close(): Promise<void> {
    rmSync(this.#root, { recursive: true, force: true });
  }

  get #path(): string {
    return join(this.#root, `wallet-${this.#count}`, 'wallet.json');
  }

  get #words(): string[] {
    return [BIN, 'keys', 'create', '--file', this.#path];
  }

  #look(): void {
    const path = this.#path;
    if (!existsSync(path)) {
      if (this.#address !== null) this.#broken.push('the key file is gone');
      return;
    }
    try {
      const { address } = openKeyFile({ path, passphrase: PASSPHRASE });
      if (this.#address !== null && this.#address !== address) this.#broken.push('the key file holds another key');
      this.#address = address;
      if ((statSync(path).mode & 0o777) !== 0o600) this.#broken.push('others can read the key file');
    } catch (error) {
      this.#broken.push(String(error));
    }
  }
}
