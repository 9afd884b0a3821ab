/** The state of one trader, or of all, for the page: once, and after each change. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Role } from '../../shared/protocol/operator-commands.js';
import { type Gate, type Query, readText } from './admission.js';
import type { Host, TraderHost } from './contract.js';
import { MOST_STREAMS, type StreamReader, type StreamSource, Streams } from './streams.js';

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

const TOO_MANY_STREAMS = `${MOST_STREAMS} pages get each change already; this one polls every second`;
