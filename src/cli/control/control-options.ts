/** Options of every command that talks to the running trader. */

import { type Command, Option } from 'commander';
import type { ModeData } from '../../shell/control/control-protocol.js';
import { integerBetween } from '../arguments.js';
import { addConfigOption, addJsonOption } from '../output/io.js';

export interface ControlOptions {
  readonly config: string;
  readonly json?: true;
  readonly timeout: number;
}

/** Longer than the trader takes to cancel everything and to look twice, within its request budget. */
export const SLOW_S = 90;
export const QUICK_S = 10;

export const modeText = ({ mode, reason }: ModeData): string => (reason === '' ? mode : `${mode}: ${reason}`);

export const addControlOptions = (command: Command, timeoutS: number): Command =>
  addJsonOption(addConfigOption(command)).addOption(
    new Option('--timeout <s>', 'how long to wait for the trader, s')
      .default(timeoutS)
      .argParser(integerBetween(1, 3600)),
  );
