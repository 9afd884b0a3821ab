/** What the core has to say after a step: all of it goes to the log, what a person should see at once to the screen. */

import type { OperatorEvent } from '../../trader/ledger/contract.js';
import { nowMs } from '../runtime/clock.js';
import type { Log } from './log.js';
import type { Screen } from './screen.js';

/** What stands on the screen beside what is loud. A strategy outside its hours would else look like one that does nothing. */
const SHOWN: readonly string[] = ['fill', 'mergeDone', 'splitDone', 'redeemDone', 'quote_hours'];

export function tellNotices(notices: readonly OperatorEvent[], log: Log, screen: Screen): void {
  for (const { severity, kind, text } of notices) {
    if (severity === 'loud') log.logger.warn({ kind }, text);
    else log.logger.info({ kind }, text);
    if (severity !== 'loud' && !SHOWN.includes(kind)) continue;
    screen.say(`${new Date(nowMs()).toISOString().slice(11, 19)} ${kind === 'fill' ? 'fill: ' : ''}${text}`);
  }
}
