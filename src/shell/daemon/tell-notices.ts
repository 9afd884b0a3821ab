/** Notices of the core after a step: all go to the log, urgent ones to the screen. */

import type { OperatorEvent } from '../../trader/ledger/contract.js';
import { nowMs } from '../runtime/clock.js';
import type { Log } from './log.js';
import type { Screen } from './screen.js';

/** Quiet notices that the screen shows too: without them a strategy outside its hours would look idle. */
const SHOWN: readonly string[] = ['fill', 'mergeDone', 'splitDone', 'redeemDone', 'quote_hours'];

export function tellNotices(notices: readonly OperatorEvent[], log: Log, screen: Screen): void {
  for (const { severity, kind, text } of notices) {
    if (severity === 'loud') log.logger.warn({ kind }, text);
    else log.logger.info({ kind }, text);
    if (severity !== 'loud' && !SHOWN.includes(kind)) continue;
    screen.say(`${new Date(nowMs()).toISOString().slice(11, 19)} ${kind === 'fill' ? 'fill: ' : ''}${text}`);
  }
}
