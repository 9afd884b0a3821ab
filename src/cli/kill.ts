/** `twinbook kill`: through the running trader, or directly at the exchange. */

import type { ErrorCode } from '../shared/base/errors.js';
import { OPERATOR_COMMANDS } from '../shared/protocol/operator-commands.js';
import type { TraderConfig } from '../shell/config/load.js';
import type { CancelAllData, KillData } from '../shell/control/control-protocol.js';
import { nonEmpty } from './arguments.js';
import { type Answer, command, flag, modeText, QUICK_S, read, SLOW_S, timeoutOption, toolOf } from './command.js';
import { cancelAllText, isClean, orders } from './control/cancel-all.js';
import { askOrPass, nullOn, type Unreached } from './control/reach.js';
import { cancelPast } from './control/stop-directly.js';
import { EXIT, type ExitCode } from './output/exit.js';
import type { CliIo } from './output/io.js';

/** A trader that ended or fell silent after an earlier answer. */
const LOST: readonly ErrorCode[] = ['not_running', 'timed_out'];

interface Killing {
  readonly config: TraderConfig;
  readonly io: CliIo;
  readonly reason: string;
  readonly timeoutMs: number;
  /** Whether it waits for the proof that nothing rests. */
  readonly isVerified: boolean;
}

export const killCommand = command({
  name: 'kill',
  help: OPERATOR_COMMANDS.kill.help,
  config: 'trader',
  options: {
    verify: flag(
      '--verify',
      'waits until two reads have shown that nothing rests; exit code 5 if they did not in time',
    ),
    reason: read('--reason <text>', 'recorded in the ledger', nonEmpty),
    timeout: timeoutOption(SLOW_S),
  },
  ...toolOf('kill'),
  answer: async ({ options: { verify, reason = 'operator', timeout }, config, io }) => {
    const killing = { config, io, reason, timeoutMs: timeout * 1000, isVerified: verify === true };
    // A trader obeys within seconds or not at all: a slower one, or one that dies meanwhile, is bypassed.
    const timeoutMs = Math.min(timeout, QUICK_S) * 1000;
    const asked = await askOrPass({ command: 'kill', reason }, config, { timeoutMs, lost: LOST });
    if ('reach' in asked) return killPast(killing, asked.reach);
    if (verify === true) return verifyKill(killing, asked.answer);
    return makeAnswer(asked.answer, restingText(asked.answer), EXIT.ok);
  },
});

const restingText = ({ resting }: KillData): string => {
  if (resting === null) return 'what rests is being canceled without the ledger';
  if (resting === 0) return 'as far as the trader knows, no order rests';
  return `${orders(resting)} may rest and ${resting === 1 ? 'is' : 'are'} being canceled; \`kill --verify\` waits for the proof`;
};

/** The trader has obeyed; now the exchange must confirm it. */
async function verifyKill(killing: Killing, killed: KillData): Promise<Answer> {
  const { config, timeoutMs } = killing;
  const endMs = performance.now() + timeoutMs;
  let newest: CancelAllData | null = null;
  for (;;) {
    const leftMs = Math.max(1, endMs - performance.now());
    // It has just obeyed: a missing proof in time is no new fact.
    const asked = await askOrPass({ command: 'cancel-all', verify: true }, config, {
      timeoutMs: leftMs,
      lost: ['not_running'],
    }).catch(nullOn('timed_out'));
    if (asked !== null && 'reach' in asked) return killPast(killing, asked.reach);
    newest = asked?.answer ?? newest;
    if (newest !== null && isClean(newest))
      return makeAnswer({ ...killed, ...newest }, cancelAllText(newest, true), EXIT.ok);
    // A trader answers after a minute at most.
    if (asked !== null && performance.now() < endMs) continue;
    const found = newest === null ? '' : `${cancelAllText(newest, true)}; `;
    const text = `${found}no proof within ${timeoutMs / 1000} s that nothing rests. The trader goes on canceling: \`kill --verify\` waits again`;
    return makeAnswer({ ...killed, ...newest }, text, EXIT.timedOut);
  }
}

async function killPast(killing: Killing, reach: Unreached): Promise<Answer> {
  const { config, io, reason, timeoutMs, isVerified } = killing;
  const { killed, ...data } = await cancelPast(config, reason, reach, { timeoutMs, io });
  const mode = { mode: killed ? 'killed' : 'unknown', reason };
  const isDone = killed && isClean(data);
  const notDone = isVerified && killed ? EXIT.timedOut : EXIT.failed;
  return makeAnswer({ ...mode, ...data }, cancelAllText(data, true), isDone ? EXIT.ok : notDone);
}

const makeAnswer = (data: KillData | (KillData & CancelAllData), text: string, code: ExitCode): Answer => ({
  data,
  text: `${modeText(data)}\n${text}\n`,
  code,
});
