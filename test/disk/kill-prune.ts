/** Pruning a ledger: rows with an effect stay, and all prunable rows are removed in the end. */

import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Ledger } from '../../src/trader/ledger/contract.js';
import { openLedger, openReadOnly } from '../../src/trader/ledger/ledger.js';
import { pruneBatch } from '../../src/trader/reconcile/prune.js';
import { HOLDER } from '../trader/ledger/books.js';
import { fillLedger } from '../trader/ledger/old-ledger.js';
import type { Comparison } from './kill-comparison.js';
import type { Flow } from './kill-flows.js';
import type { Ending } from './kill-world.js';
import { runToEnd, type Tracing } from './traced.js';

const SRC = join(import.meta.dirname, '../../src');

/** A program that prunes a ledger in small batches, as the command does without a trader. */
const pruningOf = (path: string): string =>
  `const { openLedger } = await import(${JSON.stringify(join(SRC, 'trader/ledger/ledger.ts'))});
  const { pruneBatch } = await import(${JSON.stringify(join(SRC, 'trader/reconcile/prune.ts'))});
  const ledger = openLedger(${JSON.stringify(path)}, { pid: process.pid, startedMs: 1 });
  (${String(prune)})(ledger, pruneBatch);
  ledger.close();`;

function prune(ledger: Ledger, by: typeof pruneBatch): void {
  let [after, isDone]: [number | null, boolean] = [0, false];
  while (!isDone) ({ after, isDone } = by(ledger, { beforeMs: 9e12, after, rows: 10 }, 9e12));
}

export class PruneFlow implements Flow {
  readonly #root = mkdtempSync(join(tmpdir(), 'twinbook-prune-'));
  #count = 0;

  async prepare(): Promise<void> {
    this.#count += 1;
    mkdirSync(dirname(this.#path));
    const ledger = openLedger(this.#path, HOLDER);
    fillLedger(ledger);
    ledger.transaction(() => ledger.setNote('history/orders', '{"older":["order-39"]}'));
    ledger.close();
  }

  run(how: Tracing): Promise<Ending> {
    return runToEnd([process.execPath, '--import', 'tsx', '--input-type=module', '--eval', pruningOf(this.#path)], how);
  }

  recover(how: Tracing): Promise<Ending> {
    return this.run(how);
  }

  async finish(): Promise<Comparison> {
    const [lost, doubled, different]: [string[], string[], string[]] = [[], [], []];
    if (!existsSync(this.#path)) lost.push('the ledger is gone');
    different.push(...this.#read().problems);
    const ledger = openLedger(this.#path, HOLDER);
    prune(ledger, pruneBatch);
    ledger.close();
    const { rows, problems } = this.#read();
    different.push(...problems);
    // Four with fills, and the last compared order.
    const wanted = { orders: 5, intents: 6, fills: 4 };
    for (const table of ['orders', 'intents', 'fills'] as const) {
      if (rows[table] < wanted[table]) lost.push(`${rows[table]} ${table} are left, not ${wanted[table]}`);
      if (rows[table] > wanted[table]) doubled.push(`${rows[table]} ${table} are left, not ${wanted[table]}`);
    }
    return { lost, doubled, different };
  }

  async close(): Promise<void> {
    rmSync(this.#root, { recursive: true, force: true });
  }

  #read() {
    const ledger = openReadOnly(this.#path);
    try {
      const limit = 1_000;
      const [orders, intents, fills] = [ledger.orders({ limit }), ledger.intents({ limit }), ledger.fills({ limit })];
      const rows = { orders: orders.length, intents: intents.length, fills: fills.length };
      return { rows, problems: [...ledger.checkPages(), ...ledger.verify()] };
    } finally {
      ledger.close();
    }
  }

  get #path(): string {
    return join(this.#root, `${this.#count}`, 'twinbook.sqlite');
  }
}
