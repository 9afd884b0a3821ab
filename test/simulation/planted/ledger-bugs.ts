/** Bugs of the ledger: the key of a booking, its amounts, and the time of its sync. */

import type { WrittenBug } from './bug.js';

const LEDGER = 'src/trader/ledger/ledger.ts';
const DATABASE = 'src/trader/ledger/database.ts';
const PRUNE = 'src/trader/ledger/ledger.ts';

export const LEDGER_BUGS: readonly WrittenBug[] = [
  {
    name: 'synchronous-normal',
    what: 'The ledger is opened with `synchronous = NORMAL`: a commit need not be on the disk.',
    file: DATABASE,
    text: "database.#prove('synchronous', 2, 'synchronous = FULL');",
    replacement: "database.#prove('synchronous', 1, 'synchronous = NORMAL');",
  },
  {
    name: 'write-error-ignored',
    what: 'One failed commit is ignored and the trader goes on.',
    file: DATABASE,
    text: "    this.#control('COMMIT');\n    if (this.#writesInLog",
    replacement: `    try {
      this.#control('COMMIT');
    } catch {
      this.#broken = null;
      if (this.#sqlite.inTransaction) this.#sqlite.exec('ROLLBACK');
    }
    if (this.#writesInLog`,
  },
  {
    name: 'transaction-split',
    what: 'A fill and its postings are written in two transactions.',
    file: DATABASE,
    text: '    return this.#attempt(() => this.#statement(sql).run(...values));',
    replacement: `    if (sql.startsWith('INSERT INTO transactions') && !this.isVirtual) {
      this.#control('COMMIT');
      this.#control('BEGIN IMMEDIATE');
    }
    return this.#attempt(() => this.#statement(sql).run(...values));`,
  },
  {
    name: 'fills-by-price-and-time',
    what: 'A fill is known by its price and time, not by its pubkey.',
    file: LEDGER,
    text: '    const known = this.fill(fill.pubkey);',
    replacement:
      "const known = FILLS.list(this.db, 'WHERE price = ? AND timestamp_s = ?', fill.priceMicros, fill.timestampS)[0] ?? null;",
  },
  {
    name: 'trade-booked-twice',
    what: 'A trade that comes again after a restart is booked again.',
    file: LEDGER,
    text: '    if (known !== null) return this.#bookAgain(known, fill);',
    replacement: "    if (known !== null) return this.bookFill({ ...fill, pubkey: fill.pubkey + '+' });",
  },
  {
    name: 'recovery-reads-one-page',
    what: 'A start reads the newest three intents that are under way, and no others.',
    file: 'src/trader/ledger/reads.ts',
    text: "'refused', 'failed', 'expired') ORDER BY seq\";",
    replacement: "'refused', 'failed', 'expired') ORDER BY seq DESC LIMIT 3\";",
  },
  {
    name: 'fee-forgotten',
    what: 'The fee of a fill is not booked.',
    file: 'src/trader/ledger/postings.ts',
    text: '  const fee = fill.feeMicros ?? ZERO;',
    replacement: '  const fee = ZERO;',
  },
  {
    name: 'no-price-is-mirrored',
    what: 'A sale of NO is booked at the YES price.',
    file: 'src/trader/ledger/postings.ts',
    text: '  return sub(amountMicros, mul(complement(priceMicros), amountMicros,',
    replacement: '  return sub(amountMicros, mul(priceMicros, amountMicros,',
  },
  {
    name: 'redeem-booked-twice',
    what: 'What a redeem moves is booked twice.',
    file: LEDGER,
    text: '    this.#book(kind, pubkey, seenMs, postings);\n    return true;',
    replacement: `    this.#book(kind, pubkey, seenMs, postings);
    if (kind === 'redeem') this.#book(kind, pubkey + '+', seenMs, postings);
    return true;`,
  },
  {
    name: 'capital-at-every-start',
    what: 'Every start puts the capital in again.',
    file: LEDGER,
    text: "    const added = sub(capital, sub(ZERO, this.balance('capital')));",
    replacement: '    const added = capital;',
  },
  {
    name: 'prune-takes-fills',
    what: 'A prune deletes orders with fills, and their fills with them.',
    edits: [
      {
        file: PRUNE,
        text: ' AND o.filled = 0 AND o.booked = 0 AND o.failed = 0\n      AND NOT EXISTS (SELECT 1 FROM fills WHERE order_pubkey = o.pubkey)',
        replacement: '',
      },
      {
        file: PRUNE,
        text: "        rows += db.run('DELETE FROM orders WHERE pubkey = ?', pubkey);",
        replacement: `        rows += db.run('DELETE FROM fills WHERE order_pubkey = ?', pubkey);
        rows += db.run('DELETE FROM orders WHERE pubkey = ?', pubkey);`,
      },
    ],
  },
];
