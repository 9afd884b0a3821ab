/** The trader's own poll plan and estimators on known markets, in virtual time. */

import { type Micros, micros, ONE } from '../../../src/shared/base/micros.js';
import { Volatility } from '../../../src/trader/market/estimators.js';
import { MarkTrust } from '../../../src/trader/market/venue-marks.js';
import { PollPlan } from '../../../src/trader/scheduler/poll-plan.js';
import type { RestingQuote } from '../../../src/trader/scheduler/stale-index.js';
import { pollSettings } from '../../trader/scheduler/world.js';
import { JUMP_RATE, SECONDS, TAKERS_PER_S, TICK, type TrueMarket } from './world.js';

type PolledMarket = Parameters<PollPlan['takeDue']>[1]['markets'][number];

const STEP_MS = 500;
/** Delay from a poll until the quotes are moved, s. */
const REACTION_S = 2;
/** Learning time before this second is not counted. */
const COUNTED_FROM_S = 1800;
/** Delay until own trades are read, s. */
const FILL_KNOWN_S = 1;

export interface Watched {
  /** Expected loss of stale quotes, currency. */
  readonly loss: number;
  readonly looks: number;
  /** The longest time between two polls of a market, s. */
  readonly longestGapS: number;
}

export interface WatchOptions {
  /** Uses the true volatility and jump rate in place of estimates. */
  readonly knowsTruth?: boolean;
  /** Polls a market when one of our quotes there is filled. */
  readonly looksAfterFills?: boolean;
  /** Interval at which the venue sends the mark of each market with a position, s; absent: never. */
  readonly marksEveryS?: number;
  /** From this second on each mark is wrong by a random distance of up to six ticks. */
  readonly marksLieFromS?: number;
}

/** One market in the trader's view. */
class SeenMarket implements PolledMarket {
  readonly marketConditionId: string;
  readonly isOver = false;
  readonly takersPerS = TAKERS_PER_S;
  readonly usualDistance = TICK;
  readonly quotes: readonly RestingQuote[];
  readonly truth: TrueMarket;
  seenMs: number | null = null;
  price = 0.5;
  sigmaPerSqrtS = 0;
  jumpsPerS = JUMP_RATE;
  loss = 0;
  longestGapS = 0;
  readonly #volatility = new Volatility();
  readonly #knowsTruth: boolean;
  readonly #bid: { side: 'bid'; priceMicros: Micros; remainingMicros: Micros };
  readonly #ask: { side: 'ask'; priceMicros: Micros; remainingMicros: Micros };
  /** Centre of our quotes, now and after the reaction to the newest poll. */
  #centre: number | null = null;
  #coming: { readonly centre: number; readonly atS: number }[] = [];
  #taker = 0;
  markMove = 0;
  #mark: { readonly price: number; readonly second: number } | null = null;
  readonly #marks: MarkTrust;

