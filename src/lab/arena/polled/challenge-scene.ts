/**
 * The challenge on the exchange's own book: competitor, arbitrageur and uninformed takers are accounts there and act in the
 * published order, a step each second. With nobody else in it the book is the published one.
 */

import { type AccountSlot, ASK, BID } from '../../../exchange/core/contract.js';
import type { ExchangeCore } from '../../../exchange/core/core.js';
import { ONE } from '../../../shared/base/micros.js';
import { Competitor } from '../challenge/competitor.js';
import { drawConfiguration } from '../challenge/configuration.js';
import type { RestingOrder } from '../challenge/ladder-book.js';
import { Retail, type RetailOrder } from '../challenge/retail.js';
import { floorToQuantum, QUANTUM, round10 } from '../challenge/round.js';
import { Score } from '../challenge/score.js';
import { SELL_PRICE_FLOOR, WRONG_BY } from '../challenge/simulation.js';
import { LEAD_MS } from './stage.js';
import { STEP_MS, SteppedMarket, SteppedScene } from './stepped-scene.js';

/** Between the seeds of two markets of one simulation: no other simulation has them. */
const SEEDS_APART = 2 ** 34;
/** More than ever stands in a book: whoever takes everything asks for so much. */
const ALL_SHARES = 100_000;

interface ChallengeSceneSettings {
  /** The first market is the challenge of this very seed. */
  readonly seed: number;
  readonly markets: number;
  readonly steps: number;
}

export class ChallengeScene extends SteppedScene {
  constructor(core: ExchangeCore, { seed, markets, steps }: ChallengeSceneSettings) {
    super(core, {
      firstStepMs: LEAD_MS + STEP_MS,
      resolvesMs: LEAD_MS + steps * STEP_MS,
      openMarkets: (account) => {
        const participants = {
          competitor: account('competitor'),
          arbitrageur: account('arbitrageur'),
          retail: account('retail'),
        };
        return Array.from(
          { length: markets },
          (_, place) => new ChallengeMarket(core, participants, seed + place * SEEDS_APART, `market ${place + 1}`),
        );
      },
    });
  }
}

/** Each has an account of his own, so that they trade with each other. */
interface Participants {
  readonly competitor: AccountSlot;
  readonly arbitrageur: AccountSlot;
  readonly retail: AccountSlot;
}

interface Standing {
  readonly order: RestingOrder;
  readonly handle: number;
}

class ChallengeMarket extends SteppedMarket {
  probability: number;
  isInformed = false;
  readonly #participants: Participants;
  readonly #score: Score;
  readonly #retail: Retail;
  readonly #competitor: Competitor;
  #standing: Standing[] = [];

  /** `seed`: of the published simulator. */
  constructor(core: ExchangeCore, participants: Participants, seed: number, name: string) {
    super(core, name);
    const config = drawConfiguration(seed);
    this.#participants = participants;
    this.#score = new Score(config, seed);
    this.probability = this.#score.probability;
    this.#retail = new Retail(config, seed + 1);
    this.#competitor = new Competitor({ add: (order) => this.#rest(order) }, config);
  }

  override open(nowMs: number, closesMs: number): void {
    super.open(nowMs, closesMs);
    this.#competitor.open(this.probability);
  }

  protected act(): void {
    this.#score.step();
    this.probability = this.#score.probability;
    this.isInformed = true;
    this.#arbitrage();
    this.isInformed = false;
    for (const order of this.#retail.step()) this.#take(order);
    // At once, for whoever looks between two steps is to see what the challenge shows before the next one.
    this.#noticeUsedUp();
    this.#competitor.replace();
  }

  protected decide(): boolean {
    return this.#score.isYes;
  }

  #rest(order: RestingOrder): void {
    const { side, tick, remaining } = order;
    const handle = this.place(this.#participants.competitor, side === 'bid' ? BID : ASK, tick, remaining, false);
    // What met an order of somebody else at once is used up at once.
    this.#standing.push({ order, handle });
  }

  /** In the order of the challenge, where asks are bought before bids are sold to, each from the best on. */
  #noticeUsedUp(): void {
    const used = this.#standing.filter(({ handle }) => handle === 0 || this.core.internalRemaining(handle) === 0);
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
    const highest = Math.ceil((this.probability - WRONG_BY) * 100) - 1;
    const lowest = Math.floor((this.probability + WRONG_BY) * 100) + 1;
    if ((this.best(ASK) ?? Number.POSITIVE_INFINITY) <= highest)
      this.place(arbitrageur, BID, Math.min(99, highest), ALL_SHARES, true);
    if ((this.best(BID) ?? Number.NEGATIVE_INFINITY) >= lowest)
      this.place(arbitrageur, ASK, Math.max(1, lowest), ALL_SHARES, true);
  }

  #take({ buys, notional }: RetailOrder): void {
    const { retail } = this.#participants;
    if (!buys) {
      const shares = Math.min(ALL_SHARES, floorToQuantum(notional / Math.max(this.probability, SELL_PRICE_FLOOR)));
      if (shares >= QUANTUM) this.place(retail, ASK, 1, shares, true);
      return;
    }
    let left = notional;
    for (let ask = this.best(ASK); ask !== null; ask = this.best(ASK)) {
      const shares = floorToQuantum(left / (ask / 100));
      if (shares < QUANTUM) return;
      this.place(retail, BID, ask, shares, true);
      const filled = this.core.lastInternalFilled / ONE;
      left = round10(left - filled * (ask / 100));
      // Less than it wanted: the level is gone, and the next one is dearer.
      if (filled === 0) return;
    }
  }
}
