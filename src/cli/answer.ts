/** Commands that answer a question about one trader: with a text, or as JSON. */

import { type Command, Option } from 'commander';
import { loadTraderConfig, type TraderConfig } from '../shell/config/load.js';
import type { ModeData } from '../shell/control/control-protocol.js';
import { integerBetween } from './arguments.js';
import { EXIT, type ExitCode } from './output/exit.js';
import { addAction, addConfigOption, addJsonOption, type Session } from './output/io.js';
import { json } from './output/table.js';

export interface ReadOptions {
  readonly config: string;
  readonly json?: true;
}

/** Options of every command that talks to the running trader. */
export interface ControlOptions extends ReadOptions {
  readonly timeout: number;
}

export interface Answer {
  /** Printed with `--json`. */
  readonly data: unknown;
  /** For a person, with its last line break; made only where it is printed. */
  readonly text: string | (() => string);
  /** Absent: 0. */
  readonly code?: ExitCode;
}

/** Adds `-c` and `--json` to a command, and prints what it answers. */
export function addAnswer<Options extends ReadOptions>(
  command: Command,
  session: Session,
  answer: (options: Options, config: TraderConfig, args: readonly string[]) => Answer | Promise<Answer>,
): void {
  addAction<Options>(addJsonOption(addConfigOption(command)), session, async (options, args) => {
    const { data, text, code } = await answer(options, loadTraderConfig(options.config, session.io), args);
    session.io.out(options.json === true ? json(data) : typeof text === 'string' ? text : text());
    return code ?? EXIT.ok;
  });
}

/** Longer than the trader takes to cancel everything and to look twice, within its request budget. */
export const SLOW_S = 90;
export const QUICK_S = 10;

export const addTimeoutOption = (command: Command, timeoutS: number): Command =>
  command.addOption(
    new Option('--timeout <s>', 'how long to wait for the trader, s')
      .default(timeoutS)
      .argParser(integerBetween(1, 3600)),
  );

export const modeText = ({ mode, reason }: ModeData): string => (reason === '' ? mode : `${mode}: ${reason}`);

export const linesText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
