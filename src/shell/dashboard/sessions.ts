/**
 * Sessions of open pages with this console. A session begins with a handshake, and ends no later than the console. Page
 * and server prove to each other that they know the secret, which is never sent. The server proves first, so another
 * program at the page's address receives only a random number.
 */

import { createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Role } from '../../shared/protocol/operator-commands.js';

export const PROOF_HEADER = 'x-twinbook-proof';

/** The server's answer to a page that begins a handshake. */
export const greetingSchema = z.object({
  /** Salt of the page's key, random at each console start, so that no key outlives the console. */
  salt: z.string().max(100),
  /** Number of PBKDF2 rounds that derive the key from the secret. */
  rounds: z.number().int().positive().max(10_000_000),
  /** The server's random number, 32 bytes in hex, which is also the session's id. */
  nonce: z.string().max(100),
  /** The server's proofs in hex, one for each role's secret. */
  proofs: z.array(z.string().max(100)).max(10),
});

export type Greeting = z.infer<typeof greetingSchema>;

const KEY_BYTES = 32;
const deriveBytes = promisify(pbkdf2);

export const deriveKey = (secret: string, { salt, rounds }: Pick<Greeting, 'salt' | 'rounds'>): Promise<Buffer> =>
  deriveBytes(secret, salt, rounds, KEY_BYTES, 'sha256');

/** Random numbers of page and server, 32 bytes in hex each; host and port as in the browser's address bar. */
type Handshake = readonly [pageNonce: string, serverNonce: string, address: string];

/** Purpose and content of a proof. `count`: number of the request within its session. */
type Proven =
  | readonly ['server' | 'page' | 'session', ...Handshake]
  | readonly ['request', count: number, method: string, target: string]
  | readonly ['answer', count: number, status: number];

/** Returns a proof in hex. The first signed line names the purpose, so that no proof is valid for another purpose. */
export function prove(key: Buffer, lines: Proven, body: string | Uint8Array = ''): string {
  return createHmac('sha256', key)
    .update(`twinbook ${lines.join('\n')}\n`)
    .update(body)
    .digest('hex');
}

export const deriveSessionKey = (key: Buffer, handshake: Handshake): Buffer =>
  Buffer.from(prove(key, ['session', ...handshake]), 'hex');

