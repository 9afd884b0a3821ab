/**
 * A simulated crowd trades in its own markets on the paper exchange. Each market has a hidden probability, noise
 * takers, informed takers and a market maker. The seed and the times of the `tick` calls determine all of the crowd's
 * orders. The crowd's accounts are internal and have unlimited currency.
 */

import { deriveConditionId } from '../../recording/contract.js';
import { assert, must } from '../../shared/base/errors.js';
import type { Micros } from '../../shared/base/micros.js';
import { Random } from '../../shared/base/random.js';
import { type Category, isSettledMarket } from '../../shared/protocol/states.js';
import { type AccountSlot, ASK, BID, type MarketSpec, type MatchingSide } from '../core/contract.js';
import type { ExchangeCore } from '../core/core.js';
import type { Market } from '../core/market.js';

/** Distance of the maker's best level from its estimate, in ticks, at a price of 0.50; smaller near 0 and 1. */
const HALF_SPREAD_TICKS = 3.5;
const LEAST_HALF_SPREAD_TICKS = 1.5;
/** Levels of the maker: distance from the best level in ticks, and mean size of an order in shares. */
const LADDER = [
  { behind: 0, shares: 40 },
  { behind: 1, shares: 60 },
  { behind: 2, shares: 90 },
  { behind: 4, shares: 140 },
  { behind: 7, shares: 250 },
] as const;
/** Time in which the maker's estimate closes 63 % of its distance from the true log-odds, ms. */
const LAG_MS = 20_000;
/** Error of the maker's estimate: standard deviation in log-odds (1.25 cents at a price of 0.50), and decay time. */
const ERROR_SIGMA = 0.05;
const ERROR_MS = 60_000;
/** The maker replaces an order of which less than this fraction is left; the new order joins the end of the queue. */
const WORN_PART = 0.4;

type Level = Readonly<{ tick: number; handle: number; shares: number }>;

/** The crowd's market maker. The maker's quotes follow a delayed and inexact estimate of the log-odds of YES. */
function openMaker(
  core: ExchangeCore,
  account: AccountSlot,
  market: Market,
  random: Random,
  estimate: number,
  nowMs: number,
) {
  const own = { estimate, error: 0, atMs: nowMs };
  let levels: readonly [Level[], Level[]] = [[], []];

  function learn(nowMs: number, truth: number): void {
    const elapsedMs = nowMs - own.atMs;
    const kept = Math.exp(-elapsedMs / ERROR_MS);
    own.atMs = nowMs;
    own.estimate = truth + (own.estimate - truth) * Math.exp(-elapsedMs / LAG_MS);
    own.error = own.error * kept + ERROR_SIGMA * Math.sqrt(1 - kept * kept) * random.normal();
  }

  function cancelOther(nowMs: number, side: MatchingSide, wanted: readonly Rung[]): Level[] {
    return levels[side].filter((level) => {
      const left = core.internal.remaining(level.handle) / 1_000_000;
      const right = wanted.some((rung) => rung.tick === level.tick) && left >= WORN_PART * level.shares;
      if (!right && left > 0) core.at(nowMs).internal.cancel(level.handle);
      return right;
    });
  }

  function placeMissing(nowMs: number, side: MatchingSide, wanted: readonly Rung[]): void {
    for (const { tick, shares: usual } of wanted) {
      if (levels[side].some((level) => level.tick === tick)) continue;
      const opposite = bestTick(market, side === BID ? ASK : BID);
      if (opposite !== null && (side === BID ? tick >= opposite : tick <= opposite)) continue;
      const shares = Math.round(usual * (0.6 + 0.8 * random.uniform()));
      const now = core.at(nowMs).internal;
      const handle = now.place(account, market.index, side, tickToMicros(tick), sharesToMicros(shares), false);
      if (handle > 0) levels[side].push({ tick, handle, shares });
    }
  }

  return {
    /** Updates the estimate from the true log-odds, and replaces orders at wrong prices and mostly filled orders. */
    requote(nowMs: number, truth: number): void {
      learn(nowMs, truth);
      const fair = sigmoid(own.estimate + own.error);
      const half = Math.max(LEAST_HALF_SPREAD_TICKS, HALF_SPREAD_TICKS * 2 * Math.sqrt(fair * (1 - fair)));
      const bids = ladder(Math.floor(100 * fair - half), -1);
      const asks = ladder(Math.ceil(100 * fair + half), 1);
      levels = [cancelOther(nowMs, BID, bids), cancelOther(nowMs, ASK, asks)];
      placeMissing(nowMs, BID, bids);
      placeMissing(nowMs, ASK, asks);
    },

    withdraw(nowMs: number): void {
      for (const level of levels.flat()) core.at(nowMs).internal.cancel(level.handle);
      levels = [[], []];
    },
  };
}

