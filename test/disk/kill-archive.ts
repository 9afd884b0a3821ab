/** Old rows on their way from a ledger into its archives: each is in one of the two, and says the same. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { openLedger } from '../../src/trader/ledger/ledger.js';
import { trader } from '../shell/config/files.js';
import { fillLedger, OLD, readAll } from '../trader/ledger/archive/old-ledger.js';
import { HOLDER } from '../trader/ledger/books.js';
import type { Comparison } from './kill-comparison.js';
import type { Flow } from './kill-flows.js';
import type { Ending } from './kill-world.js';
import { runCommand, type Tracing } from './traced.js';

/** More than always stay for being new. */
const RECENT = 2_001;
/** Of which nothing was filled, and which leave. */
const LEAVING = OLD - OLD / 10;

export class ArchiveFlow implements Flow {
  readonly #root = mkdtempSync(join(tmpdir(), 'twinbook-archiving-'));
  #count = 0;
  #before: unknown = null;

  static open(): Promise<Flow> {
    return Promise.resolve(new ArchiveFlow());
  }

  prepare(): Promise<void> {
    this.#count += 1;
    mkdirSync(dirname(this.#path));
    writeFileSync(join(dirname(this.#path), 'trader.yaml'), trader());
    const ledger = openLedger(this.#path, HOLDER);
    fillLedger(ledger, RECENT);
    ledger.close();
    this.#before = readAll(this.#path);
    return Promise.resolve();
  }

  run(how: Tracing): Promise<Ending> {
    return runCommand(['ledger', 'archive', '--older-than', '1', '-c', join(dirname(this.#path), 'trader.yaml')], how);
  }

  recover(how: Tracing): Promise<Ending> {
    return this.run(how);
  }

  async finish(): Promise<Comparison> {
    const lost = isDeepStrictEqual(readAll(this.#path), this.#before) ? [] : ['ledger and archives say something else'];
    const ended = await this.run({ list: '/dev/null' });
    const different = isDeepStrictEqual(readAll(this.#path), this.#before) ? [] : ['what was archived reads otherwise'];
    const ledger = openLedger(this.#path, HOLDER);
    const left = ledger.orders({ limit: 1e6 }).length;
    if (ended !== 'done' || left !== OLD + 1 - LEAVING) different.push(`${left} orders are left in the ledger`);
    different.push(...ledger.verify());
    ledger.close();
    return { lost, doubled: [], different };
  }

  close(): Promise<void> {
    rmSync(this.#root, { recursive: true, force: true });
    return Promise.resolve();
  }

  get #path(): string {
    return join(this.#root, `${this.#count}`, 'twinbook.sqlite');
  }
}
