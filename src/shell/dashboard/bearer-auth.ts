/** Who somebody is by the secret that is brought: a password of a role, a token that was drawn for this run, the token of the metrics. */

import { createHash, timingSafeEqual } from 'node:crypto';

/** Wrong ones within a minute, by whoever; beyond that nobody is let in, for the guesser cannot be told from the operator. */
const GUESSES = 10;
const WINDOW_MS = 60_000;

export type PasswordVerdict<Role extends string> = Role | 'wrong' | 'too many guesses';

export class BearerAuth<Role extends string> {
  readonly #passes: readonly (readonly [role: Role, digest: Buffer])[];
  /** A clock that never steps, ms. */
  readonly #steadyMs: () => number;
  #guessesMs: number[] = [];
  #wrong = 0;

  /** @param passes who each secret makes of its bearer */
  constructor(passes: readonly (readonly [role: Role, secret: string])[], steadyMs = () => performance.now()) {
    this.#passes = passes.map(([role, secret]) => [role, hashSecret(secret)] as const);
    this.#steadyMs = steadyMs;
  }

  /** Secrets that opened nothing, of all time. */
  get wrong(): number {
    return this.#wrong;
  }

  /** @param authorization the header, `Bearer` and the secret */
  check(authorization: string | undefined): PasswordVerdict<Role> {
    const steadyMs = this.#steadyMs();
    this.#guessesMs = this.#guessesMs.filter((guessMs) => steadyMs - guessMs < WINDOW_MS);
    if (this.#guessesMs.length >= GUESSES) return 'too many guesses';
    const given = authorization?.startsWith('Bearer ') ? authorization.slice('Bearer '.length) : null;
    if (given !== null) {
      const digest = hashSecret(given);
      // All are compared, so that how long it takes says nothing of which one it is.
      const [found] = this.#passes.filter(([, known]) => timingSafeEqual(digest, known));
      if (found !== undefined) return found[0];
      // Who brings none at all is no guesser: the page asks like this before its operator has typed.
      this.#guessesMs.push(steadyMs);
      this.#wrong++;
    }
    return 'wrong';
  }
}

/** Of one length whatever is given, so that neither its length nor its beginning shows in how long the comparison takes. */
const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();
