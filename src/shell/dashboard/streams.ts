/**
 * States of the page as they change, as server-sent events. Each event is a whole state, made once for all readers of the same: a reader that comes
 * back after a gap, or reads slowly, gets the newest one and misses nothing current.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Role } from '../../shared/protocol/operator-commands.js';
import { type Gate, type Query, readText } from './admission.js';
import type { Host, TraderHost } from './contract.js';

/** Answer of `/state`, and each event of its stream. */
export const serveState = (host: Host, trader: TraderHost, role: Role, market: string | null) => ({
  ...trader.state(market),
  role,
  traders: host.names,
});

export const serveTraders = (host: Host, role: Role) => ({ ...host.traders(), role });

/** Sends the state as it changes. */
export function addStreams(server: FastifyInstance, host: Host, gate: Gate): void {
  const streams = new Streams();
  server.addHook('preClose', async () => streams.close());
  const open = (request: FastifyRequest, reply: FastifyReply, key: readonly unknown[], source: StreamSource) => {
    if (streams.isFull) return reply.code(503).send({ error: TOO_MANY_STREAMS });
    reply.hijack();
    const reader = proveEvents(reply.raw, gate.proveEvents(request));
    streams.open(JSON.stringify(key), source, reader, reply.getHeaders());
    return reply;
  };
  server.get<Query>('/stream/state', (request, reply) => {
    const found = gate.admitTo(host, request, reply);
    if (found === null) return reply;
    const { role, trader } = found;
    const market = readText(request.query['market']);
    const name = host.names.length === 1 ? null : readText(request.query['trader']);
    return open(request, reply, [role, name, market], {
      make: () => serveState(host, trader, role, market),
      watch: (onChange) => trader.watch(onChange),
    });
  });
  server.get('/stream/traders', (request, reply) => {
    const role = gate.admit(request, reply, 'view');
    if (role === null) return reply;
    return open(request, reply, [role], {
      make: () => serveTraders(host, role),
      watch: (onChange) => {
        const ends = host.names.map((name) => host.trader(name)?.watch(onChange));
        return () => {
          for (const end of ends) end?.();
        };
      },
    });
  });
}

/** A reader whose events have proofs of its own session, because several sessions read the same state. */
const proveEvents = (raw: FastifyReply['raw'], prove: (data: string) => string): StreamReader => ({
  writeHead: (status, headers) => raw.writeHead(status, headers),
  once: (event, onClose) => raw.once(event, onClose),
  end: () => raw.end(),
  write: (event) => raw.write(`${prove(event.slice('data: '.length, -2))}${event}`),
  get writableLength() {
    return raw.writableLength;
  },
});

export const MOST_STREAMS = 16;
const TOO_MANY_STREAMS = `${MOST_STREAMS} pages get each change already; this one polls every second`;
/** Time between two states, ms: a trader sends one sweep over many markets in several lines. */
const LEAST_MS = 100;
/** Longest time between two states, ms: ages grow, and a hanging trader sends nothing. */
const MOST_MS = 1_000;

export interface StreamSource {
  /** The state as JSON. Its readers are disconnected when this throws. */
  make(): unknown;
  /** Calls back whenever that may have changed, until the returned function is called. */
  watch(onChange: () => void): () => void;
}

type Headers = Readonly<Record<string, string | number | string[] | undefined>>;

/** The other end of a stream; an HTTP answer is one. */
export interface StreamReader extends Pick<FastifyReply['raw'], 'write' | 'end' | 'writableLength'> {
  writeHead(status: number, headers: Headers): unknown;
  once(event: 'close', onClose: () => void): unknown;
}

export class Streams {
  readonly #topics = new Map<string, Topic>();
  #open = 0;

  /** Whether another one would be refused. */
  get isFull(): boolean {
    return this.#open >= MOST_STREAMS;
  }

  /**
   * Serves this reader from now on, with the present state at once. The caller has checked `isFull`.
   *
   * @param key equal for all readers of the same state
   */
  open(key: string, source: StreamSource, reader: StreamReader, headers: Headers): void {
    reader.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8' });
    const topic = this.#topics.get(key) ?? new Topic(source);
    this.#topics.set(key, topic);
    this.#open++;
    reader.once('close', () => {
      this.#open--;
      if (topic.remove(reader)) this.#topics.delete(key);
    });
    topic.add(reader);
  }

  close(): void {
    for (const topic of this.#topics.values()) topic.close();
    this.#topics.clear();
  }
}

/** One state for all its readers. */
class Topic {
  readonly #readers = new Set<StreamReader>();
  readonly #source: StreamSource;
  readonly #unwatch: () => void;
  #timer: NodeJS.Timeout | null = null;
  /** Times of the timer and of the last state, monotonic, ms. */
  #dueMs = Number.POSITIVE_INFINITY;
  #toldMs = Number.NEGATIVE_INFINITY;

  constructor(source: StreamSource) {
    this.#source = source;
    this.#unwatch = source.watch(() => this.#tellBy(this.#toldMs + LEAST_MS));
  }

  add(reader: StreamReader): void {
    this.#readers.add(reader);
    this.#write([reader]);
    this.#tellBy(performance.now() + MOST_MS);
  }

  /** True when no reader is left. */
  remove(reader: StreamReader): boolean {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return false;
    this.close();
    return true;
  }

  close(): void {
    this.#unwatch();
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const reader of this.#readers) reader.end();
  }

  #tellBy(dueMs: number): void {
    if (dueMs >= this.#dueMs || this.#readers.size === 0) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const nowMs = performance.now();
    if (dueMs <= nowMs) return this.#tell(nowMs);
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => this.#tell(performance.now()), dueMs - nowMs);
  }

  #tell(nowMs: number): void {
    this.#toldMs = nowMs;
    this.#dueMs = Number.POSITIVE_INFINITY;
    // A reader that has not taken the last state gets a newer one later; the server disconnects one that takes nothing
    // for ten seconds.
    this.#write([...this.#readers].filter(({ writableLength }) => writableLength === 0));
    this.#tellBy(nowMs + MOST_MS);
  }

  #write(readers: readonly StreamReader[]): void {
    if (readers.length === 0) return;
    try {
      const text = `data: ${JSON.stringify(this.#source.make())}\n\n`;
      for (const reader of readers) reader.write(text);
    } catch {
      // This process continues. Polling then shows the failure.
      for (const reader of readers) {
        // It closes when its peer has taken the end; nothing may be written after that.
        this.#readers.delete(reader);
        reader.end();
      }
    }
  }
}
