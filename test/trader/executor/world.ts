/**
 * A small simulation with the real matching core, a crowd and a network with faults. Its trader process has the real
 * ledger (in a file), wallet and executor. The process can be killed between any two of its steps and restarted.
 */

import { createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { base58 } from '@scure/base';
import { ASK, BID } from '../../../src/exchange/core/contract.js';
import { ExchangeCore } from '../../../src/exchange/core/core.js';
import { type Micros, micros } from '../../../src/shared/base/micros.js';
import { Random } from '../../../src/shared/base/random.js';
import type { VenueProfile } from '../../../src/shared/protocol/profile.js';
import type { OrderRow, OwnTradeRow } from '../../../src/shared/protocol/records.js';
import { describeOwner } from '../../../src/shared/protocol/request-owner.js';
import type { Outcome, PlannedRequest } from '../../../src/shared/protocol/seam.js';
import { Wallet } from '../../../src/shell/wallet/wallet.js';
import type { ExecutorEvent, Reaction } from '../../../src/trader/executor/contract.js';
import { Executor } from '../../../src/trader/executor/executor.js';
import type { Ledger } from '../../../src/trader/ledger/contract.js';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { Exposure } from '../../../src/trader/risk/exposure.js';
import type { Intent } from '../../../src/trader/risk/intent.js';
import { judge } from '../../../src/trader/risk/risk.js';
import { factsOf, holdingOf, only, sight } from '../risk/states.js';
import { type Deliver, type Faults, Network } from './network.js';

export const ONE = 1_000_000;
export const m = (value: number) => micros(value);
/** Short lifetimes and intervals, because whole minutes would only prolong the runs. */
export const DRAFT_LIFETIME_S = 15;
export const START_MS = 1_700_000_000_000;
export const FUNDS = m(10_000 * ONE);
const OWN_POLL_MS = 1_000;
/** Rows per page. The number is small, so that fills are also found on later pages. */
const TRADES_PAGE = 5;

const PROFILE: VenueProfile = {
  service_name: 'SVC',
  header_prefix: 'SVC',
  base_url: 'http://127.0.0.1:1',
  draft_message: 'utf8',
  draft_lifetime_s: DRAFT_LIFETIME_S,
  clock_tolerance_s: 30,
  rate_limits: { public_per_minute: 120, signed_per_minute: 300, bootstrap_per_minute: 10 },
  own_trades: true,
};

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
  /** Whether the venue lists own trades. If not, fills are derived from the orders' filled amounts. */
  readonly ownTrades?: boolean;
}

