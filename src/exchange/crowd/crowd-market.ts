/** One of the crowd's markets and its traders: each acts at its own random times. */

import { Random } from '../../shared/base/random.js';
import { isSettledMarket } from '../../shared/protocol/states.js';
import { ASK, BID, type BookSide, type MarketIndex } from '../core/contract.js';
import type { ExchangeCore } from '../core/core.js';
import { CompetingMaker } from './competing-maker.js';
import {
  bestTick,
  type CrowdAccounts,
  HIGHEST_TICK,
  LOWEST_TICK,
  sharesToMicros,
  tickToMicros,
  visiblePrice,
} from './crowd-core.js';
import { HiddenValue, logit, sigmoid } from './hidden-value.js';

/** Mean waiting times, ms. */
const NOISE_MEAN_MS = 3000;
const INFORMED_MEAN_MS = 3000;
const MAKER_MEAN_MS = 2500;
/**
 * A noise taker pays up to this much (mean, in ticks) beyond the visible price, so demand falls as exp(-distance/3 cents):
 * half of them trade at two cents.
 */
const NOISE_REACH_TICKS = 3;
/** Sizes in shares: lognormal, median 3. */
const NOISE_SIZE_LOG = Math.log(3);
const NOISE_SIZE_SIGMA = 0.8;
const LARGEST_NOISE_SHARES = 60;
/** What an informed taker wants to gain, in ticks: the fee of one per cent and something for himself. */
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

  /** Exchange clock, Unix ms. */
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
