/**
 * The challenge on the exchange's own book: competitor, arbitrageur and uninformed takers are accounts there and act in
 * the published order, a step per second. Without other traders the book equals the published one.
 */

import { type AccountSlot, ASK, BID } from '../../../exchange/core/contract.js';
import type { ExchangeCore } from '../../../exchange/core/core.js';
import { ONE } from '../../../shared/base/micros.js';
import { HIGHEST_TICK, type RestingOrder } from '../challenge/ladder-book.js';
import { Others, type Taker, type Venue } from '../challenge/others.js';
import { drawConfiguration, STEP_MS, STEPS, seedOfMarket, startScore } from '../challenge/score.js';
import { SteppedMarket, type SteppedPlace, steppedScene } from './stepped-scene.js';
import { LEAD_MS, type Scene } from './trader-run.js';

/** The first market is the challenge of this seed. */
export const challengeScene = (core: ExchangeCore, seed: number, markets: number): Scene =>
  steppedScene(core, {
    firstStepMs: LEAD_MS + STEP_MS,
    resolvesMs: LEAD_MS + STEPS * STEP_MS,
    openMarkets: (place, account) => {
      const participants = {
        competitor: account('competitor'),
        arbitrageur: account('arbitrageur'),
        retail: account('retail'),
      };
      return Array.from(
        { length: markets },
        (_, at) => new ChallengeMarket(place, participants, seedOfMarket(seed, at), `market ${at + 1}`),
      );
    },
  });

/** Each has its own account, so that they trade with each other. */
type Participants = Readonly<Record<Taker | 'competitor', AccountSlot>>;

class ChallengeMarket extends SteppedMarket {
  isInformed = false;
  readonly #participants: Participants;
  readonly #others: Others;
  #standing: { readonly order: RestingOrder; readonly handle: number }[] = [];

  /** `seed`: of the published simulator. */
  constructor(place: SteppedPlace, participants: Participants, seed: number, name: string) {
    super(place, name);
    const config = drawConfiguration(seed);
    this.#participants = participants;
    const venue: Venue = {
      best: (side) => this.best(side === 'bid' ? BID : ASK),
      rest: (order) => this.#rest(order),
      take: (...order) => this.#take(...order),
    };
    this.#others = new Others(venue, config, seed, startScore(config, seed));
  }

  get probability(): number {
    return this.#others.probability;
  }

  protected act(): void {
    this.#others.act();
    // At once, so that readers between two steps see the challenge's book before the next one.
    this.#noticeUsedUp();
    this.#others.replace();
  }

  protected decide(): boolean {
    return this.#others.truth.isYes;
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
    const rank = ({ side, tick }: RestingOrder): number => (side === 'ask' ? tick : 2 * HIGHEST_TICK - tick);
    used.sort((a, b) => rank(a.order) - rank(b.order));
    for (const { order } of used) this.#others.usedUp(order);
  }
}
