/** Scenes: simulated markets on the exchange's own book, in which other accounts trade beside the tested trader. */

import { type AccountSlot, ASK, BID, type MatchingSide, REFUSED_MARKET } from '../../exchange/core/contract.js';
import type { ExchangeCore } from '../../exchange/core/core.js';
import { detailRow } from '../../exchange/core/records/market-rows.js';
import { Crowd } from '../../exchange/crowd/crowd.js';
import { ReplayMarket } from '../../exchange/crowd/replay-market.js';
import { deriveConditionId, type RecordedMarket } from '../../recording/contract.js';
import { assert, must } from '../../shared/base/errors.js';
import { type Micros, ONE } from '../../shared/base/micros.js';
import { Random } from '../../shared/base/random.js';
import { drawConfiguration, STEP_MS, STEPS, seedOfMarket, startScore } from './score.js';
import { HIGHEST_TICK, Others, type SimulatedOrder, type Venue } from './simulation.js';
import { LEAD_MS, type Scene, type SceneMarket } from './trader-run.js';

const TICK_MICROS = 10_000;

/** A market without fees in its own event. The market is open from its creation until `resolvesMs`, Unix ms. */
abstract class SteppedMarket implements SceneMarket {
  readonly recorded: RecordedMarket;
  readonly index: SceneMarket['index'];
  abstract readonly probability: number;
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
  abstract act(): void;

  protected account(name: string): AccountSlot {
    return this.core.identity.openInternal(name, { unlimited: true });
  }

  protected best(side: MatchingSide): number | null {
    const { bestBid, bestAsk } = this.core.catalog.market(this.index);
    const price = side === BID ? bestBid : bestAsk;
    return price === null ? null : price / TICK_MICROS;
  }

  /** Places an order. Returns the handle of the open order, or 0 if no part of the order stays in the book. */
  protected place(account: AccountSlot, side: MatchingSide, tick: number, shares: number, immediate: boolean): number {
    // The casts are right: ticks, and hundredths of shares, are whole numbers of millionths.
    const price = (tick * TICK_MICROS) as Micros;
    const amount = (Math.round(shares * 100) * TICK_MICROS) as Micros;
    const handle = this.core.internal.place(account, this.index, side, price, amount, immediate);
    const order = `${side === ASK ? 'ask' : 'bid'} of ${shares} shares at tick ${tick}`;
    assert(handle >= 0 || handle === REFUSED_MARKET, `the exchange refused the ${order}: ${handle}`);
    return Math.max(0, handle);
  }
}

