/** `twinbook cancel-all` and `twinbook kill`: through the running trader, or past it, straight at the exchange. */

import type { Command } from 'commander';
import { loadTraderConfig, type TraderConfig } from '../config/load.js';
import type { CancelAllData, ModeData } from '../daemon/control-protocol.js';
import { nonEmpty } from './arguments.js';
import { askTrader } from './control-client.js';
import { type ControlOptions, modeText, SLOW_S, withControl } from './control-options.js';
import { EXIT, type ExitCode } from './exit.js';
import { action, type CliIo, type Session } from './io.js';
import { reachTrader } from './reach.js';
import { cancelAlone, cancelPast } from './stop-directly.js';
import { json } from './table.js';

export function addCancelAllCommand(program: Command, session: Session): void {
  const command = program
    .command('cancel-all')
    .description('cancels every open order; works without a running trader too, and past one that hangs')
    .option('--verify', 'read twice that nothing rests; exit code 1 if something does');
  withControl(command, SLOW_S);
  action<ControlOptions & { verify?: true }>(command, session, async (options) => {
    const config = loadTraderConfig(options.config, session.io);
    const asked = { verify: options.verify === true, timeoutMs: options.timeout * 1000 };
    const { data, isProven } = await cancelAll(config, asked, session.io);
    session.io.out(options.json === true ? json(data) : `${cancelAllText(data, isProven)}\n`);
    return exitCodeOf(data, isProven);
  });
}

interface Asked {
  readonly verify: boolean;
  readonly timeoutMs: number;
}

interface CancelAll {
  readonly data: CancelAllData;
  /** Whether `data` claims to say that nothing rests: asked for, or done all the same past a trader that hangs. */
  readonly isProven: boolean;
}

async function cancelAll(config: TraderConfig, { verify, timeoutMs }: Asked, io: CliIo): Promise<CancelAll> {
  const reach = await reachTrader(config);
  if (reach === 'answers') {
    const call = { socket: config.control.socket, timeoutMs };
    return { data: await askTrader({ command: 'cancel-all', verify }, call), isProven: verify };
  }
  if (reach === 'not running') {
    io.err('The trader is not running; canceling at the exchange directly.\n');
    return { data: await cancelAlone(config, verify, io), isProven: verify };
  }
  const reason = 'cancel-all, while the trader did not answer';
  const { killed: _, ...data } = await cancelPast(config, reason, reach, { timeoutMs, io });
  return { data, isProven: true };
}

const orders = (count: number): string => `${count} order${count === 1 ? '' : 's'}`;

function cancelAllText(data: CancelAllData, isProven: boolean): string {
  if (!isProven) return `asked to cancel ${orders(data.asked)}`;
  if (isClean(data)) return `canceled ${orders(data.asked)}; two reads show that none rests`;
  return `${orders(data.resting)} still resting after ${data.asked} cancels`;
}

/** Orders that still rest after somebody looked are a failure. */
const exitCodeOf = (data: CancelAllData, isProven: boolean): ExitCode =>
  !isProven || isClean(data) ? EXIT.ok : EXIT.failed;

const isClean = ({ resting, verified }: CancelAllData): boolean => resting === 0 && verified;

export function addKillCommand(program: Command, session: Session): void {
  const command = program
    .command('kill')
    .description(
      'cancels everything and forbids new orders, also after a restart; works without a running trader too, and past ' +
        'one that hangs',
    )
    .option('--reason <text>', 'recorded in the ledger', nonEmpty);
  withControl(command, SLOW_S);
  action<ControlOptions & { reason?: string }>(command, session, async (options) => {
    const config = loadTraderConfig(options.config, session.io);
    const reason = options.reason ?? 'operator';
    const reach = await reachTrader(config);
    if (reach === 'answers') {
      const call = { socket: config.control.socket, timeoutMs: options.timeout * 1000 };
      const mode: ModeData = await askTrader({ command: 'kill', reason }, call);
      session.io.out(options.json === true ? json(mode) : `${modeText(mode)}\n`);
      return EXIT.ok;
    }
    const within = { timeoutMs: options.timeout * 1000, io: session.io };
    const { killed, ...data } = await cancelPast(config, reason, reach, within);
    const mode = { mode: killed ? 'killed' : 'unknown', reason };
    const text = `${modeText(mode)}\n${cancelAllText(data, true)}\n`;
    session.io.out(options.json === true ? json({ ...mode, ...data }) : text);
    return killed && isClean(data) ? EXIT.ok : EXIT.failed;
  });
}
