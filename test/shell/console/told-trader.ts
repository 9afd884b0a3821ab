/** The control socket of a trader with prepared answers; it records requests. */

import { onTestFinished } from 'vitest';
import type { StatusLine } from '../../../src/shared/protocol/trader-status.js';
import { openConsole } from '../../../src/shell/console/console.js';
import type { ControlQuestion, ControlResponse } from '../../../src/shell/control/control-protocol.js';
import { serveControl } from '../../../src/shell/control/control-server.js';
import type { LineReader } from '../../../src/shell/control/telemetry.js';
import { lockWriter } from '../../../src/trader/ledger/lock.js';
import { HOLDER } from '../../trader/ledger/books.js';

type ConsoleOptions = Parameters<typeof openConsole>[0];

export const OBEYED: ControlResponse = { ok: true, data: { mode: 'paused', reason: '' } };

export const WATCHING = { status: () => 'watching', isGuarded: () => true };

/** A console that ends with its test, and its notes. */
export async function consoleOf(options: Pick<ConsoleOptions, 'config' | 'secret'> & Partial<ConsoleOptions>) {
  const notes: string[] = [];
  const console = await openConsole({ guardian: WATCHING, note: (text) => notes.push(text), ...options });
  onTestFinished(() => console.close());
  return { ...console, notes, url: console.url ?? '' };
}

export type Answer = (question: ControlQuestion) => ControlResponse | Promise<ControlResponse>;

/** @param ledger path of the ledger whose lock the trader holds until the test ends; empty for none */
export async function serveTrader(socket: string, answer: Answer = () => OBEYED, ledger = '') {
  if (ledger !== '') onTestFinished(lockWriter(ledger, HOLDER).release);
  const asked: ControlQuestion[] = [];
  const readers: LineReader[] = [];
  const server = await serveControl(socket, {
    answer: async (question) => {
      if (question.command === 'ping') return { ok: true, data: { pid: process.pid } };
      asked.push(question);
      return answer(question);
    },
    subscribe: (reader) => {
      readers.push(reader);
      return null;
    },
  });
  const tell = (line: StatusLine) => {
    for (const reader of readers) reader.write(Buffer.from(`${JSON.stringify(line)}\n`));
  };
  return { asked, readers, tell, close: () => server.close() };
}
