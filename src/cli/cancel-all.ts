/** `twinbook cancel-all`: through the running trader, or by itself straight at the exchange. */

import type { Command } from 'commander';
import { TwinbookError } from '../base/errors.js';
import { loadTraderConfig, type TraderConfig } from '../config/load.js';
import type { CancelAllData } from '../daemon/control-protocol.js';
import { askTrader } from './control-client.js';
import { type ControlOptions, SLOW_S, withControl } from './control-options.js';
import { EXIT, type ExitCode } from './exit.js';
import { action, type CliIo, type Session } from './io.js';
import { json } from './table.js';
import { withVenue } from './venue-session.js';

export function addCancelAllCommand(program: Command, session: Session): void {
  const command = program
    .command('cancel-all')
    .description('cancels every open order; works without a running trader too')
    .option('--verify', 'read twice that nothing rests; exit code 1 if something does');
  withControl(command, SLOW_S);
  action<ControlOptions & { verify?: true }>(command, session, async (options) => {
    const config = loadTraderConfig(options.config, session.io);
    const verify = options.verify === true;
    const data = await cancelAll(config, verify, options.timeout * 1000, session.io);
    const { text, exitCode } = cancelAllOutcome(data, verify);
    session.io.out(options.json === true ? json(data) : `${text}\n`);
    return exitCode;
  });
}

async function cancelAll(config: TraderConfig, verify: boolean, timeoutMs: number, io: CliIo): Promise<CancelAllData> {
  try {
    return await askTrader({ command: 'cancel-all', verify }, { socket: config.control.socket, timeoutMs });
  } catch (error) {
    if (!(error instanceof TwinbookError) || error.code !== 'not_running') throw error;
    io.err('The trader is not running; canceling at the exchange directly.\n');
    const { cancelDirectly } = await import('../daemon/direct-cancel.js');
    const { profile, allowBlindSigning } = config.venue;
    return withVenue(config, io, ({ client, wallet }) =>
      cancelDirectly({ client, wallet, profile, allowBlindSigning, verify }),
    );
  }
}

/** What a cancel-all came to, and its exit code: orders that still rest after being asked to verify are a failure. */
function cancelAllOutcome(
  data: CancelAllData,
  verify: boolean,
): { readonly text: string; readonly exitCode: ExitCode } {
  const orders = (count: number): string => `${count} order${count === 1 ? '' : 's'}`;
  if (!verify) return { text: `asked to cancel ${orders(data.asked)}`, exitCode: EXIT.ok };
  if (data.resting === 0 && data.verified)
    return { text: `canceled ${orders(data.asked)}; two reads show that none rests`, exitCode: EXIT.ok };
  return { text: `${orders(data.resting)} still resting after ${data.asked} cancels`, exitCode: EXIT.failed };
}
