/** Access of commands to the ledger. */

import { loadTraderConfig, type TraderConfig } from '../../shell/config/load.js';
import type { LedgerReader } from '../../trader/ledger/contract.js';
import type { CliIo } from '../output/io.js';

/** Opens the configuration's ledger, reads, closes. Throws `file_unreadable` without one. */
export async function readLedger<T>(
  config: string | TraderConfig,
  io: CliIo,
  read: (ledger: LedgerReader) => T,
): Promise<T> {
  const { ledger: place } = typeof config === 'string' ? loadTraderConfig(config, io) : config;
  const { openReadOnly } = await import('../../trader/ledger/ledger.js');
  const ledger = openReadOnly(place.path);
  try {
    return read(ledger);
  } finally {
    ledger.close();
  }
}
