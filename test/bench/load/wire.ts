/** The least HTTP client that will do: what it costs is taken from the server's processor or shown beside its figures. */

import { connect, type Socket } from 'node:net';

/** Hears one answer. The body is valid only during the call. */
export type Hearing = (status: number, body: Buffer) => void;

const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = 'content-length: ';

/** One connection; requests may be sent ahead of the answers, which come in the same order. */
export class Wire {
  readonly #socket: Socket;
  readonly #waiting: Hearing[] = [];
  #next = 0;
  #rest: Buffer | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (part) => this.#read(part));
  }

  static open(port: number): Promise<Wire> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new Wire(socket)));
      socket.on('error', reject);
    });
  }

  static openMany(port: number, count: number): Promise<Wire[]> {
    return Promise.all(Array.from({ length: count }, () => Wire.open(port)));
  }

  get inFlight(): number {
    return this.#waiting.length - this.#next;
  }

  ask(bytes: string, hear: Hearing): void {
    this.#waiting.push(hear);
    this.#socket.write(bytes, 'latin1');
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(part: Buffer): void {
    const bytes = this.#rest === null ? part : Buffer.concat([this.#rest, part]);
    let at = 0;
    while (at < bytes.length) {
      const bodyAt = bytes.indexOf(HEAD_END, at) + HEAD_END.length;
      if (bodyAt < at + HEAD_END.length) break;
      const end = bodyAt + bodyLength(bytes.toString('latin1', at, bodyAt));
      if (end > bytes.length) break;
      this.#hear(Number(bytes.toString('latin1', at + 9, at + 12)), bytes.subarray(bodyAt, end));
      at = end;
    }
    this.#rest = at === bytes.length ? null : bytes.subarray(at);
  }

  #hear(status: number, body: Buffer): void {
    const hear = this.#waiting[this.#next];
    this.#next += 1;
    if (this.#next === this.#waiting.length || this.#next > 10_000) {
      this.#waiting.splice(0, this.#next);
      this.#next = 0;
    }
    hear?.(status, body);
  }
}

function bodyLength(head: string): number {
  const at = head.indexOf(LENGTH);
  if (at < 0) throw new Error(`an answer without a length: ${head}`);
  return Number.parseInt(head.slice(at + LENGTH.length), 10);
}
