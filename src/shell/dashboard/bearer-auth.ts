/** Tokens for the metrics: their own, and those of the page. Prometheus sends one with each scrape. */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Guesses } from './guesses.js';

export class BearerAuth {
  readonly #digests: readonly Buffer[];
  readonly #guesses: Guesses;

  constructor(tokens: readonly string[], guesses: Guesses) {
    this.#digests = tokens.map(hashToken);
    this.#guesses = guesses;
  }

  /** @param authorization the header, `Bearer` and the token */
  check(authorization: string | undefined): 'right' | 'wrong' | 'too many guesses' {
    if (this.#guesses.isLocked) return 'too many guesses';
    // A caller without any token is not guessing.
    if (authorization?.startsWith('Bearer ') !== true) return 'wrong';
    const digest = hashToken(authorization.slice('Bearer '.length));
    // All are compared, so that the time does not reveal which one matched.
    if (this.#digests.filter((known) => timingSafeEqual(digest, known)).length > 0) return 'right';
    this.#guesses.add();
    return 'wrong';
  }
}

/** Digests of one length, so that the time of the comparison reveals nothing about the token. */
const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();
