/** Whether a trader can be asked at all: stopping must also work when it cannot. */

import { setTimeout as pause } from 'node:timers/promises';
import { TwinbookError } from '../base/errors.js';
import type { TraderConfig } from '../config/load.js';
import { askTrader } from './control-client.js';

/** A loop that has not turned for so long hangs, for whatever reason; a step takes milliseconds. */
const ANSWERS_WITHIN_MS = 3_000;
/** Between two tries at a trader that is only just starting. */
const AGAIN_MS = 100;

export type Reach =
  | 'answers'
  /** Its process holds the ledger and does not answer: it hangs, is frozen, or its socket is gone. */
  | { readonly silentPid: number }
  | 'not running';

/** Takes at most some seconds. Throws `file_unreadable` when the socket or the lock belongs to somebody else. */
export async function reachTrader({ control, ledger }: TraderConfig): Promise<Reach> {
  const { writerOf } = await import('../ledger/lock.js');
  const endMs = performance.now() + ANSWERS_WITHIN_MS;
  for (;;) {
    const leftMs = Math.max(1, endMs - performance.now());
    if (await answers(control.socket, leftMs)) return 'answers';
    const writer = writerOf(ledger.path);
    if (writer === null) return 'not running';
    if (performance.now() >= endMs) return { silentPid: writer.pid };
    await pause(AGAIN_MS);
  }
}

async function answers(socket: string, timeoutMs: number): Promise<boolean> {
  try {
    await askTrader({ command: 'ping' }, { socket, timeoutMs });
    return true;
  } catch (error) {
    if (error instanceof TwinbookError && (error.code === 'not_running' || error.code === 'timed_out')) return false;
    throw error;
  }
}
