/** One market of the crowd, and its traders; traders act at their own random times. */

import type { Micros } from '../../shared/base/micros.js';
import { Random } from '../../shared/base/random.js';
import { isSettledMarket } from '../../shared/protocol/states.js';
import { type AccountSlot, ASK, BID, type BookSide, type MarketIndex } from '../core/contract.js';
import type { ExchangeCore } from '../core/core.js';

/** Distance of the best level from the estimate at a price of 0.50, in ticks. The distance shrinks near 0 and 1. */
const HALF_SPREAD_TICKS = 3.5;
const LEAST_HALF_SPREAD_TICKS = 1.5;
/** Ticks behind the best level, and usual size in shares. */
const LADDER = [
  { behind: 0, shares: 40 },
  { behind: 1, shares: 60 },
  { behind: 2, shares: 90 },
  { behind: 4, shares: 140 },
  { behind: 7, shares: 250 },
] as const;
/** Time in which the estimate closes 63 % of its gap: the price is wrong after news for about this time. */
const LAG_MS = 20_000;
/** Deviation of the estimate's error in log-odds (a cent and a quarter at a price of 0.50), and its duration. */
const ERROR_SIGMA = 0.05;
const ERROR_MS = 60_000;
/** A level with less than this fraction of its size is refilled (at the end of the queue). */
const WORN_PART = 0.4;

interface Level {
  readonly tick: number;
  readonly handle: number;
  readonly shares: number;
}

/** The crowd's market maker: several levels on both sides of an estimate that lags behind the truth with some error. */
class CompetingMaker {
  readonly #core: ExchangeCore;
  readonly #account: AccountSlot;
  readonly #market: MarketIndex;
  readonly #random: Random;
  /** Log-odds. */
  #estimate: number;
  #error = 0;
  #atMs: number;
  #levels: readonly [Level[], Level[]] = [[], []];

  constructor(
    core: ExchangeCore,
    account: AccountSlot,
    market: MarketIndex,
    random: Random,
    estimate: number,
    nowMs: number,
  ) {
    this.#core = core;
    this.#account = account;
    this.#market = market;
    this.#random = random;
    this.#estimate = estimate;
    this.#atMs = nowMs;
  }