export function isProof(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const MOST_GUESSES = 10;
const WINDOW_MS = 60_000;

/** Counts wrong proofs and tokens per minute. Counts all callers together, because callers cannot be distinguished. */
export class Guesses {
  readonly #steadyMs: () => number;
  #timesMs: number[] = [];
  count = 0;

  constructor(steadyMs = () => performance.now()) {
    this.#steadyMs = steadyMs;
  }

  /** True after the maximum number of wrong guesses in a minute; guessable secrets are then refused without a check. */
  get isLocked(): boolean {
    const steadyMs = this.#steadyMs();
    this.#timesMs = this.#timesMs.filter((timeMs) => steadyMs - timeMs < WINDOW_MS);
    return this.#timesMs.length >= MOST_GUESSES;
  }

  add(): void {
    this.count++;
    this.#timesMs = [...this.#timesMs, this.#steadyMs()].slice(-MOST_GUESSES);
  }
}

/** Maximum number of open handshakes. A program cannot begin this many while a slow browser derives its key. */
const MOST_HANDSHAKES = 20_000;
export const MOST_SESSIONS = 64; // Maximum sessions of a role; sessions of other roles do not count.
/** Lifetime of a handshake, ms: enough for a slow browser to derive its key. */
const HANDSHAKE_MS = 30_000;
/** Maximum number of newer requests of a session that may arrive before an older request. */
const MOST_OVERTAKING = 64;
/** A secret with at least 32 characters counts as random, and needs no slow key derivation. */
const isRandom = (secret: string): boolean => secret.length >= 32;
/** Number of PBKDF2 rounds that OWASP recommended for SHA-256 in 2023. */
const GUESSING_ROUNDS = 600_000;
const NONCE_BYTES = 32;
const NONCE = /^[0-9a-f]{64}$/;

/** `seen`: numbers of the newest requests. */
type PageSession = { readonly role: Role; readonly key: Buffer; readonly seen: Set<number>; newest: number };

/** Marks a request's number as used. Returns false if the number was used before, or is too old to check. */
function useNumber(session: PageSession, count: number): boolean {
  if (count <= session.newest - MOST_OVERTAKING || session.seen.has(count)) return false;
  session.seen.add(count);
  session.newest = Math.max(session.newest, count);
  for (const one of session.seen) if (one <= session.newest - MOST_OVERTAKING) session.seen.delete(one);
  return true;
}

interface SessionParts {
  readonly keys: readonly (readonly [role: Role, key: Buffer, isUnguessable: boolean])[];
  readonly derivation: Pick<Greeting, 'salt' | 'rounds'>;
  readonly guesses: Guesses;
  readonly steadyMs: () => number;
}

export class Sessions {
  readonly #parts: SessionParts;
  /** Open handshakes by the server's nonce, oldest first. */
  readonly #handshakes = new Map<string, { readonly handshake: Handshake; readonly endMs: number }>();
  /** Sessions by the server's nonce, least recently used first. */
  readonly #sessions = new Map<string, PageSession>();

  private constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  static async make(
    secrets: readonly (readonly [role: Role, secret: string])[],
    guesses: Guesses,
    steadyMs = () => performance.now(),
  ): Promise<Sessions> {
    const rounds = secrets.every(([, secret]) => isRandom(secret)) ? 1 : GUESSING_ROUNDS;
    const derivation = { salt: randomBytes(NONCE_BYTES).toString('hex'), rounds };
    const keys = await Promise.all(
      secrets.map(async ([role, secret]) => [role, await deriveKey(secret, derivation), isRandom(secret)] as const),
    );
    return new Sessions({ keys, derivation, guesses, steadyMs });
  }

  /** Begins a handshake; returns null for an invalid nonce. */
  greet(pageNonce: string, address: string): Greeting | null {
    if (!NONCE.test(pageNonce)) return null;
    const { keys, derivation, steadyMs } = this.#parts;
    const nonce = randomBytes(NONCE_BYTES).toString('hex');
    const handshake = [pageNonce, nonce, address] as const;
    this.#handshakes.set(nonce, { handshake, endMs: steadyMs() + HANDSHAKE_MS });
    for (const [name, { endMs }] of this.#handshakes) {
      if (endMs >= steadyMs() && this.#handshakes.size <= MOST_HANDSHAKES) break;
      this.#handshakes.delete(name);
    }
    return { ...derivation, nonce, proofs: keys.map(([, key]) => prove(key, ['server', ...handshake])) };
  }

  /** Opens the session of the handshake with this server nonce. A nonce opens at most one session. */
  open(serverNonce: string, proof: string): 'open' | 'wrong' | 'too many guesses' {
    const { keys, guesses, steadyMs } = this.#parts;
    const { isLocked } = guesses;
    const known = this.#handshakes.get(serverNonce);
    this.#handshakes.delete(serverNonce);
    // An expired handshake does not count as a wrong guess.
    if (known === undefined || known.endMs < steadyMs()) return 'wrong';
    // A random secret cannot be guessed, so wrong guesses lock out only the other secrets.
    const tried = keys.filter(([, , isUnguessable]) => isUnguessable || !isLocked);
    // The proof is compared with the proofs of all roles, so that the duration does not reveal the role.
    const [found] = tried.filter(([, key]) => isProof(proof, prove(key, ['page', ...known.handshake])));
    if (found === undefined) {
      if (isLocked) return 'too many guesses';
      guesses.add();
      return 'wrong';
    }
    const [role, key] = found;
    const session = { role, key: deriveSessionKey(key, known.handshake), seen: new Set<number>(), newest: 0 };
    this.#sessions.set(serverNonce, session);
    const ofRole = [...this.#sessions].filter(([, one]) => one.role === role);
    for (const [name] of ofRole.slice(0, -MOST_SESSIONS)) this.#sessions.delete(name);
    return 'open';
  }

  /**
   * Returns the session whose proof the request contains; null for an invalid proof or a repeated request, undefined
   * for a request of a session that this console does not have.
   *
   * @param authorization the header: `Twinbook`, the session's name, the request's number and its proof
   */
  admit(
    authorization: string | undefined,
    { method, target, body }: { readonly method: string; readonly target: string; readonly body: string },
  ) {
    const [, name = '', digits = '', proof = ''] = /^Twinbook (\w+) (\d{1,15}) (\w+)$/.exec(authorization ?? '') ?? [];
    const session = this.#sessions.get(name);
    // An unknown session does not count as a wrong guess: a page of an earlier console sends its old session.
    if (session === undefined) return;
    const count = Number(digits);
    if (!isProof(proof, prove(session.key, ['request', count, method, target], body))) {
      this.#parts.guesses.add();
      return null;
    }
    if (!useNumber(session, count)) return null;
    this.#sessions.delete(name);
    this.#sessions.set(name, session);
    return { session, count };
  }
}
