/** The crowd's market maker: several levels on both sides of an estimate that lags behind the truth with some error. */

import type { Random } from '../../shared/base/random.js';
import { type AccountSlot, ASK, BID, type BookSide, type MarketIndex } from '../core/contract.js';
import type { ExchangeCore } from '../core/core.js';
import { bestTick, HIGHEST_TICK, LOWEST_TICK, sharesToMicros, tickToMicros } from './crowd-core.js';
import { sigmoid } from './hidden-value.js';

/**
 * Distance of the best level from the estimate at a price of 0.50, in ticks: wide enough for a careful trader to quote
 * inside. It shrinks with the deviation of the outcome; otherwise there would be no bids below five cents.
 */
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
/** The estimate closes 63 % of its gap in this time: after news there is a wrong price to take for about as long. */
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

/** Quotes one of the crowd's markets and moves its quotes with its estimate. */
export class CompetingMaker {
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

interface Rung {
  readonly tick: number;
  readonly shares: number;
}

function ladder(best: number, direction: 1 | -1): Rung[] {
  return LADDER.map(({ behind, shares }) => ({ tick: best + direction * behind, shares })).filter(
    ({ tick }) => tick >= LOWEST_TICK && tick <= HIGHEST_TICK,
  );
}
