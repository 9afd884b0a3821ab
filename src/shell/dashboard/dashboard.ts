/**
 * The operator's page: the state of running traders, and buttons that stop them. It is served on the loopback address,
 * and shows data only to a user who has its secret. The page is a single document that loads nothing from elsewhere.
 *
 * The page makes no decisions and stores nothing. The page shows the console's data and forwards presses of buttons.
 * The server is in the console's process, so the page works while the trader hangs.
 */

import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { FIRST_NAMES } from '../../shared/protocol/operator-commands.js';
import { OWN_HEADERS } from '../web-kit/page-script.js';
import { findRefusal, findTrader, Gate, type QueryRoute } from './admission.js';
import { type Host, marketCommand, PAGE_ACTIONS, ROLE_OF, readText, viewQuery } from './contract.js';
import { pageDocument } from './document.js';

const ADDRESS = '127.0.0.1';
const MAX_BODY_BYTES = 4_096;
const MAX_REASON = 500;
const MAX_CONNECTIONS = 64;
/** Time after which a silent client is disconnected, ms; a client that waits for its answer is not disconnected. */
const PATIENCE_MS = 10_000;

/** No route has a schema, because loading Fastify's schema compilers takes longer than loading Fastify itself. */
const noSchema = (): never => {
  throw new Error('a dashboard route must not have a schema');
};

interface DashboardOptions {
  readonly host: Host;
  readonly passes: Parameters<typeof Gate.make>[0];
  /** `isOpen`: every program of this machine may read the metrics. `token`: secret for metrics only; null for none. */
  readonly metrics: { readonly isOpen: boolean; readonly token: string | null };
  readonly port: number;
}

/** Starts to listen. Rejects with `EADDRINUSE` if the port is taken. */
export async function openDashboard(options: DashboardOptions) {
  const gate = await Gate.make(options.passes, options.metrics.token);
  const server = buildPage(options, gate);
  await server.listen({ host: ADDRESS, port: options.port });
  return {
    /** Address of the page without its secret, for example `http://127.0.0.1:8788/`. */
    url: `http://${readAddress(server)}/`,
    refusedLogins: () => gate.refused,
    close: () => server.close(),
  };
}

const readAddress = (server: FastifyInstance): string => `${ADDRESS}:${readPort(server)}`;

function readPort(server: FastifyInstance): number {
  const address = server.server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function buildPage({ host, metrics }: DashboardOptions, gate: Gate): FastifyInstance {
  const document = pageDocument();
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
    const refusal = findRefusal(request.raw, readPort(server));
    return refusal === null ? undefined : reply.code(refusal.status).send({ error: refusal.text });
  });
  server.addHook('preHandler', async (_, { raw }) => void raw.on('timeout', (to) => raw.writableEnded && to.destroy()));
  server.setNotFoundHandler((_, reply) => reply.code(404).send({ error: 'the dashboard has no such path' }));
  server.setErrorHandler((error: { statusCode?: number }, _, reply) => {
    // The page gets errors of its own requests, but no internal errors.
    const status = error.statusCode ?? 500;
    const text = status < 500 ? 'the request cannot be read' : 'the trader failed to answer';
    return reply.code(status).send({ error: text });
  });
  const ownAddress = () => readAddress(server);
  gate.addTo(server, ownAddress);
  let packed: Buffer | null = null;
  server.get('/', (request, reply) => {
    // `localhost` is redirected, because the name may lead to another program. Browsers keep the secret after `#`.
    if (request.headers.host !== ownAddress()) return reply.redirect(`http://${ownAddress()}${request.url}`, 307);
    void reply.type('text/html; charset=utf-8').header('vary', 'accept-encoding');
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(document.html);
    // Compression is safe: the document contains no secret that its compressed length could reveal.
    packed ??= gzipSync(document.html);
    return reply.header('content-encoding', 'gzip').send(packed);
  });
  addReads(server, host, gate, metrics);
  addActions(server, host, gate);
  addReports(server, host, gate);
  return server;
}

function addReads(server: FastifyInstance, host: Host, gate: Gate, { isOpen }: DashboardOptions['metrics']): void {
  server.get('/metrics', (request, reply) => {
    if (!isOpen && !gate.admitMetrics(request, reply)) return reply;
    const { type, text } = host.metrics();
    return reply.type(type).send(text);
  });
  server.get<QueryRoute>('/state', (request, reply) => {
    const found = gate.admitTo(host, request, reply);
    if (found === null) return reply;
    const state = found.trader.state(readText(request.query['market']));
    return reply.send({ ...state, role: found.role, traders: host.names });
  });
  server.get('/traders', (request, reply) => {
    const role = gate.admit(request, reply, 'view');
    return role === null ? reply : reply.send({ ...host.traders(), role });
  });
  server.get<QueryRoute & { Params: { view: string } }>('/views/:view', async (request, reply) => {
    const { view } = request.params;
    // The view `diff` needs the role `operate`, because it makes the trader read and compare configuration files.
    const found = gate.admitTo(host, request, reply, view === 'diff' ? 'operate' : 'view');
    if (found === null) return reply;
    const shown = await found.trader.view(view, viewQuery(request.query));
    return shown ?? reply.code(404).send({ error: NOT_KNOWN });
  });
  server.get<QueryRoute & { Params: { name: string } }>('/csv/:name', (request, reply) => {
    const found = gate.admitTo(host, request, reply);
    if (found === null) return reply;
    const { name } = request.params;
    const text = name === 'fills' || name === 'orders' ? found.trader.csv(name) : null;
    if (text === null) return reply.code(404).send({ error: NOT_KNOWN });
    const disposition = `attachment; filename="${name}.csv"`;
    return reply.type('text/csv; charset=utf-8').header('content-disposition', disposition).send(text);
  });
}

