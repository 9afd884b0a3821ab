/**
 * The HTTP server of the exchange, with one route for each declared call. Every request is checked in this order: rate
 * limit, authentication, validation, core. All answers use the envelope. A connection beyond `maxConnections`, or with
 * a client that stops reading, is closed without an answer.
 */

import { channel } from 'node:diagnostics_channel';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { guarded } from '../../shared/base/processes.js';
import { declarationOf, ENDPOINTS, type EndpointName, fillPath, type Scope } from '../../shared/protocol/endpoints.js';
import { invalid, type Refusal, refuse } from '../core/contract.js';
import { type Answer, faultAnswer, type HandlerContext, type Reply, successText } from '../service/answers.js';
import { passCall } from '../service/handlers.js';
import { WalletSignatures } from '../service/wallet-signatures.js';
import { Authenticator } from './authentication.js';
import { CONTROLS, serveControls } from './controls.js';
import { Faults, NAMES } from './faults.js';
import {
  MAX_PARAM_LENGTH,
  parseQuery,
  readBody,
  readRawUrl,
  readSignedParts,
  routeUrl,
  type ServerOptions,
  send,
} from './messages.js';
import { openApiDocument } from './openapi/document.js';
import { PAGE_ROUTES, servePage } from './openapi/page.js';
import { type HeaderList, RateGuard } from './rate-guard.js';

/** Name of the channel that publishes answers, for `diagnostics_channel.subscribe`. */
const ANSWERS_CHANNEL = 'twinbook:exchange:answer';

/**
 * Publishes all answers of the service to subscribers in this process. The path of an answer is the declared path; null
 * if no call matches. Answers of simulated faults (`isForged`) are not published.
 */
function publishAnswers(server: FastifyInstance, isForged: (reply: FastifyReply) => boolean): void {
  const answers = channel(ANSWERS_CHANNEL);
  if (!answers.hasSubscribers) return;
  server.addHook('onSend', (request, reply, payload, done) => {
    if (isForged(reply)) return done();
    const { url } = request.routeOptions;
    answers.publish({
      method: request.method,
      path: url?.replace(/:(\w+)/g, '{$1}') ?? null,
      status: reply.statusCode,
      headers: reply.getHeaders(),
      text: String(payload),
    });
    done();
  });
}

/** Replaces the framework's schema compilers, which load slowly and are unused: calls are checked by zod schemas. */
const noSchema = (): never => {
  throw new Error('a route must have no schema of the framework');
};

/** Time limits of connections, ms, and the maximum number of connections. */
export const PATIENCE = {
  headersMs: 10_000,
  requestMs: 30_000,
  /** Maximum time without a byte in either direction, ms. After this time, the server closes the connection. */
  silenceMs: 60_000,
  /** Maximum time between two requests of a connection, ms. Clients close idle connections before this time. */
  idleMs: 75_000,
  checkMs: 2000,
  /** Maximum number of connections. Each connection may hold a body of 64 KiB, so all bodies take at most 64 MiB. */
  maxConnections: 1000,
};
/** Limits of connections. */
type Patience = Readonly<typeof PATIENCE>;

/** Maximum size of a request's body. The venue's interface requires status 413 for a larger body. */
const MAX_BODY_BYTES = 64 * 1024;

/** Maximum size of the request line and headers together. A larger request head is answered with status 431. */
const MAX_HEAD_BYTES = 16 * 1024;

const socketOptions = (patience: Patience) => ({
  connectionTimeout: patience.silenceMs,
  keepAliveTimeout: patience.idleMs,
  requestTimeout: patience.requestMs,
  http: {
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: patience.headersMs,
    connectionsCheckingInterval: patience.checkMs,
    // Requests without a host header are accepted, because the refusal by Node.js would have no envelope.
    requireHostHeader: false,
  },
});

/** Header `Allow` of a 405 for CONNECT, whose target is not a path. */
const ALLOW = [['allow', 'GET, POST, DELETE']] as const;

/** Replaces answers that Node itself would give without an envelope. */
function guardSockets({ server }: FastifyInstance, patience: Patience, lastWords: MalformedConnections): void {
  server.maxConnections = patience.maxConnections;
  // Requests with an unknown `Expect` header are answered normally. Node.js would send a 417 without an envelope.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (request, socket) => {
    const refusal = faultAnswer({ slug: 'method_not_allowed' });
    const say = () => lastWords.say(socket, request.socket.remoteAddress ?? '', refusal, ALLOW);
    guarded(say, () => socket.destroy())();
  });
  lastWords.watch(server);
}

/** Time between a connection's last answer and its end, ms; an immediate end could lose the answer. */
const LINGER_MS = 1000;

