/**
 * One dishonest quoter in markets without another maker. It walks its own quotes away from the price that it knows to be
 * true, sells to the trader wherever the trader follows, and trades with itself so that the market looks alive.
 */

import { type AccountSlot, ASK, BID, type BookSide, type MarketIndex } from '../../../exchange/core/contract.js';
import type { ExchangeCore } from '../../../exchange/core/core.js';
import { ReplayMarket } from '../../../exchange/crowd/replay-market.js';
import { must } from '../../../shared/base/errors.js';
import { type Micros, ONE } from '../../../shared/base/micros.js';
import { Random } from '../../../shared/base/random.js';
import { playFromMemory } from '../../backtest/sources.js';
import { describeMarket } from './challenge-market.js';
import type { Scene, SceneMarket } from './scene.js';
import { LEAD_MS } from './stage.js';

const STEP_MS = 1000;
const TICKS = 100;
const TRUE_TICK = TICKS / 2;
/** Of each quote and each sale. */
const SHARES = 12;
/** Distance of the walk. */
const WALKED_TICKS = 34;
/** The scene ends long before. */
const RESOLVES_AFTER_MS = 86_400_000;
/** Time of the walk, s. */
const WALK_S = [120, 360] as const;
/** From the middle to each quote, in ticks: a trader has room to quote inside. */
const HALF_SPREAD_TICKS = [1, 6] as const;
/** A trade of its accounts with each other comes after a step with this probability. */
const WASH_CHANCE = 0.3;
/** Gain per share that the quoter wants at least, in ticks. */
const GAIN_TICKS = [4, 30] as const;
/** Shares of its quotes; some show more than a trader here would hold. They are canceled before each sale. */
const QUOTED = [SHARES, SHARES, 2000] as const;

interface Accounts {
  readonly quoter: AccountSlot;
  readonly seller: AccountSlot;
}

export class LiarScene implements Scene {
  readonly #core: ExchangeCore;
  readonly #settings: { readonly seed: number; readonly markets: number };
  readonly #random: Random;
  #markets: readonly LiarMarket[] = [];
  #dueMs = Number.POSITIVE_INFINITY;
  /** Every other account here knows the truth. */
  readonly isInformed = true;

  constructor(core: ExchangeCore, settings: { readonly seed: number; readonly markets: number }) {
    this.#core = core;
    this.#settings = settings;
    this.#random = Random.fromSeed(settings.seed, 'liar');
  }

