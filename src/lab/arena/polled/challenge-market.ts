/**
 * A market of the challenge on the exchange's own book: competitor, arbitrageur and uninformed takers are accounts there and
 * act in the published order, a step each second. With nobody else in it the book is the published one.
 */

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
import { type Micros, ONE } from '../../../shared/base/micros.js';
import { playFromMemory } from '../../backtest/sources.js';
import { Competitor } from '../challenge/competitor.js';
import { drawConfiguration } from '../challenge/configuration.js';
import type { RestingOrder } from '../challenge/ladder-book.js';
import { Retail, type RetailOrder } from '../challenge/retail.js';
import { floorToQuantum, QUANTUM, round10 } from '../challenge/round.js';
import { Score } from '../challenge/score.js';
import { SELL_PRICE_FLOOR, WRONG_BY } from '../challenge/simulation.js';
import type { SceneMarket } from './scene.js';

const TICK_MICROS = 10_000;
/** More than ever stands in a book: whoever takes everything asks for so much. */
const ALL_SHARES = 100_000;

/** Each has an account of his own, so that they trade with each other. */
export interface Participants {
  readonly competitor: AccountSlot;
  readonly arbitrageur: AccountSlot;
  readonly retail: AccountSlot;
}

interface Standing {
  readonly order: RestingOrder;
  readonly handle: number;
}

export class ChallengeMarket implements SceneMarket {
  readonly source: SceneMarket['source'];
  readonly #core: ExchangeCore;
  readonly #participants: Participants;
  readonly #market: ReplayMarket;
  readonly #score: Score;
  readonly #retail: Retail;
  readonly #competitor: Competitor;
  #standing: Standing[] = [];
  #index: MarketIndex | null = null;
  #nowMs = 0;
  #probability: number;
  #isInformed = false;

  /** `seed`: of the published simulator. */
  constructor(core: ExchangeCore, participants: Participants, seed: number, name: string) {
    const config = drawConfiguration(seed);
    this.#core = core;
    this.#participants = participants;
    this.#score = new Score(config, seed);
    this.#probability = this.#score.probability;
    this.#retail = new Retail(config, seed + 1);
    this.#competitor = new Competitor({ add: (order) => this.#rest(order) }, config);
    const market = describeMarket(name);
    this.source = playFromMemory(market, []);
    this.#market = new ReplayMarket(core, market);
  }

  get index(): MarketIndex {
    return must(this.#index, 'an open market');
  }

  get probability(): number {
    return this.#probability;
  }

  get outcome(): boolean | null {
    return this.#market.state === 'finished' ? this.#score.value > 0 : null;
  }

  get isInformed(): boolean {
    return this.#isInformed;
  }

  open(nowMs: number, closesMs: number): void {
    this.#market.open(nowMs, closesMs);
    this.#index = this.#core.findMarketIndex(this.source.market.conditionId);
    this.#nowMs = nowMs;
    this.#competitor.open(this.#probability);
  }

  step(nowMs: number): void {
    this.#nowMs = nowMs;
    this.#score.step();
    this.#probability = this.#score.probability;
    this.#isInformed = true;
    this.#arbitrage();
    this.#isInformed = false;
    for (const order of this.#retail.step()) this.#take(order);
    // At once, for whoever looks between two steps is to see what the challenge shows before the next one.
    this.#noticeUsedUp();
    this.#competitor.replace();
  }

  close(nowMs: number): void {
    this.#market.close(nowMs);
    this.#core.resolveMarket(nowMs, this.source.market.conditionId, this.#score.value > 0);
  }

  #rest(order: RestingOrder): void {
    const { side, tick, remaining } = order;
    const handle = this.#place(this.#participants.competitor, side === 'bid' ? BID : ASK, tick, remaining, false);
    // What met an order of somebody else at once is used up at once.
    this.#standing.push({ order, handle });
  }

  /** In the order of the challenge, where asks are bought before bids are sold to, each from the best on. */
  #noticeUsedUp(): void {
    const used = this.#standing.filter(({ handle }) => handle === 0 || this.#core.internalRemaining(handle) === 0);
    if (used.length === 0) return;
    this.#standing = this.#standing.filter((standing) => !used.includes(standing));
    used.sort(({ order: a }, { order: b }) => {
      if (a.side !== b.side) return a.side === 'ask' ? -1 : 1;
      return a.side === 'ask' ? a.tick - b.tick : b.tick - a.tick;
    });
    for (const { order } of used) this.#competitor.usedUp(order);
  }

  /** Takes all that stands on the wrong side of the truth. */
  #arbitrage(): void {
    const { arbitrageur } = this.#participants;
    const highest = Math.ceil((this.#probability - WRONG_BY) * 100) - 1;
    const lowest = Math.floor((this.#probability + WRONG_BY) * 100) + 1;
    if ((this.#best(ASK) ?? Number.POSITIVE_INFINITY) <= highest)
      this.#place(arbitrageur, BID, Math.min(99, highest), ALL_SHARES, true);
    if ((this.#best(BID) ?? Number.NEGATIVE_INFINITY) >= lowest)
      this.#place(arbitrageur, ASK, Math.max(1, lowest), ALL_SHARES, true);
  }

  #take({ buys, notional }: RetailOrder): void {
    const { retail } = this.#participants;
    if (!buys) {
      const shares = Math.min(ALL_SHARES, floorToQuantum(notional / Math.max(this.#probability, SELL_PRICE_FLOOR)));
      if (shares >= QUANTUM) this.#place(retail, ASK, 1, shares, true);
      return;
    }
    let left = notional;
    for (let ask = this.#best(ASK); ask !== null; ask = this.#best(ASK)) {
      const shares = floorToQuantum(left / (ask / 100));
      if (shares < QUANTUM) return;
      this.#place(retail, BID, ask, shares, true);
      const filled = this.#core.lastInternalFilled / ONE;
      left = round10(left - filled * (ask / 100));
      // Less than it wanted: the level is gone, and the next one is dearer.
      if (filled === 0) return;
    }
  }

  /** The best tick of a side; null where it is empty. */
  #best(side: BookSide): number | null {
    const price = side === BID ? this.#core.bestBid(this.index) : this.#core.bestAsk(this.index);
    return price === null ? null : price / TICK_MICROS;
  }

  /** The handle of what rests, 0 where nothing does. */
  #place(account: AccountSlot, side: BookSide, tick: number, shares: number, immediate: boolean): number {
    // Whole ticks and hundredths of shares are integers of millionths.
    const price = (tick * TICK_MICROS) as Micros;
    const amount = (Math.round(shares * 100) * TICK_MICROS) as Micros;
    const handle = this.#core.placeInternal(this.#nowMs, account, this.index, side, price, amount, immediate);
    assert(handle >= 0 || handle === REFUSED_MARKET, `the exchange refused ${shares} shares at ${tick}: ${handle}`);
    return Math.max(0, handle);
  }
}

/** A market of this name without fees, in an event of its own. */
export const describeMarket = (name: string): RecordedMarket => ({
  conditionId: deriveConditionId('arena', name),
  // An event of its own: what happens in one says nothing of another.
  eventTitle: name,
  title: `Will the score of ${name} end above 0?`,
  category: 'finance',
  rules: ['Resolved by the hidden score of a simulation.'],
  tickPrecision: 2,
  amountPrecision: 2,
  openTimeMs: 0,
  closeTimeMs: 0,
  outcome: null,
  fees: { makerRateMicros: 0, takerRateMicros: 0 },
  source: { kind: 'twinbook', path: 'arena', ticker: name, origin: 'arena' },
});
