/** Connects the real ledger, wallet and executor to an exchange whose answers the test writes. */

import { onTestFinished } from 'vitest';
import { type Micros, micros } from '../../../src/shared/base/micros.js';
import { type DraftTerms, writeDraftText } from '../../../src/shared/protocol/drafts/draft-text.js';
import type { VenueProfile } from '../../../src/shared/protocol/profile.js';
import type { ConversionRow, OrderRow, OwnTradeRow, RedeemRow } from '../../../src/shared/protocol/records.js';
import type { AnyCall, Outcome, PlannedRequest } from '../../../src/shared/protocol/seam.js';
import type { OrderStatus } from '../../../src/shared/protocol/states.js';
import { Wallet } from '../../../src/shell/wallet/wallet.js';
import type { ExecutorEvent, Reaction } from '../../../src/trader/executor/contract.js';
import { Executor } from '../../../src/trader/executor/executor.js';
import type { IntentState, Ledger } from '../../../src/trader/ledger/contract.js';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { Exposure } from '../../../src/trader/risk/exposure.js';
import type { Intent } from '../../../src/trader/risk/intent.js';
import { judge } from '../../../src/trader/risk/risk.js';
import { profile as UNHURRIED } from '../../shell/client/hostile-server.js';
import { newLedgerPath } from '../ledger/books.js';
import { factsOf, holdingOf, only, sight } from '../risk/states.js';

export const ONE = 1_000_000;
export const m = (value: number) => micros(value);
export const MARKET = 'mkt';
export const POLL_MS = 2_000;
export const LIFETIME_S = 60;
/** Time by which the exchange's clock is ahead of ours, ms. */
const VENUE_AHEAD_MS = 1_000_000;

export const PROFILE: VenueProfile = {
  ...UNHURRIED,
  draft_lifetime_s: LIFETIME_S,
  rate_limits: { public_per_minute: 120, signed_per_minute: 300, bootstrap_per_minute: 10 },
};

export const wallet = new Wallet(Uint8Array.from({ length: 32 }, (_, i) => i + 1));

/** Opens the ledger of a new run with these open markets, and an executor that follows it. */
export function openExecutor(
  path: string,
  runId: string,
  markets: readonly string[],
  { profile, ownPollMs, capital }: { profile: VenueProfile; ownPollMs: number; capital?: Micros },
): [Ledger, Executor] {
  const ledger = openLedger(path, { pid: process.pid, startedMs: 0 });
  ledger.transaction(() => {
    ledger.startRun({ id: runId, version: '0', configHash: 'hash', startedMs: 0 });
    if (capital !== undefined) ledger.setCapital(capital, 0);
    const fees = { makerFeeRateMicros: m(0), takerFeeRateMicros: m(10_000) };
    const names = { title: 'Will it?', eventConditionId: null, yesLabel: null, noLabel: null };
    for (const conditionId of markets)
      ledger.saveMarket({ conditionId, ...names, state: 'open', ...fees, resolutionS: null, seenMs: 0 });
  });
  const signer = wallet.draftSigner({
    service_name: 'SVC',
    draft_message: profile.draft_message,
    allowBlindSigning: false,
    loadDraft: (id) => ledger.storedDraft(id),
  });
  return [ledger, new Executor(ledger, signer, profile, { runId, configHash: 'hash', ownPollMs })];
}

/** Approves an intent by risk, with limits that never refuse it. */
export function approve(intent: Intent) {
  const exposure = new Exposure();
  const { marketConditionId } = intent;
  exposure.setHolding(holdingOf({ marketConditionId, yesMicros: m(1e12), noMicros: m(1e12) }));
  const seen = sight({ book: { bids: [], asks: [] } }, marketConditionId);
  const verdict = judge(intent, factsOf({ sight: seen, exposure, limits: only({}), cashMicros: m(1e13) }));
  if (verdict.verdict !== 'approved') throw new Error(verdict.text);
  return verdict;
}

