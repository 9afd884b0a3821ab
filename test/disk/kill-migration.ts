/** Bringing a ledger up to date: it is of the old version or of the new one, and says the same. */

import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SqliteDriver } from '../../src/shared/base/sqlite-driver.js';
import { openLedger, openReadOnly } from '../../src/trader/ledger/ledger.js';
import { APPLICATION_ID, MIGRATIONS } from '../../src/trader/ledger/schema.js';
import { HOLDER } from '../trader/ledger/books.js';
import type { Comparison } from './kill-comparison.js';
import type { Flow } from './kill-flows.js';
import type { Ending } from './kill-world.js';
import { LedgerWork } from './ledger-work.js';
import { runToEnd, type Tracing } from './traced.js';

/**
 * Makes a ledger file as the version before this one left it, with its tables and without rows that only the newest
 * schema could hold. Before the first schema there was an empty file.
 */
export function olderLedger(path: string): void {
  const sqlite = new SqliteDriver(path);
  sqlite.pragma('journal_mode = WAL');
  const older = MIGRATIONS.length - 1;
  for (const migration of MIGRATIONS.slice(0, older)) sqlite.exec(migration);
  if (older > 0) sqlite.exec("INSERT INTO runs (id, version, config_hash, started_ms) VALUES ('old', '0', 'hash', 1)");
  if (older > 0) sqlite.pragma(`application_id = ${APPLICATION_ID}`);
  sqlite.pragma(`user_version = ${older}`);
  sqlite.close();
}

/** A program that opens a ledger to write, which migrates it, and closes it. */
const openingOf = (path: string): string =>
  `const { openLedger } = await import(${JSON.stringify(LEDGER)});
  openLedger(${JSON.stringify(path)}, { pid: process.pid, startedMs: 1 }).close();`;

const LEDGER = join(import.meta.dirname, '../../src/trader/ledger/ledger.ts');

export class MigrationFlow implements Flow {
  readonly #root = mkdtempSync(join(tmpdir(), 'twinbook-migration-'));
  #count = 0;

  static open(): Promise<Flow> {
    return Promise.resolve(new MigrationFlow());
  }

  prepare(): Promise<void> {
    this.#count += 1;
    mkdirSync(dirname(this.#path));
    olderLedger(this.#path);
    return Promise.resolve();
  }

  run(how: Tracing): Promise<Ending> {
    return runToEnd([process.execPath, '--import', 'tsx', '--input-type=module', '--eval', openingOf(this.#path)], how);
  }

  recover(how: Tracing): Promise<Ending> {
    return this.run(how);
  }

  finish(): Promise<Comparison> {
    const [lost, different]: [string[], string[]] = [[], []];
    if (!existsSync(this.#path)) lost.push('the ledger is gone');
    const ledger = openLedger(this.#path, HOLDER);
    if (MIGRATIONS.length > 1 && ledger.runs().length !== 1) lost.push('a row of the old ledger is gone');
    const work = new LedgerWork(this.#count);
    for (let step = 0; step < 10; step++) work.step(ledger);
    ledger.close();
    const again = openReadOnly(this.#path);
    different.push(...again.verify());
    again.close();
    return Promise.resolve({ lost, doubled: [], different });
  }

  close(): Promise<void> {
    rmSync(this.#root, { recursive: true, force: true });
    return Promise.resolve();
  }

  get #path(): string {
    return join(this.#root, `${this.#count}`, 'twinbook.sqlite');
  }
}
