/** The exchange without its sockets: the real core, its crowd, its rate limits, and its own handlers of every call. */

import { Random } from '../../src/base/random.js';
import type { AccountSlot, WireOrder } from '../../src/exchange/core/contract.js';
import { ExchangeCore } from '../../src/exchange/core/core.js';
import { Crowd } from '../../src/exchange/crowd/crowd.js';
import { BookTexts } from '../../src/exchange/http/book-texts.js';
import type { Desk, Reply, ServiceCall } from '../../src/exchange/http/calls.js';
import { type Answer, faultAnswer, successText } from '../../src/exchange/http/envelope.js';
import { HANDLERS } from '../../src/exchange/http/handlers.js';
import { RateLimit, type RateVerdict } from '../../src/exchange/http/rate-limits.js';
import { WalletSignatures } from '../../src/exchange/http/wallet-signatures.js';
import { declarationOf, type EndpointName, type Scope } from '../../src/protocol/endpoints.js';
import type { VenueProfile } from '../../src/protocol/profile.js';
import type { AnyCall } from '../../src/protocol/seam.js';
import { FUNDS, PROFILE } from './setting.js';

/** More than a trader may ever have resting. */
const ALL = 100_000;

export class ExchangeSide {
  readonly core: ExchangeCore;
  readonly crowd: Crowd;
  readonly account: AccountSlot;
  readonly #desk: Desk;
  readonly #limits: Readonly<Record<Scope, RateLimit>>;
  readonly #random: Random;

  constructor(seed: number, wallet: string, nowMs: number) {
    this.core = new ExchangeCore({
      serviceName: PROFILE.service_name,
      draftLifetimeMs: PROFILE.draft_lifetime_s * 1000,
      landingMs: 700,
      startingFunds: FUNDS,
      challengeLifetimeMs: 600_000,
      seed,
    });
    this.#random = Random.seeded(seed, 'exchange');
    this.account = openAccount(this.core, wallet, nowMs);
    this.crowd = Crowd.attach(this.core, { seed }, nowMs);
    this.#desk = { core: this.core, books: new BookTexts(this.core), wallets: new WalletSignatures() };
    this.#limits = limitsOf(PROFILE.rate_limits);
  }

  /** When something happens there by itself, Unix ms. */
  nextDueMs(): number {
    return Math.min(this.core.nextDueMs() ?? Number.POSITIVE_INFINITY, this.crowd.nextDueMs());
  }

  settle(nowMs: number): void {
    this.core.advance(nowMs);
    this.crowd.tick(nowMs);
  }

  /** Counts one request against its budget. */
  admit(scope: Scope, nowMs: number): RateVerdict {
    return this.#limits[scope].take('us', nowMs);
  }

  /** What the service does and answers. @param behind the list misses its newest row */
  serve(call: AnyCall, nowMs: number, behind: boolean): Answer {
    this.settle(nowMs);
    const declaration = declarationOf(call.endpoint);
    const body = declaration.body === null ? null : declaration.body.parse(call.body);
    const limit = 'limit' in call.query && call.query.limit !== undefined ? call.query.limit : (declaration.page ?? 0);
    const whole = { nowMs, account: this.account, params: call.params, query: call.query, body, limit };
    const reply = handle(call.endpoint, whole, this.#desk);
    if (!reply.ok) return faultAnswer(reply.fault);
    if ('text' in reply) return { status: declaration.status, text: reply.text };
    const isFirstPage = !('cursor' in call.query) || call.query.cursor === undefined;
    const data = behind && isFirstPage && Array.isArray(reply.data) ? reply.data.slice(1) : reply.data;
    const meta = declaration.page === undefined ? {} : { limit, next_cursor: reply.nextCursor ?? null };
    return { status: declaration.status, text: successText(data, meta) };
  }

  markets(): string[] {
    return Array.from({ length: this.core.marketCount }, (_, index) => this.core.marketFacts(index).conditionId);
  }

  /** Our orders that rest there. */
  resting(): readonly WireOrder[] {
    return this.core.orders(this.account, { limit: ALL, statuses: ['open', 'partially_filled'] }).rows;
  }

  /** One market of those that are open, any; null for none. */
  anyOpenMarket(): string | null {
    const open = Array.from({ length: this.core.marketCount }, (_, index) => this.core.marketFacts(index)).filter(
      ({ state, paused }) => state === 'open' && !paused,
    );
    return open[this.#random.below(open.length)]?.conditionId ?? null;
  }

  /** Settles a market, one way or another. */
  resolve(conditionId: string, nowMs: number): void {
    this.core.resolveMarket(nowMs, conditionId, this.#random.chance(0.5));
  }
}

/** Hands a call to its handler; the declaration of this very name has read its body, and the trader wrote its query. */
function handle<N extends EndpointName>(name: N, call: object, desk: Desk): Reply<N> {
  return HANDLERS[name](call as ServiceCall<N>, desk);
}

function limitsOf(limits: VenueProfile['rate_limits']): Readonly<Record<Scope, RateLimit>> {
  return {
    public: new RateLimit(limits.public_per_minute),
    signed: new RateLimit(limits.signed_per_minute),
    bootstrap: new RateLimit(limits.bootstrap_per_minute),
  };
}

function openAccount(core: ExchangeCore, wallet: string, nowMs: number): AccountSlot {
  const challenge = core.createChallenge(nowMs, wallet, 'nonce');
  if (!challenge.ok) throw new Error('no challenge');
  const { message, nonce } = challenge.value;
  const key = core.createKey(nowMs, { wallet_address: wallet, message, nonce }, true, 'key', 'secret');
  const credential = key.ok ? core.credential('key') : null;
  if (credential === null) throw new Error('no account');
  return credential.account;
}
