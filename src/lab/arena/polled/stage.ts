/**
 * A scene as the markets of a backtest. All of its markets open together and close together; what is due happens in the
 * order of its times, before whatever the trader asks at or after them.
 */

import type { AccountSlot, MarketIndex, ObservedFill } from '../../../exchange/core/contract.js';
import type { ExchangeCore } from '../../../exchange/core/core.js';
import { must } from '../../../shared/base/errors.js';
import type { MadeMarkets, MarketDriver, MarketListener, Played } from '../../backtest/contract.js';
import type { FeedSource, FeedWord } from '../../backtest/feeds/feed-replay.js';
import type { Conditions } from '../contract.js';
import { TruthFeed } from '../truth-feed.js';
import { Judge } from './judge.js';
import type { Scene, SceneMarket } from './scene.js';

/** The exchange's clock, Unix ms; 2027-01-15, 8:00 UTC. */
export const START_MS = 1_800_000_000_000;
/** The trader has to find the markets before anything happens in them. */
export const LEAD_MS = 60_000;

export interface StagePlan {
  /** Made on the exchange of the run. */
  readonly scene: (core: ExchangeCore) => Scene;
  /** From the first thing that happens to the close. */
  readonly lastsMs: number;
  /** Feeds that say what the judge knows, as far as the conditions let them; absent: none. */
  readonly feeds?: readonly string[];
  readonly seed: number;
  readonly conditions: Conditions;
  /** Called right before the markets close. */
  readonly onClosing?: () => void;
}

/** Between two words of a feed. */
const FEED_EVERY_MS = 1000;
/** Between the feeds of two markets. */
const FEED_SEEDS_APART = 2 ** 34;

export class Stage implements MadeMarkets, FeedSource {
  readonly #plan: StagePlan;
  readonly #told = new Map<SceneMarket, TruthFeed>();
  #driver: StageDriver | null = null;
  #nextMs = START_MS + LEAD_MS;

  constructor(plan: StagePlan) {
    this.#plan = plan;
  }

  drive(core: ExchangeCore, account: AccountSlot, listener: MarketListener): MarketDriver {
    this.#driver = new StageDriver(this.#plan, core, account, listener);
    return this.#driver;
  }

  get feeds(): FeedSource {
    return this;
  }

  get feedNames(): readonly string[] {
    return this.#plan.feeds ?? [];
  }

  get nextMs(): number {
    const isOver = this.#nextMs >= START_MS + LEAD_MS + this.#plan.lastsMs;
    return isOver || this.feedNames.length === 0 ? Number.POSITIVE_INFINITY : this.#nextMs;
  }

  take(nowMs: number): readonly FeedWord[] {
    if (nowMs < this.nextMs) return [];
    while (this.#nextMs <= nowMs) this.#nextMs += FEED_EVERY_MS;
    this.#driver?.syncAll(nowMs);
    const values = (this.#driver?.markets ?? []).flatMap((market, place) => {
      const value = this.#openFeed(market, place).tell(nowMs, market.probability);
      return value === null ? [] : [value];
    });
    return this.feedNames.map((feed) => ({ feed, values }));
  }

  #openFeed(market: SceneMarket, place: number): TruthFeed {
    const { seed, conditions } = this.#plan;
    const told =
      this.#told.get(market) ??
      new TruthFeed(market.source.market.conditionId, seed + place * FEED_SEEDS_APART, conditions);
    this.#told.set(market, told);
    return told;
  }

  onFill(fill: ObservedFill): void {
    this.judge.countFill(fill);
  }

  /** Once the markets are open. */
  get judge(): Judge {
    return must(this.#driver?.judge, 'a judge');
  }
}

class StageDriver implements MarketDriver {
  readonly untilMs: number;
  readonly readUntilMs = Number.POSITIVE_INFINITY;
  nextOpenMs = START_MS;
  lastClosedMs = Number.NEGATIVE_INFINITY;
  events = 0;
  judge: Judge | null = null;
  readonly #scene: Scene;
  readonly #onClosing: StagePlan['onClosing'];
  readonly #core: ExchangeCore;
  readonly #account: AccountSlot;
  readonly #listener: MarketListener;
  #open: readonly OpenMarket[] = [];

  constructor(
    { scene, lastsMs, onClosing }: StagePlan,
    core: ExchangeCore,
    account: AccountSlot,
    listener: MarketListener,
  ) {
    this.untilMs = START_MS + LEAD_MS + lastsMs;
    this.#scene = scene(core);
    this.#onClosing = onClosing;
    this.#core = core;
    this.#account = account;
    this.#listener = listener;
  }

  get markets(): readonly SceneMarket[] {
    return this.#open.map(({ market }) => market);
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
    const markets = this.#scene.open(nowMs);
    this.judge = new Judge(this.#core, this.#account, markets, () => this.#scene.isInformed);
    this.#open = markets.map((market) => new OpenMarket(market, nowMs));
    for (const market of this.#open) this.#listener.onOpen(market);
    return Promise.resolve();
  }

  /** Whichever is looked at, all go on: their times are the core's, which never goes back. */
  sync(_index: MarketIndex, nowMs: number): void {
    this.syncAll(nowMs);
  }

  syncAll(nowMs: number): void {
    if (this.#open.length === 0) return;
    const untilMs = Math.min(nowMs, this.untilMs);
    for (let dueMs = this.#scene.nextDueMs(); dueMs <= untilMs; dueMs = this.#scene.nextDueMs()) {
      this.#core.advance(dueMs);
      this.#scene.tick(dueMs);
      this.judge?.look();
      this.events++;
    }
    if (nowMs >= this.untilMs) this.#end();
  }

  #end(): void {
    this.#onClosing?.();
    const open = this.#open;
    this.#open = [];
    this.lastClosedMs = this.untilMs;
    for (const market of open) {
      this.#listener.ending(market);
      this.#scene.close(market.market, this.untilMs);
      market.closedMs = this.untilMs;
      this.#listener.onClose(market, this.untilMs);
    }
  }

  close(): void {
    this.#open = [];
  }
}

class OpenMarket implements Played {
  readonly market: SceneMarket;
  readonly openedMs: number;
  readonly firstMs: number;
  closedMs: number | null = null;
  readonly events = 0;
  readonly refused = 0;
  readonly failure = null;

  constructor(market: SceneMarket, nowMs: number) {
    this.market = market;
    this.openedMs = nowMs;
    this.firstMs = nowMs + LEAD_MS;
  }

  get source(): Played['source'] {
    return this.market.source;
  }

  get index(): MarketIndex {
    return this.market.index;
  }
}