/** Returns the error of a rejected call. */
export const refused = (slug: string, status = 400): Outcome => ({
  kind: 'refused',
  status,
  slug,
  message: slug,
  details: [],
});
export const lost: Outcome = { kind: 'unknown', reason: 'no answer in time', sent: true };
export const unsent: Outcome = { kind: 'unknown', reason: 'its time was over', sent: false };
export const answered = (
  data: OrderRow | ConversionRow | RedeemRow | { pubkey: string; message: string },
): Outcome => ({ kind: 'answered', data, nextCursor: null });

export class Script {
  nowMs = 1_000;
  events: ExecutorEvent[] = [];
  ledger: Ledger;
  executor: Executor;
  readonly #file = newLedgerPath();
  readonly #profile: VenueProfile;
  #requests: PlannedRequest[] = [];
  #runs = 0;

  constructor(profile: Partial<VenueProfile> = {}) {
    this.#profile = { ...PROFILE, ...profile };
    [this.ledger, this.executor] = this.#open();
  }

  #open(): [Ledger, Executor] {
    const settings = { profile: this.#profile, ownPollMs: POLL_MS };
    return openExecutor(this.#file.path, `run${++this.#runs}`, [MARKET], settings);
  }

  /** Kills and restarts the executor. Pending answers are lost. */
  restart(): void {
    this.ledger.close();
    this.#requests = [];
    [this.ledger, this.executor] = this.#open();
    this.#step(() => this.executor.recover(this.nowMs));
  }

  close(): void {
    this.ledger.close();
    this.#file.remove();
  }

  get venueS(): number {
    return Math.floor((this.nowMs + VENUE_AHEAD_MS) / 1000);
  }

  #step(work: () => Reaction | readonly PlannedRequest[]): void {
    const take = (reaction: Reaction | readonly PlannedRequest[]) => {
      if ('events' in reaction) this.events.push(...reaction.events);
      this.#requests.push(...('events' in reaction ? reaction.requests : reaction));
    };
    take(this.ledger.transaction(work));
    take(this.ledger.transaction(() => this.executor.signDrafts(this.nowMs)));
  }

  /** Calls in flight, oldest first. */
  get out(): readonly AnyCall['endpoint'][] {
    return this.#requests.map((request) => request.call.endpoint);
  }

  /** Removes the oldest request in flight, which must be this call. */
  take<N extends AnyCall['endpoint']>(
    endpoint: N,
  ): PlannedRequest & { readonly call: Extract<AnyCall, { endpoint: N }> } {
    const request = this.#requests.shift();
    if (request?.call.endpoint !== endpoint)
      throw new Error(`expected ${endpoint}, found ${request?.call.endpoint ?? 'nothing'}`);
    // The cast is right, because the type was compared above.
    return request as PlannedRequest & { readonly call: Extract<AnyCall, { endpoint: N }> };
  }

  /** Answers the oldest request, which must be this call, after 10 ms. */
  answer(endpoint: AnyCall['endpoint'], outcome: Outcome): PlannedRequest {
    const request = this.take(endpoint);
    this.report(request, outcome);
    return request;
  }

  /** @param told true if the answer has the exchange's time */
  report(request: PlannedRequest, outcome: Outcome, told = true): void {
    const sentMs = this.nowMs;
    this.nowMs += 10;
    const venueTimeMs = outcome.kind === 'unknown' || !told ? null : this.venueS * 1000;
    this.#step(() => this.executor.onReport({ request: request, outcome, nowMs: this.nowMs, sentMs, venueTimeMs }));
  }

  /** Advances the clock and runs the executor's due actions. @param told true if the exchange has shown its time */
  wait(ms: number, told = true): void {
    this.nowMs += ms;
    this.#step(() => this.executor.tick(this.nowMs, told ? this.nowMs + VENUE_AHEAD_MS : null));
  }

  list(rows: readonly OrderRow[], sentMs = this.nowMs): void {
    this.nowMs += 10;
    this.#step(() => this.executor.onOwnOrders(rows, sentMs, this.nowMs));
  }

  trades(rows: readonly OwnTradeRow[]): void {
    this.nowMs += 10;
    this.#step(() => this.executor.onOwnTrades(rows, this.nowMs, this.venueS * 1000));
  }

