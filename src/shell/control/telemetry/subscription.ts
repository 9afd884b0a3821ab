/** A reader of telemetry: subscribes at a control socket, and again after each lost connection, until it is closed. */

import { connect, type Socket } from 'node:net';
import { messageOf } from '../../../shared/base/errors.js';
import { guarded } from '../../../shared/base/guarded.js';
import { type StatusLine, statusLine } from '../../../shared/protocol/trader-status.js';
import { requireTrusted } from '../control-client.js';

const AGAIN_MS = 1_000;
/** No line of a trader is longer, bytes. */
const LONGEST_LINE = 16 * 1024 * 1024;

export interface SubscriptionEvents {
  readonly line: (line: StatusLine) => void;
  /** The connection is lost or missing: why, in a few words. */
  readonly onLost: (why: string) => void;
}

export class Subscription {
  readonly #path: string;
  readonly #events: SubscriptionEvents;
  #socket: Socket | null = null;
  #again: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(path: string, events: SubscriptionEvents) {
    this.#path = path;
    this.#events = events;
    this.#open();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#again !== null) clearTimeout(this.#again);
    this.#socket?.destroy();
  }

  #open(): void {
    if (this.#isClosed) return;
    try {
      requireTrusted(this.#path);
    } catch (error) {
      return this.#lose(messageOf(error));
    }
    const socket = connect(this.#path);
    this.#socket = socket;
    let why = 'the trader hung up';
    let received = '';
    socket.setEncoding('utf8');
    const failed = (error: unknown) => {
      why = messageOf(error);
      socket.destroy();
    };
    socket.on('connect', () => socket.write('{"command":"subscribe"}\n'));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      why = error.code === 'ENOENT' || error.code === 'ECONNREFUSED' ? 'no trader is running' : error.message;
    });
    const hear = (chunk: string) => {
      received += chunk;
      const end = received.lastIndexOf('\n');
      if (end < 0 && received.length <= LONGEST_LINE) return;
      const refusal = this.#take(received.slice(0, end).split('\n'));
      received = received.slice(end + 1);
      if (refusal === null) return;
      why = refusal;
      socket.destroy();
    };
    socket.on('data', guarded(hear, failed));
    socket.on('close', () => this.#lose(why));
  }

  /** Null, or the problem with these lines. */
  #take(lines: readonly string[]): string | null {
    for (const text of lines) {
      const line = readLine(text);
      if (typeof line === 'string') return line;
      this.#events.line(line);
    }
    return null;
  }

  #lose(why: string): void {
    this.#socket = null;
    if (this.#isClosed) return;
    this.#again = setTimeout(() => this.#open(), AGAIN_MS);
    this.#events.onLost(why);
  }
}

function readLine(text: string): StatusLine | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return `${OTHER_VERSION}: not a line of JSON`;
  }
  const { data, error } = statusLine.safeParse(parsed);
  if (data !== undefined) return data;
  if (typeof parsed === 'object' && parsed !== null && 'error' in parsed)
    return `the trader refused: ${String(parsed.error)}`;
  const [issue] = error.issues;
  return `${OTHER_VERSION}: ${issue?.path.join('.')}: ${issue?.message}`;
}

const OTHER_VERSION = 'what answers at the control socket is no trader of this version';
