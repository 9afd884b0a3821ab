/** The exchange without its sockets: the real core, its crowd, its rate limits, and its handlers of every call. */

import type { AccountSlot, CoreSettings, ObservedFill, Wire } from '../../src/exchange/core/contract.js';
import { ExchangeCore } from '../../src/exchange/core/core.js';
import { type Archived, MemoryShelf, makeArchive } from '../../src/exchange/core/records/archive.js';
import { Crowd } from '../../src/exchange/crowd/crowd.js';
import { RateLimit } from '../../src/exchange/http/rate-guard.js';
import { type Answer, faultAnswer, type HandlerContext, successText } from '../../src/exchange/service/answers.js';
import { passCall } from '../../src/exchange/service/handlers.js';
import { WalletSignatures } from '../../src/exchange/service/wallet-signatures.js';
import { Random } from '../../src/shared/base/random.js';
import { declarationOf, type Scope } from '../../src/shared/protocol/endpoints.js';
import type { VenueProfile } from '../../src/shared/protocol/profile.js';
import type { AnyCall } from '../../src/shared/protocol/seam.js';
import { money } from '../../src/shared/protocol/wire.js';
import type { ConversionKind } from '../../src/trader/ledger/contract.js';
import { Tally } from './faults.js';
import { FUNDS, type Setting } from './setting.js';
import { ToldTrades, type WireTrade } from './told-trades.js';

/** More than a trader may ever have resting. */
const ALL = 100_000;

/** Counts all rows of one kind that it received. */
class CountingShelf extends MemoryShelf {
  count = 0;

  override put(row: Archived): void {
    this.count += 1;
    super.put(row);
  }
}

/** Staleness of an answer. */
export interface Lag {
  /** The list misses its newest row. */
  readonly missesNewest?: boolean;
  /** The page's cursor leads to the page itself. */
  readonly repeatsCursor?: boolean;
  /** An earlier book in place of the newest one. */
  readonly stale?: boolean;
}

/** Amounts given and received by a conversion, in millionths; negative in the other direction. */
export interface DoneConversion {
  readonly yes: number;
  readonly no: number;
  readonly cash: number;
}

