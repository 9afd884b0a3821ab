/**
 * A small simulation with the real matching core, a crowd and a network with faults. Its trader process has the real
 * ledger (in a file), wallet and executor. The process can be killed between any two of its steps and restarted.
 */

import { createPublicKey, verify } from 'node:crypto';
import { base58 } from '@scure/base';
import { ASK, BID } from '../../../src/exchange/core/contract.js';
import { ExchangeCore } from '../../../src/exchange/core/core.js';
import { must } from '../../../src/shared/base/errors.js';
import type { Micros } from '../../../src/shared/base/micros.js';
import { Random } from '../../../src/shared/base/random.js';
import type { OrderRow, OwnTradeRow } from '../../../src/shared/protocol/records.js';
import { describeOwner } from '../../../src/shared/protocol/request-owner.js';
import type { Outcome, PlannedRequest } from '../../../src/shared/protocol/seam.js';
import type { ExecutorEvent, Reaction } from '../../../src/trader/executor/contract.js';
import type { Executor } from '../../../src/trader/executor/executor.js';
import type { Ledger } from '../../../src/trader/ledger/contract.js';
import type { Intent } from '../../../src/trader/risk/intent.js';
import { newLedgerPath } from '../ledger/books.js';
import { FUNDS } from './agreement.js';
import { type Faults, Network } from './network.js';
import { approve, m, ONE, openExecutor, PROFILE, wallet } from './script.js';

/** Short lifetimes and intervals, because whole minutes would only prolong the runs. */
export const DRAFT_LIFETIME_S = 15;
const START_MS = 1_700_000_000_000;
const OWN_POLL_MS = 1_000;
/** Rows per page. The number is small, so that fills are also found on later pages. */
const TRADES_PAGE = 5;

/** Error that is thrown inside a step to end the process there. */
class Killed extends Error {}

export interface WorldOptions {
  readonly seed: number;
  readonly faults: Faults;
  /** Probability that the process ends in a step. All moments of the step are equally likely. */
  readonly crash: number;
  /** Our clock minus the exchange's clock, ms. */
  readonly clockOffMs: number;
  /** Size of the jump of our clock in the middle, ms. */
  readonly clockStepMs: number;
}

