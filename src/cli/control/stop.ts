/** `twinbook stop`: ends the trader, waits until its process is gone, and says what it left behind. */

import type { Command } from 'commander';
import { RESTING_STATUSES } from '../../shared/protocol/states.js';
import { loadTraderConfig } from '../../shell/config/load.js';
import type { LedgerReader } from '../../trader/ledger/contract.js';
import { readLedger } from '../ledger/ledger-reading.js';
import { EXIT } from '../output/exit.js';
import { addAction, type Session } from '../output/io.js';
import { json } from '../output/table.js';
import { addControlOptions, type ControlOptions, SLOW_S } from './control-options.js';
import { askThere } from './reach.js';

export function addStopCommand(program: Command, session: Session): void {
  const command = program
    .command('stop')
    .description('cancels everything, proves that nothing rests, and ends the trader; exit code 1 if orders may rest');
  addControlOptions(command, SLOW_S);
  addAction<ControlOptions>(command, session, async (options) => {
    const config = loadTraderConfig(options.config, session.io);
    await askThere({ command: 'stop' }, config, { timeoutMs: options.timeout * 1000, untilGone: true });
    // The process is gone, so its ledger says how it ended.
    const left = await readLedger(config, session.io, leftBehind);
    const data = { mode: 'stopped', reason: left.note, may_rest: left.orders };
    const text =
      left.orders === 0
        ? 'stopped; no order is left open'
        : `stopped, but ${left.orders} orders may still rest: run \`twinbook cancel-all --verify\``;
    session.io.out(options.json === true ? json(data) : `${text}\n`);
    return left.orders === 0 ? EXIT.ok : EXIT.failed;
  });
}

function leftBehind(ledger: LedgerReader): { readonly note: string; readonly orders: number } {
  const limit = Number.MAX_SAFE_INTEGER;
  const open = ledger.orders({ statuses: RESTING_STATUSES, limit }).length;
  const unknown = ledger.intents({ states: ['unknown'], kind: 'place', limit }).length;
  return { note: ledger.runs(1)[0]?.note ?? '', orders: open + unknown };
}