export class ExchangeSide {
  readonly account: AccountSlot;
  /** Every fill of ours, by the pubkey of its trade. */
  readonly fills = new Map<string, ObservedFill>();
  readonly trades: ToldTrades;
  readonly #seed: number;
  readonly #setting: Setting;
  readonly #settings: CoreSettings;
  readonly #shelves: CountingShelf[] = [];
  readonly #archive = makeArchive(() => {
    const shelf = new CountingShelf();
    this.#shelves.push(shelf);
    return shelf;
  });
  readonly #limits: Readonly<Record<Scope, RateLimit>>;
  readonly #random: Random;
  /** By market: the answer to the newest poll of its book. */
  readonly #books = new Map<string, Answer>();
  #core: ExchangeCore;
  #crowd: Crowd;
  #isSilent = false;
  #context: HandlerContext;

  constructor(seed: number, wallet: string, nowMs: number, setting: Setting, tally = new Tally()) {
    this.trades = new ToldTrades(this.fills, Random.fromSeed(seed, 'trades'), tally);
    this.#seed = seed;
    this.#setting = setting;
    const { profile, landingMs } = setting;
    this.#settings = {
      serviceName: profile.service_name,
      draftLifetimeMs: profile.draft_lifetime_s * 1000,
      landingMs,
      startingFunds: FUNDS,
      challengeLifetimeMs: 600_000,
      seed,
      observer: { onFill: (fill) => this.fills.set(fill.tradePubkey, fill) },
    };
    this.#core = new ExchangeCore(this.#settings, undefined, this.#archive);
    this.#random = Random.fromSeed(seed, 'exchange');
    this.account = openAccount(this.#core, wallet, nowMs);
    this.#crowd = new Crowd(this.#core, { seed }, nowMs);
    this.#context = contextOf(this.#core);
    this.#limits = limitsOf(setting.allowed ?? profile.rate_limits);
  }

  /** From the submit of a merge or split to its landing, ms. */
  get landingMs(): number {
    return this.#setting.landingMs;
  }

  /** Finished orders, trades and conversions in the archive, including the crowd's. */
  get recordsKept(): number {
    return this.#shelves.reduce((sum, { count }) => sum + count, 0);
  }

  get core(): ExchangeCore {
    return this.#core;
  }

  get crowd(): Crowd {
    return this.#crowd;
  }

  /** The process ends and another one starts from its journal and snapshot, which hold everything that was answered. */
  restart(nowMs: number): void {
    // The form after reading from disk.
    const snapshot: unknown = JSON.parse(JSON.stringify(this.#core.snapshot()));
    this.#core = new ExchangeCore(this.#settings, snapshot, this.#archive);
    this.#crowd = new Crowd(this.#core, { seed: this.#seed }, nowMs);
    this.#context = contextOf(this.#core);
    this.#books.clear();
  }

  /** Time of its next own event, Unix ms. */
  nextDueMs(): number {
    const crowdMs = this.#isSilent ? Number.POSITIVE_INFINITY : this.crowd.nextDueMs();
    return Math.min(this.core.timers.nextMs, crowdMs);
  }

  settle(nowMs: number): void {
    this.#core.advance(nowMs);
    if (!this.#isSilent) this.#crowd.tick(nowMs);
  }

  /** The crowd stops trading and cancels its orders. */
  silenceCrowd(nowMs: number): void {
    this.#isSilent = true;
    this.#crowd.withdraw(nowMs);
  }

  /** Counts one request against its budget. */
  admit(scope: Scope, nowMs: number): ReturnType<RateLimit['take']> {
    return this.#limits[scope].take('us', nowMs);
  }

  /** Executes a call and returns the answer. */
  serve(call: AnyCall, nowMs: number, lag: Lag = {}): Answer {
    this.settle(nowMs);
    const declaration = declarationOf(call.endpoint);
    const body = declaration.body === null ? null : declaration.body.parse(call.body);
    const asked = 'limit' in call.query && call.query.limit !== undefined ? call.query.limit : declaration.page;
    const limit = Math.min(asked ?? 0, this.#setting.mostRows);
    const whole = { nowMs, account: this.account, params: call.params, query: call.query, body, limit };
    const reply = passCall(call.endpoint, whole, this.#context);
    if (!reply.ok) return faultAnswer(reply.fault);
    const { status } = declaration;
    if (call.endpoint === 'markets.book')
      return this.#bookOf(call.params.condition_id, { status, text: successText(reply.value, {}) }, lag);
    const cursor = 'cursor' in call.query ? call.query.cursor : undefined;
    const newest = cursor === undefined && lag.missesNewest === true && Array.isArray(reply.value);
    const rows = newest ? reply.value.slice(1) : reply.value;
    // The list of own trades has own trades.
    const data =
      call.endpoint === 'trades.list' ? this.trades.page(rows as WireTrade[], cursor === undefined, nowMs) : rows;
    const next = cursor !== undefined && lag.repeatsCursor === true ? cursor : (reply.nextCursor ?? null);
    const meta = declaration.page === undefined ? {} : { limit, next_cursor: next };
    return { status, text: successText(data, meta) };
  }

  #bookOf(market: string, fresh: Answer, { stale = false }: Lag): Answer {
    const before = this.#books.get(market);
    if (stale && before !== undefined) return before;
    this.#books.set(market, fresh);
    return fresh;
  }

  /** Expires the draft of an order early; false if it is submitted or finished. */
  expireEarly(pubkey: string): boolean {
    const { orders } = this.#core;
    const record = orders.find(this.account, pubkey);
    if (record?.status !== 'waiting_to_sign') return false;
    orders.expire(record.id);
    return true;
  }

  /** Amounts moved by a conversion; null if none yet. */
  conversion(kind: ConversionKind, pubkey: string): DoneConversion | null {
    if (kind !== 'redeem') {
      const record = this.#core.conversions.records[kind].row(this.account, pubkey);
      if (record?.state !== 'done') return null;
      const amount = money.parse(record.amount) * (kind === 'merge' ? 1 : -1);
      return { yes: amount, no: amount, cash: amount };
    }
    const redeem = this.#core.redeems.row(this.account, pubkey);
    if (redeem?.state !== 'completed') return null;
    const [yes, no, cash] = [redeem.yes_shares, redeem.no_shares, redeem.onchain_funds].map((text) =>
      money.parse(text ?? '0'),
    );
    return { yes: yes ?? 0, no: no ?? 0, cash: cash ?? 0 };
  }

  markets(): string[] {
    return this.core.catalog.markets.map(({ card }) => card.conditionId);
  }

  /** Our orders that rest there. */
  resting(): readonly Wire<'orderRow'>[] {
    return this.core.orders.page(this.account, { limit: ALL, status: ['open', 'partially_filled'] }).rows;
  }

  /** Any open market; null if there is none. */
  anyOpenMarket(): string | null {
    const open = this.core.catalog.markets.filter(({ state, paused }) => state === 'open' && !paused);
    return open[this.#random.below(open.length)]?.card.conditionId ?? null;
  }

  /** Settles a market with a random outcome. */
  resolve(conditionId: string, nowMs: number): void {
    this.core.at(nowMs).markets.resolve(conditionId, this.#random.chance(0.5));
  }
}

export const contextOf = (core: ExchangeCore): HandlerContext => ({ core, wallets: new WalletSignatures() });

function limitsOf(limits: VenueProfile['rate_limits']): Readonly<Record<Scope, RateLimit>> {
  return {
    public: new RateLimit(limits.public_per_minute),
    signed: new RateLimit(limits.signed_per_minute),
    bootstrap: new RateLimit(limits.bootstrap_per_minute),
  };
}

export function openAccount(core: ExchangeCore, wallet: string, nowMs: number): AccountSlot {
  const challenge = core.at(nowMs).identity.challenge(wallet, 'nonce');
  if (!challenge.ok) throw new Error('no challenge');
  const { message, nonce } = challenge.value;
  const key = core.at(nowMs).identity.createKey({ wallet_address: wallet, message, nonce }, true, 'key', 'secret');
  const credential = key.ok ? core.identity.credential('key') : null;
  if (credential === null) throw new Error('no account');
  return credential.account;
}