type Rung = Omit<Level, 'handle'>;

function ladder(best: number, direction: 1 | -1): Rung[] {
  return LADDER.map(({ behind, shares }) => ({ tick: best + direction * behind, shares })).filter(
    ({ tick }) => tick >= LOWEST_TICK && tick <= HIGHEST_TICK,
  );
}

const HOUR_MS = 3_600_000;

/** Hourly standard deviation of the hidden log-odds. At a price of 0.50, this deviation is 2 cents in one minute. */
const SIGMA_PER_SQRT_HOUR = 0.6;
/** Mean reversion of log-odds per hour. Without reversion, a market would mostly stay near 0.01 or 0.99. */
const REVERSION_PER_HOUR = 0.4;
/** News moves the hidden probability: a jump every 40 minutes on average, of 7 cents at a price of 0.50. */
const JUMP_MEAN_MS = 40 * 60_000;
const JUMP_SIGMA = 0.3;
/** Standard deviation of markets' start prices, in log-odds: two thirds of the prices are between 0.35 and 0.65. */
const START_SIGMA = 0.6;

/**
 * Returns a function that gives a market's true log-odds at a time: an Ornstein–Uhlenbeck process with jumps, exact for
 * any time step. `mean`: log-odds to which the process reverts. `x`: log-odds now. Times must not decrease.
 */
