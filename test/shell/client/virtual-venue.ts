/** A venue without sockets on the test's own clock: exact windows, delays in both directions, and any headers. */

import { RateLimit } from '../../../src/exchange/http/rate-guard.js';
import type { Scope } from '../../../src/shared/protocol/endpoints.js';
import type { Message } from '../../../src/shell/client/message.js';
import type { Sender } from '../../../src/shell/client/transport.js';
import { refusal } from './hostile-server.js';

export interface Delay {
  readonly outMs: number;
  readonly backMs: number;
}

export type Headers = Readonly<Record<string, string>>;

export interface VenueOptions {
  /** Maximum requests a minute, by scope. */
  readonly limits: Readonly<Record<Scope, number>>;
  readonly delay: () => Delay;
  /** Headers of its answers; default: the correct ones, as the exchange writes them. */
  readonly headers?: (verdict: ReturnType<RateLimit['take']>, nowMs: number) => Headers;
}

export const honest = (verdict: ReturnType<RateLimit['take']>, nowMs: number): Headers => ({
  'x-ratelimit-limit': String(verdict.limit),
  'x-ratelimit-remaining': String(verdict.remaining),
  'x-ratelimit-reset': String(Math.ceil(verdict.resetMs / 1_000)),
  ...(verdict.allowed ? {} : { 'retry-after': String(Math.max(1, Math.ceil((verdict.resetMs - nowMs) / 1_000))) }),
});

const scopeOf = (message: Message): Scope => {
  if (message.url.pathname.startsWith('/auth/keys/c')) return 'bootstrap';
  return message.url.pathname.startsWith('/markets/') ? 'public' : 'signed';
};

/** Answers not_found to every accepted request: here only the counts matter. */
export class VirtualVenue implements Sender {
  /** Times of accepted and of rejected requests, ms on the test's clock. */
  readonly passed: { readonly scope: Scope; readonly atMs: number }[] = [];
  readonly refused: { readonly scope: Scope; readonly atMs: number }[] = [];
  readonly #options: VenueOptions;
  #limits: Readonly<Record<Scope, RateLimit>>;

  constructor(options: VenueOptions) {
    this.#options = options;
    this.#limits = windows(options.limits);
  }

  /** Changes the limits and resets the counts. */
  change(limits: Readonly<Record<Scope, number>>): void {
    this.#limits = windows(limits);
  }

  /** A request of another client with the same key. */
  takeElsewhere(scope: Scope): boolean {
    return this.#limits[scope].take('key', Date.now()).allowed;
  }

  async send(message: Message): Promise<Awaited<ReturnType<Sender['send']>>> {
    const { outMs, backMs } = this.#options.delay();
    await after(outMs);
    const [scope, atMs] = [scopeOf(message), Date.now()];
    const verdict = this.#limits[scope].take('key', atMs);
    (verdict.allowed ? this.passed : this.refused).push({ scope, atMs });
    const headers = (this.#options.headers ?? honest)(verdict, atMs);
    await after(backMs);
    const said: Headers = { date: new Date(atMs).toUTCString(), ...headers };
    return {
      kind: 'answer',
      status: verdict.allowed ? 404 : 429,
      header: (name) => said[name] ?? null,
      text: refusal(verdict.allowed ? 'not_found' : 'throttled'),
    };
  }

  close(): void {
    // There is nothing to close.
  }
}

const windows = (limits: Readonly<Record<Scope, number>>) => ({
  public: new RateLimit(limits.public),
  signed: new RateLimit(limits.signed),
  bootstrap: new RateLimit(limits.bootstrap),
});

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