const NOT_HTTP = faultAnswer(invalid('request', 'The request is not complete HTTP/1.1.').fault);
const HEAD_TOO_LARGE = faultAnswer({ slug: 'request_headers_too_large' });

/** Ends connections that send no valid request. The error answer never precedes the answer to an earlier request. */
class MalformedConnections {
  readonly #guard: RateGuard;
  /** Incomplete responses of each connection, in order of their requests. */
  readonly #open = new WeakMap<Duplex, readonly ServerResponse[]>();

  constructor(guard: RateGuard) {
    this.#guard = guard;
  }

  watch(server: Server): void {
    const note = ({ socket }: IncomingMessage, response: ServerResponse) =>
      this.#open.set(socket, [...this.#openOn(socket), response]);
    // Valid requests are only recorded here: the answer to a malformed request must not precede their answers.
    server.on(
      'request',
      guarded(note, () => undefined),
    );
  }

  /** Waits until all complete requests of the connection are answered, then sends an answer and ends the connection. */
  say(socket: Duplex, address: string, answer: Answer, headers: HeaderList = []): void {
    // Only complete requests are awaited: the malformed request itself may still be open with an incomplete body.
    const earlier = this.#openOn(socket).find(({ req }) => req.complete);
    if (earlier === undefined) this.#sayNow(socket, address, answer, headers);
    else earlier.once('close', () => this.say(socket, address, answer, headers));
  }

  #sayNow(socket: Duplex, address: string, answer: Answer, extra: HeaderList): void {
    if (!socket.writable) return;
    const { headers, refusal } = this.#guard.admitBytes(address);
    socket.end(wireText(refusal ?? answer, [...headers, ...extra]));
    // Without a time limit, a client that neither reads nor closes would keep the connection open forever.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  }

  #openOn(socket: Duplex): readonly ServerResponse[] {
    return (this.#open.get(socket) ?? []).filter(({ closed }) => !closed);
  }
}

function wireText({ status, text }: Answer, headers: HeaderList): string {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}

/** Builds the server with all its routes. The caller starts the server. */
export function buildServer(options: ServerOptions, patience: Patience = PATIENCE): FastifyInstance {
  const faults = new Faults(options.clock);
  const guard = new RateGuard(options, faults);
  const lastWords = new MalformedConnections(guard);
  const server = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    ...socketOptions(patience),
    exposeHeadRoutes: false,
    schemaController: { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } },
    // Requests during the server's close are answered normally, because the framework's own 503 answer has no envelope.
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: (error, request, reply) => {
      // The framework runs no hooks for a malformed path or a parameter that is too long, so the limit is checked here.
      const isUnknown = error.code === 'FST_ERR_MAX_PARAM_LENGTH';
      const { fault } = isUnknown ? refuse('not_found') : invalid('path', 'The path is malformed.');
      if (guard.admit(request, reply, 'public')) send(reply, faultAnswer(fault));
    },
    clientErrorHandler: ({ code }, socket) => {
      const answer = code === 'HPE_HEADER_OVERFLOW' ? HEAD_TOO_LARGE : NOT_HTTP;
      lastWords.say(socket, socket.remoteAddress ?? '', answer);
    },
  });
  guardSockets(server, patience, lastWords);
  // Bodies, even of a GET, stay bytes, because signatures cover bytes. Bodies are parsed after authentication.
  server.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  server.decorateRequest('bodyType', '');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  publishAnswers(server, (reply) => faults.isForged(reply));
  server.addHook('onRequest', (request, reply, done) => {
    takeMediaType(request);
    if (faults.answersFirst(request, reply)) return;
    if (guard.admit(request, reply, chooseScope(request, options.controls))) done();
  });
  server.setErrorHandler((error: FastifyError, request, reply) => {
    // Fastify throws this error for the method QUERY, which no path of this server has.
    if (error.code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE') return notFound(request, reply, options.controls);
    const { fault } = toRefusal(error);
    if (fault.slug === 'internal_error') options.onError(error, `${request.method} ${request.url}`);
    send(reply, faultAnswer(fault));
  });
  server.setNotFoundHandler((request, reply) => notFound(request, reply, options.controls));
  serveEndpoints(server, options, faults);
  serveDocument(server, options);
  if (options.controls) serveControls(server, options, faults);
  return server;
}

/** Rate scope of a request. Unknown paths have no route and count as public, except under `/paper/`. */
const chooseScope = ({ routeOptions, url }: FastifyRequest, controls: boolean): Scope | 'paper' =>
  routeOptions.config.scope ?? (controls && url.startsWith('/paper/') ? 'paper' : 'public');

