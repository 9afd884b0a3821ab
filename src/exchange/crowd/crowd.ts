/**
 * The simulated crowd of the paper exchange, with its own markets. Each market has a hidden probability, noise takers,
 * informed takers and a competing maker. Seed and tick times determine all orders and trades. The crowd's accounts are
 * internal and have unlimited currency.
 */

import { deriveConditionId } from '../../recording/contract.js';
import { assert } from '../../shared/base/errors.js';
import type { Micros } from '../../shared/base/micros.js';
import { type Category, isSettledMarket } from '../../shared/protocol/states.js';
import type { MarketSpec } from '../core/contract.js';
import type { ExchangeCore } from '../core/core.js';
import { type CrowdAccounts, CrowdMarket } from './crowd-market.js';

/** A sequence of questions. One of them at a time is a market. */
interface Slot {
  readonly name: string;
  readonly event: string;
  readonly category: Category;
  /** Days from the listing of a market to the midnight (UTC) of its resolution. */
  readonly days: number;
  /** Titles of the markets, used in turn. `{date}` stands for the last day before the resolution. */
  readonly questions: readonly string[];
}

const SLOTS: readonly Slot[] = [
  {
    name: 'budget',
    event: 'Votes and launches to watch',
    category: 'politics',
    days: 5,
    questions: [
      'Will the budget bill pass its final vote by {date}?',
      'Will the coalition agree on a new finance minister by {date}?',
      'Will the trade agreement be signed by {date}?',
    ],
  },
  {
    name: 'launch',
    event: 'Votes and launches to watch',
    category: 'tech',
    days: 7,
    questions: [
      'Will a major AI lab release a new flagship model by {date}?',
      'Will a foldable phone top the sales charts on {date}?',
      'Will the heavy rocket reach orbit on its next flight by {date}?',
    ],
  },
  {
    name: 'bitcoin',
    event: 'Where markets close',
    category: 'crypto',
    days: 3,
    questions: [
      'Will Bitcoin close higher on {date} than at the listing of this market?',
      'Will Ether outperform Bitcoin until {date}?',
    ],
  },
  {
    name: 'stocks',
    event: 'Where markets close',
    category: 'finance',
    days: 4,
    questions: [
      'Will the S&P 500 close higher on {date} than at the listing of this market?',
      'Will gold close at a record high before {date}?',
      'Will the 10-year Treasury yield close lower on {date} than at the listing of this market?',
    ],
  },
];

/** Number of generated markets in one event. */
const MATCHES_AN_EVENT = 5;

/** Returns this many slots, 1 to 1000. The first four are always the shipped slots. */
const listSlots = (count: number = SLOTS.length): readonly Slot[] =>
  Array.from({ length: count }, (_, n) => SLOTS[n] ?? matchSlot(n + 1 - SLOTS.length));

function matchSlot(number: number): Slot {
  return {
    name: `match-${number}`,
    event: `Round ${Math.ceil(number / MATCHES_AN_EVENT)} of the cup`,
    category: 'sports',
    days: 2 + (number % 6),
    questions: [`Will the home team win match ${number} by {date}?`, `Will match ${number} have a goal before {date}?`],
  };
}

/** Tick of the crowd's markets: one cent. */
const CROWD_PRICE_PRECISION = 2;
const CROWD_AMOUNT_PRECISION = 2;
const DAY_MS = 86_400_000;

/** Id of a slot's n-th market, from 0, for any seed. After a restart the crowd finds its markets by their ids. */
const listingId = (slot: Slot, listing: number): string => deriveConditionId('crowd', `${slot.name}/${listing}`);

const MONTHS: readonly string[] = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

/** Formats a day like `29 November`, in UTC. Node's own date formatting takes 14 ms to load. */
function formatDay(ms: number): string {
  const day = new Date(ms);
  return `${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]}`;
}

/** Describes a slot's market number `listing`, listed at `nowMs`. */
function listingSpec(slot: Slot, listing: number, nowMs: number): MarketSpec {
  const resolvesMs = (Math.floor(nowMs / DAY_MS) + slot.days + 1) * DAY_MS;
  const date = formatDay(resolvesMs - 1);
  const question = slot.questions[listing % slot.questions.length] ?? slot.name;
  return {
    config: {
      kind: 'orderbook',
      price_precision: CROWD_PRICE_PRECISION,
      amount_precision: CROWD_AMOUNT_PRECISION,
      // 0.01 and 0.99.
      min_price: 10_000 as Micros,
      max_price: 990_000 as Micros,
    },
    event: slot.event,
    condition_id: listingId(slot, listing),
    title: question.replace('{date}', date),
    description: 'A made-up market of the paper exchange, traded by its simulated crowd.',
    category: slot.category,
    rules: ['Resolved by a hidden probability of the simulation, not by any event of the real world.'],
    resolution_date: resolvesMs / 1000,
  };
}

/** Maximum time that the crowd catches up on after a gap, ms. A sleeping computer or a moved clock causes gaps. */
const MAX_CATCH_UP_MS = 60_000;

/** Settings of the crowd. */
export interface CrowdSettings {
  /** Equal seeds and tick times give equal markets, orders and trades. */
  readonly seed: number;
  /** Number of simultaneous markets, 1 to 1000; default 4, the shipped markets. */
  readonly markets?: number | undefined;
}

interface ListedMarket {
  readonly slot: Slot;
  /** Number of the slot's current market, from 0. */
  listing: number;
  market: CrowdMarket;
}

/** Lets the crowd trade in its markets, and replaces each settled market by the slot's next question. */
export class Crowd {
  readonly #core: ExchangeCore;
  readonly #seed: number;
  readonly #accounts: CrowdAccounts;
  readonly #listed: readonly ListedMarket[];

  /** Starts the crowd, or continues an earlier run from its last prices. `nowMs`: exchange clock, Unix ms. */
  constructor(core: ExchangeCore, settings: CrowdSettings, nowMs: number) {
    this.#core = core;
    this.#seed = settings.seed;
    const account = (name: string) => core.at(nowMs).identity.openInternal(name, { unlimited: true });
    this.#accounts = {
      maker: account('crowd-maker'),
      noise: account('crowd-noise'),
      informed: account('crowd-informed'),
    };
    // The crowd does not know the orders that an earlier run left in the books.
    for (const handle of core.pool.internalHandles(this.#accounts.maker)) core.at(nowMs).internal.cancel(handle);
    this.#listed = listSlots(settings.markets).map((slot) => this.#listOn(slot, nowMs));
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

  /** Hidden probabilities, to measure a strategy's true earnings. A strategy must not see them. */
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

  /** Finds the slot's first unsettled market, or creates a market. */
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
