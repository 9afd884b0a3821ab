/** Markets on the exchange's own book in which other accounts act once per second, all markets together. */

import { type AccountSlot, ASK, BID, type BookSide, REFUSED_MARKET } from '../../../exchange/core/contract.js';
import type { ExchangeCore } from '../../../exchange/core/core.js';
import { ReplayMarket } from '../../../exchange/crowd/replay-market.js';
import { deriveConditionId, type RecordedMarket } from '../../../recording/contract.js';
import { assert, must } from '../../../shared/base/errors.js';
import type { Micros } from '../../../shared/base/micros.js';
import { STEP_MS } from '../challenge/score.js';
import type { Scene, SceneMarket } from './trader-run.js';

const TICK_MICROS = 10_000;

/** A market without fees, in its own event; open from its creation until `resolvesMs`, Unix ms. */
export abstract class SteppedMarket implements SceneMarket {
  readonly recorded: RecordedMarket;
  readonly index: SceneMarket['index'];
  abstract readonly probability: number;
  /** Whether the account that acts now knows the truth. */
  abstract readonly isInformed: boolean;
  protected readonly core: ExchangeCore;

  constructor(core: ExchangeCore, at: number, resolvesMs: number) {
    const name = `market ${at + 1}`;
    this.recorded = {
      ...describeMarket(deriveConditionId('arena', name), name, `Will the score of ${name} end above 0?`),
      rules: ['Resolved by the hidden score of a simulation.'],
      fees: { makerRateMicros: 0, takerRateMicros: 0 },
    };
    this.core = core;
    new ReplayMarket(core, this.recorded).open(core.nowMs, resolvesMs);
    this.index = must(core.catalog.findIndex(this.recorded.conditionId), 'an open market');
  }

  abstract decide(): boolean;
  /** One step of the other accounts, at the present time of the exchange. */
  abstract act(): void;

  /** An account of this name, the same in all markets. */
  protected account(name: string): AccountSlot {
    return this.core.identity.openInternal(name, { unlimited: true });
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
    const handle = this.core.internal.place(account, this.index, side, price, amount, immediate);
    const name = side === ASK ? 'ask' : 'bid';
    assert(
      handle >= 0 || handle === REFUSED_MARKET,
      `the exchange refused an ${name} of ${shares} at ${tick}: ${handle}`,
    );
    return Math.max(0, handle);
  }
}

/** `firstStepMs`: from the opening to the first step. `openMarket` is called for each market at the opening. */
export function steppedScene(
  core: ExchangeCore,
  markets: number,
  firstStepMs: number,
  openMarket: (at: number, openedMs: number) => SteppedMarket,
): Scene {
  let opened: readonly SteppedMarket[] = [];
  let dueMs = Number.POSITIVE_INFINITY;
  return {
    get isInformed() {
      return opened.some(({ isInformed }) => isInformed);
    },
    open(nowMs) {
      core.advance(nowMs);
      dueMs = nowMs + firstStepMs;
      opened = Array.from({ length: markets }, (_, at) => openMarket(at, nowMs));
      return opened;
    },
    nextDueMs: () => dueMs,
    tick(nowMs) {
      for (; dueMs <= nowMs; dueMs += STEP_MS) {
        core.advance(dueMs);
        for (const market of opened) market.act();
      }
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
