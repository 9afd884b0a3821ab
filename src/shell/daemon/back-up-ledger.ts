/** The scheduled backup of a running trader: made beside it, and loud when there is none. */

import { makeBackup } from '../backup/backups.js';
import type { LedgerConfig } from '../config/types.js';
import { nowMs } from '../runtime/clock.js';
import type { Log } from './log.js';
import type { Screen } from './screen.js';

/** Never throws: a trader without a new backup trades on. */
export async function backUpLedger(ledger: LedgerConfig, log: Log, screen: Screen): Promise<void> {
  try {
    const { problems, ...made } = await makeBackup(ledger, nowMs());
    log.logger.info(made, 'ledger backed up');
    for (const problem of problems) {
      log.logger.error(`the backup of the ledger is whole, its archives are not: ${problem}`);
      screen.say(`the backup of the ledger is whole, its archives are not: ${problem}`);
    }
  } catch (error) {
    log.logger.error({ err: error }, 'the ledger could not be backed up');
    screen.say(`the ledger could not be backed up: ${error instanceof Error ? error.message : String(error)}`);
  }
}