  constructor(truth: TrueMarket, knowsTruth: boolean, marks = new MarkTrust()) {
    this.#marks = marks;
    this.truth = truth;
    this.marketConditionId = truth.id;
    this.#knowsTruth = knowsTruth;
    const remainingMicros = micros(Math.round(truth.shares * ONE));
    this.#bid = { side: 'bid', priceMicros: micros(0), remainingMicros };
    this.#ask = { side: 'ask', priceMicros: micros(0), remainingMicros };
    this.quotes = [this.#bid, this.#ask];
  }

  look(second: number): void {
    const { prices, sigmas, distance } = this.truth;
    // Mids are multiples of half a tick.
    const mid = Math.round((prices[second] ?? 0.5) / (TICK / 2)) * (TICK / 2);
    if (this.seenMs !== null) this.longestGapS = Math.max(this.longestGapS, second - this.seenMs / 1000);
    if (this.seenMs !== null && this.#mark !== null && second - this.#mark.second <= 30) {
      const moved = (a: number) => Math.abs(a - this.price) >= TICK / 2;
      this.#marks.note(moved(this.#mark.price), moved(mid));
    }
    this.#mark = null;
    this.markMove = 0;
    this.seenMs = second * 1000;
    this.price = Math.max(TICK / 2, Math.min(1 - TICK / 2, mid));
    this.#volatility.observe(this.price, this.seenMs, TICK / 2);
    const sigma = this.#knowsTruth ? (sigmas[second] ?? 0) : this.#volatility.sigmaPerSqrtS;
    this.sigmaPerSqrtS = sigma * this.price * (1 - this.price);
    if (!this.#knowsTruth) this.jumpsPerS = this.#volatility.jumpsPerS;
    this.#bid.priceMicros = micros(Math.round((this.price - distance) * ONE));
    this.#ask.priceMicros = micros(Math.round((this.price + distance) * ONE));
    this.#coming.push({ centre: this.price, atS: second + REACTION_S });
  }

  /** Receives the venue's mark of a share. */
  tell(price: number, second: number): void {
    this.#mark = { price, second };
    this.markMove = this.#marks.isBelieved ? Math.max(0, Math.abs(price - this.price) - TICK / 2) : 0;
  }

  /** Advances by a second; true when one of our quotes is filled in it. */
  pass(second: number): boolean {
    while (this.#coming[0] !== undefined && this.#coming[0].atS <= second)
      this.#centre = this.#coming.shift()?.centre ?? this.#centre;
    const { prices, shares, distance, takersS } = this.truth;
    const gain = this.#centre === null ? 0 : Math.abs((prices[second] ?? 0.5) - this.#centre) - distance;
    if (gain > 0 && second >= COUNTED_FROM_S) this.loss += TAKERS_PER_S * shares * gain;
    let isHit = false;
    for (; (takersS[this.#taker] ?? Number.POSITIVE_INFINITY) < second + 1; this.#taker++) isHit ||= gain > 0;
    return isHit;
  }
}

const sum = (seen: readonly SeenMarket[]): Omit<Watched, 'looks'> => ({
  loss: seen.reduce((all, { loss }) => all + loss, 0),
  longestGapS: seen.reduce((longest, { longestGapS }) => Math.max(longest, longestGapS), 0),
});

/** The loss left by the trader's plan. */
export function watch(world: readonly TrueMarket[], options: WatchOptions = {}): Watched {
  const marks = new MarkTrust();
  const markets = world.map((truth) => new SeenMarket(truth, options.knowsTruth === true, marks));
  const byId = new Map(markets.map((market) => [market.marketConditionId, market]));
  const plan = new PollPlan(pollSettings());
  let looks = 0;
  const told: { readonly id: string; readonly atMs: number }[] = [];
  for (let nowMs = 0; nowMs < SECONDS * 1000; nowMs += STEP_MS) {
    const second = Math.floor(nowMs / 1000);
    for (; told[0] !== undefined && told[0].atMs <= nowMs; told.shift())
      plan.expedite({ kind: 'book', marketConditionId: told[0].id });
    for (const { owner } of plan.takeDue(nowMs, { ...FACTS, markets })) {
      if (owner.kind !== 'poll') continue;
      const { target } = owner;
      if (target.kind === 'book' && 'marketConditionId' in target) {
        byId.get(target.marketConditionId)?.look(second);
        looks++;
      }
      if (target.kind === 'details')
        for (const { marketConditionId } of markets) plan.onSeen({ kind: 'detail', marketConditionId }, nowMs);
      plan.onReport(target, 'ok', nowMs);
    }
    if (nowMs % 1000 !== 0) continue;
    if (options.marksEveryS !== undefined && second % options.marksEveryS === 0)
      for (const market of markets) {
        const truth = market.truth.prices[second] ?? 0.5;
        const lie = second >= (options.marksLieFromS ?? Number.POSITIVE_INFINITY) ? (second % 7) * TICK : 0;
        market.tell(Math.round((truth + lie) / (TICK / 2)) * (TICK / 2), second);
      }
    for (const market of markets) {
      const isHit = market.pass(second);
      if (isHit && options.looksAfterFills === true)
        told.push({ id: market.marketConditionId, atMs: nowMs + FILL_KNOWN_S * 1000 });
    }
  }
  return { ...sum(markets), looks };
}

/** The loss left by round-robin polling with this number of polls. */
export function goRound(world: readonly TrueMarket[], looks: number): Watched {
  const markets = world.map((truth) => new SeenMarket(truth, false));
  let made = 0;
  for (let second = 0; second < SECONDS; second++) {
    for (; made < (looks * (second + 1)) / SECONDS; made++) markets[made % markets.length]?.look(second);
    for (const market of markets) market.pass(second);
  }
  return { ...sum(markets), looks: made };
}

/** The venue's limits; nothing else makes public requests. */
const FACTS: Omit<Parameters<PollPlan['takeDue']>[1], 'markets'> = {
  openOrders: 1,
  // Details are read by pages.
  openMarketPages: 2,
  publicPerMinute: 114,
  signedPerMinute: 285,
  publicHeadroom: () => 100,
};