export class World {
  readonly core: ExchangeCore;
  readonly account: number;
  readonly markets: readonly string[];
  readonly network: Network;
  readonly random: Random;
  readonly events: ExecutorEvent[] = [];
  readonly #options: WorldOptions;
  readonly #folder: string;
  readonly #wallet: Wallet;
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
    this.#folder = mkdtempSync(join(tmpdir(), 'twinbook-executor-'));
    this.#wallet = new Wallet(Uint8Array.from({ length: 32 }, (_, i) => i + 1));
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
      key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(base58.decode(this.#wallet.address)).toString('base64url') },
    });
    const isOurs = (text: string, signature: string) =>
      verify(null, Buffer.from(text, 'utf8'), key, Buffer.from(signature, 'hex'));
    this.network = new Network(this.core, this.account, isOurs, Random.fromSeed(options.seed, 'network'), START_MS);
    this.network.faults = options.faults;
  }

  #openAccount(): number {
    const { address } = this.#wallet;
    const challenge = this.core.at(START_MS).identity.challenge(address, 'nonce');
    if (!challenge.ok) throw new Error('no challenge');
    const { message, nonce } = challenge.value;
    const key = this.core
      .at(START_MS)
      .identity.createKey({ wallet_address: address, message, nonce }, true, 'key', 'secret');
    const credential = key.ok ? this.core.identity.credential('key') : null;
    if (credential === null) throw new Error('no account');
    return credential.account;
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
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Begins an intent as the engine does. Risk judges the intent with limits that never refuse it. */
  begin(intent: (id: string) => Intent): string {
    const id = `run${this.#runs}-${++this.#intents}`;
    const wanted = intent(id);
    const { marketConditionId } = wanted;
    const exposure = new Exposure();
    exposure.setHolding(holdingOf({ marketConditionId, yesMicros: m(1e12), noMicros: m(1e12) }));
    const seen = sight({ book: { bids: [], asks: [] } }, marketConditionId);
    const facts = factsOf({ sight: seen, exposure, cashMicros: m(1e13), limits: only({}) });
    const verdict = judge(wanted, facts);
    if (verdict.verdict !== 'approved') throw new Error(`risk refused: ${verdict.text}`);
    this.step((executor) => executor.begin(verdict, this.ourMs, '{}'));
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
    const query = { limit: 100, status: ['open', 'partially_filled'] } as const;
    this.send({
      lane: 'own',
      call: { endpoint: 'orders.list', params: {}, query: { ...query, status: [...query.status] }, body: undefined },
      latestMs: Number.MAX_SAFE_INTEGER,
      owner: { kind: 'other', name: 'orders' },
    });
    this.pollTrades(null);
  }

  pollTrades(cursor: string | null): void {
    if (this.#options.ownTrades === false) return;
    const query = { limit: TRADES_PAGE, cursor: cursor ?? undefined };
    this.send({
      lane: 'own',
      call: { endpoint: 'trades.list', params: {}, query, body: undefined },
      latestMs: Number.MAX_SAFE_INTEGER,
      owner: { kind: 'other', name: 'trades' },
    });
  }

  send(request: PlannedRequest): void {
    const sender = this.trader;
    sender.checkDurable(request);
    const sentMs = this.ourMs;
    this.network.send(request, (outcome, venueTimeMs) => {
      if (this.#process !== sender) return; // The process that asked has ended.
      if (venueTimeMs !== null) sender.seeVenueTime(venueTimeMs, this.ourMs);
      if (request.owner.kind === 'intent') {
        const report = {
          request,
          outcome,
          nowMs: this.ourMs,
          sentMs: outcome.kind === 'unknown' && !outcome.sent ? this.ourMs : sentMs,
          venueTimeMs,
        };
        this.step((executor) => executor.onReport(report));
      } else {
        this.#onList(request, outcome, sentMs);
      }
    });
  }

  #onList(request: PlannedRequest, outcome: Outcome, sentMs: number): void {
    if (outcome.kind !== 'answered') return;
    if (describeOwner(request.owner) === 'orders') {
      // The cast is right, because the requested list has this row type.
      const rows = outcome.data as OrderRow[];
      this.step((executor) => executor.onOwnOrders(rows, sentMs, this.ourMs));
      return;
    }
    const rows = outcome.data as OwnTradeRow[];
    this.step((executor) => executor.onOwnTrades(rows, this.ourMs));
    if (outcome.nextCursor !== null && this.executor.missingFills().length > 0) this.pollTrades(outcome.nextCursor);
  }

  #start(): TraderProcess {
    const ledger = openLedger(join(this.#folder, 'ledger.sqlite'), { pid: process.pid, startedMs: this.ourMs });
    const runId = `run${++this.#runs}`;
    ledger.transaction(() => {
      ledger.startRun({ id: runId, version: '0', configHash: 'hash', startedMs: this.ourMs });
      ledger.setCapital(FUNDS, this.ourMs);
      for (const conditionId of this.markets) {
        ledger.saveMarket({
          conditionId,
          title: conditionId,
          state: 'open',
          eventConditionId: null,
          yesLabel: null,
          noLabel: null,
          makerFeeRateMicros: m(0),
          takerFeeRateMicros: m(10_000),
          resolutionS: null,
          seenMs: this.ourMs,
        });
      }
    });
    const profile = { ...PROFILE, own_trades: this.#options.ownTrades ?? true };
    const signer = this.#wallet.draftSigner({
      serviceName: PROFILE.service_name,
      draftMessage: 'utf8',
      allowBlindSigning: false,
      loadDraft: (id) => ledger.storedDraft(id),
    });
    const settings = { runId, configHash: 'hash', ownPollMs: OWN_POLL_MS };
    const started = new TraderProcess(ledger, new Executor(ledger, signer, profile, settings), this.events);
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

export type { Deliver };