function hiddenValue(random: Random, mean: number, x: number, nowMs: number): (nowMs: number) => number {
  const state = { x, atMs: nowMs, jumpMs: nowMs + random.exponential(JUMP_MEAN_MS) };

  function diffuse(toMs: number): void {
    const hours = (toMs - state.atMs) / HOUR_MS;
    if (hours <= 0) return;
    state.atMs = toMs;
    const kept = Math.exp(-REVERSION_PER_HOUR * hours);
    const deviation = SIGMA_PER_SQRT_HOUR * Math.sqrt((1 - kept * kept) / (2 * REVERSION_PER_HOUR));
    state.x = mean + (state.x - mean) * kept + deviation * random.normal();
  }

  return (toMs) => {
    while (state.jumpMs <= toMs) {
      diffuse(state.jumpMs);
      state.x += JUMP_SIGMA * random.normal();
      state.jumpMs += random.exponential(JUMP_MEAN_MS);
    }
    diffuse(toMs);
    return state.x;
  };
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const logit = (p: number): number => Math.log(p / (1 - p));

/** The crowd's accounts by kind of trader. An account cannot trade with itself, so each kind has its own account. */
type CrowdAccounts = Readonly<Record<'maker' | 'noise' | 'informed', AccountSlot>>;

/** Tick of the crowd's markets: one cent, in micros. The crowd counts prices in ticks, 1 to 99. */
const TICK_MICROS = 10_000;
const LOWEST_TICK = 1;
const HIGHEST_TICK = 99;

// Whole ticks and shares in millionths are integers far below 2^53.
const tickToMicros = (tick: number): Micros => (tick * TICK_MICROS) as Micros;
const sharesToMicros = (shares: number): Micros => (shares * 1_000_000) as Micros;

function bestTick(market: Market, side: MatchingSide): number | null {
  const price = market.bestPrice(side);
  return price === null ? null : price / TICK_MICROS;
}

/** Visible price of a market, 0 to 1: the book's mid, else the only quoted price, else the last trade, else 0.5. */
function visiblePrice(market: Market): number {
  const bid = bestTick(market, BID);
  const ask = bestTick(market, ASK);
  if (bid !== null && ask !== null) return (bid + ask) / 200;
  const only = bid ?? ask;
  if (only !== null) return only / 100;
  return market.tape.count === 0 ? 0.5 : market.tape.lastPrice / 1_000_000;
}

/** Mean times between two actions of a trader, ms. */
const NOISE_MEAN_MS = 3000;
const INFORMED_MEAN_MS = 3000;
const MAKER_MEAN_MS = 2500;
/** Mean distance of a noise taker's limit from the visible price, in ticks; half of the distances exceed two cents. */
const NOISE_REACH_TICKS = 3;
/** Order sizes of noise takers, in shares: lognormal with median 3. */
const NOISE_SIZE_LOG = Math.log(3);
const NOISE_SIZE_SIGMA = 0.8;
const LARGEST_NOISE_SHARES = 60;
/** Minimum distance of an informed taker's price from the hidden probability, in ticks; it covers the fee of 1 %. */
const INFORMED_EDGE_TICKS = 1;
const INFORMED_SHARES = { least: 15, spread: 45 } as const;

/** One market of the crowd with its hidden probability and its traders, until its resolution. */
class CrowdMarket {
  readonly slot: Slot;
  readonly market: Market;
  readonly #core: ExchangeCore;
  readonly #accounts: CrowdAccounts;
  readonly #random: Random;
  readonly #truthAt: ReturnType<typeof hiddenValue>;
  readonly maker: ReturnType<typeof openMaker>;
  /** Hidden log-odds of YES at the time of the last action. */
  #truth: number;
  readonly #resolvesMs: number;
  #noiseMs: number;
  #informedMs: number;
  #makerMs: number;

  /** Starts trading in an existing market. The hidden probability starts at the market's last price if it has one. */
  constructor(core: ExchangeCore, accounts: CrowdAccounts, slot: Slot, market: Market, seed: number, nowMs: number) {
    this.#core = core;
    this.#accounts = accounts;
    this.slot = slot;
    this.market = market;
    const { tape } = market;
    const { conditionId, resolutionDate } = market.card;
    this.#resolvesMs = (resolutionDate ?? Number.POSITIVE_INFINITY) * 1000;
    // The mean depends only on seed and market. Other random values also depend on the start time, so restarts differ.
    const mean = START_SIGMA * Random.fromSeed(seed, conditionId).normal();
    this.#random = Random.fromSeed(seed, `${conditionId}/${nowMs}`);
    this.#truth = tape.count === 0 ? mean : logit(tape.lastPrice / 1_000_000);
    this.#truthAt = hiddenValue(this.#random, mean, this.#truth, nowMs);
    this.maker = openMaker(core, accounts.maker, market, this.#random, this.#truth, nowMs);
    this.#makerMs = nowMs;
    this.#noiseMs = nowMs + this.#random.exponential(NOISE_MEAN_MS);
    this.#informedMs = nowMs + this.#random.exponential(INFORMED_MEAN_MS);
  }

  nextDueMs(): number {
    return Math.min(this.#makerMs, this.#noiseMs, this.#informedMs);
  }

  get fairProbability(): number {
    return sigmoid(this.#truth);
  }

  /** Skips all traders' actions before `timeMs`. The hidden probability still changes during the skipped time. */
  skipTo(timeMs: number): void {
    this.#makerMs = Math.max(this.#makerMs, timeMs);
    this.#noiseMs = Math.max(this.#noiseMs, timeMs);
    this.#informedMs = Math.max(this.#informedMs, timeMs);
  }

  /** Executes the next due action: resolves the market at its end, or lets one trader act while the market is open. */
  step(): void {
    const dueMs = this.nextDueMs();
    const nowMs = Math.ceil(dueMs);
    this.#truth = this.#truthAt(nowMs);
    const { card, state } = this.market;
    const open = state === 'open';
    if (open && nowMs >= this.#resolvesMs) {
      this.#core.at(nowMs).markets.setState(card.conditionId, 'waiting_to_resolve');
      this.#core.at(nowMs).markets.resolve(card.conditionId, this.#random.chance(this.fairProbability));
    } else if (dueMs === this.#makerMs) {
      this.#makerMs += this.#random.exponential(MAKER_MEAN_MS);
      if (open) this.maker.requote(nowMs, this.#truth);
    } else if (dueMs === this.#noiseMs) {
      this.#noiseMs += this.#random.exponential(NOISE_MEAN_MS);
      if (open) this.#takeAtRandom(nowMs);
    } else {
      this.#informedMs += this.#random.exponential(INFORMED_MEAN_MS);
      if (open) this.#takeIfWrong(nowMs, this.fairProbability);
    }
  }

  #takeAtRandom(nowMs: number): void {
    const side = this.#random.chance(0.5) ? BID : ASK;
    const reach = this.#random.exponential(NOISE_REACH_TICKS);
    const shares = Math.round(Math.exp(NOISE_SIZE_LOG + NOISE_SIZE_SIGMA * this.#random.normal()));
    const visible = 100 * visiblePrice(this.market);
    const limit = side === BID ? visible + reach : visible - reach;
    this.#take(nowMs, this.#accounts.noise, side, limit, Math.min(LARGEST_NOISE_SHARES, Math.max(1, shares)));
  }

  #takeIfWrong(nowMs: number, probability: number): void {
    const shares = INFORMED_SHARES.least + this.#random.below(INFORMED_SHARES.spread);
    const fair = 100 * probability;
    const { informed } = this.#accounts;
    this.#take(nowMs, informed, BID, fair - INFORMED_EDGE_TICKS, shares);
    this.#take(nowMs, informed, ASK, fair + INFORMED_EDGE_TICKS, shares);
  }

  /** Trades up to a limit price, in ticks, if the best price of the other side is within this limit. */
  #take(nowMs: number, account: number, side: MatchingSide, limitTicks: number, shares: number): void {
    const tick =
      side === BID ? Math.min(HIGHEST_TICK, Math.floor(limitTicks)) : Math.max(LOWEST_TICK, Math.ceil(limitTicks));
    if (tick < LOWEST_TICK || tick > HIGHEST_TICK) return;
    const opposite = bestTick(this.market, side === BID ? ASK : BID);
    if (opposite === null || (side === BID ? opposite > tick : opposite < tick)) return;
    const { internal } = this.#core.at(nowMs);
    internal.place(account, this.market.index, side, tickToMicros(tick), sharesToMicros(shares), true);
  }
}

/** A sequence of questions, one market each. A market opens after the previous question's market is settled. */
interface Slot {
  readonly name: string;
  readonly event: string;
  readonly category: Category;
  /** Days from the listing of a market to the midnight (UTC) of its resolution. */
  readonly days: number;
  /** Titles of the slot's markets, used in turn. In a title, the last day before the resolution replaces `{date}`. */
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

const MATCHES_AN_EVENT = 5;

/** Returns `count` slots, 1 to 1000. The list begins with the entries of `SLOTS`. */
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

const DAY_MS = 86_400_000;

/** Id of a slot's n-th market (from 0). The id does not depend on the seed, so a restarted crowd finds its markets. */
const listingId = (slot: Slot, listing: number): string => deriveConditionId('crowd', `${slot.name}/${listing}`);

/** Month names for dates such as `29 November`. Node's own date formatter would take 14 ms to load. */
const MONTHS: readonly string[] = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

function listingSpec(slot: Slot, listing: number, nowMs: number): MarketSpec {
  const resolvesMs = (Math.floor(nowMs / DAY_MS) + slot.days + 1) * DAY_MS;
  const lastDay = new Date(resolvesMs - 1);
  const date = `${lastDay.getUTCDate()} ${MONTHS[lastDay.getUTCMonth()]}`;
  const question = slot.questions[listing % slot.questions.length] ?? slot.name;
  return {
    config: { kind: 'orderbook' },
    event: slot.event,
    condition_id: listingId(slot, listing),
    title: question.replace('{date}', date),
    description: 'A made-up market of the paper exchange, traded by its simulated crowd.',
    category: slot.category,
    rules: ['Resolved by a hidden probability of the simulation, not by any event of the real world.'],
    resolution_date: resolvesMs / 1000,
  };
}

/** Maximum time that the crowd simulates after a gap (a suspended computer or a moved clock, for example), ms. */
const MAX_CATCH_UP_MS = 60_000;

/** Lets the crowd trade in its markets, and replaces each settled market by the slot's next question. */
export class Crowd {
  readonly #core: ExchangeCore;
  readonly #seed: number;
  readonly #accounts: CrowdAccounts;
  readonly #markets: CrowdMarket[];

  /** Starts the crowd, or continues an earlier run from its last prices. `nowMs`: exchange time, Unix ms. */
  constructor(core: ExchangeCore, { seed, markets }: { seed: number; markets?: number | undefined }, nowMs: number) {
    this.#core = core;
    this.#seed = seed;
    const account = (kind: string) => core.at(nowMs).identity.openInternal(`crowd-${kind}`, { unlimited: true });
    this.#accounts = { maker: account('maker'), noise: account('noise'), informed: account('informed') };
    // This run cannot track the orders that an earlier run left in the books, so it cancels them.
    for (const handle of core.pool.internalHandles(this.#accounts.maker)) core.at(nowMs).internal.cancel(handle);
    this.#markets = listSlots(markets).map((slot) => this.#openMarket(slot, nowMs));
  }

  tick(nowMs: number): void {
    for (const market of this.#markets)
      if (market.nextDueMs() < nowMs - MAX_CATCH_UP_MS) market.skipTo(nowMs - MAX_CATCH_UP_MS);
    for (;;) {
      const first = this.#earliest();
      const dueMs = Math.ceil(first.nextDueMs());
      if (dueMs > nowMs) return;
      first.step();
      // A market settles on its date or by an operator's call. The slot's next question then replaces the market.
      if (!isSettledMarket(first.market.state)) continue;
      this.#markets[this.#markets.indexOf(first)] = this.#openMarket(first.slot, dueMs);
    }
  }

  nextDueMs(): number {
    return Math.ceil(this.#earliest().nextDueMs());
  }

  /** Cancels all of the crowd's orders when the exchange stops cleanly. */
  withdraw(nowMs: number): void {
    for (const { maker } of this.#markets) maker.withdraw(nowMs);
  }

  /** Hidden probabilities, to measure a strategy's true earnings. Strategies must not see the hidden probabilities. */
  truths(): { readonly conditionId: string; readonly index: number; readonly probability: number }[] {
    return this.#markets.map(({ market: { card, index }, fairProbability }) => ({
      conditionId: card.conditionId,
      index,
      probability: fairProbability,
    }));
  }

  #earliest(): CrowdMarket {
    return this.#markets.reduce((first, one) => (one.nextDueMs() < first.nextDueMs() ? one : first));
  }

  /** Starts the traders in the slot's first unsettled market, and creates this market if it is missing. */
  #openMarket(slot: Slot, nowMs: number): CrowdMarket {
    const { catalog } = this.#core;
    for (let listing = 0; ; listing++) {
      const id = listingId(slot, listing);
      if (catalog.byId(id) === null) {
        const made = this.#core.at(nowMs).markets.create(listingSpec(slot, listing, nowMs));
        assert(made.ok, `the exchange cannot open a market of the crowd: ${JSON.stringify(made)}`);
      }
      const market = must(catalog.byId(id), 'a market of the crowd');
      if (isSettledMarket(market.state)) continue;
      return new CrowdMarket(this.#core, this.#accounts, slot, market, this.#seed, nowMs);
    }
  }
}
