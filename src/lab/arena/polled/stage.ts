/**
 * A scene as the markets of a backtest. All of its markets open together and close together; what is due happens in the
 * order of its times, before whatever the trader asks at or after them.
 */

import type { AccountSlot, MarketIndex, ObservedFill } from '../../../exchange/core/contract.js';
import type { ExchangeCore } from '../../../exchange/core/core.js';
import { must } from '../../../shared/base/errors.js';
import type { MadeMarkets, MarketDriver, MarketListener, Played } from '../../backtest/contract.js';
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
}

export class Stage implements MadeMarkets {
  readonly #plan: StagePlan;
  #driver: StageDriver | null = null;

  constructor(plan: StagePlan) {
    this.#plan = plan;
  }

  drive(core: ExchangeCore, account: AccountSlot, listener: MarketListener): MarketDriver {
    this.#driver = new StageDriver(this.#plan, core, account, listener);
    return this.#driver;
  }

  filled(fill: ObservedFill): void {
    this.judge.filled(fill);
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
  readonly #core: ExchangeCore;
  readonly #account: AccountSlot;
  readonly #listener: MarketListener;
  #open: readonly OpenMarket[] = [];

  constructor({ scene, lastsMs }: StagePlan, core: ExchangeCore, account: AccountSlot, listener: MarketListener) {
    this.untilMs = START_MS + LEAD_MS + lastsMs;
    this.#scene = scene(core);
    this.#core = core;
    this.#account = account;
    this.#listener = listener;
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
    for (const market of this.#open) this.#listener.opened(market);
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
    const open = this.#open;
    this.#open = [];
    this.lastClosedMs = this.untilMs;
    for (const market of open) {
      this.#listener.ending(market);
      this.#scene.close(market.market, this.untilMs);
      market.closedMs = this.untilMs;
      this.#listener.closed(market, this.untilMs);
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
