/**
 * The page: the running trader at a glance, and the buttons that stop it. Served on the loopback address, to whoever has the
 * pass; one document without anything from elsewhere.
 *
 * It decides nothing and keeps nothing: it shows what its host says and hands on what was pressed. It lives in the console's
 * process, so it answers while the trader hangs.
 */

import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { OWN_HEADERS } from '../document/own-document.js';
import { BearerAuth } from './bearer-auth.js';
import { type Host, PAGE_ACTIONS, type PageAction } from './contract.js';
import { pageDocument } from './document.js';
import { findRefusal, groupHeaders } from './origin-guard.js';
import { VIEW_NAMES, type ViewName, type ViewQuery } from './views.js';

const MAX_BODY_BYTES = 4_096;
const MAX_REASON = 500;
/** A page that asks once a second needs one connection; more than so many are somebody else's. */
const MAX_CONNECTIONS = 64;
/** A peer that says nothing is let go. */
const PATIENCE_MS = 10_000;

/** No route has a schema, and the compilers that the framework would load for them take a start longer than itself. */
const noSchema = (): never => {
  throw new Error('a route has a schema');
};

export interface DashboardOptions {
  readonly host: Host;
  /** What opens it. */
  readonly secret: string;
  readonly metrics: MetricsAccess;
  readonly address: '127.0.0.1' | '::1';
  /** 0 picks a free one. */
  readonly port: number;
}

/** Who may read `/metrics`, beside whoever may see the page. */
export interface MetricsAccess {
  /** Whether every program of this machine may. */
  readonly isOpen: boolean;
  /** Null for none. */
  readonly token: string | null;
}

export interface Dashboard {
  /** `http://127.0.0.1:8788/`, without what opens it. */
  readonly url: string;
  close(): Promise<void>;
}

/** Listens. Rejects with what `listen` rejects with, `EADDRINUSE` for a port that is taken. */
export async function openDashboard(options: DashboardOptions): Promise<Dashboard> {
  const server = buildPage(options);
  await server.listen({ host: options.address, port: options.port });
  return { url: `http://${formatHost(options.address)}:${readPort(server)}/`, close: () => server.close() };
}

const formatHost = (address: string): string => (address.includes(':') ? `[${address}]` : address);

function readPort(server: FastifyInstance): number {
  const address = server.server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function buildPage({ host, secret, metrics }: DashboardOptions): FastifyInstance {
  const document = pageDocument();
  const pass = new BearerAuth([secret]);
  const server = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    connectionTimeout: PATIENCE_MS,
    requestTimeout: PATIENCE_MS,
    keepAliveTimeout: PATIENCE_MS,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    schemaController: { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } },
  });
  server.server.maxConnections = MAX_CONNECTIONS;
  server.addHook('onRequest', async (request, reply) => {
    void reply.headers({ ...OWN_HEADERS, 'content-security-policy': document.policy });
    const { method } = request;
    const refusal = findRefusal({ method, headers: groupHeaders(request.raw.rawHeaders) }, readPort(server));
    if (refusal !== null) return reply.code(refusal.status).send({ error: refusal.text });
    return undefined;
  });
  server.setNotFoundHandler((_, reply) => reply.code(404).send({ error: 'there is nothing here' }));
  server.setErrorHandler((error: { statusCode?: number }, _, reply) => {
    // What went wrong inside is nobody's business on a page; what was wrong with the request is.
    const status = error.statusCode ?? 500;
    return reply
      .code(status)
      .send({ error: status < 500 ? 'the request cannot be read' : 'the trader failed to answer' });
  });
  const guarded = { preHandler: async (request: FastifyRequest, reply: FastifyReply) => admit(pass, request, reply) };
  server.get('/', (_, reply) => reply.type('text/html; charset=utf-8').send(document.html));
  server.get<{ Querystring: { market?: unknown } }>('/state', guarded, ({ query: { market } }) =>
    host.state(typeof market === 'string' ? market : null),
  );
  server.get<{ Params: { view: string }; Querystring: Readonly<Record<string, unknown>> }>(
    '/views/:view',
    guarded,
    async ({ params, query }, reply) => {
      const name = VIEW_NAMES.find((view): view is ViewName => view === params.view);
      const shown = name === undefined ? null : await host.view(name, viewQuery(query));
      return shown ?? reply.code(404).send({ error: NOT_KNOWN });
    },
  );
  addMetrics(server, host, metrics, secret);
  server.post<{ Params: { action: string }; Body: unknown }>('/actions/:action', guarded, async (request, reply) => {
    const action = PAGE_ACTIONS.find((name): name is PageAction => name === request.params.action);
    if (action === undefined) return reply.code(404).send({ error: 'there is no such action' });
    const { refusal, text } = await host.act(action, readReason(request.body));
    return refusal === null ? { done: true, text } : reply.code(409).send({ error: refusal });
  });
  return server;
}

const NOT_KNOWN = 'nothing is known of that yet';
/** No chart reaches further back. */
const LONGEST_SPAN_MS = 90 * 86_400_000;

function viewQuery({ market, subject, span }: Readonly<Record<string, unknown>>): ViewQuery {
  const readText = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  const spanMs = Number(readText(span) ?? 0);
  return {
    market: readText(market),
    subject: readText(subject),
    spanMs: spanMs > 0 && spanMs <= LONGEST_SPAN_MS ? spanMs : 0,
  };
}

function addMetrics(server: FastifyInstance, host: Host, { isOpen, token }: MetricsAccess, secret: string): void {
  const pass = new BearerAuth(token === null ? [secret] : [secret, token]);
  const preHandler = async (request: FastifyRequest, reply: FastifyReply) =>
    isOpen ? undefined : admit(pass, request, reply);
  server.get('/metrics', { preHandler }, (_, reply) => {
    const { type, text } = host.metrics();
    return reply.type(type).send(text);
  });
}

function admit(pass: BearerAuth, request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
  switch (pass.check(request.headers.authorization)) {
    case 'open':
      return undefined;
    case 'wrong':
      return reply.code(401).send({ error: 'this needs the password, or the address that the trader printed' });
    case 'too many guesses':
      return reply.code(429).send({ error: 'too many wrong passwords; wait a minute, or use the command line' });
  }
}

/** Printable, on one line, of a sane length; empty when none was given. */
function readReason(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('reason' in body) || typeof body.reason !== 'string') return '';
  return body.reason
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON);
}
