/** The whole fleet, as its database has it now: for eyes. */

import type { TraderSummary, WalletRow } from './contract.js';
import type { FleetDatabase, Row } from './database.js';
import { toOwner } from './owner-desk.js';

export interface FleetState {
  readonly capitalMicros: number;
  readonly wallets: readonly WalletRow[];
}

/** Rejects with TwinbookError `fleet_unusable`. */
export async function readFleet(database: FleetDatabase): Promise<FleetState> {
  const [about] = await database.query('SELECT capital FROM twinbook_fleet.about');
  const rows = await database.query(
    `SELECT w.*, extract(epoch FROM clock_timestamp() - w.taken_at) AS taken_s,
      extract(epoch FROM clock_timestamp() - w.renewed_at) AS renewed_s,
      ARRAY(SELECT c.market FROM twinbook_fleet.claim c WHERE c.wallet = w.wallet ORDER BY c.market) AS markets
     FROM twinbook_fleet.wallet w ORDER BY w.holder, w.wallet`,
  );
  return { capitalMicros: Number(about?.['capital']), wallets: rows.map(toWallet) };
}

const toWallet = (row: Row): WalletRow => ({
  ...toOwner(row),
  wallet: String(row['wallet']),
  machine: String(row['machine']),
  isSettled: row['is_settled'] === true,
  grantedMicros: Number(row['granted']),
  // Columns of an array and of jsonb; the latter is what `renew` of this version wrote.
  markets: row['markets'] as readonly string[],
  summary: row['summary'] as TraderSummary | null,
  takenS: Number(row['taken_s']),
  renewedS: Number(row['renewed_s']),
});
