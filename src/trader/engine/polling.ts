/** What the plan of polls is told, looked up only where the plan asks for it. */

import type { Micros } from '../../shared/base/micros.js';
import { isSettledMarket } from '../../shared/protocol/states.js';
import type { PolledMarket, PollFacts, Queue } from '../scheduler/contract.js';
import type { MarketEntry, Markets } from './markets.js';
import type { OwnState } from './own/own-state.js';

/** What of the trader's state polling depends on. */
interface Polls {
  readonly markets: Markets;
  readonly queue: Queue;
  readonly own: OwnState;
}

const NONE: readonly PolledMarket[] = [];

/** One for each trader; `nowMs` and `stopping` are those of the step that polls. */
export class Polling implements PollFacts {
  nowMs = Number.NEGATIVE_INFINITY;
  /** Only what is ours is looked at. */
  stopping = false;
  readonly #state: Polls;
  #markets: readonly PolledMarket[] = NONE;
  #version = -1;

  constructor(state: Polls) {
    this.#state = state;
  }

  get markets(): readonly PolledMarket[] {
    if (this.stopping) return NONE;
    const { markets } = this.#state;
    if (this.#version !== markets.version) {
      this.#version = markets.version;
      this.#markets = Array.from(markets.all, (entry) => new Polled(entry, this, this.#state));
    }
    return this.#markets;
  }

  get openOrders(): number {
    return this.#state.own.exposure.workingOrders;
  }

  get publicPerMinute(): number {
    return this.#state.queue.perMinute('public', this.nowMs);
  }

  get signedPerMinute(): number {
    return this.#state.queue.perMinute('signed', this.nowMs);
  }

  get publicHeadroom(): number {
    return this.#state.queue.headroom('public', 'quiet', this.nowMs);
  }
}

class Polled implements PolledMarket {
  readonly marketConditionId: string;
  readonly #tracked: MarketEntry;
  readonly #polling: Polling;
  readonly #state: Polls;

  constructor(entry: MarketEntry, polling: Polling, state: Polls) {
    this.marketConditionId = entry.conditionId;
    this.#tracked = entry;
    this.#polling = polling;
    this.#state = state;
  }

  get restingMicros(): Micros {
    const orders = this.#state.own.orders.get(this.marketConditionId) ?? [];
    const resting = orders.reduce((sum, order) => sum + order.remainingMicros, 0);
    // A sum of amounts that the exchange has each accepted; safe, and only a weight.
    return resting as Micros;
  }

  get expectedMove(): number {
    return this.#tracked.feed.expectedMove(this.#polling.nowMs);
  }

  get isOver(): boolean {
    const phase = this.#tracked.feed.facts?.phase;
    return phase !== undefined && (phase === 'waiting_to_resolve' || isSettledMarket(phase));
  }
}
