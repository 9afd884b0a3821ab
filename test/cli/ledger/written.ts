/** Folders of traders with ledgers for the commands that read them. */

import { join } from 'node:path';
import type { Ledger } from '../../../src/trader/ledger/contract.js';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { trader } from '../../shell/config/files.js';
import { folderOf } from '../../support/folders.js';
import { HOLDER, m } from '../../trader/ledger/books.js';

/** Writes to the folder's ledger in one transaction. */
export function writeLedger(cwd: string, write: (ledger: Ledger) => void): void {
  const ledger = openLedger(join(cwd, 'twinbook.sqlite'), HOLDER);
  ledger.transaction(() => write(ledger));
  ledger.close();
}

/** A folder with a trader's file and this ledger. */
export function folderWith(write: (ledger: Ledger) => void = () => undefined): string {
  const cwd = folderOf({ 'trader.yaml': trader() });
  writeLedger(cwd, write);
  return cwd;
}

export const MARKET = {
  ...({ conditionId: 'a', title: '', state: 'open', eventConditionId: null, yesLabel: null, noLabel: null } as const),
  ...{ makerFeeRateMicros: m(0), takerFeeRateMicros: m(10_000), resolutionS: 1_800_000_000, seenMs: 1 },
};
