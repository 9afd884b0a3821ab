/** Decides which caller may send which request to which trader; each refusal gives its reason. */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ROLES, type Role } from '../../shared/protocol/operator-commands.js';
import { type Host, isAllowed, readText, type TraderHost } from './contract.js';
import { Guesses, PROOF_HEADER, prove, Sessions } from './sessions.js';

type RequestHead = Pick<FastifyRequest['raw'], 'method' | 'url' | 'headersDistinct'>;

type PageRefusal = Readonly<{ status: 403 | 405 | 415; text: string }>;

/**
 * Returns why a request is refused; null for an accepted request. `port` is the listening port. Any web page in the
 * operator's browser can send requests to this machine. A request must therefore name this server as its host, and come
 * from the dashboard's page or from no page.
 */
export function findRefusal(request: RequestHead, port: number): PageRefusal | null {
  const { method = '', url: target = '', headersDistinct: headers } = request;
  const all = (name: string) => headers[name] ?? [];
  const [host, ...otherHosts] = all('host');
  // This check refuses other host names, because an attacker can make his host name resolve to this machine.
  if (host === undefined || otherHosts.length > 0 || !listHosts(port).includes(host))
    return { status: 403, text: `this page is served only at its own addresses, such as ${listHosts(port)[0]}` };
  if (method !== 'GET' && method !== 'POST') return { status: 405, text: 'only GET and POST are allowed' };
  // Browsers set these headers about the origin. Scripts in a page cannot set them; other programs omit them.
  if (all('origin').some((origin) => origin !== `http://${host}`)) return FOREIGN;
  const fromHere = method === 'GET' ? ['same-origin', 'none'] : ['same-origin'];
  // Links from anywhere may open the page's document: it contains no data, and no frame may show it.
  const isNavigation = all('sec-fetch-mode').join() === 'navigate' && all('sec-fetch-dest').join() === 'document';
  const isOpened = method === 'GET' && /^\/(?:\?|$)/.test(target) && isNavigation;
  if (!isOpened && all('sec-fetch-site').some((site) => !fromHere.includes(site))) return FOREIGN;
  if (method === 'GET') return null;
  // Other web pages cannot send JSON: the browser first sends a preflight request, which is refused.
  const isJson = all('content-type').length === 1 && /^application\/json(?:;|$)/.test(all('content-type')[0] ?? '');
  return isJson ? null : { status: 415, text: 'the body must be application/json' };
}

const FOREIGN: PageRefusal = { status: 403, text: 'requests from other web pages are rejected' };

const listHosts = (port: number): readonly string[] => [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];

/** Hashes a token. Digests have equal lengths, so the time of a comparison reveals nothing about the token. */
const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** The page's secret for each role; null for a role without a secret. */
type Passes = Readonly<Record<Role, string | null>>;

export type QueryRoute = { Querystring: Readonly<Record<string, unknown>> };

type PageGuesses = Readonly<Record<'page' | 'metrics', Guesses>>;

/** Admits only requests that contain a session's proof, and adds a proof to each answer. */
export class Gate {
  readonly #sessions: Sessions;
  /** Digests of tokens that may read the metrics: the metrics' own token and the page's secrets. */
  readonly #metricsDigests: readonly Buffer[];
  readonly #guesses: PageGuesses;
  readonly #bodies = new WeakMap<FastifyRequest, string>();
  readonly #admitted = new WeakMap<FastifyRequest, NonNullable<ReturnType<Sessions['admit']>>>();

  private constructor(sessions: Sessions, guesses: PageGuesses, metricsTokens: readonly string[]) {
    this.#sessions = sessions;
    this.#guesses = guesses;
    this.#metricsDigests = metricsTokens.map(hashToken);
  }

  /** @param metricsToken token for the metrics only; null for none. The page's secrets permit reading metrics too. */
  static async make(passes: Passes, metricsToken: string | null): Promise<Gate> {
    const guesses = { page: new Guesses(), metrics: new Guesses() };
    const secrets = ROLES.flatMap((role) => (passes[role] === null ? [] : [[role, passes[role]] as const]));
    const metricsTokens = [...secrets.map(([, secret]) => secret), ...(metricsToken === null ? [] : [metricsToken])];
    return new Gate(await Sessions.make(secrets, guesses.page), guesses, metricsTokens);
  }

