/** The archives of a running trader's ledger: what is over for long leaves it, a few rows between two steps. */

import type { Ledger } from '../../trader/ledger/contract.js';
import { Archiving } from '../backup/archive/archiving.js';
import type { Config } from '../config/types.js';
import { nowMs } from '../runtime/clock.js';
import type { Log } from './log.js';

/** `guard` runs what writes the ledger: where that fails the trader is over, as it is in a step. */
export function startArchiving(
  { ledger: { path, archive } }: Config,
  ledger: Ledger,
  { logger }: Log,
  guard: (work: () => void) => void,
): Archiving {
  return new Archiving({
    ledgerPath: path,
    policy: archive,
    putAway: (archived) => guard(() => ledger.transaction(() => ledger.putAway(archived))),
    note: (text) => logger.info(text),
    warn: (text) => logger.warn(text),
    nowMs,
  });
}
