/** Who may ask what, and of which trader: else it is answered why not. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { BearerAuth } from './bearer-auth.js';
import { type Host, isAllowed, type Role, type TraderHost } from './contract.js';

/** What opens the page for each role; null where nobody has that role. */
export interface Passes {
  readonly operate: string;
  readonly stop: string | null;
  readonly view: string | null;
}

export type Query = { Querystring: Readonly<Record<string, unknown>> };

/** Lets in who brings what opens the page for a role that may do what is asked; else it answers why not. */
export class Gate {
  readonly #auth: BearerAuth<Role>;

  /** @param viewToken opens what the role `view` may see here; null for none */
  constructor({ view, stop, operate }: Passes, viewToken: string | null = null) {
    const all = [
      ['operate', operate],
      ['stop', stop],
      ['view', view],
      ['view', viewToken],
    ] as const;
    this.#auth = new BearerAuth<Role>(all.flatMap(([role, secret]) => (secret === null ? [] : [[role, secret]])));
  }

  /** Secrets that opened nothing. */
  get refused(): number {
    return this.#auth.wrong;
  }

  /** Null when it answered. */
  admit(request: FastifyRequest, reply: FastifyReply, least: Role): Role | null {
    const verdict = this.#auth.check(request.headers.authorization);
    if (verdict === 'wrong') {
      void reply.code(401).send({ error: 'this needs the password, or the address that the trader printed' });
      return null;
    }
    if (verdict === 'too many guesses') {
      void reply.code(429).send({ error: 'too many wrong passwords; wait a minute, or use the command line' });
      return null;
    }
    if (isAllowed(verdict, least)) return verdict;
    void reply.code(403).send({ error: `this password opens the page to ${verdict}; this wants one to ${least}` });
    return null;
  }
}

/** Null when there is none of that name, or when none is named of several; then that is answered. */
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
