/** A venue that answers each question with prepared bytes and counts the requests. */

import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { HostileAnswer } from './answers.js';

const UNPREPARED = 'HTTP/1.1 404 X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';
/** Delay between two bytes of a slow answer, ms. */
const DRIP_MS = 20;
const BLOCK = Buffer.alloc(65_536, ' ');

interface Prepared {
  readonly answer: HostileAnswer;
  asked: number;
  /** Number of started answers; a connection may end while a question is in flight. */
  given: number;
}

export class HostileVenue {
  /** Number of answers, including repeated ones. */
  answered = 0;
  readonly #prepared = new Map<string, Prepared>();
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(): Promise<HostileVenue> {
    const venue = new HostileVenue();
    await new Promise<void>((resolve) => venue.#server.listen(0, '127.0.0.1', resolve));
    return venue;
  }

  get url(): string {
    // A listening TCP server has an address object.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  prepare(mark: string, answer: HostileAnswer): void {
    this.#prepared.set(mark, { answer, asked: 0, given: 0 });
  }

  /** Returns the number of requests with this mark and resets it. */
  forget(mark: string): number {
    const asked = this.#prepared.get(mark)?.asked ?? 0;
    this.#prepared.delete(mark);
    return asked;
  }

  /** Whether an answer to it was sent. */
  hasAnswered(mark: string): boolean {
    return (this.#prepared.get(mark)?.given ?? 0) > 0;
  }

  async stop(): Promise<void> {
    const stopped = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await stopped;
  }

  #serve(socket: Socket): void {
    let heard = '';
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1');
      for (let length = requestLength(heard); length !== null; length = requestLength(heard)) {
        this.#answer(socket, heard.slice(0, length));
        heard = heard.slice(length);
      }
    });
  }

  #answer(socket: Socket, request: string): void {
    const prepared = this.#prepared.get(/case-\d+/.exec(request)?.[0] ?? '');
    if (prepared === undefined) return void socket.end(UNPREPARED);
    prepared.asked += 1;
    if (!socket.writable) return;
    prepared.given += 1;
    this.answered += 1;
    const { bytes, ending } = prepared.answer;
    if (ending === 'close') socket.end(bytes);
    else socket.write(bytes);
    if (ending === 'reset') socket.resetAndDestroy();
    if (ending === 'drip') drip(socket);
    if (ending === 'endless') pour(socket);
  }
}

/** Characters of the first request; null while it is incomplete. */
function requestLength(heard: string): number | null {
  const end = heard.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const length = end + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(heard.slice(0, end + 2))?.[1] ?? 0);
  return heard.length < length ? null : length;
}

function drip(socket: Socket): void {
  const timer = setInterval(() => socket.write(' '), DRIP_MS);
  socket.on('close', () => clearInterval(timer));
}

/** Writes as fast as the socket accepts, until it closes. */
function pour(socket: Socket): void {
  while (socket.writable && socket.write(BLOCK));
  if (socket.writable) socket.once('drain', () => pour(socket));
}
