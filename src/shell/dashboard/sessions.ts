/**
 * Sessions of open pages with this console. A session begins with a handshake, and ends no later than the console. Page
 * and server prove to each other that they know the secret, which is never sent. The server proves first, so another
 * program at the page's address receives only a random number.
 */

import { createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Role } from '../../shared/protocol/operator-commands.js';
import type { Greeting } from './contract.js';

/** Name of the HTTP header with the proof of an answer, in hex. */
export const PROOF_HEADER = 'x-twinbook-proof';

const KEY_BYTES = 32;
const deriveBytes = promisify(pbkdf2);

export const deriveKey = (secret: string, { salt, rounds }: Pick<Greeting, 'salt' | 'rounds'>): Promise<Buffer> =>
  deriveBytes(secret, salt, rounds, KEY_BYTES, 'sha256');

export interface Handshake {
  /** Random numbers of page and server, 32 bytes in hex each. */
  readonly pageNonce: string;
  readonly serverNonce: string;
  /** Host and port as in the browser's address bar. */
  readonly address: string;
}

type Bytes = string | Uint8Array;

/** Returns a proof in hex. The first line names the proof's purpose, so that it cannot be used for another. */
function prove(key: Buffer, lines: readonly (string | number)[], body: Bytes = ''): string {
  return createHmac('sha256', key)
    .update(`twinbook ${lines.join('\n')}\n`)
    .update(body)
    .digest('hex');
}

const handshakeLines = ({ pageNonce, serverNonce, address }: Handshake) => [pageNonce, serverNonce, address];

export const proveServer = (key: Buffer, handshake: Handshake): string =>
  prove(key, ['server', ...handshakeLines(handshake)]);

export const provePage = (key: Buffer, handshake: Handshake): string =>
  prove(key, ['page', ...handshakeLines(handshake)]);

export const deriveSessionKey = (key: Buffer, handshake: Handshake): Buffer =>
  Buffer.from(prove(key, ['session', ...handshakeLines(handshake)]), 'hex');

interface ProvenRequest {
  readonly method: string;
  readonly target: string;
  /** Number of the request within its session. */
  readonly count: number;
  readonly body: string;
}

export const proveRequest = (sessionKey: Buffer, { method, target, count, body }: ProvenRequest): string =>
  prove(sessionKey, ['request', count, method, target], body);

export const proveAnswer = (sessionKey: Buffer, count: number, status: number, body: Bytes): string =>
  prove(sessionKey, ['answer', count, status], body);

