/** Whether a trader can be asked at all: stopping must work when it cannot. */

import { setTimeout as pause } from 'node:timers/promises';
import { type ErrorCode, TwinbookError } from '../../shared/base/errors.js';
import type { TraderConfig } from '../../shell/config/config.js';
import { askTrader } from '../../shell/control/control-client.js';
import type { ControlData, ControlQuestion } from '../../shell/control/control-protocol.js';

/** A loop silent for this long hangs; a step takes milliseconds. */
const ANSWERS_WITHIN_MS = 3_000;
const AGAIN_MS = 100;
/** A trader that repeatedly fails to answer counts as hanging. */
const MOST_TRIES = 3;

export type Unreached =
  /**
   * Its process holds the ledger and does not answer: it starts, hangs, is frozen, or its socket is gone. Null when the
   * lock is unreadable or names a process that is gone, so that its state is unknown.
   */
  { readonly silentPid: number | null } | 'not running';

type Reach = 'answers' | Unreached;

/** Takes at most some seconds. */
export async function reachTrader({ control, ledger }: TraderConfig): Promise<Reach> {
  const endMs = performance.now() + ANSWERS_WITHIN_MS;
  for (;;) {
    const leftMs = Math.max(1, endMs - performance.now());
    if (await answers(control.socket, leftMs)) return 'answers';
    const silent = await silentProcess(ledger.path);
    if (silent === 'not running' || performance.now() >= endMs) return silent;
    await pause(AGAIN_MS);
  }
}

/**
 * Asks a trader that may end, hang or restart meanwhile: its answer, or why it is unreachable.
 * @param lost errors after which it is looked up again instead of throwing
 */
export async function askOrPass<R extends ControlQuestion>(
  request: R,
  config: TraderConfig,
  { timeoutMs, lost }: { readonly timeoutMs: number; readonly lost: readonly ErrorCode[] },
): Promise<{ readonly answer: ControlData[R['command']] } | { readonly reach: Unreached }> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const reach = await reachTrader(config);
    if (reach !== 'answers') return { reach };
    try {
      return { answer: await askTrader(request, { socket: config.control.socket, timeoutMs }) };
    } catch (error) {
      if (!(error instanceof TwinbookError) || !lost.includes(error.code)) throw error;
    }
  }
  return { reach: await silentProcess(config.ledger.path) };
}

/**
 * Asks a trader, and checks twice before it counts as not running: `not_running` means none exists, `timed_out` that
 * one does not answer.
 */
export async function askThere<R extends ControlQuestion>(
  request: R,
  config: TraderConfig,
  call: { readonly timeoutMs: number; readonly untilGone?: boolean },
): Promise<ControlData[R['command']]> {
  const { socket } = config.control;
  try {
    return await askTrader(request, { socket, ...call });
  } catch (error) {
    if (!(error instanceof TwinbookError) || error.code !== 'not_running') throw error;
    const reach = await reachTrader(config);
    if (reach === 'not running') throw error;
    if (reach === 'answers') return askTrader(request, { socket, ...call });
    const hint = 'It starts, hangs, or its socket is gone. `twinbook kill` and `cancel-all` work without it.';
    throw new TwinbookError('timed_out', silenceText(reach), hint);
  }
}

/** For `catch`: null for this error; others are rethrown. */
export const nullOn =
  (code: ErrorCode) =>
  (error: unknown): null => {
    if (error instanceof TwinbookError && error.code === code) return null;
    throw error;
  };

export const silenceText = (reach: Unreached): string => {
  if (reach === 'not running') return 'No trader is running';
  if (reach.silentPid === null)
    return 'Whether a trader runs cannot be told, for its lock file does not say who has it';
  return `The trader (process ${reach.silentPid}) does not answer`;
};

async function silentProcess(ledgerPath: string): Promise<Unreached> {
  const { findWriter } = await import('../../trader/ledger/lock.js');
  try {
    const writer = findWriter(ledgerPath);
    return writer === null ? 'not running' : { silentPid: writer.pid };
  } catch (error) {
    if (error instanceof TwinbookError) return { silentPid: null };
    throw error;
  }
}

async function answers(socket: string, timeoutMs: number): Promise<boolean> {
  try {
    await askTrader({ command: 'ping' }, { socket, timeoutMs });
    return true;
  } catch (error) {
    // A foreign listener or a permission error must not prevent stopping the trader directly.
    if (error instanceof TwinbookError) return false;
    throw error;
  }
}
