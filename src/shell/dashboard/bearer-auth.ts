/** What opens the page: the operator's password or a token that was drawn for this run; of the metrics, their own token too. */

import { createHash, timingSafeEqual } from 'node:crypto';

/** Wrong ones within a minute, by whoever; beyond that nobody is let in, for the guesser cannot be told from the operator. */
const GUESSES = 10;
const WINDOW_MS = 60_000;

export type PasswordVerdict = 'open' | 'wrong' | 'too many guesses';

export class BearerAuth {
  readonly #digests: readonly Buffer[];
  /** A clock that never steps, ms. */
  readonly #steadyMs: () => number;
  #guessesMs: number[] = [];

  constructor(secrets: readonly string[], steadyMs: () => number = () => performance.now()) {
    this.#digests = secrets.map(hashSecret);
    this.#steadyMs = steadyMs;
  }

  /** @param authorization the header, `Bearer` and the secret */
  check(authorization: string | undefined): PasswordVerdict {
    const steadyMs = this.#steadyMs();
    this.#guessesMs = this.#guessesMs.filter((guessMs) => steadyMs - guessMs < WINDOW_MS);
    if (this.#guessesMs.length >= GUESSES) return 'too many guesses';
    const given = authorization?.startsWith('Bearer ') ? authorization.slice('Bearer '.length) : null;
    if (given !== null && this.#digests.some((digest) => timingSafeEqual(hashSecret(given), digest))) return 'open';
    // Who brings none at all is no guesser: the page asks like this before its operator has typed.
    if (given !== null) this.#guessesMs.push(steadyMs);
    return 'wrong';
  }
}

/** Of one length whatever is given, so that neither its length nor its beginning shows in how long the comparison takes. */
const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();
