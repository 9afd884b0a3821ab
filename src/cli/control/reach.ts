/** Whether a trader can be asked at all: stopping must also work when it cannot. */

import { setTimeout as pause } from 'node:timers/promises';
import { type ErrorCode, TwinbookError } from '../../shared/base/errors.js';
import type { TraderConfig } from '../../shell/config/load.js';
import { askTrader } from '../../shell/control/control-client.js';
import type { ControlData, ControlQuestion } from '../../shell/control/control-protocol.js';

/** A loop that has not turned for so long hangs, for whatever reason; a step takes milliseconds. */
const ANSWERS_WITHIN_MS = 3_000;
/** Between two tries at a trader that is only just starting. */
const AGAIN_MS = 100;
/** A trader that answers, but never this, hangs in its own way. */
const MOST_TRIES = 3;

export type Unreached =
  /**
   * Its process holds the ledger and does not answer: it starts, hangs, is frozen, or its socket is gone. Null when the
   * lock cannot be read, or names a process that is gone, so that nobody can tell whether there is one.
   */
  { readonly silentPid: number | null } | 'not running';

export type Reach = 'answers' | Unreached;

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
 * Asks a trader that may go, hang or start again while it is asked: its answer, or how it is not reached.
 * @param lost errors after which it is looked for anew, in place of being thrown
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
 * Asks a trader, and looks twice before it takes one for not running: `not_running` means that there is none, `timed_out`
 * that there is one which does not answer.
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

/** For `catch`: null for this error, and every other one thrown again. */
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
    // Whatever else listens there, or keeps us out, must not keep anybody from stopping the trader past it.
    if (error instanceof TwinbookError) return false;
    throw error;
  }
}