  /** Reads the truth (log-odds), moves its estimate and requotes; an order that is still right keeps its place. */
  requote(nowMs: number, truth: number): void {
    this.#learn(nowMs, truth);
    const fair = sigmoid(this.#estimate + this.#error);
    const half = Math.max(LEAST_HALF_SPREAD_TICKS, HALF_SPREAD_TICKS * 2 * Math.sqrt(fair * (1 - fair)));
    const bids = ladder(Math.floor(100 * fair - half), -1);
    const asks = ladder(Math.ceil(100 * fair + half), 1);
    this.#levels = [this.#cancelOther(nowMs, BID, bids), this.#cancelOther(nowMs, ASK, asks)];
    this.#placeMissing(nowMs, BID, bids);
    this.#placeMissing(nowMs, ASK, asks);
  }

  withdraw(nowMs: number): void {
    for (const level of this.#levels.flat()) this.#core.at(nowMs).internal.cancel(level.handle);
    this.#levels = [[], []];
  }

  #learn(nowMs: number, truth: number): void {
    const elapsedMs = nowMs - this.#atMs;
    this.#atMs = nowMs;
    this.#estimate = truth + (this.#estimate - truth) * Math.exp(-elapsedMs / LAG_MS);
    const kept = Math.exp(-elapsedMs / ERROR_MS);
    this.#error = this.#error * kept + ERROR_SIGMA * Math.sqrt(1 - kept * kept) * this.#random.normal();
  }

  #cancelOther(nowMs: number, side: BookSide, wanted: readonly Rung[]): Level[] {
    return this.#levels[side].filter((level) => {
      const left = this.#core.internal.remaining(level.handle) / 1_000_000;
      const right = wanted.some((rung) => rung.tick === level.tick) && left >= WORN_PART * level.shares;
      if (!right && left > 0) this.#core.at(nowMs).internal.cancel(level.handle);
      return right;
    });
  }

  #placeMissing(nowMs: number, side: BookSide, wanted: readonly Rung[]): void {
    const held = this.#levels[side];
    for (const { tick, shares: usual } of wanted) {
      if (held.some((level) => level.tick === tick)) continue;
      // A maker: a price that would trade at once is omitted until the book has moved.
      const opposite = bestTick(this.#core, this.#market, side === BID ? ASK : BID);
      if (opposite !== null && (side === BID ? tick >= opposite : tick <= opposite)) continue;
      const shares = Math.round(usual * (0.6 + 0.8 * this.#random.uniform()));
      const handle = this.#core
        .at(nowMs)
        .internal.place(this.#account, this.#market, side, tickToMicros(tick), sharesToMicros(shares), false);
      if (handle > 0) held.push({ tick, handle, shares });
    }
  }
}

type Rung = Omit<Level, 'handle'>;

function ladder(best: number, direction: 1 | -1): Rung[] {
  return LADDER.map(({ behind, shares }) => ({ tick: best + direction * behind, shares })).filter(
    ({ tick }) => tick >= LOWEST_TICK && tick <= HIGHEST_TICK,
  );
}

const HOUR_MS = 3_600_000;

/** Deviation of log-odds per hour; at a price of 0.50 that is 2 cents per minute. */
const SIGMA_PER_SQRT_HOUR = 0.6;
/** Mean reversion per hour, without which a market would stay near 0.01 or 0.99 for most of its days. */
const REVERSION_PER_HOUR = 0.4;
/** News: on average one jump in 40 minutes, of 7 cents at a price of 0.50. */
const JUMP_MEAN_MS = 40 * 60_000;
const JUMP_SIGMA = 0.3;
/** Deviation of start prices: two of three are between 0.35 and 0.65. */
const START_SIGMA = 0.6;

/** An Ornstein–Uhlenbeck process in log-odds with jumps. Steps are exact for any length. */
class HiddenValue {
  readonly #random: Random;
  readonly #mean: number;
  #x: number;
  #atMs: number;
  #jumpMs: number;

  /** `mean`: log-odds of the mean reversion; `x`: log-odds now. */
  constructor(random: Random, mean: number, x: number, nowMs: number) {
    this.#random = random;
    this.#mean = mean;
    this.#x = x;
    this.#atMs = nowMs;
    this.#jumpMs = nowMs + random.exponential(JUMP_MEAN_MS);
  }

  static drawStart(random: Random): number {
    return START_SIGMA * random.normal();
  }

  /** Log-odds at this time, which never goes back. */
  at(nowMs: number): number {
    while (this.#jumpMs <= nowMs) {
      this.#diffuse(this.#jumpMs);
      this.#x += JUMP_SIGMA * this.#random.normal();
      this.#jumpMs += this.#random.exponential(JUMP_MEAN_MS);
    }
    this.#diffuse(nowMs);
    return this.#x;
  }

  /** Probability at the last call. */
  get probability(): number {
    return sigmoid(this.#x);
  }

  #diffuse(nowMs: number): void {
    const hours = (nowMs - this.#atMs) / HOUR_MS;
    if (hours <= 0) return;
    this.#atMs = nowMs;
    const kept = Math.exp(-REVERSION_PER_HOUR * hours);
    const deviation = SIGMA_PER_SQRT_HOUR * Math.sqrt((1 - kept * kept) / (2 * REVERSION_PER_HOUR));
    this.#x = this.#mean + (this.#x - this.#mean) * kept + deviation * this.#random.normal();
  }
}

/** The probability, 0 to 1, of these log-odds. */
export const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
/** The log-odds of a probability strictly between 0 and 1. */
const logit = (p: number): number => Math.log(p / (1 - p));

/** Accounts by kind of trader, so that kinds trade with each other. */
export type CrowdAccounts = Readonly<Record<'maker' | 'noise' | 'informed', AccountSlot>>;

/** Ticks of one cent in micros; the crowd counts prices in ticks, 1 to 99. */
const TICK_MICROS = 10_000;
export const LOWEST_TICK = 1;
export const HIGHEST_TICK = 99;

// Whole ticks and shares are integers of millionths far below 2^53.
/** The price of a tick of the crowd's markets. */
export const tickToMicros = (tick: number): Micros => (tick * TICK_MICROS) as Micros;
/** Converts whole shares to Micros. */
export const sharesToMicros = (shares: number): Micros => (shares * 1_000_000) as Micros;

/** Best price of a side in ticks; null for an empty side. */
export function bestTick(core: ExchangeCore, market: MarketIndex, side: BookSide): number | null {
  const price = core.catalog.market(market).bestPrice(side);
  return price === null ? null : price / TICK_MICROS;
}

/** Visible price, in (0, 1): the book's mid, else the price of its only side, else the last trade. */
function visiblePrice(core: ExchangeCore, market: MarketIndex): number {
  const bid = bestTick(core, market, BID);
  const ask = bestTick(core, market, ASK);
  if (bid !== null && ask !== null) return (bid + ask) / 200;
  const only = bid ?? ask;
  if (only !== null) return only / 100;
  const last = core.marketFacts(market).lastTradePrice;
  return last === null ? 0.5 : last / 1_000_000;
}

/** Mean waiting times, ms. */
const NOISE_MEAN_MS = 3000;
const INFORMED_MEAN_MS = 3000;
const MAKER_MEAN_MS = 2500;
/** A noise taker pays up to this much (mean, in ticks) beyond the visible price: half of them trade at two cents. */
const NOISE_REACH_TICKS = 3;
/** Sizes in shares: lognormal, median 3. */
const NOISE_SIZE_LOG = Math.log(3);
const NOISE_SIZE_SIGMA = 0.8;
const LARGEST_NOISE_SHARES = 60;
/** Minimum gain of an informed taker, ticks: the fee of one per cent and a profit. */
const INFORMED_EDGE_TICKS = 1;
const INFORMED_SHARES = { least: 15, spread: 45 } as const;

/** One listed question with its hidden probability and everyone who trades on it, until it resolves. */
export class CrowdMarket {
  readonly conditionId: string;
  readonly index: MarketIndex;
  readonly #core: ExchangeCore;
  readonly #accounts: CrowdAccounts;
  readonly #random: Random;
  readonly #hidden: HiddenValue;
  readonly #maker: CompetingMaker;
  readonly #resolvesMs: number;
  #noiseMs: number;
  #informedMs: number;
  #makerMs: number;

  /** Begins to trade on a market that exists; one with a past goes on from its last price. */
  constructor(
    core: ExchangeCore,
    accounts: CrowdAccounts,
    conditionId: string,
    index: MarketIndex,
    seed: number,
    nowMs: number,
  ) {
    this.#core = core;
    this.#accounts = accounts;
    this.conditionId = conditionId;
    this.index = index;
    const facts = core.marketFacts(index);
    this.#resolvesMs = (facts.resolutionDate ?? Number.POSITIVE_INFINITY) * 1000;
    // The mean belongs to the market; the rest is drawn again at each start, so that a restart does not repeat itself.
    const mean = HiddenValue.drawStart(Random.fromSeed(seed, conditionId));
    this.#random = Random.fromSeed(seed, `${conditionId}/${nowMs}`);
    const x = facts.lastTradePrice === null ? mean : logit(facts.lastTradePrice / 1_000_000);
    this.#hidden = new HiddenValue(this.#random, mean, x, nowMs);
    this.#maker = new CompetingMaker(core, accounts.maker, index, this.#random, x, nowMs);
    this.#makerMs = nowMs;
    this.#noiseMs = nowMs + this.#random.exponential(NOISE_MEAN_MS);
    this.#informedMs = nowMs + this.#random.exponential(INFORMED_MEAN_MS);
  }

  /** Returns the next due time; exchange clock, Unix ms. */
  nextDueMs(): number {
    return Math.min(this.#makerMs, this.#noiseMs, this.#informedMs);
  }

  /** The hidden probability as of the last event. */
  get fairProbability(): number {
    return this.#hidden.probability;
  }

  /** The market is settled, by its date or by an operator: the crowd stops trading it. */
  get settled(): boolean {
    return isSettledMarket(this.#core.marketFacts(this.index).state);
  }

  /** Skips work due before this time; the truth moves on. */
  skipTo(timeMs: number): void {
    this.#makerMs = Math.max(this.#makerMs, timeMs);
    this.#noiseMs = Math.max(this.#noiseMs, timeMs);
    this.#informedMs = Math.max(this.#informedMs, timeMs);
  }

  /** Does the next due work. In a market that is not open only time passes. */
  step(): void {
    const dueMs = this.nextDueMs();
    const nowMs = Math.ceil(dueMs);
    const truth = this.#hidden.at(nowMs);
    const open = this.#core.marketFacts(this.index).state === 'open';
    if (open && nowMs >= this.#resolvesMs) {
      this.#resolve(nowMs);
    } else if (dueMs === this.#makerMs) {
      this.#makerMs += this.#random.exponential(MAKER_MEAN_MS);
      if (open) this.#maker.requote(nowMs, truth);
    } else if (dueMs === this.#noiseMs) {
      this.#noiseMs += this.#random.exponential(NOISE_MEAN_MS);
      if (open) this.#takeAtRandom(nowMs);
    } else {
      this.#informedMs += this.#random.exponential(INFORMED_MEAN_MS);
      if (open) this.#takeIfWrong(nowMs, sigmoid(truth));
    }
  }

  withdraw(nowMs: number): void {
    this.#maker.withdraw(nowMs);
  }

  #resolve(nowMs: number): void {
    this.#core.at(nowMs).markets.setState(this.conditionId, 'waiting_to_resolve');
    this.#core.at(nowMs).markets.resolve(this.conditionId, this.#random.chance(this.#hidden.probability));
  }

  /** Noise: a random side near the visible price. */
  #takeAtRandom(nowMs: number): void {
    const side = this.#random.chance(0.5) ? BID : ASK;
    const reach = this.#random.exponential(NOISE_REACH_TICKS);
    const shares = Math.round(Math.exp(NOISE_SIZE_LOG + NOISE_SIZE_SIGMA * this.#random.normal()));
    const visible = 100 * visiblePrice(this.#core, this.index);
    const limit = side === BID ? visible + reach : visible - reach;
    this.#take(nowMs, this.#accounts.noise, side, limit, Math.min(LARGEST_NOISE_SHARES, Math.max(1, shares)));
  }

  /** Information: takes the book's offers on the wrong side of the truth. */
  #takeIfWrong(nowMs: number, probability: number): void {
    const shares = INFORMED_SHARES.least + this.#random.below(INFORMED_SHARES.spread);
    const fair = 100 * probability;
    const { informed } = this.#accounts;
    this.#take(nowMs, informed, BID, fair - INFORMED_EDGE_TICKS, shares);
    this.#take(nowMs, informed, ASK, fair + INFORMED_EDGE_TICKS, shares);
  }

  /** Trades up to this limit (in ticks), if the book offers anything. */
  #take(nowMs: number, account: number, side: BookSide, limitTicks: number, shares: number): void {
    const tick =
      side === BID ? Math.min(HIGHEST_TICK, Math.floor(limitTicks)) : Math.max(LOWEST_TICK, Math.ceil(limitTicks));
    if (tick < LOWEST_TICK || tick > HIGHEST_TICK) return;
    const opposite = bestTick(this.#core, this.index, side === BID ? ASK : BID);
    if (opposite === null || (side === BID ? opposite > tick : opposite < tick)) return;
    this.#core.at(nowMs).internal.place(account, this.index, side, tickToMicros(tick), sharesToMicros(shares), true);
  }
}