/** Makes a scene whose accounts act once per step. `firstStepMs`: time from the markets' opening to the first step. */
function steppedScene(
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

/** Each market has its own event, because the markets are independent. */
const describeMarket = (conditionId: string, name: string, title: string): RecordedMarket => ({
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

/** Plays the challenge on the exchange's own book. The challenge's participants act in the published order. */
export const challengeScene = (core: ExchangeCore, seed: number, markets: number): Scene =>
  steppedScene(
    core,
    markets,
    LEAD_MS + STEP_MS,
    (at, openedMs) => new ChallengeMarket(core, at, openedMs + LEAD_MS + STEPS * STEP_MS, seedOfMarket(seed, at)),
  );

class ChallengeMarket extends SteppedMarket {
  isInformed = false;
  /** Every participant has a separate account, so that participants can trade with each other. */
  readonly #accounts = {
    competitor: this.account('competitor'),
    arbitrageur: this.account('arbitrageur'),
    retail: this.account('retail'),
  };
  readonly #others: Others;
  #standing: { readonly order: SimulatedOrder; readonly handle: number }[] = [];

  constructor(core: ExchangeCore, at: number, resolvesMs: number, seed: number) {
    super(core, at, resolvesMs);
    const config = drawConfiguration(seed);
    const venue: Venue = {
      best: (side) => this.best(side === 'bid' ? BID : ASK),
      rest: (order) => {
        const { side, tick, remaining } = order;
        const handle = this.place(this.#accounts.competitor, side === 'bid' ? BID : ASK, tick, remaining, false);
        this.#standing.push({ order, handle });
      },
      take: (taker, buys, tick, shares) => {
        this.isInformed = taker === 'arbitrageur';
        this.place(this.#accounts[taker], buys ? BID : ASK, tick, shares, true);
        this.isInformed = false;
        return core.internal.lastFilled / ONE;
      },
    };
    this.#others = new Others(venue, config, seed, startScore(config, seed));
  }

  get probability(): number {
    return this.#others.probability;
  }

  override decide(): boolean {
    return this.#others.truth.isYes;
  }

  override act(): void {
    this.#others.act();
    const used = this.#standing.filter(({ handle }) => handle === 0 || this.core.internal.remaining(handle) === 0);
    this.#standing = this.#standing.filter((standing) => !used.includes(standing));
    // The challenge replaces the competitor's filled asks before the competitor's filled bids, best price first.
    const rank = ({ side, tick }: SimulatedOrder): number => (side === 'ask' ? tick : 2 * HIGHEST_TICK - tick);
    used.sort((a, b) => rank(a.order) - rank(b.order));
    for (const { order } of used) this.#others.used.push(order);
    // The competitor's filled orders are replaced at once, so that polls between steps show the next step's book.
    this.#others.replace();
  }
}

const TRUE_TICK = 50;
const SHARES = 12;
const WALKED_TICKS = 34;
/** Time from a market's opening to its resolution, ms; long after the scene's end. */
const RESOLVES_AFTER_MS = 86_400_000;
/** Probability that the quoter's own accounts trade with each other after a step. */
const WASH_CHANCE = 0.3;
/** Sizes of quotes, in shares; the largest exceeds the position that a trader usually holds. */
const QUOTED = [SHARES, SHARES, 2000] as const;

/** The only quoter moves its quotes away from the true price, and then trades with traders whose quotes follow. */
export function liarScene(core: ExchangeCore, seed: number, markets: number): Scene {
  const random = Random.fromSeed(seed, 'liar');
  return steppedScene(core, markets, STEP_MS, (at, openedMs) => new LiarMarket(core, at, openedMs, random));
}

const drawWalk = (random: Random) => ({
  isRising: random.chance(0.5),
  /** Duration of the price move, s. */
  walkS: 120 + 240 * random.uniform(),
  /** Minimum gain per share for which the quoter's second account trades, ticks. */
  gainTicks: Math.round(4 + 26 * random.uniform()),
  /** Distance of the quotes from the mid, ticks; a trader can quote between these quotes. */
  halfTicks: Math.round(1 + 5 * random.uniform()),
  quoted: QUOTED[random.below(QUOTED.length)] ?? SHARES,
});

class LiarMarket extends SteppedMarket {
  readonly probability = 0.5;
  readonly isInformed = true;
  readonly #quoter = this.account('quoter');
  readonly #seller = this.account('seller');
  readonly #random: Random;
  readonly #walk: ReturnType<typeof drawWalk>;
  readonly #fromMs: number;
  #quotes: readonly number[] = [];

  constructor(core: ExchangeCore, at: number, openedMs: number, random: Random) {
    super(core, at, openedMs + RESOLVES_AFTER_MS);
    this.#fromMs = openedMs + LEAD_MS;
    this.#random = random;
    this.#walk = drawWalk(random);
  }

  override act(): void {
    const { isRising, walkS, gainTicks, halfTicks, quoted } = this.#walk;
    for (const handle of this.#quotes) this.core.internal.cancel(handle);
    const [soldAt, boughtAt] = [this.best(BID), this.best(ASK)];
    if (soldAt !== null && soldAt >= TRUE_TICK + gainTicks) this.place(this.#seller, ASK, soldAt, SHARES, true);
    if (boughtAt !== null && boughtAt <= TRUE_TICK - gainTicks) this.place(this.#seller, BID, boughtAt, SHARES, true);
    const part = Math.min(1, Math.max(0, (this.core.nowMs - this.#fromMs) / (walkS * 1000)));
    const middle = TRUE_TICK + Math.round((isRising ? 1 : -1) * WALKED_TICKS * part);
    const [ownBid, ownAsk] = [this.best(BID) ?? 0, this.best(ASK) ?? HIGHEST_TICK + 1];
    // A quote that would cross an order of the trader is moved to one tick from that order.
    const bid = Math.min(middle - halfTicks, ownAsk - 1);
    const ask = Math.max(middle + halfTicks, ownBid + 1);
    this.#quotes = [
      ...(bid < 1 ? [] : [this.place(this.#quoter, BID, bid, quoted, false)]),
      ...(ask > HIGHEST_TICK ? [] : [this.place(this.#quoter, ASK, ask, quoted, false)]),
    ];
    if (!this.#random.chance(WASH_CHANCE)) return;
    // The quoter trades with itself only at a price where all orders are its own.
    if (isRising && ownAsk > ask) this.place(this.#seller, BID, ask, 1, true);
    if (!isRising && ownBid < bid) this.place(this.#seller, ASK, bid, 1, true);
  }

  override decide(): boolean {
    return this.#random.chance(this.probability);
  }
}

export function crowdScene(core: ExchangeCore, seed: number): Scene {
  let crowd: Crowd | null = null;
  let isInformed = false;
  return {
    get isInformed() {
      return isInformed;
    },
    open(nowMs) {
      crowd = new Crowd(core, { seed }, nowMs);
      // `isInformed` is true while the informed takers place an order. The crowd already opened the takers' account.
      const informed = core.identity.openInternal('crowd-informed', { unlimited: true });
      const place = core.internal.place.bind(core.internal);
      core.internal.place = (account, ...order) => {
        isInformed = account === informed;
        const handle = place(account, ...order);
        isInformed = false;
        return handle;
      };
      return listMarkets(core, crowd, Random.fromSeed(seed, 'outcomes'));
    },
    nextDueMs: () => crowd?.nextDueMs() ?? Number.POSITIVE_INFINITY,
    tick: (nowMs) => crowd?.tick(nowMs),
  };
}

const listMarkets = (core: ExchangeCore, crowd: Crowd, outcomes: Random): readonly SceneMarket[] =>
  crowd.truths().map(({ conditionId, index }) => ({
    recorded: describeMarket(conditionId, conditionId, detailRow(core.catalog, core.catalog.market(index)).title),
    index,
    get probability() {
      const truth = crowd.truths().find((one) => one.index === index);
      return must(truth, 'a market of the crowd').probability;
    },
    /** Draws the outcome now, because the scene ends long before the resolution date. */
    decide(): boolean {
      return outcomes.chance(this.probability);
    },
  }));
