/** Which caller may request what of which trader; each refusal gives its reason. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Role } from '../../shared/protocol/operator-commands.js';
import { BearerAuth } from './bearer-auth.js';
import { type Host, isAllowed, type TraderHost } from './contract.js';
import { Guesses } from './guesses.js';
import { PROOF_HEADER, proveAnswer, proveEvent } from './proof.js';
import { type AdmittedRequest, Sessions } from './sessions.js';

/** Secret of each role for the page; null for a role without one. */
export interface Passes {
  readonly operate: string;
  readonly stop: string | null;
  readonly view: string | null;
}

export type Query = { Querystring: Readonly<Record<string, unknown>> };

interface PageGuesses {
  readonly page: Guesses;
  readonly metrics: Guesses;
}

/** Admits requests proven by a session, and proves their answers. */
export class Gate {
  readonly #sessions: Sessions<Role>;
  readonly #metrics: BearerAuth;
  readonly #guesses: PageGuesses;
  readonly #bodies = new WeakMap<FastifyRequest, string>();
  readonly #admitted = new WeakMap<FastifyRequest, AdmittedRequest<Role>>();

  private constructor(sessions: Sessions<Role>, guesses: PageGuesses, metricsTokens: readonly string[]) {
    this.#sessions = sessions;
    this.#guesses = guesses;
    this.#metrics = new BearerAuth(metricsTokens, guesses.metrics);
  }

  /** @param metricsToken token for the metrics only; null for none. The page's secrets give access too. */
  static async make({ view, stop, operate }: Passes, metricsToken: string | null): Promise<Gate> {
    const guesses = { page: new Guesses(), metrics: new Guesses() };
    const all = [
      ['operate', operate],
      ['stop', stop],
      ['view', view],
    ] as const;
    const secrets = all.flatMap(([role, secret]) => (secret === null ? [] : [[role, secret] as const]));
    const metricsTokens = [...secrets.map(([, secret]) => secret), ...(metricsToken === null ? [] : [metricsToken])];
    return new Gate(await Sessions.make<Role>(secrets, guesses.page), guesses, metricsTokens);
  }

  /** Wrong proofs and tokens since the start. */
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
      void reply.header(PROOF_HEADER, proveAnswer(session.key, count, reply.statusCode, body));
    });
    server.post<{ Body: unknown }>('/session/greeting', (request, reply) => {
      const greeting = this.#sessions.greet(readField(request.body, 'nonce'), readAddress());
      return greeting ?? reply.code(400).send({ error: 'the nonce wants 32 bytes in hex' });
    });
    server.post<{ Body: unknown }>('/session', (request, reply) => {
      const nonce = readField(request.body, 'nonce');
      const outcome = this.#sessions.open(nonce, readField(request.body, 'proof'));
      return outcome === 'open' ? { open: true } : refuse(reply, outcome);
    });
  }

  /** Null when it answered. */
  admit(request: FastifyRequest, reply: FastifyReply, least: Role): Role | null {
    const { authorization } = request.headers;
    const { method, url: target } = request;
    const admitted = this.#sessions.admit(authorization, { method, target, body: this.#bodies.get(request) ?? '' });
    if (admitted === null) {
      void refuse(reply, 'wrong');
      return null;
    }
    this.#admitted.set(request, admitted);
    const { role } = admitted.session;
    if (isAllowed(role, least)) return role;
    void reply.code(403).send({ error: `this password opens the page to ${role}; this wants one to ${least}` });
    return null;
  }

  /** The same for the requested trader. */
  admitTo(host: Host, request: FastifyRequest<Query>, reply: FastifyReply, least: Role = 'view') {
    const role = this.admit(request, reply, least);
    const trader = role === null ? null : findTrader(host, request.query, reply);
    return role === null || trader === null ? null : { role, trader };
  }

  /** Events of an admitted request, each with its proof as its id. */
  proveEvents(request: FastifyRequest): (data: string) => string {
    const admitted = this.#admitted.get(request);
    if (admitted === undefined) throw new Error('only an admitted request has a stream');
    const { session, count } = admitted;
    let index = 0;
    return (data) => `id: ${proveEvent(session.key, count, index++, data)}\n`;
  }

  /** False when it answered. */
  admitMetrics(request: FastifyRequest, reply: FastifyReply): boolean {
    const verdict = this.#metrics.check(request.headers.authorization);
    if (verdict === 'right') return true;
    const error = verdict === 'wrong' ? METRICS_WANT_TOKEN : TOO_MANY_GUESSES;
    void reply.code(verdict === 'wrong' ? 401 : 429).send({ error });
    return false;
  }
}

const METRICS_WANT_TOKEN = 'the metrics need the token in metrics.token_file, as `Authorization: Bearer TOKEN`';
const TOO_MANY_GUESSES = 'too many wrong passwords; wait a minute, or use the command line';
const NOT_IN = 'this needs the password, or the address that `twinbook dashboard` prints';

const refuse = (reply: FastifyReply, why: 'wrong' | 'too many guesses'): FastifyReply =>
  why === 'wrong' ? reply.code(401).send({ error: NOT_IN }) : reply.code(429).send({ error: TOO_MANY_GUESSES });

function readField(body: unknown, name: 'nonce' | 'proof'): string {
  if (typeof body !== 'object' || body === null || !(name in body)) return '';
  return readText((body as Readonly<Record<string, unknown>>)[name]) ?? '';
}

/** Null for an unknown name, or without a name among several; then the answer is sent. */
export function findTrader(
  host: Host,
  { trader }: Readonly<Record<string, unknown>>,
  reply: FastifyReply,
): TraderHost | null {
  const named = readText(trader) ?? (host.names.length === 1 ? (host.names[0] ?? '') : null);
  const found = named === null ? null : host.trader(named);
  if (found !== null) return found;
  const what = named === null ? 'several traders are shown' : 'there is no such trader';
  void reply
    .code(named === null ? 400 : 404)
    .send({ error: `${what}; ?trader= wants one of ${host.names.join(', ')}` });
  return null;
}

export const readText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
