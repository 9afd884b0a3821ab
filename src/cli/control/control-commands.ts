/** Commands that act on the running trader through its control socket. */

import type { Command } from 'commander';
import { RESTING_STATUSES } from '../../shared/protocol/states.js';
import type { ControlRequest, ResumedData } from '../../shell/control/control-protocol.js';
import type { LedgerReader } from '../../trader/ledger/contract.js';
import { addAnswer, addTimeoutOption, type ControlOptions, linesText, modeText, QUICK_S, SLOW_S } from '../answer.js';
import { nonEmpty } from '../arguments.js';
import { addKillCommand } from '../kill.js';
import { addExplainCommand } from '../ledger/explain.js';
import { readLedger } from '../ledger/ledger-reading.js';
import { marketAtVenue } from '../market-meant.js';
import { EXIT } from '../output/exit.js';
import type { Session } from '../output/io.js';
import { addCancelAllCommand } from './cancel-all.js';
import { askThere } from './reach.js';

/** Commands that the trader answers with the mode that it is in then. */
type ModeRequest = Extract<
  ControlRequest,
  { command: 'widen' | 'reduce-only' | 'pause' | 'resume' | 'flatten' | 'unkill' }
>;

interface ModeCommand {
  readonly summary: string;
  /** Whether a reason can be given, and whether it must be. */
  readonly reason: 'none' | 'optional' | 'required';
  /** What is recorded when none is given. */
  readonly unsaid: string;
  /** Whether it may be told to one market alone. */
  readonly ofMarket?: true;
  readonly request: (reason: string) => ModeRequest;
}

/** From mild to hard, and back. */
const MODE_COMMANDS: readonly ModeCommand[] = [
  {
    summary: 'quotes on, but no nearer to the fair value than risk.widen_distance',
    reason: 'optional',
    unsaid: 'operator',
    request: (reason) => ({ command: 'widen', reason }),
  },
  {
    summary: 'quotes only what brings positions towards zero',
    reason: 'optional',
    unsaid: 'operator',
    request: (reason) => ({ command: 'reduce-only', reason }),
  },
  {
    summary: 'stops quoting and pulls every order; fills are still booked',
    reason: 'optional',
    unsaid: 'operator',
    ofMarket: true,
    request: (reason) => ({ command: 'pause', reason }),
  },
  {
    summary:
      'quotes as usual again; markets paused alone stay paused; needs a reason after anything but a plain pause, widen or reduce-only',
    reason: 'optional',
    unsaid: '',
    ofMarket: true,
    request: (reason) => ({ command: 'resume', reason }),
  },
  {
    summary: 'cancels everything, sells what is held into the book, and stays out',
    reason: 'none',
    unsaid: '',
    ofMarket: true,
    request: () => ({ command: 'flatten' }),
  },
  {
    summary: 'lifts a kill; needs a reason',
    reason: 'required',
    unsaid: '',
    request: (reason) => ({ command: 'unkill', reason }),
  },
];

export function addControlCommands(program: Command, session: Session): void {
  for (const command of MODE_COMMANDS) addModeCommand(program, session, command);
  addStopCommand(program, session);
  addCancelAllCommand(program, session);
  addKillCommand(program, session);
  addExplainCommand(program, session);
}

function addModeCommand(program: Command, session: Session, offered: ModeCommand): void {
  const { summary, reason, unsaid, ofMarket = false, request } = offered;
  const command = addTimeoutOption(program.command(request('').command).description(summary), QUICK_S);
  if (reason === 'required') command.requiredOption('--reason <text>', 'why it may trade again; recorded', nonEmpty);
  if (reason === 'optional') command.option('--reason <text>', 'why; recorded in the ledger', nonEmpty);
  if (ofMarket)
    command.option('--market <name>', 'that market alone: its id, the beginning of it, or words of its title');
  addAnswer<ControlOptions & { reason?: string; market?: string }>(command, session, async (options, config) => {
    const market =
      options.market === undefined ? {} : { market: await marketAtVenue(options.market, config, session.io) };
    const data: ResumedData = await askThere({ ...request(options.reason ?? unsaid), ...market }, config, {
      timeoutMs: options.timeout * 1000,
    });
    // The mode is that of all others.
    const more = market.market === undefined ? '' : `, that market by itself: \`twinbook explain ${market.market}\``;
    return { data, text: linesText([`${modeText(data)}${more}`, ...(data.notes ?? [])]) };
  });
}

/** Ends the trader, waits until its process is gone, and says what it left behind. */
function addStopCommand(program: Command, session: Session): void {
  const command = program
    .command('stop')
    .description('cancels everything, proves that nothing rests, and ends the trader; exit code 1 if orders may rest');
  addAnswer<ControlOptions>(addTimeoutOption(command, SLOW_S), session, async ({ timeout }, config) => {
    await askThere({ command: 'stop' }, config, { timeoutMs: timeout * 1000, untilGone: true });
    // The process is gone, so its ledger says how it ended.
    const { note, orders } = await readLedger(config, session.io, leftBehind);
    const data = { mode: 'stopped', reason: note, may_rest: orders };
    if (orders === 0) return { data, text: 'stopped; no order is left open\n' };
    const text = `stopped, but ${orders} orders may still rest: run \`twinbook cancel-all --verify\`\n`;
    return { data, text, code: EXIT.failed };
  });
}

function leftBehind(ledger: LedgerReader): { readonly note: string; readonly orders: number } {
  const limit = Number.MAX_SAFE_INTEGER;
  const open = ledger.orders({ statuses: RESTING_STATUSES, limit }).length;
  const unknown = ledger.intents({ states: ['unknown'], kind: 'place', limit }).length;
  return { note: ledger.runs(1)[0]?.note ?? '', orders: open + unknown };
}