  open(nowMs: number): readonly LiarMarket[] {
    const account = (name: string) => this.#core.openInternalAccount(nowMs, name, { unlimited: true });
    const accounts = { quoter: account('quoter'), seller: account('seller') };
    this.#markets = Array.from(
      { length: this.#settings.markets },
      (_, place) => new LiarMarket(this.#core, accounts, this.#random, `market ${place + 1}`),
    );
    for (const market of this.#markets) market.open(nowMs, nowMs + RESOLVES_AFTER_MS);
    this.#dueMs = nowMs + STEP_MS;
    return this.#markets;
  }

  nextDueMs(): number {
    return this.#dueMs;
  }

  tick(nowMs: number): void {
    for (; this.#dueMs <= nowMs; this.#dueMs += STEP_MS) for (const market of this.#markets) market.step(this.#dueMs);
  }

  close(market: LiarMarket, nowMs: number): void {
    market.close(nowMs, this.#random.chance(market.probability));
  }
}

const between = (random: Random, [from, to]: readonly [number, number]): number =>
  from + (to - from) * random.uniform();

class LiarMarket implements SceneMarket {
  readonly source: SceneMarket['source'];
  readonly probability = TRUE_TICK / TICKS;
  outcome: boolean | null = null;
  readonly #core: ExchangeCore;
  readonly #accounts: Accounts;
  readonly #market: ReplayMarket;
  readonly #rises: boolean;
  readonly #walkS: number;
  readonly #gainTicks: number;
  readonly #halfTicks: number;
  readonly #quoted: number;
  readonly #random: Random;
  #index: MarketIndex | null = null;
  #fromMs = 0;
  #quotes: readonly number[] = [];

  constructor(core: ExchangeCore, accounts: Accounts, random: Random, name: string) {
    this.#core = core;
    this.#accounts = accounts;
    const market = describeMarket(name);
    this.source = playFromMemory(market, []);
    this.#market = new ReplayMarket(core, market);
    this.#rises = random.chance(0.5);
    this.#walkS = between(random, WALK_S);
    this.#gainTicks = Math.round(between(random, GAIN_TICKS));
    this.#halfTicks = Math.round(between(random, HALF_SPREAD_TICKS));
    this.#random = random;
    this.#quoted = QUOTED[random.below(QUOTED.length)] ?? SHARES;
  }

  get index(): MarketIndex {
    return must(this.#index, 'an open market');
  }

  open(nowMs: number, closesMs: number): void {
    this.#market.open(nowMs, closesMs);
    this.#index = this.#core.findMarketIndex(this.source.market.conditionId);
    this.#fromMs = nowMs + LEAD_MS;
  }

  /** Between its cancel and its new quotes the quoter sees the trader's orders alone. */
  step(nowMs: number): void {
    for (const handle of this.#quotes) this.#core.cancelInternal(nowMs, handle);
    this.#sell(nowMs);
    const part = Math.min(1, Math.max(0, (nowMs - this.#fromMs) / (this.#walkS * 1000)));
    const middle = TRUE_TICK + Math.round((this.#rises ? 1 : -1) * WALKED_TICKS * part);
    const [ownBid, ownAsk] = [this.#best(BID) ?? 0, this.#best(ASK) ?? TICKS];
    // Behind the trader's orders where its own would trade with them.
    const bid = Math.min(middle - this.#halfTicks, ownAsk - 1);
    const ask = Math.max(middle + this.#halfTicks, ownBid + 1);
    this.#quotes = [
      this.#place(nowMs, this.#accounts.quoter, BID, bid, this.#quoted, false),
      this.#place(nowMs, this.#accounts.quoter, ASK, ask, this.#quoted, false),
    ];
    if (!this.#random.chance(WASH_CHANCE)) return;
    // At a price where only the quoter has orders.
    if (this.#rises && ownAsk > ask) this.#place(nowMs, this.#accounts.seller, BID, ask, 1, true);
    if (!this.#rises && ownBid < bid) this.#place(nowMs, this.#accounts.seller, ASK, bid, 1, true);
  }

  close(nowMs: number, outcome: boolean): void {
    this.outcome = outcome;
    this.#market.close(nowMs);
    this.#core.resolveMarket(nowMs, this.source.market.conditionId, outcome);
  }

  /** Sells YES to bids far above the truth, or NO to asks far below. */
  #sell(nowMs: number): void {
    const { seller } = this.#accounts;
    const [bid, ask] = [this.#best(BID), this.#best(ASK)];
    if (bid !== null && bid >= TRUE_TICK + this.#gainTicks) this.#place(nowMs, seller, ASK, bid, SHARES, true);
    if (ask !== null && ask <= TRUE_TICK - this.#gainTicks) this.#place(nowMs, seller, BID, ask, SHARES, true);
  }

  #best(side: BookSide): number | null {
    const price = side === BID ? this.#core.bestBid(this.index) : this.#core.bestAsk(this.index);
    return price === null ? null : (price * TICKS) / ONE;
  }

  #place(
    nowMs: number,
    account: AccountSlot,
    side: BookSide,
    tick: number,
    shares: number,
    immediate: boolean,
  ): number {
    if (tick < 1 || tick >= TICKS) return 0;
    // Whole ticks and whole shares are integers of millionths.
    const [price, amount] = [((tick * ONE) / TICKS) as Micros, (shares * ONE) as Micros];
    return this.#core.placeInternal(nowMs, account, this.index, side, price, amount, immediate);
  }
}