  begin(intent: Intent): void {
    const approved = approve(intent);
    this.#step(() => this.executor.begin(approved, this.nowMs, '{}'));
  }

  /** Starts a buy of 10 YES at 0.42 with this id. */
  place(intentId = 'p'): this {
    const market = { marketConditionId: MARKET, eventConditionId: null };
    const price = { priceMicros: m(420_000), amountMicros: m(10 * ONE), fairYesMicros: m(420_000) };
    this.begin({ kind: 'place', intentId, ...market, isYes: true, side: 'buy', ...price, strategy: 'maker' });
    return this;
  }

  /** Returns the exchange's draft of the buy that `place` starts. */
  draft(pubkey = 'order', terms: Partial<Record<'price' | 'amount', Micros>> = {}, lifetimeS = LIFETIME_S): Outcome {
    const all = { type: 'limit', price: m(420_000), amount: m(10 * ONE), ...terms } as const;
    return this.draftOf(pubkey, { action: 'place-order', isYes: true, side: 'buy', ...all }, lifetimeS);
  }

  draftOf(draftPubkey: string, terms: DraftTerms, lifetimeS = LIFETIME_S): Outcome {
    const expires = this.venueS + lifetimeS;
    const message = writeDraftText({ serviceName: 'SVC', marketConditionId: MARKET, draftPubkey, expires, terms });
    return answered({ pubkey: draftPubkey, message });
  }

  /** Runs until the submit is in flight. */
  placed(intentId = 'p', pubkey = 'order'): this {
    this.place(intentId).answer('orders.create', this.draft(pubkey));
    return this;
  }

  /** Runs until the submit has this answer. */
  submitted(outcome: Outcome): this {
    this.placed().answer('orders.submit', outcome);
    return this;
  }

  /** Runs until the order rests. */
  resting(intentId = 'p', pubkey = 'order'): this {
    this.placed(intentId, pubkey).answer('orders.submit', answered(row('open', 0, pubkey)));
    return this;
  }

  /** Answers the read of an order's record, which must be in flight after this time. */
  readAfter(ms: number, ...record: Parameters<typeof row>): void {
    this.wait(ms);
    this.answer('orders.detail', answered(row(...record)));
  }

  state(intentId = 'p'): IntentState | undefined {
    return this.ledger.intent(intentId)?.state;
  }

  /** Returns the kinds of events since the last call. An event `trouble` is listed by its trouble. */
  heard(): string[] {
    const kinds = this.events.map((event) => (event.kind === 'trouble' ? event.trouble : event.kind));
    this.events = [];
    return kinds;
  }
}

/** Returns a script that is closed at the end of the test. */
export function fresh(profile: Partial<VenueProfile> = {}): Script {
  const script = new Script(profile);
  onTestFinished(() => script.close());
  return script;
}

/** Returns a script in which the order rests, without the events until then. */
export function resting(profile: Partial<VenueProfile> = {}): Script {
  const script = fresh(profile).resting();
  script.heard();
  return script;
}

/** Returns the row of the buy that `place` starts. */
export const row = (status: OrderStatus, filled = 0, pubkey = 'order', changes: Partial<OrderRow> = {}): OrderRow => ({
  pubkey,
  status,
  side: 'buy',
  price: m(420_000),
  amount: m(10 * ONE),
  remaining_amount: m((10 - filled) * ONE),
  filled_amount: m(filled * ONE),
  funds: null,
  remaining_funds: null,
  filled_funds: null,
  market: { condition_id: MARKET, title: null },
  outcome: { is_yes: true, text: null },
  ...changes,
});

export const trade = (pubkey: string, shares: number, changes: Partial<OwnTradeRow> = {}): OwnTradeRow => ({
  pubkey,
  market_condition_id: MARKET,
  amount: m(shares * ONE),
  price: m(420_000),
  timestamp: 1_001,
  fee: m(0),
  is_maker: true,
  state: 'done',
  order: row('open'),
  ...changes,
});
