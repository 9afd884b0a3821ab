/** Checks the ledger's consistency: recomputes every sum from its rows. */

import type { Database } from './database.js';

/** Separates a trade's pubkey from the number of its later transactions; no venue uses it in names. */
export const REF_SEPARATOR = '~';
/** Suffix of a transaction that books only a fee. */
export const FEE_REF = 'fee';
/** SQL expression: pubkey of the trade in a transaction's `ref`. */
export const TRADE_OF_REF = `substr(ref, 1, instr(ref || '${REF_SEPARATOR}', '${REF_SEPARATOR}') - 1)`;

/** Lists the differences in words; empty when consistent. */
export function differences(db: Database): string[] {
  return CHECKS.flatMap(({ sql, says }) =>
    db.all<{ name: string; found: number; wanted: number }>(sql).map((row) => {
      return `${says} ${row.name}: ${row.found} instead of ${row.wanted}`;
    }),
  );
}

const CHECKS: readonly { readonly says: string; readonly sql: string }[] = [
  {
    says: 'postings do not sum to zero in transaction',
    sql: `SELECT transaction_id || ' ' || asset AS name, sum(amount) AS found, 0 AS wanted
          FROM postings GROUP BY transaction_id, asset HAVING sum(amount) <> 0`,
  },
  {
    says: 'balance of',
    sql: `SELECT account AS name, balances.amount AS found, coalesce(summed.amount, 0) AS wanted
          FROM balances LEFT JOIN (SELECT account, sum(amount) AS amount FROM postings GROUP BY account) AS summed
          USING (account) WHERE balances.amount <> coalesce(summed.amount, 0)`,
  },
  {
    says: 'no balance for postings of',
    sql: `SELECT account AS name, 0 AS found, sum(amount) AS wanted FROM postings
          WHERE account NOT IN (SELECT account FROM balances) GROUP BY account`,
  },
  {
    says: 'fills booked for order',
    sql: `SELECT orders.pubkey AS name, booked AS found, coalesce(sum(fills.amount), 0) AS wanted
          FROM orders LEFT JOIN fills ON fills.order_pubkey = orders.pubkey
          GROUP BY orders.pubkey HAVING booked <> coalesce(sum(fills.amount), 0)`,
  },
  {
    says: 'failed trades of order',
    sql: `SELECT orders.pubkey AS name, failed AS found, coalesce(sum(failed_trades.amount), 0) AS wanted
          FROM orders LEFT JOIN failed_trades ON failed_trades.order_pubkey = orders.pubkey
          GROUP BY orders.pubkey HAVING failed <> coalesce(sum(failed_trades.amount), 0)`,
  },
  {
    says: 'first transaction of fill',
    sql: `SELECT pubkey AS name, 0 AS found, 1 AS wanted FROM fills
          WHERE pubkey NOT IN (SELECT ref FROM transactions WHERE kind = 'fill')`,
  },
  {
    // A trade may be booked, reversed and booked again: an odd count means booked. A fee alone books no fill.
    says: 'transactions in force of fill',
    sql: `SELECT trade AS name, booked % 2 AS found, fills.pubkey IS NOT NULL AS wanted
          FROM (SELECT ${TRADE_OF_REF} AS trade, count(*) AS booked FROM transactions
                WHERE kind = 'fill' AND ref NOT GLOB '*${REF_SEPARATOR}*${FEE_REF}' GROUP BY trade)
          LEFT JOIN fills ON fills.pubkey = trade
          WHERE booked % 2 <> (fills.pubkey IS NOT NULL)`,
  },
  {
    says: 'conversions of transaction',
    sql: `SELECT ref AS name, 0 AS found, 1 AS wanted FROM transactions
          WHERE kind IN ('merge', 'split', 'redeem') AND ref NOT IN (SELECT pubkey FROM conversions)`,
  },
];