function serveEndpoints(server: FastifyInstance, options: ServerOptions, faults: Faults): void {
  const context = { ...options, wallets: new WalletSignatures(options.profile.draft_message) };
  const authenticator = new Authenticator(options);
  for (const name of NAMES) {
    const { method, path, scope } = declarationOf(name);
    server.route({
      method,
      url: routeUrl(path),
      config: { scope, call: name },
      handler: (request, reply) => {
        const answer = faults.refuses(name, reply) ?? serve(name, request, authenticator, context);
        send(reply, faults.replaces(name, reply, answer) ?? answer);
      },
    });
  }
}

function serve<N extends EndpointName>(
  name: N,
  request: FastifyRequest,
  authenticator: Authenticator,
  context: HandlerContext & Pick<ServerOptions, 'settle'>,
): Answer {
  const declaration = declarationOf(name);
  const nowMs = context.settle();
  let account = -1; // Public calls have no account.
  if (declaration.scope === 'signed') {
    const caller = authenticator.authenticate(readSignedParts(request));
    if (!caller.ok) return faultAnswer(caller.fault);
    account = caller.value;
  }
  // The cast is right: the router has parsed the query into strings and lists of strings.
  const query = parseQuery(declaration.query, request.query as Parameters<typeof parseQuery>[1]);
  if (!query.ok) return faultAnswer(query.fault);
  const parsed = declaration.body === null ? null : readBody(request, declaration.body);
  if (parsed !== null && !parsed.ok) return faultAnswer(parsed.fault);
  const asked = query.value['limit'];
  const limit = typeof asked === 'number' ? asked : (declaration.page ?? 0);
  const body = parsed?.value ?? null;
  const call: object = { nowMs, account, params: request.params, query: query.value, body, limit };
  // Query and body have the types of this call, because its schemas parsed them.
  return makeAnswer(declaration, passCall(name, call, context), limit);
}

function makeAnswer(declaration: ReturnType<typeof declarationOf>, reply: Reply<EndpointName>, limit: number): Answer {
  if (!reply.ok) return faultAnswer(reply.fault);
  const isPage = declaration.page !== undefined;
  const meta = isPage ? { limit, next_cursor: reply.nextCursor ?? null } : (reply.meta ?? {});
  const answer = { status: declaration.status, text: reply.text ?? successText(reply.value, meta) };
  if (declaration.location === undefined || !('pubkey' in reply.value)) return answer;
  return { ...answer, location: fillPath(declaration.location, { pubkey: String(reply.value.pubkey) }) };
}

/** Answers 405 if the path has other methods, else 404. */
function notFound(request: FastifyRequest, reply: FastifyReply, controls: boolean): void {
  const path = readRawUrl(request).split('?', 1)[0] ?? '';
  const methods = listMethods(path, [...Object.values(ENDPOINTS), ...DOCUMENT_ROUTES, ...(controls ? CONTROLS : [])]);
  if (methods.length > 0) reply.header('allow', methods.join(', '));
  send(reply, faultAnswer({ slug: methods.length > 0 ? 'method_not_allowed' : 'not_found' }));
}

/** Paths that the server serves in addition to calls and controls. Other methods on these paths get a 405. */
const DOCUMENT_ROUTES = [{ method: 'GET', path: '/openapi.json' }, ...PAGE_ROUTES];

function serveDocument(server: FastifyInstance, options: ServerOptions): void {
  // The OpenAPI document is built when it is first requested, because most exchanges never need it.
  let text: string | null = null;
  server.get('/openapi.json', { config: { scope: 'public' } }, (_request, reply) => {
    text ??= JSON.stringify(openApiDocument(options));
    send(reply, { status: 200, text });
  });
  servePage(server, options.profile);
}

function listMethods(path: string, declarations: readonly { readonly method: string; readonly path: string }[]) {
  const segments = path.split('/');
  const matching = declarations.filter((declaration) => matches(segments, declaration.path.split('/')));
  return [...new Set(matching.map(({ method }) => method))];
}

const matches = (path: readonly string[], template: readonly string[]): boolean =>
  path.length === template.length &&
  template.every((segment, at) => (segment.startsWith('{') ? path[at] !== '' : segment === path[at]));

/** Converts an error of the framework to a refusal; any other error becomes an `internal_error`. */
function toRefusal({ statusCode = 500 }: FastifyError): Refusal {
  if (statusCode === 413) return refuse('request_too_large');
  if (statusCode === 415) return refuse('unsupported_media_type');
  return statusCode < 500 ? invalid('request', 'The request is malformed.') : refuse('internal_error');
}

/** Moves the media type to `bodyType`, so that the framework cannot reject it before the authentication. */
function takeMediaType(request: FastifyRequest): void {
  const named = request.headers['content-type'];
  if (named === undefined) return;
  request.bodyType = named.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  delete request.raw.headers['content-type'];
}
