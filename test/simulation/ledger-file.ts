/** The ledger's file through a separate connection, which sees only committed data. */

import type Sqlite from 'better-sqlite3';
import { SqliteDriver } from '../../src/shared/base/sqlite-driver.js';
import type { Side } from '../../src/shared/protocol/states.js';
import type { ConversionKind, IntentKind, IntentState } from '../../src/trader/ledger/contract.js';

/** Amounts in millionths. */
export interface StoredIntent {
  readonly id: string;
  readonly kind: IntentKind;
  readonly market: string;
  readonly is_yes: 0 | 1 | null;
  readonly side: Side | null;
  readonly amount: number | null;
  readonly order_pubkey: string | null;
  readonly strategy: string;
  readonly state: IntentState;
  readonly draft_pubkey: string | null;
  readonly signature: string | null;
}

export interface StoredFill {
  readonly seq: number;
  readonly pubkey: string;
  readonly order_pubkey: string;
  readonly market: string;
  readonly is_yes: 0 | 1;
  readonly side: Side;
  readonly price: number;
  readonly amount: number;
  readonly fee: number | null;
}

export interface StoredConversion {
  readonly seq: number;
  readonly pubkey: string;
  readonly intent_id: string;
  readonly kind: ConversionKind;
  readonly market: string;
  readonly yes: number;
  readonly no: number;
  readonly cash: number;
}

const INTENT = `SELECT id, kind, market, is_yes, side, amount, order_pubkey, strategy, state, draft_pubkey, signature FROM intents`;
const FILLS = 'SELECT seq, pubkey, order_pubkey, market, is_yes, side, price, amount, fee FROM fills';

export class LedgerFile {
  readonly #sqlite: Sqlite.Database;
  readonly #intent: Sqlite.Statement<[string], StoredIntent>;
  readonly #fills: Sqlite.Statement<[number], StoredFill>;
  readonly #fill: Sqlite.Statement<[string], { seq: number }>;
  readonly #conversions: Sqlite.Statement<[number], StoredConversion>;
  readonly #unbalanced: Sqlite.Statement<[number], { text: string }>;
  readonly #balances: Sqlite.Statement<[], { account: string; amount: number }>;
  readonly #newestTransaction: Sqlite.Statement<[], { id: number | null }>;

  constructor(path: string) {
    this.#sqlite = new SqliteDriver(path, { readonly: true, fileMustExist: true });
    const read = <P extends unknown[], R>(sql: string) => this.#sqlite.prepare<P, R>(sql);
    this.#intent = read(`${INTENT} WHERE id = ?`);
    this.#fills = read(`${FILLS} WHERE seq > ? ORDER BY seq`);
    this.#fill = read('SELECT seq FROM fills WHERE pubkey = ?');
    this.#conversions = read('SELECT * FROM conversions WHERE seq > ? ORDER BY seq');
    this.#unbalanced = read(`SELECT transaction_id || ' in ' || asset AS text FROM postings WHERE transaction_id > ?
                             GROUP BY transaction_id, asset HAVING sum(amount) <> 0`);
    this.#balances = read('SELECT account, amount FROM balances');
    this.#newestTransaction = read('SELECT max(id) AS id FROM transactions');
  }

  intent(id: string): StoredIntent | null {
    return this.#intent.get(id) ?? null;
  }

  activeIntents(): readonly StoredIntent[] {
    const sql = `${INTENT} WHERE state NOT IN ('done', 'refused', 'failed', 'expired')`;
    return this.#sqlite.prepare<[], StoredIntent>(sql).all();
  }

  /** In booking order. */
  fillsAfter(seq: number): readonly StoredFill[] {
    return this.#fills.all(seq);
  }

  hasFill(pubkey: string): boolean {
    return this.#fill.get(pubkey) !== undefined;
  }

  conversionsAfter(seq: number): readonly StoredConversion[] {
    return this.#conversions.all(seq);
  }

  /** Transactions after this one whose postings do not sum to zero, and the newest id. */
  transactionsAfter(id: number): { readonly unbalanced: readonly string[]; readonly newest: number } {
    const unbalanced = this.#unbalanced.all(id).map(({ text }) => text);
    return { unbalanced, newest: this.#newestTransaction.get()?.id ?? 0 };
  }

  /** Events of this kind. */
  loud(kind: string): number {
    const sql = "SELECT count(*) AS n FROM events WHERE severity = 'loud' AND kind = ?";
    return this.#sqlite.prepare<[string], { n: number }>(sql).get(kind)?.n ?? 0;
  }

  /** Every account that ever moved. */
  balances(): ReadonlyMap<string, number> {
    return new Map(this.#balances.all().map(({ account, amount }) => [account, amount]));
  }

  close(): void {
    this.#sqlite.close();
  }
}
