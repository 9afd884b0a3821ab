/** How commands look into the ledger. */

import { loadTraderConfig, type TraderConfig } from '../../shell/config/load.js';
import type { LedgerReader } from '../../trader/ledger/contract.js';
import type { CliIo } from '../output/io.js';

export interface ReadOptions {
  readonly config: string;
  readonly json?: true;
}

/** Opens the ledger that a configuration names, reads, closes. Throws `file_unreadable` when there is none yet. */
export async function readLedger<T>(
  config: string | TraderConfig,
  io: CliIo,
  read: (ledger: LedgerReader) => T,
): Promise<T> {
  const { ledger: place } = typeof config === 'string' ? loadTraderConfig(config, io) : config;
  const { openReadOnly } = await import('../../trader/ledger/ledger.js');
  return within(openReadOnly(place.path), read);
}

/** The same with all that went into archives, for reports, lists, and whoever asks why. Throws `file_unreadable` for one that cannot be read too. */
export async function readWithArchives<T>(
  config: string | TraderConfig,
  io: CliIo,
  read: (ledger: LedgerReader) => T,
): Promise<T> {
  const { ledger: place } = typeof config === 'string' ? loadTraderConfig(config, io) : config;
  const { openWithArchives } = await import('../../trader/ledger/archive/joined-reader.js');
  return within(openWithArchives(place.path), read);
}

function within<T>(ledger: LedgerReader, read: (ledger: LedgerReader) => T): T {
  try {
    return read(ledger);
  } finally {
    ledger.close();
  }
}
