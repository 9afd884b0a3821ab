/** Decides what to look at next. See `Poller` for what it promises. */

import type { Ask } from '../protocol/seam.js';
import {
  type AccountPoll,
  MARKET_POLLS,
  type MarketPoll,
  type PolledMarket,
  type Poller,
  type PollFacts,
  type PollResult,
  type PollSettings,
  type PollTarget,
} from './contract.js';
import { pollCall, pollLane } from './poll-calls.js';
import { PollMemory } from './poll-memory.js';
import { parsePollTag, pollTag } from './tags.js';

/** Part of the public budget that polls may use; the rest is for further pages and for looks that others ask. */
const PUBLIC_PART = 0.9;
/** Part of the signed budget that polls of own state may use; their intervals stretch when it is small. */
const SIGNED_PART = 0.3;
/** How each kind shares the polls of markets while all want more than there is. What one leaves, the others use. */
const SHARES: Readonly<Record<MarketPoll, number>> = { book: 0.68, trades: 0.22, detail: 0.1 };
/** Polls that may leave at once after a quiet while: enough to begin quoting four markets without waiting. */
const BURST = 12;
/** A detail changes when a market opens, closes or resolves. */
const DETAIL_INTERVAL_MS = 60_000;
/** Own orders are a check on what own trades and answers have told; fills matter more. */
const ORDERS_PER_FILLS = 5;
/** With nothing resting there is nothing to fill. */
const IDLE_FACTOR = 5;
/** Shares by which a market without orders of ours counts as a place to quote. */
const BASE_SHARES_MICROS = 5_000_000;
/** How much sooner trades are read where our orders rest. */
const RESTING_TRADES_WEIGHT = 4;
/** A poll that found no budget for so long is planned anew, with what is known then. */
const PATIENCE_MS = 10_000;

export class PollPlan implements Poller {
  readonly #settings: PollSettings;
  readonly #memory = new PollMemory();
  /** Polls of markets that the budget has earned since it was last used, at most `BURST`. */
  #credit = BURST;
  #creditMs: number | null = null;
  /** Stride scheduling: the kind that is furthest behind its share goes next. */
  readonly #used: Record<MarketPoll, number> = { book: 0, trades: 0, detail: 0 };
  #bookTurns = 0;

  constructor(settings: PollSettings) {
    this.#settings = settings;
  }

  /** Polls remembered: bounded by what is polled. */
  get size(): number {
    return this.#memory.size;
  }

  due(nowMs: number, facts: PollFacts): Ask[] {
    this.#forget(facts);
    const asks: Ask[] = [];
    for (const [kind, intervalMs] of this.#accountIntervals(facts)) {
      if (this.#memory.ready(pollTag({ kind }), intervalMs, nowMs)) asks.push(this.#ask({ kind }, nowMs, false));
    }
    this.#earn(nowMs, facts.publicPerMinute);
    const catalog = asks.filter((ask) => ask.tag === pollTag({ kind: 'catalog' })).length;
    this.#credit -= catalog;
    let room = facts.publicHeadroom - catalog;
    while (this.#credit >= 1 && room >= 1) {
      const ask = this.#nextMarketPoll(nowMs, facts);
      if (ask === null) break;
      asks.push(ask);
      this.#credit--;
      room--;
    }
    return asks;
  }

  onReport(tag: string, result: PollResult, nowMs: number): void {
    this.#memory.ended(tag, result, nowMs);
  }

  expedite(target: PollTarget): void {
    this.#memory.expedite(pollTag(target));
  }

  /** Own state and the catalog, each with the time between two looks. */
  #accountIntervals({ openOrders, signedPerMinute }: PollFacts): [AccountPoll, number][] {
    const { ownTrades, ownIntervalMs, assetsIntervalMs, catalogIntervalMs } = this.#settings;
    const pace = ownIntervalMs * (openOrders > 0 ? 1 : IDLE_FACTOR);
    const own: [AccountPoll, number][] = ownTrades
      ? [
          ['fills', pace],
          ['orders', pace * ORDERS_PER_FILLS],
          ['assets', assetsIntervalMs],
        ]
      : [
          ['orders', pace],
          ['assets', assetsIntervalMs],
        ];
    const wanted = own.reduce((sum, [, intervalMs]) => sum + 60_000 / intervalMs, 0);
    const stretch = Math.max(1, wanted / (signedPerMinute * SIGNED_PART));
    const stretched = own.map(([kind, intervalMs]): [AccountPoll, number] => [kind, intervalMs * stretch]);
    return [...stretched, ['catalog', catalogIntervalMs]];
  }

