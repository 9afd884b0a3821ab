/** `twinbook ledger adopt`: the running trader books what the exchange holds. */

import type { Command } from 'commander';
import { loadTraderConfig } from '../../shell/config/load.js';
import { nonEmpty } from '../arguments.js';
import { addControlOptions, type ControlOptions, modeText, SLOW_S } from '../control/control-options.js';
import { askThere } from '../control/reach.js';
import { EXIT } from '../output/exit.js';
import { addAction, type Session } from '../output/io.js';
import { json } from '../output/table.js';

export function addAdoptCommand(group: Command, session: Session): void {
  const command = group
    .command('adopt')
    .description('books what the exchange holds, through the running trader: the way back after a restore')
    .requiredOption('--reason <text>', 'why; kept with the booking', nonEmpty);
  addControlOptions(command, SLOW_S);
  addAction<ControlOptions & { reason: string }>(
    command,
    session,
    async ({ config: file, json: asJson, ...options }) => {
      const { io } = session;
      const { reason, timeout } = options;
      const config = loadTraderConfig(file, io);
      const answer = await askThere({ command: 'adopt', reason }, config, { timeoutMs: timeout * 1000 });
      const { booked } = answer;
      const lines =
        booked.length === 0 ? ['the ledger holds what the exchange holds: nothing had to be booked'] : booked;
      io.out(asJson === true ? json(answer) : `${[...lines, modeText(answer)].join('\n')}\n`);
      return EXIT.ok;
    },
  );
}
