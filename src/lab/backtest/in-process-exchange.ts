/**
 * The exchange of a backtest, without sockets: the same core, the same handlers and the same rate limits as the paper
 * exchange has behind HTTP. Answers are records, not text, and signatures are taken as given: nothing of what a backtest
 * is to show depends on JSON or on cryptography.
 */

import {
  type AccountSlot,
  ASK,
  BID,
  type CoreObserver,
  type CoreSettings,
  type MarketIndex,
} from '../../exchange/core/contract.js';
import { ExchangeCore } from '../../exchange/core/core.js';
import { type Forgetting, MemoryArchive } from '../../exchange/core/records/memory-archive.js';
import type { HandlerContext, Reply, ServiceCall } from '../../exchange/service/handler-context.js';
import { HANDLERS } from '../../exchange/service/handlers.js';
import { RateLimit } from '../../exchange/service/rate-limits.js';
import { assert } from '../../shared/base/errors.js';
import { declarationOf, type EndpointName, type Scope } from '../../shared/protocol/endpoints.js';
import { SERVICE_ERRORS, type ServiceFault } from '../../shared/protocol/errors.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { AnyCall, BudgetReport, Call, Outcome } from '../../shared/protocol/seam.js';
import { isSettledMarket, ORDER_STANDING, ORDER_STATUSES } from '../../shared/protocol/states.js';
import { readRecord } from './wire-records.js';

/** A public key without a secret: nothing is signed here. */
const WALLET = '11111111111111111111111111111112';
export const SIGNATURE = '0'.repeat(128);
const TRUSTED: HandlerContext['wallets'] = { signsDraft: () => true, isValid: () => true };

/** Page size of the trader's requests: the service's maximum. */
const LONGEST_PAGE = 100;

/**
 * Most orders end without a fill, and a trader reads one for a minute at most. This many are more than it can place in
 * half an hour.
 */
const UNFILLED_ORDERS: Forgetting = {
  passes: (recordKind, { state }) => recordKind === 'order' && UNFILLED.some((unfilled) => unfilled === state),
  keep: 5_000,
};
const UNFILLED = ORDER_STATUSES.filter((status) => {
  const { phase, filled } = ORDER_STANDING[status];
  return phase === 'over' && filled === 'nothing';
});

export interface Answer {
  readonly outcome: Outcome;
  readonly venueTimeMs: number;
  readonly budget: BudgetReport;
}

export class InProcessExchange {
  readonly core: ExchangeCore;
  readonly account: AccountSlot;
  readonly #context: HandlerContext;
  readonly #limits: Readonly<Record<Scope, RateLimit>>;

  /** `listener` gets fills after the venue. */
  constructor(settings: CoreSettings, limits: VenueProfile['rate_limits'], nowMs: number, listener: CoreObserver) {
    this.core = new ExchangeCore({ ...settings, observer: listener }, undefined, new MemoryArchive(UNFILLED_ORDERS));
    this.account = openAccount(this.core, nowMs);
    this.#context = { core: this.core, wallets: TRUSTED };
    this.#limits = {
      public: new RateLimit(limits.public_per_minute),
      signed: new RateLimit(limits.signed_per_minute),
      bootstrap: new RateLimit(limits.bootstrap_per_minute),
    };
  }

  answer(call: AnyCall, nowMs: number): Answer {
    const { scope } = declarationOf(call.endpoint);
    const { allowed, limit, remaining, resetMs } = this.#limits[scope].take('us', nowMs);
    // As in the headers: whole seconds.
    const budget = { scope, limit, remaining, resetMs: Math.ceil(resetMs / 1000) * 1000 };
    const outcome = allowed ? this.#serve(call, nowMs) : answerRefusal({ slug: 'throttled' });
    return { outcome, venueTimeMs: Math.floor(nowMs / 1000) * 1000, budget };
  }

  /**
   * Ends the recording of a market and drops its old data: thousands may follow. A market with an unknown outcome and
   * without holdings is canceled: it pays nothing, and the trader stops polling it.
   */
  closeMarket(market: MarketIndex, nowMs: number): void {
    const { conditionId, state } = this.core.marketFacts(market);
    const { yes, no } = this.core.catalog.market(market).shares.read(this.account);
    if (!isSettledMarket(state) && yes === 0 && no === 0) this.core.at(nowMs).markets.resolve(conditionId, null);
    // One more than a page, which shows that there were others.
    this.core.feed.end(market, LONGEST_PAGE + 1);
  }

  #serve(call: AnyCall, nowMs: number): Outcome {
    this.core.advance(nowMs);
    if (call.endpoint === 'markets.book') return this.#book(call.params.condition_id, call.query);
    const declaration = declarationOf(call.endpoint);
    const body = declaration.body === null ? null : declaration.body.parse(call.body);
    const limit = 'limit' in call.query && call.query.limit !== undefined ? call.query.limit : (declaration.page ?? 0);
    const whole = { nowMs, account: this.account, params: call.params, query: call.query, body, limit };
    const reply = handle(call.endpoint, whole, this.#context);
    if (!reply.ok) return answerRefusal(reply.fault);
    // The endpoint's schema, or its equivalent, builds this value.
    const data = readRecord(call.endpoint, reply.data) as never;
    return { kind: 'answered', data, nextCursor: reply.nextCursor ?? null };
  }

  /** The most frequent call, without decimal strings, which take a sixth of a quiet backtest (`backtest.bench.ts`). */
  #book(conditionId: string, { is_yes: isYes = true, depth = 50 }: Call<'markets.book'>['query']): Outcome {
    const market = this.core.catalog.byId(conditionId);
    if (market === null) return answerRefusal({ slug: 'not_found' });
    assert(isYes, 'the trader asks for YES books');
    const [bid, ask] = [market.levels(BID, depth), market.levels(ASK, depth)];
    return { kind: 'answered', data: { market: conditionId, is_yes: true, bid, ask }, nextCursor: null };
  }
}

/** Passes a call to its handler; its declaration has parsed the body, and the trader wrote the query. */
function handle<N extends EndpointName>(name: N, call: object, context: HandlerContext): Reply<N> {
  return HANDLERS[name](call as ServiceCall<N>, context);
}

function answerRefusal({ slug, message, details }: ServiceFault): Outcome {
  const usual = SERVICE_ERRORS[slug];
  return { kind: 'refused', status: usual.status, slug, message: message ?? usual.message, details: details ?? [] };
}

function openAccount(core: ExchangeCore, nowMs: number): AccountSlot {
  const challenge = core.at(nowMs).identity.challenge(WALLET, 'nonce');
  assert(challenge.ok, 'a fresh exchange gives a challenge');
  const { message, nonce } = challenge.value;
  core.at(nowMs).identity.createKey({ wallet_address: WALLET, message, nonce }, true, 'key', 'secret');
  const credential = core.identity.credential('key');
  assert(credential !== null, 'a fresh exchange opens an account');
  return credential.account;
}
