/** The ledger checks itself, the slow plain way: every sum again from the rows it came from. */

import type { Database } from './database.js';

/** Each difference in words; empty when the ledger agrees with itself. */
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
    says: 'transactions of fill',
    sql: `SELECT fills.pubkey AS name, count(transactions.id) AS found, 1 AS wanted
          FROM fills LEFT JOIN transactions ON transactions.kind = 'fill' AND transactions.ref = fills.pubkey
          GROUP BY fills.pubkey HAVING count(transactions.id) <> 1`,
  },
  {
    says: 'fills of transaction',
    sql: `SELECT ref AS name, 0 AS found, 1 AS wanted FROM transactions
          WHERE kind = 'fill' AND ref NOT IN (SELECT pubkey FROM fills)`,
  },
  {
    says: 'conversions of transaction',
    sql: `SELECT ref AS name, 0 AS found, 1 AS wanted FROM transactions
          WHERE kind IN ('merge', 'redeem') AND ref NOT IN (SELECT pubkey FROM conversions)`,
  },
];
