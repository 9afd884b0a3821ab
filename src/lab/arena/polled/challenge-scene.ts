/**
 * The challenge on the exchange's own book: competitor, arbitrageur and uninformed takers are accounts there and act in
 * the published order, a step per second. Without other traders the book equals the published one.
 */

import { type AccountSlot, ASK, BID } from '../../../exchange/core/contract.js';
import type { ExchangeCore } from '../../../exchange/core/core.js';
import { ONE } from '../../../shared/base/micros.js';
import { drawConfiguration } from '../challenge/configuration.js';
import type { RestingOrder } from '../challenge/ladder-book.js';
import { Others, type Taker, type Venue } from '../challenge/others.js';
import { Score } from '../challenge/score.js';
import { LEAD_MS } from './stage.js';
import { STEP_MS, SteppedMarket, SteppedScene } from './stepped-scene.js';

/** Distance of the seeds of two markets of one simulation: no other simulation uses them. */
const SEEDS_APART = 2 ** 34;

interface ChallengeSceneSettings {
  /** The first market is the challenge of this seed. */
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

/** Each has its own account, so that they trade with each other. */
type Participants = Readonly<Record<Taker | 'competitor', AccountSlot>>;

interface RestingRung {
  readonly order: RestingOrder;
  readonly handle: number;
}

class ChallengeMarket extends SteppedMarket {
  probability: number;
  isInformed = false;
  readonly #participants: Participants;
  readonly #score: Score;
  readonly #others: Others;
  #standing: RestingRung[] = [];

  /** `seed`: of the published simulator. */
  constructor(core: ExchangeCore, participants: Participants, seed: number, name: string) {
    super(core, name);
    const config = drawConfiguration(seed);
    this.#participants = participants;
    this.#score = new Score(config, seed);
    this.probability = this.#score.probability;
    const venue: Venue = {
      best: (side) => this.best(side === 'bid' ? BID : ASK),
      rest: (order) => this.#rest(order),
      take: (...order) => this.#take(...order),
    };
    this.#others = new Others(venue, config, seed);
  }

  override open(nowMs: number, closesMs: number): void {
    super.open(nowMs, closesMs);
    this.#others.open(this.probability);
  }

  protected act(): void {
    this.#score.step();
    this.probability = this.#score.probability;
    this.#others.act(this.probability);
    // At once, so that readers between two steps see the challenge's book before the next one.
    this.#noticeUsedUp();
    this.#others.replace();
  }

  protected decide(): boolean {
    return this.#score.isYes;
  }

  #rest(order: RestingOrder): void {
    const { side, tick, remaining } = order;
    const handle = this.place(this.#participants.competitor, side === 'bid' ? BID : ASK, tick, remaining, false);
    // An order that traded at once is used up at once.
    this.#standing.push({ order, handle });
  }

  #take(...[taker, buys, tick, shares]: Parameters<Venue['take']>): number {
    this.isInformed = taker === 'arbitrageur';
    this.place(this.#participants[taker], buys ? BID : ASK, tick, shares, true);
    this.isInformed = false;
    return this.core.internal.lastFilled / ONE;
  }

  /** In the challenge's order: asks before bids, each from the best on. */
  #noticeUsedUp(): void {
    const used = this.#standing.filter(({ handle }) => handle === 0 || this.core.internal.remaining(handle) === 0);
    if (used.length === 0) return;
    this.#standing = this.#standing.filter((standing) => !used.includes(standing));
    used.sort(({ order: a }, { order: b }) => {
      if (a.side !== b.side) return a.side === 'ask' ? -1 : 1;
      return a.side === 'ask' ? a.tick - b.tick : b.tick - a.tick;
    });
    for (const { order } of used) this.#others.usedUp(order);
  }
}
