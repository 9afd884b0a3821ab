/** Commands that act on the running trader through its control socket. */

import { OPERATOR_COMMANDS, type OperatorRow, operatorRequest } from '../../shared/protocol/operator-commands.js';
import { RESTING_STATUSES } from '../../shared/protocol/states.js';
import type { ControlRequest, ResumedData } from '../../shell/control/control-protocol.js';
import type { LedgerReader } from '../../trader/ledger/contract.js';
import {
  type AddCommand,
  all,
  command,
  linesText,
  modeText,
  nonEmpty,
  QUICK_S,
  read,
  required,
  SLOW_S,
  text,
  timeoutOption,
  toolOf,
} from '../command.js';
import { explainCommand } from '../ledger/explain.js';
import { readLedger } from '../ledger/ledger-reading.js';
import { marketAtVenue } from '../market-meant.js';
import { EXIT } from '../output/io.js';
import { cancelAllCommand, killCommand } from './cancel-all.js';
import { askThere } from './reach.js';

/** Commands that the trader answers with its new mode, in the order of the help. */
const MODE_NAMES = ['widen', 'reduce-only', 'pause', 'resume', 'flatten', 'unkill'] as const;

function modeCommand(name: (typeof MODE_NAMES)[number]): AddCommand {
  const { help, reason: wanted, marketButton }: OperatorRow = OPERATOR_COMMANDS[name];
  const reason =
    wanted === 'required'
      ? required('--reason <text>', 'why it may trade again; recorded', nonEmpty)
      : read('--reason <text>', 'why; recorded in the ledger', nonEmpty);
  const market = text('--market <name>', 'that market alone: its id, the beginning of it, or words of its title');
  return command({
    name,
    help,
    config: 'trader',
    options: {
      timeout: timeoutOption(QUICK_S),
      ...(wanted === 'none' ? {} : { reason }),
      ...(marketButton === undefined ? {} : { market }),
    },
    ...toolOf(name),
    answer: async ({ options, config }) => {
      const one = options.market === undefined ? null : await marketAtVenue(options.market, config);
      const asked = operatorRequest(name, { reason: options.reason ?? '', sender: 'operator', market: one });
      // The table determines the fields of each command.
      const request = asked as Extract<ControlRequest, { command: typeof name }>;
      const data: ResumedData = await askThere(request, config, { timeoutMs: options.timeout * 1000 });
      // The mode is that of all other markets.
      const more = one === null ? '' : `, that market by itself: \`twinbook explain ${one}\``;
      return { data, text: linesText([`${modeText(data)}${more}`, ...(data.notes ?? [])]) };
    },
  });
}

const stopCommand = command({
  name: 'stop',
  help: 'cancels everything, proves that nothing rests, and ends the trader; exit code 1 if orders may rest',
  config: 'trader',
  options: { timeout: timeoutOption(SLOW_S) },
  answer: async ({ options: { timeout }, config }) => {
    await askThere({ command: 'stop' }, config, { timeoutMs: timeout * 1000, untilGone: true });
    // The process is gone: its ledger tells how it ended.
    const { note, orders } = await readLedger(config, leftBehind);
    const data = { mode: 'stopped', reason: note, may_rest: orders };
    if (orders === 0) return { data, text: 'stopped; no order is left open\n' };
    const text = `stopped, but ${orders} orders may still rest: run \`twinbook cancel-all --verify\`\n`;
    return { data, text, code: EXIT.failed };
  },
});

function leftBehind(ledger: LedgerReader): { readonly note: string; readonly orders: number } {
  const limit = Number.MAX_SAFE_INTEGER;
  const open = ledger.orders({ statuses: RESTING_STATUSES, limit }).length;
  const unknown = ledger.intents({ states: ['unknown'], kind: 'place', limit }).length;
  return { note: ledger.runs(1)[0]?.note ?? '', orders: open + unknown };
}

export const addControlCommands = all(
  ...MODE_NAMES.map(modeCommand),
  stopCommand,
  cancelAllCommand,
  killCommand,
  explainCommand,
);