type ActionRoute = QueryRoute & { Params: { action: string }; Body: unknown };

function addActions(server: FastifyInstance, host: Host, gate: Gate): void {
  /** Returns the action if it is admitted; null after sending a refusal. */
  const admitAction = <Action extends (typeof PAGE_ACTIONS)[number]>(
    names: readonly Action[],
    request: FastifyRequest<ActionRoute>,
    reply: FastifyReply,
  ): Action | null => {
    const action = names.find((name) => name === request.params.action);
    if (gate.admit(request, reply, action === undefined ? 'view' : ROLE_OF[action]) === null) return null;
    if (action === undefined) void reply.code(404).send({ error: 'there is no such action' });
    return action ?? null;
  };
  server.post<ActionRoute>('/actions/:action', async (request, reply) => {
    const action = admitAction(PAGE_ACTIONS, request, reply);
    const trader = action === null ? null : findTrader(host, request.query, reply);
    if (action === null || trader === null) return reply;
    const isOfMarket = marketCommand(action) !== null;
    const hasMarket = isOfMarket || action === 'backtest' || action === 'parity';
    const market = hasMarket ? readText(request.query['market']) : null;
    if (isOfMarket && market === null) return reply.code(400).send({ error: NO_MARKET });
    const { refusal, text } = await trader.act(action, readReason(request.body), market);
    return refusal === null ? { done: true, text } : reply.code(409).send({ error: refusal });
  });
  server.post<ActionRoute>('/traders/:action', async (request, reply) => {
    const action = admitAction(FIRST_NAMES, request, reply);
    if (action === null) return reply;
    const reason = readReason(request.body);
    // All traders get the command at once, so that a hanging trader does not delay the others.
    // A thrown error is not part of the answer, because the page must not get internal errors.
    const tryToAct = async (name: string) => host.trader(name)?.act(action, reason, null);
    const asked = host.names.map((name) => tryToAct(name).catch(() => undefined));
    const answers = (await Promise.all(asked)).map(
      (acted) => acted ?? { refusal: 'the trader cannot be reached', text: '' },
    );
    const text = answers.map(({ refusal, text: done }, i) => `${host.names[i]}: ${refusal ?? done}`).join('; ');
    const isDone = answers.every(({ refusal }) => refusal === null);
    return isDone ? { done: true, text } : reply.code(409).send({ error: text });
  });
}

/** Time for which a report waits for the browser tab that will show it, ms. At most eight reports wait. */
const REPORT_WAITS_MS = 60_000;

/** A new tab cannot send a proof, so each report gets a secret one-time address. The sandbox isolates the report. */
function addReports(server: FastifyInstance, host: Host, gate: Gate): void {
  const waiting = new Map<string, string>();
  server.post<QueryRoute>('/reports', (request, reply) => {
    const found = gate.admitTo(host, request, reply);
    if (found === null) return reply;
    const html = found.trader.report(readText(request.query['name']) ?? '');
    if (html === null) return reply.code(404).send({ error: NOT_KNOWN });
    const key = randomBytes(32).toString('hex');
    waiting.set(key, html);
    if (waiting.size > 8) waiting.delete(waiting.keys().next().value ?? '');
    setTimeout(() => waiting.delete(key), REPORT_WAITS_MS).unref();
    return reply.send({ path: `/reports/${key}` });
  });
  server.get<{ Params: { key: string } }>('/reports/:key', (request, reply) => {
    const html = waiting.get(request.params.key);
    if (html === undefined) return reply.code(404).send({ error: NOT_KNOWN });
    waiting.delete(request.params.key);
    return reply.header('content-security-policy', 'sandbox allow-scripts').type('text/html; charset=utf-8').send(html);
  });
}

const NO_MARKET = 'the request needs a market; ?market= wants its condition id';
const NOT_KNOWN = 'the dashboard has no data for this request yet';
/** Returns the reason as one printable line of bounded length; empty if the request has no reason. */
function readReason(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('reason' in body) || typeof body.reason !== 'string') return '';
  return body.reason
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON);
}
