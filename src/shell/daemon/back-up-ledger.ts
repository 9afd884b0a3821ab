/** The scheduled backup of a running trader: made beside it, with an alert on failure. */

import { makeBackup } from '../backup/backups.js';
import type { LedgerConfig } from '../config/types.js';
import { nowMs } from '../runtime/clock.js';
import type { Log } from './log.js';
import type { Screen } from './screen.js';

/** Why it failed; null on success. Never throws: a trader without a new backup trades on. */
export async function backUpLedger(ledger: LedgerConfig, log: Log, screen: Screen): Promise<string | null> {
  try {
    log.logger.info(await makeBackup(ledger, nowMs()), 'ledger backed up');
    return null;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    log.logger.error({ err: error }, 'the ledger could not be backed up');
    screen.say(`the ledger could not be backed up: ${why}`);
    return why;
  }
}
