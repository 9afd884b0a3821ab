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
import { STEP_MS } from '../challenge/score.js';
import type { Scene, SceneMarket } from './trader-run.js';

const TICK_MICROS = 10_000;

/** Exchange and times of a market, Unix ms. */
export interface SteppedPlace {
  readonly core: ExchangeCore;
  readonly openedMs: number;
  readonly resolvesMs: number;
}

/** A market without fees, in its own event; open from its creation. */
export abstract class SteppedMarket implements SceneMarket {
  readonly recorded: RecordedMarket;
  readonly index: MarketIndex;
  abstract readonly probability: number;
  /** Whether the account that acts now knows the truth. */
  abstract readonly isInformed: boolean;
  outcome: boolean | null = null;
  /** Exchange clock, Unix ms. */
  protected nowMs: number;
  protected readonly core: ExchangeCore;
  readonly #market: ReplayMarket;

  constructor({ core, openedMs, resolvesMs }: SteppedPlace, name: string) {
    this.recorded = {
      ...describeMarket(deriveConditionId('arena', name), name, `Will the score of ${name} end above 0?`),
      rules: ['Resolved by the hidden score of a simulation.'],
      fees: { makerRateMicros: 0, takerRateMicros: 0 },
    };
    this.core = core;
    this.nowMs = openedMs;
    this.#market = new ReplayMarket(core, this.recorded);
    this.#market.open(openedMs, resolvesMs);
    this.index = must(core.catalog.findIndex(this.recorded.conditionId), 'an open market');
  }

  protected abstract act(): void;
  /** Whether YES pays; called once. */
  protected abstract decide(): boolean;

  step(nowMs: number): void {
    this.nowMs = nowMs;
    this.act();
  }

  close(nowMs: number): void {
    this.outcome = this.decide();
    this.#market.close(nowMs);
    this.core.at(nowMs).markets.resolve(this.recorded.conditionId, this.outcome);
  }

  /** Best tick of a side; null when empty. */
  protected best(side: BookSide): number | null {
    const { bestBid, bestAsk } = this.core.catalog.market(this.index);
    const price = side === BID ? bestBid : bestAsk;
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
  readonly openMarkets: (place: SteppedPlace, account: (name: string) => AccountSlot) => readonly SteppedMarket[];
  /** From the opening to the first step, and to the markets' resolution date. */
  readonly firstStepMs: number;
  readonly resolvesMs: number;
}

export function steppedScene(core: ExchangeCore, settings: SteppedSceneSettings): Scene {
  let markets: readonly SteppedMarket[] = [];
  let dueMs = Number.POSITIVE_INFINITY;
  return {
    get isInformed() {
      return markets.some(({ isInformed }) => isInformed);
    },
    open(nowMs) {
      const place = { core, openedMs: nowMs, resolvesMs: nowMs + settings.resolvesMs };
      const account = (name: string) => core.at(nowMs).identity.openInternal(name, { unlimited: true });
      markets = settings.openMarkets(place, account);
      dueMs = nowMs + settings.firstStepMs;
      return markets;
    },
    nextDueMs: () => dueMs,
    tick(nowMs) {
      for (; dueMs <= nowMs; dueMs += STEP_MS) for (const market of markets) market.step(dueMs);
    },
  };
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
