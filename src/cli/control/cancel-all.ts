/** `twinbook cancel-all`: through the running trader, or directly at the exchange. */

import { type ErrorCode, messageOf } from '../../shared/base/errors.js';
import { OPERATOR_COMMANDS } from '../../shared/protocol/operator-commands.js';
import type { TraderConfig } from '../../shell/config/config.js';
import type { CancelAllData, KillData } from '../../shell/control/control-protocol.js';
import {
  type Answer,
  command,
  flag,
  modeText,
  nonEmpty,
  QUICK_S,
  read,
  SLOW_S,
  timeoutOption,
  toolOf,
} from '../command.js';
import { type CliIo, EXIT, type ExitCode } from '../output/io.js';
import { withVenue } from '../venue-session.js';
import { askOrPass, nullOn, silenceText, type Unreached } from './reach.js';

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
    const { data, isProven } = await cancelAll(config, verify === true, timeout * 1000, io);
    const text = `${cancelAllText(data, isProven)}\n`;
    // Orders that still rest after a read are a failure.
    return { data, text, code: !isProven || isClean(data) ? EXIT.ok : EXIT.failed };
  },
});

/** `isProven`: whether `data` states that nothing rests: on request, or after canceling past a hanging trader. */
async function cancelAll(config: TraderConfig, verify: boolean, timeoutMs: number, io: CliIo) {
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

function cancelAllText(data: CancelAllData, isProven: boolean): string {
  if (!isProven) return `asked to cancel ${orders(data.asked)}`;
  if (isClean(data)) return `canceled ${orders(data.asked)}; two reads show that none rests`;
  if (data.resting === 0) return `asked to cancel ${orders(data.asked)}; it is not proven that none rests`;
  return `${orders(data.resting)} still resting after ${data.asked} cancels`;
}

const isClean = ({ resting, verified }: CancelAllData): boolean => resting === 0 && verified;

/** Requests of a frozen trader may still arrive: two whole rounds without a find, this far apart. */
const PAUSE_MS = 2_000;

/** Cancels directly at the exchange. `verify`: also reads twice that nothing rests. Throws like `withVenue`. */
async function cancelAlone(config: TraderConfig, verify: boolean, io: CliIo): Promise<CancelAllData> {
  const { cancelDirectly } = await import('../../shell/daemon/direct-cancel.js');
  const { profile, allowBlindSigning } = config.venue;
  return withVenue(config, io, ({ client, wallet }) =>
    cancelDirectly({ client, wallet, profile, allowBlindSigning, verify }),
  );
}

/**
 * The same past a hanging trader: the stop file comes first, so that it does not quote when it wakes; then the exchange
 * is read until nothing new appears. An unwritable file is reported, and canceling continues.
 */
async function cancelPast(
  config: TraderConfig,
  reason: string,
  reach: Unreached,
  { io, timeoutMs }: { readonly timeoutMs: number; readonly io: CliIo },
): Promise<CancelAllData & { readonly killed: boolean }> {
  const killed = await leaveMark(config, reason, reach, io);
  const isEmbedded = config.exchange?.embedded === true;
  if (reach !== 'not running' && isEmbedded) {
    io.err('  The exchange is embedded in that process and hangs with it: end the process, then cancel again.\n');
    return { asked: 0, resting: 0, verified: false, killed };
  }
  if (reach === 'not running') return { ...(await cancelAlone(config, true, io)), killed };
  const { cancelUntilNothingRests } = await import('../../shell/daemon/direct-cancel.js');
  const { profile, allowBlindSigning } = config.venue;
  const patience = { withinMs: timeoutMs, pauseMs: PAUSE_MS };
  const canceled = await withVenue(config, io, ({ client, wallet }) =>
    cancelUntilNothingRests({ client, wallet, profile, allowBlindSigning }, patience),
  );
  return { ...canceled, killed };
}

/** False when the file could not be written: the trader is then not stopped. */
async function leaveMark({ ledger }: TraderConfig, reason: string, reach: Unreached, io: CliIo): Promise<boolean> {
  const { leaveStopFile, locateStopFile } = await import('../../shell/control/stop-file.js');
  const path = locateStopFile(ledger.path);
  const who = silenceText(reach);
  try {
    leaveStopFile(path, reason);
    const then = reach === 'not running' ? 'the next start is killed' : 'it is killed when it wakes';
    io.err(`${who}; ${then} (${path}). Canceling at the exchange directly.\n`);
    return true;
  } catch (error) {
    const pid = reach === 'not running' ? null : reach.silentPid;
    io.err(`${who}, and ${messageOf(error)}.\n`);
    io.err(`  ${pid === null ? 'Do not start it' : `End process ${pid}, it may quote on when it wakes`}.`);
    io.err(' Canceling at the exchange directly.\n');
    return false;
  }
}

/** A trader that ended or fell silent after an earlier answer. */
const LOST: readonly ErrorCode[] = ['not_running', 'timed_out'];

interface Killing {
  readonly config: TraderConfig;
  readonly io: CliIo;
  readonly reason: string;
  readonly timeoutMs: number;
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