  #earn(nowMs: number, publicPerMinute: number): void {
    const elapsedMs = Math.max(0, nowMs - (this.#creditMs ?? nowMs));
    this.#creditMs = nowMs;
    this.#credit = Math.min(BURST, this.#credit + (elapsedMs * publicPerMinute * PUBLIC_PART) / 60_000);
  }

  #nextMarketPoll(nowMs: number, facts: PollFacts): Ask | null {
    const byNeed = [...MARKET_POLLS].sort((a, b) => this.#used[a] - this.#used[b]);
    for (const kind of byNeed) {
      const market = kind === 'book' ? this.#nextBook(nowMs, facts) : this.#nextOf(kind, nowMs, facts);
      if (market === null) continue;
      // A kind that had nothing to ask for does not save its share up for later.
      for (const idle of byNeed.slice(0, byNeed.indexOf(kind))) this.#used[idle] = this.#used[kind];
      this.#used[kind] += 1 / SHARES[kind];
      const { marketConditionId } = market;
      // A book says nothing without the detail that gives its grid, so the first detail goes in the book's place.
      const first = kind === 'book' && this.#needsDetail(marketConditionId, nowMs);
      return this.#ask({ kind: first ? 'detail' : kind, marketConditionId }, nowMs, market.restingMicros > 0);
    }
    return null;
  }

  /**
   * Every other book is that of the market that has waited longest beyond its time, so that none starves; the others go
   * where a stale quote costs most: what rests there x how far the price has probably moved.
   */
  #nextBook(nowMs: number, { markets }: PollFacts): PolledMarket | null {
    const { hotIntervalMs, quietIntervalMs } = this.#settings;
    const ready = markets.filter(({ marketConditionId }) => {
      if (this.#needsDetail(marketConditionId, nowMs)) return true;
      const detailUnknown = !this.#memory.answered(tagOf('detail', marketConditionId));
      return !detailUnknown && this.#memory.ready(tagOf('book', marketConditionId), hotIntervalMs, nowMs);
    });
    const age = ({ marketConditionId }: PolledMarket) => this.#memory.age(tagOf('book', marketConditionId), nowMs);
    const overdue = ready.filter((market) => age(market) >= quietIntervalMs);
    const fair = this.#bookTurns++ % 2 === 1 && overdue.length > 0;
    if (fair) return most(overdue, age);
    return most(ready, (market) =>
      this.#memory.expedited(tagOf('book', market.marketConditionId)) ? Number.POSITIVE_INFINITY : staleCost(market),
    );
  }

  #nextOf(kind: 'trades' | 'detail', nowMs: number, { markets }: PollFacts): PolledMarket | null {
    const { hotIntervalMs } = this.#settings;
    const intervalMs = kind === 'detail' ? Math.max(DETAIL_INTERVAL_MS, hotIntervalMs) : hotIntervalMs;
    const ready = markets.filter(
      ({ marketConditionId }) =>
        (kind === 'detail' || this.#memory.answered(tagOf('detail', marketConditionId))) &&
        this.#memory.ready(tagOf(kind, marketConditionId), intervalMs, nowMs),
    );
    return most(ready, ({ marketConditionId, restingMicros }) => {
      const weight = kind === 'trades' && restingMicros > 0 ? RESTING_TRADES_WEIGHT : 1;
      return this.#memory.age(tagOf(kind, marketConditionId), nowMs) * weight;
    });
  }

  #needsDetail(marketConditionId: string, nowMs: number): boolean {
    const tag = tagOf('detail', marketConditionId);
    return !this.#memory.answered(tag) && this.#memory.ready(tag, this.#settings.hotIntervalMs, nowMs);
  }

  #ask(target: PollTarget, nowMs: number, resting: boolean): Ask {
    const tag = pollTag(target);
    this.#memory.asked(tag, nowMs);
    return {
      lane: pollLane(target, resting),
      call: pollCall(target, this.#settings.bookDepth),
      latestMs: nowMs + PATIENCE_MS,
      tag,
    };
  }

  #forget({ markets }: PollFacts): void {
    // Three polls a market and the account's: only when there are more is there anything to forget.
    if (this.#memory.size <= markets.length) return;
    const wanted = new Set(markets.map((market) => market.marketConditionId));
    this.#memory.keep((tag) => {
      const target = parsePollTag(tag);
      return target !== null && (!('marketConditionId' in target) || wanted.has(target.marketConditionId));
    });
  }
}

const tagOf = (kind: MarketPoll, marketConditionId: string): string => pollTag({ kind, marketConditionId });

/**
 * Shares at rest x probable move of the price. A book never seen (or a figure that is missing) costs the most where
 * orders of ours rest, and nothing where none do: new markets, however many, share the turns of those that wait.
 */
function staleCost({ restingMicros, expectedMove }: PolledMarket): number {
  const cost = (restingMicros + BASE_SHARES_MICROS) * expectedMove;
  if (Number.isFinite(cost)) return cost;
  return restingMicros > 0 ? Number.POSITIVE_INFINITY : 0;
}

/** The one with the highest score, the first of equals; null for none. */
function most(markets: readonly PolledMarket[], score: (market: PolledMarket) => number): PolledMarket | null {
  let best: PolledMarket | null = null;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const market of markets) {
    const value = score(market);
    if (best !== null && value <= bestScore) continue;
    best = market;
    bestScore = value;
  }
  return best;
}
