/** `twinbook cancel-all`: through the running trader, or directly at the exchange. */

import { OPERATOR_COMMANDS } from '../../shared/protocol/operator-commands.js';
import type { TraderConfig } from '../../shell/config/load.js';
import type { CancelAllData } from '../../shell/control/control-protocol.js';
import { command, flag, SLOW_S, timeoutOption, toolOf } from '../command.js';
import { EXIT } from '../output/exit.js';
import type { CliIo } from '../output/io.js';
import { askOrPass } from './reach.js';
import { cancelAlone, cancelPast } from './stop-directly.js';

export const cancelAllCommand = command({
  name: 'cancel-all',
  help: OPERATOR_COMMANDS['cancel-all'].help,
  config: 'trader',
  options: {
    verify: flag('--verify', 'read twice that nothing rests; exit code 1 if something does'),
    timeout: timeoutOption(SLOW_S),
  },
  ...toolOf('cancel-all'),
  answer: async ({ options: { verify, timeout }, config, io }) => {
    const { data, isProven } = await cancelAll(config, { verify: verify === true, timeoutMs: timeout * 1000 }, io);
    const text = `${cancelAllText(data, isProven)}\n`;
    // Orders that still rest after a read are a failure.
    return { data, text, code: !isProven || isClean(data) ? EXIT.ok : EXIT.failed };
  },
});

interface Asked {
  readonly verify: boolean;
  readonly timeoutMs: number;
}

interface CancelAll {
  readonly data: CancelAllData;
  /** Whether `data` states that nothing rests: on request, or after canceling past a hanging trader. */
  readonly isProven: boolean;
}

async function cancelAll(config: TraderConfig, { verify, timeoutMs }: Asked, io: CliIo): Promise<CancelAll> {
  const asked = await askOrPass({ command: 'cancel-all', verify }, config, { timeoutMs, lost: ['not_running'] });
  if ('answer' in asked) return { data: asked.answer, isProven: verify };
  const { reach } = asked;
  if (reach === 'not running') {
    io.err('The trader is not running; canceling at the exchange directly.\n');
    return { data: await cancelAlone(config, verify, io), isProven: verify };
  }
  const reason = 'cancel-all, while the trader did not answer';
  const { killed: _, ...data } = await cancelPast(config, reason, reach, { timeoutMs, io });
  return { data, isProven: true };
}

export const orders = (count: number): string => `${count} order${count === 1 ? '' : 's'}`;

export function cancelAllText(data: CancelAllData, isProven: boolean): string {
  if (!isProven) return `asked to cancel ${orders(data.asked)}`;
  if (isClean(data)) return `canceled ${orders(data.asked)}; two reads show that none rests`;
  if (data.resting === 0) return `asked to cancel ${orders(data.asked)}; it is not proven that none rests`;
  return `${orders(data.resting)} still resting after ${data.asked} cancels`;
}

export const isClean = ({ resting, verified }: CancelAllData): boolean => resting === 0 && verified;
