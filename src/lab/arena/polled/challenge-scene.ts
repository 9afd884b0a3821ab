/**
 * The challenge on the exchange's own book: competitor, arbitrageur and uninformed takers are accounts there and act in
 * the published order, a step per second. Without other traders the book equals the published one.
 */

import { ASK, BID } from '../../../exchange/core/contract.js';
import type { ExchangeCore } from '../../../exchange/core/core.js';
import { ONE } from '../../../shared/base/micros.js';
import { HIGHEST_TICK, type RestingOrder } from '../challenge/ladder-book.js';
import { Others, type Venue } from '../challenge/others.js';
import { drawConfiguration, STEP_MS, STEPS, seedOfMarket, startScore } from '../challenge/score.js';
import { SteppedMarket, steppedScene } from './stepped-scene.js';
import { LEAD_MS, type Scene } from './trader-run.js';

/** The first market is the challenge of this seed. */
export const challengeScene = (core: ExchangeCore, seed: number, markets: number): Scene =>
  steppedScene(
    core,
    markets,
    LEAD_MS + STEP_MS,
    (at, openedMs) => new ChallengeMarket(core, at, openedMs + LEAD_MS + STEPS * STEP_MS, seedOfMarket(seed, at)),
  );

class ChallengeMarket extends SteppedMarket {
  isInformed = false;
  /** Each has its own account, so that they trade with each other. */
  readonly #accounts = {
    competitor: this.account('competitor'),
    arbitrageur: this.account('arbitrageur'),
    retail: this.account('retail'),
  };
  readonly #others: Others;
  #standing: { readonly order: RestingOrder; readonly handle: number }[] = [];

  /** `seed`: of the published simulator. */
  constructor(core: ExchangeCore, at: number, resolvesMs: number, seed: number) {
    super(core, at, resolvesMs);
    const config = drawConfiguration(seed);
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

  override decide(): boolean {
    return this.#others.truth.isYes;
  }

  override act(): void {
    this.#others.act();
    // At once, so that readers between two steps see the challenge's book before the next one.
    this.#noticeUsedUp();
    this.#others.replace();
  }

  #rest(order: RestingOrder): void {
    const { side, tick, remaining } = order;
    const handle = this.place(this.#accounts.competitor, side === 'bid' ? BID : ASK, tick, remaining, false);
    // An order that traded at once is used up at once.
    this.#standing.push({ order, handle });
  }

  #take(...[taker, buys, tick, shares]: Parameters<Venue['take']>): number {
    this.isInformed = taker === 'arbitrageur';
    this.place(this.#accounts[taker], buys ? BID : ASK, tick, shares, true);
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
