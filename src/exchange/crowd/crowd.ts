/**
 * The simulated crowd of the paper exchange: markets of its own, four unless told, each with a hidden probability, noise takers,
 * informed takers and a competing maker. It makes the exchange a place where a market maker has something to do: wide
 * enough for him to step inside, noisy enough to fill him, informed enough to hurt him when he is wrong or slow.
 *
 * Everything follows from the seed and the times of the events; there is no clock here. Its traders are internal accounts
 * with unlimited money, and play by the same book and the same fees as everybody.
 */

import { assert } from '../../shared/base/errors.js';
import { isSettledMarket } from '../../shared/protocol/states.js';
import type { ExchangeCore } from '../core/core.js';
import type { Driver } from './contract.js';
import type { CrowdAccounts } from './crowd-core.js';
import { CrowdMarket } from './crowd-market.js';
import { listingId, listingSpec, listSlots, type Slot } from './listings.js';

/**
 * After a longer gap (a sleeping computer, a moved clock) the crowd catches up only the last minute: a day would be
 * hundreds of thousands of orders in one tick.
 */
const MAX_CATCH_UP_MS = 60_000;

/** Inputs of the crowd's behaviour. */
export interface CrowdSettings {
  /** Same seed and same tick times: same markets, orders and trades. */
  readonly seed: number;
  /** Simultaneous markets, 1 to 1000; default: the shipped four. */
  readonly markets?: number | undefined;
}

interface ListedMarket {
  readonly slot: Slot;
  /** Number of the slot's current market, from 0. */
  listing: number;
  market: CrowdMarket;
}

/** Drives the crowd's markets, and lists a new question after one has resolved. */
export class Crowd implements Driver {
  readonly #core: ExchangeCore;
  readonly #seed: number;
  readonly #accounts: CrowdAccounts;
  readonly #listed: readonly ListedMarket[];

  private constructor(core: ExchangeCore, settings: CrowdSettings, nowMs: number) {
    this.#core = core;
    this.#seed = settings.seed;
    const account = (name: string) => core.at(nowMs).identity.openInternal(name, { unlimited: true });
    this.#accounts = {
      maker: account('crowd-maker'),
      noise: account('crowd-noise'),
      informed: account('crowd-informed'),
    };
    // Orders left in the book by an earlier run have no owner.
    for (const handle of core.pool.internalHandles(this.#accounts.maker)) core.at(nowMs).internal.cancel(handle);
    this.#listed = listSlots(settings.markets).map((slot) => this.#listOn(slot, nowMs));
  }

  /**
   * Starts the crowd on a restored core: opens its markets, or continues those of an earlier run from their last price.
   * `nowMs` is the exchange clock, Unix ms.
   */
  static attach(core: ExchangeCore, settings: CrowdSettings, nowMs: number): Crowd {
    return new Crowd(core, settings, nowMs);
  }

  tick(nowMs: number): void {
    for (const listed of this.#listed) {
      if (listed.market.nextDueMs() < nowMs - MAX_CATCH_UP_MS) listed.market.skipTo(nowMs - MAX_CATCH_UP_MS);
    }
    for (let listed = this.#earliest(); listed !== undefined; listed = this.#earliest()) {
      const dueMs = Math.ceil(listed.market.nextDueMs());
      if (dueMs > nowMs) return;
      listed.market.step();
      if (listed.market.settled) this.#list(listed, dueMs);
    }
  }

  nextDueMs(): number {
    return Math.ceil(Math.min(...this.#listed.map((listed) => listed.market.nextDueMs())));
  }

  /** Cancels the crowd's orders, for a clean stop. */
  withdraw(nowMs: number): void {
    for (const listed of this.#listed) listed.market.withdraw(nowMs);
  }

  /** The hidden truth, to measure a strategy's earnings; traders must not see it. */
  truths(): { readonly conditionId: string; readonly index: number; readonly probability: number }[] {
    return this.#listed.map(({ market }) => ({
      conditionId: market.conditionId,
      index: market.index,
      probability: market.fairProbability,
    }));
  }

  #earliest(): ListedMarket | undefined {
    let first: ListedMarket | undefined;
    for (const listed of this.#listed) {
      if (first === undefined || listed.market.nextDueMs() < first.market.nextDueMs()) first = listed;
    }
    return first;
  }

  /** The slot's newest unsettled market, or a new one. */
  #listOn(slot: Slot, nowMs: number): ListedMarket {
    let listing = 0;
    for (; ; listing++) {
      const index = this.#core.catalog.findIndex(listingId(slot, listing));
      if (index === null || !isSettledMarket(this.#core.marketFacts(index).state)) break;
    }
    return { slot, listing, market: this.#openMarket(slot, listing, nowMs) };
  }

  #list(listed: ListedMarket, nowMs: number): void {
    listed.listing++;
    listed.market = this.#openMarket(listed.slot, listed.listing, nowMs);
  }

  #openMarket(slot: Slot, listing: number, nowMs: number): CrowdMarket {
    const id = listingId(slot, listing);
    let index = this.#core.catalog.findIndex(id);
    if (index === null) {
      const made = this.#core.at(nowMs).markets.create(listingSpec(slot, listing, nowMs));
      assert(made.ok, `a market of the crowd that the exchange cannot open: ${JSON.stringify(made)}`);
      index = made.value.index;
    }
    return new CrowdMarket(this.#core, this.#accounts, id, index, this.#seed, nowMs);
  }
}
