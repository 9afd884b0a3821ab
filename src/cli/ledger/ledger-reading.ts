/** Access of commands to the ledger. */

import type { TraderConfig } from '../../shell/config/config.js';
import type { LedgerReader } from '../../trader/ledger/contract.js';

/** Opens the configuration's ledger, reads, closes. Throws `file_unreadable` without one. */
export async function readLedger<T>(
  { ledger: { path } }: Pick<TraderConfig, 'ledger'>,
  read: (ledger: LedgerReader) => T,
): Promise<T> {
  const { openReadOnly } = await import('../../trader/ledger/ledger.js');
  const ledger = openReadOnly(path);
  try {
    return read(ledger);
  } finally {
    ledger.close();
  }
}