  get refused(): number {
    return this.#guesses.page.count + this.#guesses.metrics.count;
  }

  /** @param readAddress host and port of the page, as in an address bar */
  addTo(server: FastifyInstance, readAddress: () => string): void {
    const parse = server.getDefaultJsonParser('error', 'error');
    server.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
      this.#bodies.set(request, body);
      parse(request, body, done);
    });
    server.addHook('onSend', async (request, reply, payload) => {
      const admitted = this.#admitted.get(request);
      if (admitted === undefined) return;
      const body = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : '';
      const { session, count } = admitted;
      void reply.header(PROOF_HEADER, prove(session.key, ['answer', count, reply.statusCode], body));
    });
    server.post<{ Body: unknown }>('/session/greeting', (request, reply) => {
      const greeting = this.#sessions.greet(readField(request.body, 'nonce'), readAddress());
      return greeting ?? reply.code(400).send({ error: 'the nonce must be 32 bytes in hex' });
    });
    server.post<{ Body: unknown }>('/session', (request, reply) => {
      const outcome = this.#sessions.open(readField(request.body, 'nonce'), readField(request.body, 'proof'));
      if (outcome === 'too many guesses') return reply.code(429).send({ error: TOO_MANY_GUESSES });
      return outcome === 'open' ? { open: true } : reply.code(401).send({ error: NOT_IN });
    });
  }

  admit(request: FastifyRequest, reply: FastifyReply, least: Role): Role | null {
    const { authorization } = request.headers;
    const { method, url: target } = request;
    const admitted = this.#sessions.admit(authorization, { method, target, body: this.#bodies.get(request) ?? '' });
    if (!admitted) {
      void reply.code(401).send({ error: NOT_IN, isUnknown: admitted === undefined });
      return null;
    }
    this.#admitted.set(request, admitted);
    const { role } = admitted.session;
    if (isAllowed(role, least)) return role;
    void reply.code(403).send({ error: `this password has the role ${role}; this request needs the role ${least}` });
    return null;
  }

  admitTo(host: Host, request: FastifyRequest<QueryRoute>, reply: FastifyReply, least: Role = 'view') {
    const role = this.admit(request, reply, least);
    const trader = role === null ? null : findTrader(host, request.query, reply);
    return role === null || trader === null ? null : { role, trader };
  }

  /** Admits a metrics request; returns false after sending a refusal. Prometheus sends its token with each scrape. */
  admitMetrics(request: FastifyRequest, reply: FastifyReply): boolean {
    const { metrics: guesses } = this.#guesses;
    const { isLocked } = guesses;
    const [, token] = /^Bearer (.*)$/s.exec(request.headers.authorization ?? '') ?? [];
    // A request without any token does not count as a guess.
    if (!isLocked && token !== undefined) {
      const digest = hashToken(token);
      // All digests are compared, so that the duration does not reveal which one matches.
      if (this.#metricsDigests.filter((known) => timingSafeEqual(digest, known)).length > 0) return true;
      guesses.add();
    }
    void reply.code(isLocked ? 429 : 401).send({ error: isLocked ? TOO_MANY_GUESSES : METRICS_WANT_TOKEN });
    return false;
  }
}

const METRICS_WANT_TOKEN = 'the metrics need the token of metrics.token_file as header `Authorization: Bearer TOKEN`';
const TOO_MANY_GUESSES = 'too many wrong passwords; wait a minute, or use the command line';
const NOT_IN = 'this request needs the password, or the address that `twinbook dashboard` prints';

function readField(body: unknown, name: 'nonce' | 'proof'): string {
  if (typeof body !== 'object' || body === null || !(name in body)) return '';
  return readText((body as Readonly<Record<string, unknown>>)[name]) ?? '';
}

/** Returns the trader that the request names, or the only trader. Otherwise sends a refusal and returns null. */
export function findTrader(host: Host, { trader }: QueryRoute['Querystring'], reply: FastifyReply): TraderHost | null {
  const named = readText(trader) ?? (host.names.length === 1 ? (host.names[0] ?? '') : null);
  const found = named === null ? null : host.trader(named);
  if (found !== null) return found;
  const what = named === null ? 'the request must name a trader, because several are shown' : 'there is no such trader';
  const error = `${what}; ?trader= wants one of ${host.names.join(', ')}`;
  void reply.code(named === null ? 400 : 404).send({ error });
  return null;
}
