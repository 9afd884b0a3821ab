/**
 * Plays a scene as the markets of a backtest. All its markets open and close together; work is done in order of time,
 * before any request of the trader at the same time or later.
 */

import type { AccountSlot, MarketIndex, ObservedFill } from '../../../exchange/core/contract.js';
import type { ExchangeCore } from '../../../exchange/core/core.js';
import type { Driver } from '../../../exchange/crowd/contract.js';
import { must } from '../../../shared/base/errors.js';
import type { MadeMarkets, MarketDriver, MarketListener } from '../../backtest/contract.js';
import type { FeedSource, FeedWord } from '../../backtest/feeds/feed-replay.js';
import type { Conditions } from '../conditions.js';
import { TruthFeed } from '../truth-feed.js';
import { Judge, type SceneMarket } from './judge.js';

/** Exchange clock, Unix ms; 2027-01-15, 8:00 UTC. */
export const START_MS = 1_800_000_000_000;
/** Time for the trader to find the markets before the first event. */
export const LEAD_MS = 60_000;

/** Markets and the other accounts that trade there. Its `tick` lets each account act at its own times. */
export interface Scene extends Driver {
  /** Opens the markets; others act later. Times are the exchange clock, Unix ms. */
  open(nowMs: number): readonly SceneMarket[];
  /** Ends trading in this market and settles it. */
  close(market: SceneMarket, nowMs: number): void;
  /** Whether the account that acts now knows the truth. */
  readonly isInformed: boolean;
}

export interface StagePlan {
  /** Created on the exchange of the run. */
  readonly scene: (core: ExchangeCore) => Scene;
  /** From the first event to the close. */
  readonly lastsMs: number;
  /** Feeds of the judge's knowledge, as far as the conditions allow; absent: none. */
  readonly feeds?: readonly string[];
  readonly seed: number;
  readonly conditions: Conditions;
  /** Called right before the markets close. */
  readonly onClosing?: () => void;
}

/** Interval of a feed's values. */
const FEED_EVERY_MS = 1000;
/** Distance of the seeds of two markets' feeds. */
const FEED_SEEDS_APART = 2 ** 34;

export class Stage implements MadeMarkets, MarketDriver, FeedSource {
  readonly untilMs: number;
  readonly readUntilMs = Number.POSITIVE_INFINITY;
  nextOpenMs = START_MS;
  lastClosedMs = Number.NEGATIVE_INFINITY;
  events = 0;
  readonly #plan: StagePlan;
  #run: {
    readonly core: ExchangeCore;
    readonly account: AccountSlot;
    readonly listener: MarketListener;
    readonly scene: Scene;
  } | null = null;
  #judge: Judge | null = null;
  #open: readonly ReturnType<typeof openMarket>[] = [];
  #nextWordMs = START_MS + LEAD_MS;

  constructor(plan: StagePlan) {
    this.#plan = plan;
    this.untilMs = START_MS + LEAD_MS + plan.lastsMs;
  }

  drive(core: ExchangeCore, account: AccountSlot, listener: MarketListener): MarketDriver {
    this.#run = { core, account, listener, scene: this.#plan.scene(core) };
    return this;
  }

  onFill(fill: ObservedFill): void {
    this.judge.countFill(fill);
  }

  /** After the markets opened. */
  get judge(): Judge {
    return must(this.#judge, 'a judge');
  }

  get feeds(): FeedSource {
    return this;
  }

  get feedNames(): readonly string[] {
    return this.#plan.feeds ?? [];
  }

  get nextMs(): number {
    const isOver = this.#nextWordMs >= this.untilMs;
    return isOver || this.feedNames.length === 0 ? Number.POSITIVE_INFINITY : this.#nextWordMs;
  }

  take(nowMs: number): readonly FeedWord[] {
    if (nowMs < this.nextMs) return [];
    while (this.#nextWordMs <= nowMs) this.#nextWordMs += FEED_EVERY_MS;
    this.syncAll(nowMs);
    const values = this.#open.flatMap(({ feed, market }) => feed.tell(nowMs, market.probability) ?? []);
    return this.feedNames.map((feed) => ({ feed, values }));
  }

  get openCount(): number {
    return this.#open.length;
  }

  read(): Promise<void> {
    return Promise.resolve();
  }

  openDue(nowMs: number): Promise<void> {
    if (nowMs < this.nextOpenMs) return Promise.resolve();
    this.nextOpenMs = Number.POSITIVE_INFINITY;
    const { core, account, listener, scene } = must(this.#run, 'a run');
    const markets = scene.open(nowMs);
    this.#judge = new Judge(core, account, markets, () => scene.isInformed);
    this.#open = markets.map((market, place) => openMarket(this.#plan, market, place, nowMs));
    for (const { played } of this.#open) listener.onOpen(played);
    return Promise.resolve();
  }

  /** A read of one market advances all: their times are the core's, which never goes back. */
  sync(_index: MarketIndex, nowMs: number): void {
    this.syncAll(nowMs);
  }

  syncAll(nowMs: number): void {
    if (this.#open.length === 0) return;
    const { core, scene } = must(this.#run, 'a run');
    const untilMs = Math.min(nowMs, this.untilMs);
    for (let dueMs = scene.nextDueMs(); dueMs <= untilMs; dueMs = scene.nextDueMs()) {
      core.advance(dueMs);
      scene.tick(dueMs);
      this.judge.look();
      this.events++;
    }
    if (nowMs >= this.untilMs) this.#end();
  }

  #end(): void {
    this.#plan.onClosing?.();
    const { listener, scene } = must(this.#run, 'a run');
    const open = this.#open;
    this.#open = [];
    this.lastClosedMs = this.untilMs;
    for (const { market, played } of open) {
      listener.ending(played);
      scene.close(market, this.untilMs);
      played.closedMs = this.untilMs;
      listener.onClose(played, this.untilMs);
    }
  }

  close(): void {
    this.#open = [];
  }
}

function openMarket({ seed, conditions }: StagePlan, market: SceneMarket, place: number, nowMs: number) {
  const { source, index } = market;
  const times = { openedMs: nowMs, firstMs: nowMs + LEAD_MS, closedMs: null as number | null };
  return {
    market,
    feed: new TruthFeed(source.market.conditionId, seed + place * FEED_SEEDS_APART, conditions),
    played: { source, index, ...times, events: 0, refused: 0, failure: null },
  };
}
