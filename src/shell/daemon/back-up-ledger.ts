/** The scheduled backup of a running trader: made beside it, and loud when there is none. */

import { makeBackup } from '../backup/backups.js';
import type { LedgerConfig } from '../config/types.js';
import { nowMs } from '../runtime/clock.js';
import type { Log } from './log.js';
import type { Screen } from './screen.js';

/** Why it was not made, or not all of it; null when it was. Never throws: a trader without a new backup trades on. */
export async function backUpLedger(ledger: LedgerConfig, log: Log, screen: Screen): Promise<string | null> {
  try {
    const { problems, ...made } = await makeBackup(ledger, nowMs());
    log.logger.info(made, 'ledger backed up');
    for (const problem of problems) {
      log.logger.error(`the backup of the ledger is whole, its archives are not: ${problem}`);
      screen.say(`the backup of the ledger is whole, its archives are not: ${problem}`);
    }
    const [problem] = problems;
    return problem === undefined ? null : `the backup itself is whole, its archives are not: ${problem}`;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    log.logger.error({ err: error }, 'the ledger could not be backed up');
    screen.say(`the ledger could not be backed up: ${why}`);
    return why;
  }
}
