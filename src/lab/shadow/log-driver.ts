/** The markets of a run's log as a backtest plays them, while the log grows. */

import type { ExchangeCore } from '../../exchange/core/core.js';
import type { BacktestPlan, EventSource, MarketDriver, MarketListener } from '../backtest/contract.js';
import { ReplayDriver } from '../backtest/replay-driver.js';
import type { RunLog } from './run-log.js';
import type { SeenMarket } from './seen-market.js';

/** A start looks at every book that it is to quote within this, ms: what was seen by then is listed from the beginning. */
export const FIRST_LOOK_MS = 10_000;

export interface LogPlan {
  /** Read until `FIRST_LOOK_MS` after its first book at least. */
  readonly log: RunLog;
  /** The exchange's clock, Unix ms: when the first book was seen. */
  readonly beginMs: number;
  readonly fees: BacktestPlan['fees'];
  /** Takes what is played, as it becomes known. */
  readonly sources: EventSource[];
}

export class LogDriver implements MarketDriver {
  readonly #plan: LogPlan;
  readonly #inner: ReplayDriver;
  readonly #known = new Set<SeenMarket>();

  constructor(plan: LogPlan, core: ExchangeCore, listener: MarketListener) {
    this.#plan = plan;
    this.#inner = new ReplayDriver(core, plan.fees, [], listener);
    this.#addSeen();
  }

  /** As far as the run has been read: it has no known end. */
  get untilMs(): number {
    return this.#plan.log.newestMs;
  }

  get nextOpenMs(): number {
    return this.#inner.nextOpenMs;
  }

  /** The run itself counts as one: between two of its markets nothing is skipped, and it ends when it is told to. */
  get openCount(): number {
    return this.#inner.openCount + 1;
  }

  get lastClosedMs(): number {
    return this.#inner.lastClosedMs;
  }

  get readUntilMs(): number {
    return Math.min(this.#inner.readUntilMs, this.#plan.log.watermarkMs);
  }

  get events(): number {
    return this.#inner.events;
  }

  /** One or the other: what the log brings may come before what its markets would play. */
  async read(untilMs: number): Promise<void> {
    const { log } = this.#plan;
    if (log.watermarkMs > untilMs) return this.#inner.read(untilMs);
    await log.readUntil(untilMs);
    this.#addSeen();
  }

  openDue(nowMs: number): Promise<void> {
    return this.#inner.openDue(nowMs);
  }

  sync(index: number, nowMs: number): void {
    this.#inner.sync(index, nowMs);
  }

  syncAll(nowMs: number): void {
    this.#inner.syncAll(nowMs);
  }

  close(): void {
    this.#inner.close();
  }

  #addSeen(): void {
    const { log, beginMs, sources } = this.#plan;
    for (const market of log.markets) {
      const { firstMs } = market;
      if (firstMs === null || this.#known.has(market)) continue;
      this.#known.add(market);
      const { source } = market;
      sources.push(source);
      this.#inner.add(source, firstMs, firstMs - beginMs <= FIRST_LOOK_MS ? beginMs : firstMs);
    }
  }
}
