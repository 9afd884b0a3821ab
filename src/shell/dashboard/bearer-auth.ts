/** The token of the metrics, which Prometheus sends with each scrape. It opens nothing else. */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Guesses } from './guesses.js';

export class BearerAuth {
  readonly #digest: Buffer | null;
  readonly #guesses: Guesses;

  /** @param token null where none opens anything */
  constructor(token: string | null, guesses: Guesses) {
    this.#digest = token === null ? null : hashToken(token);
    this.#guesses = guesses;
  }

  /** @param authorization the header, `Bearer` and the token */
  check(authorization: string | undefined): 'right' | 'wrong' | 'too many guesses' {
    if (this.#guesses.isLocked) return 'too many guesses';
    // A caller without any token is no guesser.
    if (authorization?.startsWith('Bearer ') !== true) return 'wrong';
    const digest = hashToken(authorization.slice('Bearer '.length));
    if (this.#digest !== null && timingSafeEqual(digest, this.#digest)) return 'right';
    this.#guesses.add();
    return 'wrong';
  }
}

/** Of one length, so that the time of the comparison says nothing about the token. */
const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();
