/** Random work of a real ledger, equal for equal seeds, and a hash of its file's content. */

import { createHash } from 'node:crypto';
import { Random } from '../../src/shared/base/random.js';
import { SqliteDriver } from '../../src/shared/base/sqlite-driver.js';
import type { IntentKind, Ledger } from '../../src/trader/ledger/contract.js';
import { fillOf, intentOf, m, ONE, orderOf } from '../trader/ledger/books.js';

const MARKETS = ['a', 'b', 'c'];
/** As long as the reason of a real intent. */
const REASON = JSON.stringify({ why: 'x'.repeat(400) });

export class LedgerWork {
  readonly #random: Random;
  #step = 0;
  readonly #orders: { readonly id: string; readonly market: string; readonly isYes: boolean }[] = [];

  constructor(seed: number) {
    this.#random = Random.fromSeed(seed, 'ledger work');
  }

  /** One transaction of a kind that the trader makes. */
  step(ledger: Ledger): void {
    const n = this.#step++;
    ledger.transaction(() => {
      if (n === 0) {
        ledger.startRun({ id: 'run', version: '0', configHash: 'hash', startedMs: 1 });
        ledger.setCapital(m(1000 * ONE), 1);
      }
      const dice = this.#random.uniform();
      if (n === 0 || dice < 0.4) this.#place(ledger, n);
      else if (dice < 0.7) this.#fill(ledger, n);
      else if (dice < 0.8) this.#convert(ledger, n);
      else this.#remark(ledger, n);
    });
  }

  #place(ledger: Ledger, n: number): void {
    const market = MARKETS[this.#random.below(MARKETS.length)] ?? 'a';
    const isYes = this.#random.chance(0.5);
    const intent = intentOf({ id: `run-${n}`, marketConditionId: market, isYes, reason: REASON, createdMs: n });
    ledger.addIntent(intent);
    ledger.changeIntent(intent.id, { state: 'drafted', updatedMs: n, draftPubkey: `order-${n}`, message: REASON });
    ledger.addOrder(orderOf({ pubkey: `order-${n}`, intentId: intent.id, marketConditionId: market, isYes }));
    this.#orders.push({ id: `${n}`, market, isYes });
  }

  #fill(ledger: Ledger, n: number): void {
    const order = this.#orders[this.#random.below(this.#orders.length)];
    if (order === undefined) return;
    const amount = m(1 + this.#random.below(ONE));
    const of = { orderPubkey: `order-${order.id}`, marketConditionId: order.market, isYes: order.isYes };
    ledger.bookFill(fillOf({ pubkey: `trade-${n}`, ...of, amountMicros: amount }));
    ledger.changeIntent(`run-${order.id}`, { state: 'live', updatedMs: n, submitCount: 1, signature: 'f'.repeat(128) });
  }

  #convert(ledger: Ledger, n: number): void {
    const market = MARKETS[this.#random.below(MARKETS.length)] ?? 'a';
    const kind: IntentKind = this.#random.chance(0.5) ? 'merge' : 'redeem';
    ledger.addIntent(intentOf({ id: `run-${n}`, kind, marketConditionId: market, state: 'done' }));
    const sets = m(1 + this.#random.below(ONE));
    const amounts = { yesMicros: sets, noMicros: sets, cashMicros: sets, yesCostMicros: null };
    const of = { pubkey: `set-${n}`, intentId: `run-${n}`, kind, marketConditionId: market, seenMs: n } as const;
    ledger.bookConversion({ ...of, ...amounts });
  }

  #remark(ledger: Ledger, n: number): void {
    ledger.setNote('guard', `${n}`);
    ledger.addEvent({ timeMs: n, severity: 'info', kind: 'note', text: 'x'.repeat(this.#random.below(1000)) });
    ledger.noteOddity('foreign_order', `foreign-${n}`, 'seen', n);
  }
}

/** The hash of every row of a database; asserts that SQLite's integrity check passes. */
export function contentOf(path: string): string {
  const sqlite = new SqliteDriver(path, { readonly: true });
  try {
    const check = sqlite.pragma('integrity_check', { simple: true });
    if (check !== 'ok') throw new Error(`${path} is damaged: ${String(check)}`);
    const hash = createHash('sha256');
    const tables = sqlite.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all();
    for (const table of tables) hash.update(JSON.stringify([table, sqlite.prepare(`SELECT * FROM ${table}`).all()]));
    return hash.digest('hex');
  } finally {
    sqlite.close();
  }
}
