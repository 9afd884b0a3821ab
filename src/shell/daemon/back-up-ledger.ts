/** The scheduled backup of a running trader: made beside it, and loud when there is none. */

import { makeBackup } from '../backup/backups.js';
import type { LedgerConfig } from '../config/types.js';
import { nowMs } from '../runtime/clock.js';
import type { Log } from './log.js';
import type { Screen } from './screen.js';

/** Never throws: a trader without a new backup trades on. */
export async function backUpLedger({ path, backups }: LedgerConfig, log: Log, screen: Screen): Promise<void> {
  try {
    const made = await makeBackup(path, backups, nowMs());
    log.logger.info(made, 'ledger backed up');
  } catch (error) {
    log.logger.error({ err: error }, 'the ledger could not be backed up');
    screen.say(`the ledger could not be backed up: ${error instanceof Error ? error.message : String(error)}`);
  }
}
