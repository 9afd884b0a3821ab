/** The fuzzer's side of a socket: sends batches and reads answers in order. */

import { connect, type Socket } from 'node:net';

export interface WireAnswer {
  readonly status: number;
  /** By name, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** From the start of this request's turn until the answer was complete. */
  readonly ms: number;
}

/** Silence of this length is a hang: the exchange answers fast, and drops an incomplete head after ten seconds. */
const HANG_MS = 20_000;

/** Parses answers from a stream of bytes. `bodiless`: whether the next answer has no body despite its length (HEAD). */
class AnswerReader {
  #rest: Buffer = Buffer.alloc(0);

  feed(bytes: Buffer): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
  }

  /** The next answer; null while it is incomplete. Throws on invalid HTTP. */
  next(bodiless: boolean): Omit<WireAnswer, 'ms'> | null {
    const end = this.#rest.indexOf('\r\n\r\n');
    if (end < 0) return null;
    const [line = '', ...lines] = this.#rest.toString('latin1', 0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(line)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new Error(`no answer: ${line.slice(0, 200)}`);
    const headers = Object.fromEntries(lines.map(headerOf));
    const length = bodiless || status < 200 ? 0 : Number(headers['content-length'] ?? Number.NaN);
    if (Number.isNaN(length)) throw new Error(`an answer without a length: ${line}`);
    if (this.#rest.length < end + 4 + length) return null;
    const text = this.#rest.toString('utf8', end + 4, end + 4 + length);
    this.#rest = this.#rest.subarray(end + 4 + length);
    // `100 Continue` is not an answer.
    return status < 200 ? this.next(bodiless) : { status, headers, text };
  }

  get leftover(): string {
    return this.#rest.toString('latin1', 0, 300);
  }
}

function headerOf(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

export interface Sent {
  readonly bytes: Buffer;
  /** A HEAD, whose answer has no body. */
  readonly bodiless: boolean;
}

export interface Heard {
  /** Answers in the order of the requests; fewer if the connection ended early. */
  readonly answers: readonly WireAnswer[];
  /** Bytes of an incomplete answer, or an error; null if nothing is left. */
  readonly wrong: string | null;
  readonly ended: boolean;
}

/** Writes everything and reads until all requests are answered. The socket stays open unless the server closes it. */
export function exchangeBatch(socket: Socket, batch: readonly Sent[]): Promise<Heard> {
  const write = () => void socket.write(Buffer.concat(batch.map(({ bytes }) => bytes)));
  return listen(socket, (answers) => batch[answers.length]?.bodiless ?? false, batch.length, write);
}

/** Writes bytes over a new connection, ends its side, and reads until the server closes it. */
export function exchangeAlone(port: number, bytes: Buffer): Promise<Heard> {
  const socket = connect(port, '127.0.0.1');
  const bodiless = bytes.subarray(0, 5).toString('latin1') === 'HEAD ';
  const write = () => void socket.end(bytes);
  return listen(socket, (answers) => bodiless && answers.length === 0, Number.POSITIVE_INFINITY, write);
}

function listen(
  socket: Socket,
  isBodiless: (answers: readonly WireAnswer[]) => boolean,
  wanted: number,
  start: () => void,
): Promise<Heard> {
  const reader = new AnswerReader();
  const answers: WireAnswer[] = [];
  let turnMs = performance.now();
  return new Promise((resolve) => {
    const finish = (wrong: string | null, ended: boolean) => {
      socket.removeAllListeners().on('error', () => socket.destroy());
      socket.setTimeout(0);
      if (ended) socket.destroy();
      resolve({ answers, wrong, ended });
    };
    socket.on('data', (bytes: Buffer) => {
      reader.feed(bytes);
      try {
        for (let next = reader.next(isBodiless(answers)); next !== null; next = reader.next(isBodiless(answers))) {
          const nowMs = performance.now();
          answers.push({ ...next, ms: nowMs - turnMs });
          turnMs = nowMs;
          if (answers.length === wanted)
            return finish(reader.leftover === '' ? null : `too much: ${reader.leftover}`, false);
        }
      } catch (error) {
        finish(String(error), true);
      }
    });
    socket.setTimeout(HANG_MS, () => finish(`no answer within ${HANG_MS} ms`, true));
    socket.on('error', (error) => finish(`the connection broke: ${error.message}`, true));
    socket.on('close', () => finish(reader.leftover === '' ? null : `half an answer: ${reader.leftover}`, true));
    start();
  });
}