export class World {
  readonly core: ExchangeCore;
  readonly account: number;
  readonly markets: readonly string[];
  readonly network: Network;
  readonly random: Random;
  readonly events: ExecutorEvent[] = [];
  readonly #options: WorldOptions;
  readonly #file = newLedgerPath();
  readonly #crowd: number;
  /** Counter that survives restarts, so that ids differ between processes of the trader. */
  #runs = 0;
  #intents = 0;
  #process: TraderProcess | null = null;
  /** Our clock minus the exchange's clock, ms. */
  clockOffMs: number;
  crashes = 0;
  faulty = true;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.clockOffMs = options.clockOffMs;
    this.random = Random.fromSeed(options.seed, 'world');
    this.core = new ExchangeCore({
      serviceName: PROFILE.service_name,
      draftLifetimeMs: DRAFT_LIFETIME_S * 1000,
      landingMs: 700,
      startingFunds: FUNDS,
      challengeLifetimeMs: 600_000,
      seed: options.seed,
    });
    this.account = this.#openAccount();
    this.#crowd = this.core.at(START_MS).identity.openInternal('crowd', { unlimited: true });
    this.markets = ['alpha', 'beta'].map((title) => {
      const made = this.core.at(START_MS).markets.create({
        config: { kind: 'orderbook', price_precision: 2, amount_precision: 2, taker_fee_rate: m(10_000) },
        title,
      });
      if (!made.ok) throw new Error(`no market: ${JSON.stringify(made.fault)}`);
      return made.value.condition_id;
    });
    const key = createPublicKey({
      format: 'jwk',
      key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(base58.decode(wallet.address)).toString('base64url') },
    });
    const isOurs = (text: string, signature: string) =>
      verify(null, Buffer.from(text, 'utf8'), key, Buffer.from(signature, 'hex'));
    this.network = new Network(this.core, this.account, isOurs, Random.fromSeed(options.seed, 'network'), START_MS);
    this.network.faults = options.faults;
  }

  #openAccount(): number {
    const { identity } = this.core.at(START_MS);
    const challenge = identity.challenge(wallet.address, 'nonce');
    if (!challenge.ok) throw new Error('no challenge');
    const { message, nonce } = challenge.value;
    identity.createKey({ wallet_address: wallet.address, message, nonce }, true, 'key', 'secret');
    return must(this.core.identity.credential('key'), 'the account').account;
  }

  /** Returns the running process. Starts and recovers one if there is none. */
  get trader(): TraderProcess {
    this.#process ??= this.#start();
    return this.#process;
  }

  get ledger(): Ledger {
    return this.trader.ledger;
  }

  get executor(): Executor {
    return this.trader.executor;
  }

  get ourMs(): number {
    return this.network.nowMs + this.clockOffMs;
  }

  marketIndex(conditionId: string): number {
    const index = this.core.catalog.findIndex(conditionId);
    if (index === null) throw new Error(`no market ${conditionId}`);
    return index;
  }

  /** Advances the clock and runs all due events. */
  pass(ms: number): void {
    this.network.runUntil(this.network.nowMs + ms);
    this.core.advance(this.network.nowMs);
  }

  /** Runs one step of the trader, like the engine: a transaction, the signing transaction, and only then requests. */
  step(work: (executor: Executor) => Reaction | readonly PlannedRequest[]): void {
    const { trader } = this;
    const crashAt = this.faulty && this.random.chance(this.#options.crash) ? this.random.below(4) : -1;
    const moment = (at: number) => {
      if (crashAt === at) throw new Killed();
    };
    try {
      const first = trader.ledger.transaction(() => {
        const reaction = trader.keep(work(trader.executor));
        moment(0);
        return reaction;
      });
      moment(1);
      const second = trader.ledger.transaction(() => trader.keep(trader.executor.signDrafts(this.ourMs)));
      moment(2);
      const requests = [...first, ...second];
      for (const [i, request] of requests.entries()) {
        if (crashAt === 3 && i >= requests.length / 2) moment(3);
        this.send(request);
      }
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      this.kill();
    }
  }

  /** Ends the process as kill -9 does: committed data stays, and pending answers are lost. */
  kill(): void {
    this.#process?.ledger.close();
    this.#process = null;
    this.crashes++;
  }

  close(): void {
    this.#process?.ledger.close();
    this.#file.remove();
  }

  /** Begins an intent as the engine does. */
  begin(intent: (id: string) => Intent): string {
    const id = `run${this.#runs}-${++this.#intents}`;
    const approved = approve(intent(id));
    this.step((executor) => executor.begin(approved, this.ourMs, '{}'));
    return id;
  }

  place(market: string, isYes: boolean, side: 'buy' | 'sell', price: number, shares: number): string {
    return this.begin((intentId) => ({
      kind: 'place',
      intentId,
      marketConditionId: market,
      eventConditionId: null,
      isYes,
      side,
      priceMicros: m(price),
      amountMicros: m(shares * ONE),
      fairYesMicros: m(ONE / 2),
      strategy: 'maker',
    }));
  }

  cancel(orderPubkey: string, marketConditionId: string): string {
    return this.begin((intentId) => ({ kind: 'cancel', intentId, orderPubkey, marketConditionId }));
  }

  merge(marketConditionId: string, amountMicros: Micros): string {
    return this.begin((intentId) => ({ kind: 'merge', intentId, marketConditionId, amountMicros }));
  }

  redeem(marketConditionId: string): string {
    const [yesMicros, noMicros] = [
      this.ledger.shares(marketConditionId, true),
      this.ledger.shares(marketConditionId, false),
    ];
    return this.begin((intentId) => ({ kind: 'redeem', intentId, marketConditionId, yesMicros, noMicros }));
  }

  /** Sends an order of another account, whose unfilled rest is canceled. */
  crowdTakes(market: string, buysYes: boolean, price: number, shares: number): void {
    const side = buysYes ? BID : ASK;
    const at = this.network.nowMs;
    this.core.at(at).internal.place(this.#crowd, this.marketIndex(market), side, m(price), m(shares * ONE), true);
  }

  /** Runs due actions, and polls own orders and own trades. It reads older trades while fills are missing. */
  beat(): void {
    this.step((executor) => executor.tick(this.ourMs, this.trader.venueNowMs(this.ourMs)));
    if (this.network.nowMs - this.trader.polledMs < OWN_POLL_MS) return;
    this.trader.polledMs = this.network.nowMs;
    const query = { limit: 100, status: ['open', 'partially_filled'] as ('open' | 'partially_filled')[] };
    this.#poll({ endpoint: 'orders.list', params: {}, query, body: undefined });
    this.#pollTrades(undefined);
  }

  #pollTrades(cursor: string | undefined): void {
    this.#poll({ endpoint: 'trades.list', params: {}, query: { limit: TRADES_PAGE, cursor }, body: undefined });
  }

  #poll(call: PlannedRequest['call']): void {
    const owner = { kind: 'other', name: call.endpoint } as const;
    this.send({ lane: 'own', call, latestMs: Number.MAX_SAFE_INTEGER, owner });
  }

  send(request: PlannedRequest): void {
    const sender = this.trader;
    sender.checkDurable(request);
    const sentMs = this.ourMs;
    this.network.send(request, (outcome, venueTimeMs) => {
      if (this.#process !== sender) return; // The process that asked has ended.
      if (venueTimeMs !== null) sender.seeVenueTime(venueTimeMs, this.ourMs);
      if (request.owner.kind === 'intent') {
        const nowMs = this.ourMs;
        const leftMs = outcome.kind === 'unknown' && !outcome.sent ? nowMs : sentMs;
        this.step((executor) => executor.onReport({ request, outcome, nowMs, sentMs: leftMs, venueTimeMs }));
      } else {
        this.#onList(request, outcome, sentMs, venueTimeMs);
      }
    });
  }

  #onList(request: PlannedRequest, outcome: Outcome, sentMs: number, venueTimeMs: number | null): void {
    if (outcome.kind !== 'answered') return;
    if (request.call.endpoint === 'orders.list') {
      // The cast is right, because the requested list has this row type.
      const rows = outcome.data as OrderRow[];
      this.step((executor) => executor.onOwnOrders(rows, sentMs, this.ourMs));
      return;
    }
    const rows = outcome.data as OwnTradeRow[];
    this.step((executor) => executor.onOwnTrades(rows, this.ourMs, venueTimeMs));
    if (outcome.nextCursor !== null && this.executor.missingFills().length > 0) this.#pollTrades(outcome.nextCursor);
  }

  #start(): TraderProcess {
    const profile = { ...PROFILE, draft_lifetime_s: DRAFT_LIFETIME_S };
    const settings = { profile, ownPollMs: OWN_POLL_MS, capital: FUNDS };
    const [ledger, executor] = openExecutor(this.#file.path, `run${++this.#runs}`, this.markets, settings);
    const started = new TraderProcess(ledger, executor, this.events);
    this.#process = started;
    const requests = ledger.transaction(() => started.keep(started.executor.recover(this.ourMs)));
    for (const request of requests) this.send(request);
    return started;
  }
}