export function isProof(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const MOST_GUESSES = 10;
const WINDOW_MS = 60_000;

/** Counts wrong proofs and tokens per minute, of all callers together, because an attacker looks like the operator. */
export class Guesses {
  /** Monotonic clock, ms. */
  readonly #steadyMs: () => number;
  #timesMs: number[] = [];
  #count = 0;

  constructor(steadyMs = () => performance.now()) {
    this.#steadyMs = steadyMs;
  }

  get count(): number {
    return this.#count;
  }

  /** True after the maximum number of wrong guesses in a minute; further proofs are then refused unchecked. */
  get isLocked(): boolean {
    const steadyMs = this.#steadyMs();
    this.#timesMs = this.#timesMs.filter((timeMs) => steadyMs - timeMs < WINDOW_MS);
    return this.#timesMs.length >= MOST_GUESSES;
  }

  add(): void {
    this.#count++;
    this.#timesMs = [...this.#timesMs, this.#steadyMs()].slice(-MOST_GUESSES);
  }
}

/** Maximum number of open handshakes; a further handshake drops the oldest. */
const MOST_HANDSHAKES = 64;
export const MOST_SESSIONS = 64;
/** Lifetime of a handshake, ms: enough for a slow browser to derive its key. */
const HANDSHAKE_MS = 30_000;
/** Maximum number of later requests of a session that may overtake a request. */
const MOST_OVERTAKING = 64;
/** A secret with at least this many characters counts as random, and needs no slow key derivation. */
const RANDOM_CHARACTERS = 32;
/** Number of PBKDF2 rounds that OWASP recommended for SHA-256 in 2023. */
const GUESSING_ROUNDS = 600_000;
const NONCE_BYTES = 32;
const NONCE = /^[0-9a-f]{64}$/;

type Derivation = Pick<Greeting, 'salt' | 'rounds'>;

export class PageSession {
  readonly role: Role;
  readonly key: Buffer;
  #newest = 0;
  readonly #seen = new Set<number>();

  constructor(role: Role, key: Buffer) {
    this.role = role;
    this.key = key;
  }

  /** Marks a request's number as used. Returns false if the number was used before, or is too old to know. */
  use(count: number): boolean {
    if (count <= this.#newest - MOST_OVERTAKING || this.#seen.has(count)) return false;
    this.#seen.add(count);
    this.#newest = Math.max(this.#newest, count);
    for (const one of this.#seen) if (one <= this.#newest - MOST_OVERTAKING) this.#seen.delete(one);
    return true;
  }
}

export class Sessions {
  readonly #keys: readonly (readonly [role: Role, key: Buffer])[];
  readonly #derivation: Derivation;
  readonly #guesses: Guesses;
  /** Monotonic clock, ms. */
  readonly #steadyMs: () => number;
  /** Open handshakes by the server's nonce, oldest first. */
  readonly #handshakes = new Map<string, { readonly handshake: Handshake; readonly endMs: number }>();
  /** Sessions by the server's nonce, least recently used first. */
  readonly #sessions = new Map<string, PageSession>();

  private constructor(
    keys: readonly (readonly [role: Role, key: Buffer])[],
    derivation: Derivation,
    guesses: Guesses,
    steadyMs: () => number,
  ) {
    this.#keys = keys;
    this.#derivation = derivation;
    this.#guesses = guesses;
    this.#steadyMs = steadyMs;
  }

  /** @param secrets secret of each role for the page */
  static async make(
    secrets: readonly (readonly [role: Role, secret: string])[],
    guesses: Guesses,
    steadyMs = () => performance.now(),
  ): Promise<Sessions> {
    const isRandom = secrets.every(([, secret]) => secret.length >= RANDOM_CHARACTERS);
    const derivation = { salt: randomBytes(NONCE_BYTES).toString('hex'), rounds: isRandom ? 1 : GUESSING_ROUNDS };
    const keys = await Promise.all(
      secrets.map(async ([role, secret]) => [role, await deriveKey(secret, derivation)] as const),
    );
    return new Sessions(keys, derivation, guesses, steadyMs);
  }

  /** Begins a handshake; returns null for an invalid nonce. */
  greet(pageNonce: string, address: string): Greeting | null {
    if (!NONCE.test(pageNonce)) return null;
    const handshake = { pageNonce, serverNonce: randomBytes(NONCE_BYTES).toString('hex'), address };
    this.#handshakes.set(handshake.serverNonce, { handshake, endMs: this.#steadyMs() + HANDSHAKE_MS });
    dropOldest(this.#handshakes, MOST_HANDSHAKES);
    const proofs = this.#keys.map(([, key]) => proveServer(key, handshake));
    return { ...this.#derivation, nonce: handshake.serverNonce, proofs };
  }

  /** Opens the session of the handshake with this server nonce. A nonce opens at most one session. */
  open(serverNonce: string, proof: string): 'open' | 'wrong' | 'too many guesses' {
    if (this.#guesses.isLocked) return 'too many guesses';
    const known = this.#handshakes.get(serverNonce);
    this.#handshakes.delete(serverNonce);
    // An expired handshake does not count as a wrong guess.
    if (known === undefined || known.endMs < this.#steadyMs()) return 'wrong';
    // The proof is compared with every role's, so that the duration does not reveal the role.
    const [found] = this.#keys.filter(([, key]) => isProof(proof, provePage(key, known.handshake)));
    if (found === undefined) {
      this.#guesses.add();
      return 'wrong';
    }
    const [role, key] = found;
    this.#sessions.set(serverNonce, new PageSession(role, deriveSessionKey(key, known.handshake)));
    dropOldest(this.#sessions, MOST_SESSIONS);
    return 'open';
  }

  /**
   * Returns the session whose proof the request contains; null for an invalid proof or a repeated request.
   *
   * @param authorization the header: `Twinbook`, the session's name, the request's number and its proof
   */
  admit(
    authorization: string | undefined,
    request: Omit<ProvenRequest, 'count'>,
  ): Readonly<{ session: PageSession; count: number }> | null {
    const [, name = '', digits = '', proof = ''] = /^Twinbook (\w+) (\d{1,15}) (\w+)$/.exec(authorization ?? '') ?? [];
    const session = this.#sessions.get(name);
    // An unknown session is no guess: a page that an earlier console served sends one too.
    if (session === undefined) return null;
    const count = Number(digits);
    if (!isProof(proof, proveRequest(session.key, { ...request, count }))) {
      this.#guesses.add();
      return null;
    }
    if (!session.use(count)) return null;
    this.#sessions.delete(name);
    this.#sessions.set(name, session);
    return { session, count };
  }
}

function dropOldest(from: Map<string, unknown>, most: number): void {
  for (const name of from.keys()) if (from.size > most) from.delete(name);
}
