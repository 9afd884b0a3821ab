/** Commands that act on the running trader through its control socket. */

import type { Command } from 'commander';
import { loadTraderConfig } from '../../shell/config/load.js';
import type { ControlRequest, ResumedData } from '../../shell/control/control-protocol.js';
import { nonEmpty } from '../arguments.js';
import { addKillCommand } from '../kill.js';
import { addExplainCommand } from '../ledger/explain.js';
import { marketAtVenue } from '../market-meant.js';
import { EXIT } from '../output/exit.js';
import { addAction, type Session } from '../output/io.js';
import { json } from '../output/table.js';
import { addCancelAllCommand } from './cancel-all.js';
import { addControlOptions, type ControlOptions, modeText, QUICK_S } from './control-options.js';
import { askThere } from './reach.js';
import { addStopCommand } from './stop.js';

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
  const command = addControlOptions(program.command(request('').command).description(summary), QUICK_S);
  if (reason === 'required') command.requiredOption('--reason <text>', 'why it may trade again; recorded', nonEmpty);
  if (reason === 'optional') command.option('--reason <text>', 'why; recorded in the ledger', nonEmpty);
  if (ofMarket)
    command.option('--market <name>', 'that market alone: its id, the beginning of it, or words of its title');
  addAction<ControlOptions & { reason?: string; market?: string }>(command, session, async (options) => {
    const config = loadTraderConfig(options.config, session.io);
    const market =
      options.market === undefined ? {} : { market: await marketAtVenue(options.market, config, session.io) };
    const mode: ResumedData = await askThere({ ...request(options.reason ?? unsaid), ...market }, config, {
      timeoutMs: options.timeout * 1000,
    });
    // The mode is that of all others.
    const more = market.market === undefined ? '' : `, that market by itself: \`twinbook explain ${market.market}\``;
    session.io.out(
      options.json === true ? json(mode) : `${[`${modeText(mode)}${more}`, ...(mode.notes ?? [])].join('\n')}\n`,
    );
    return EXIT.ok;
  });
}