class TraderProcess {
  readonly ledger: Ledger;
  readonly executor: Executor;
  readonly #events: ExecutorEvent[];
  polledMs = 0;
  #venue: { readonly venueMs: number; readonly ourMs: number } | null = null;

  constructor(ledger: Ledger, executor: Executor, events: ExecutorEvent[]) {
    this.ledger = ledger;
    this.executor = executor;
    this.#events = events;
  }

  keep(reaction: Reaction | readonly PlannedRequest[]): readonly PlannedRequest[] {
    if (!('events' in reaction)) return reaction;
    this.#events.push(...reaction.events);
    return reaction.requests;
  }

  seeVenueTime(venueMs: number, ourMs: number): void {
    this.#venue = { venueMs, ourMs };
  }

  venueNowMs(ourMs: number): number | null {
    return this.#venue === null ? null : this.#venue.venueMs + (ourMs - this.#venue.ourMs);
  }

  /** No signature is sent before its row is durable. */
  checkDurable(request: PlannedRequest): void {
    const { body } = request.call;
    if (typeof body !== 'object' || !('signature' in body)) return;
    const intent = request.owner.kind === 'intent' ? this.ledger.intent(request.owner.intentId) : null;
    if (intent?.signature !== body.signature)
      throw new Error(`${describeOwner(request.owner)} left before its signature was stored`);
  }
}
