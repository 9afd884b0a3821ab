/** Markets on the exchange's own book in which other accounts act once per second, all markets together. */

import {
  type AccountSlot,
  ASK,
  BID,
  type BookSide,
  type MarketIndex,
  REFUSED_MARKET,
} from '../../../exchange/core/contract.js';
import type { ExchangeCore } from '../../../exchange/core/core.js';
import { ReplayMarket } from '../../../exchange/crowd/replay-market.js';
import type { RecordedMarket } from '../../../recording/contract.js';
import { deriveConditionId } from '../../../recording/identity.js';
import { assert, must } from '../../../shared/base/errors.js';
import type { Micros } from '../../../shared/base/micros.js';
import { playFromMemory } from '../../backtest/sources.js';
import type { SceneMarket } from './judge.js';
import type { Scene } from './stage.js';

export const STEP_MS = 1000;
const TICK_MICROS = 10_000;

/** A market without fees, in its own event. */
export abstract class SteppedMarket implements SceneMarket {
  readonly source: SceneMarket['source'];
  abstract readonly probability: number;
  /** Whether the account that acts now knows the truth. */
  abstract readonly isInformed: boolean;
  outcome: boolean | null = null;
  /** Exchange clock, Unix ms. */
  protected nowMs = 0;
  protected readonly core: ExchangeCore;
  readonly #market: ReplayMarket;
  #index: MarketIndex | null = null;

  constructor(core: ExchangeCore, name: string) {
    const market: RecordedMarket = {
      ...describeMarket(deriveConditionId('arena', name), name, `Will the score of ${name} end above 0?`),
      rules: ['Resolved by the hidden score of a simulation.'],
      fees: { makerRateMicros: 0, takerRateMicros: 0 },
    };
    this.core = core;
    this.source = playFromMemory(market, []);
    this.#market = new ReplayMarket(core, market);
  }

  protected abstract act(): void;
  /** Whether YES pays; called once. */
  protected abstract decide(): boolean;

  get index(): MarketIndex {
    return must(this.#index, 'an open market');
  }

  open(nowMs: number, closesMs: number): void {
    this.nowMs = nowMs;
    this.#market.open(nowMs, closesMs);
    this.#index = this.core.catalog.findIndex(this.source.market.conditionId);
  }

  step(nowMs: number): void {
    this.nowMs = nowMs;
    this.act();
  }

  close(nowMs: number): void {
    this.outcome = this.decide();
    this.#market.close(nowMs);
    this.core.at(nowMs).markets.resolve(this.source.market.conditionId, this.outcome);
  }

  /** Best tick of a side; null when empty. */
  protected best(side: BookSide): number | null {
    const price =
      side === BID ? this.core.catalog.market(this.index).bestBid : this.core.catalog.market(this.index).bestAsk;
    return price === null ? null : price / TICK_MICROS;
  }

  /** Handle of the resting order, 0 without one. */
  protected place(account: AccountSlot, side: BookSide, tick: number, shares: number, immediate: boolean): number {
    // Whole ticks and hundredths of shares are integers of millionths.
    const price = (tick * TICK_MICROS) as Micros;
    const amount = (Math.round(shares * 100) * TICK_MICROS) as Micros;
    const handle = this.core.at(this.nowMs).internal.place(account, this.index, side, price, amount, immediate);
    const name = side === ASK ? 'ask' : 'bid';
    assert(
      handle >= 0 || handle === REFUSED_MARKET,
      `the exchange refused an ${name} of ${shares} at ${tick}: ${handle}`,
    );
    return Math.max(0, handle);
  }
}

interface SteppedSceneSettings {
  readonly openMarkets: (account: (name: string) => AccountSlot) => readonly SteppedMarket[];
  /** From the opening to the first step, and to the markets' resolution date. */
  readonly firstStepMs: number;
  readonly resolvesMs: number;
}

export class SteppedScene implements Scene {
  readonly #core: ExchangeCore;
  readonly #settings: SteppedSceneSettings;
  #markets: readonly SteppedMarket[] = [];
  #dueMs = Number.POSITIVE_INFINITY;

  constructor(core: ExchangeCore, settings: SteppedSceneSettings) {
    this.#core = core;
    this.#settings = settings;
  }

  get isInformed(): boolean {
    return this.#markets.some(({ isInformed }) => isInformed);
  }

  open(nowMs: number): readonly SteppedMarket[] {
    const { openMarkets, firstStepMs, resolvesMs } = this.#settings;
    this.#markets = openMarkets((name) => this.#core.at(nowMs).identity.openInternal(name, { unlimited: true }));
    for (const market of this.#markets) market.open(nowMs, nowMs + resolvesMs);
    this.#dueMs = nowMs + firstStepMs;
    return this.#markets;
  }

  nextDueMs(): number {
    return this.#dueMs;
  }

  tick(nowMs: number): void {
    for (; this.#dueMs <= nowMs; this.#dueMs += STEP_MS) for (const market of this.#markets) market.step(this.#dueMs);
  }

  close(market: SteppedMarket, nowMs: number): void {
    market.close(nowMs);
  }
}

/** A market of a scene, in its own event: markets are independent. */
export const describeMarket = (conditionId: string, name: string, title: string): RecordedMarket => ({
  conditionId,
  eventTitle: name,
  title,
  category: 'finance',
  rules: [],
  tickPrecision: 2,
  amountPrecision: 2,
  openTimeMs: 0,
  closeTimeMs: 0,
  outcome: null,
  source: { kind: 'twinbook', path: 'arena', ticker: name, origin: 'arena' },
});
