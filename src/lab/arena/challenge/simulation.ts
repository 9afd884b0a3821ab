/** One simulation of the challenge: its steps in the published order, and the maker's earnings against the truth. */

import type { SimulationResult } from '../contract.js';
import { Tally } from '../tally.js';
import { Account, ForbiddenAction, type MakerAction } from './account.js';
import { findBest, QUANTUM, type RestingOrder, round10, tickToPrice } from './ladder-book.js';
import { Others, type Venue } from './others.js';
import { type Configuration, drawConfiguration, startScore, type Truth } from './score.js';

export const STARTING_CASH = 1000;

/** The maker's view before it acts; amounts in shares, money in currency. */
export interface MakerSight {
  readonly step: number;
  readonly account: Account;
  /** Ticks; null when the competitor has no order. */
  readonly competitorBid: number | null;
  readonly competitorAsk: number | null;
  /** The truth, only for feeds: a maker that quotes by it would know the unknowable. */
  readonly probability: number;
  /** Of the last step. */
  readonly fills: readonly MakerFill[];
}

type MakerFill = Pick<RestingOrder, 'side' | 'tick'> & { readonly shares: number };

export interface Maker {
  /** Each action is applied before the next one is requested. */
  act(sight: MakerSight): Iterable<MakerAction>;
  /** Its failure; null while it works. */
  readonly failure?: string | null;
}

/** `config` is the seed's published one, or a world's variant of it. */
export function simulate(seed: number, maker: Maker, config = drawConfiguration(seed)): SimulationResult {
  const simulation = new Simulation(seed, maker, config, startScore(config, seed));
  for (let step = 0; step < config.steps; step++) simulation.step(step);
  return simulation.result();
}

/** One market, step by step. */
export class Simulation<M extends Maker> {
  readonly maker: M;
  readonly #seed: number;
  /** Orders of the competitor and the maker, oldest first. */
  readonly #book = new Set<RestingOrder>();
  readonly #others: Others;
  readonly #account = new Account(STARTING_CASH);
  #stepFills: MakerFill[] = [];
  readonly #tally = new Tally(STARTING_CASH, round10);
  #actions = 0;
  /** The broken rule: nothing happens after it. */
  #failure: string | null = null;

  constructor(seed: number, maker: M, config: Configuration, truth: Truth) {
    this.#seed = seed;
    this.maker = maker;
    const venue: Venue = {
      best: (side) => findBest(this.#book, side)?.tick ?? null,
      rest: (order) => void this.#book.add(order),
      take: (...order) => this.#take(...order),
    };
    this.#others = new Others(venue, config, seed, truth);
  }

  /** Cash and shares at the true probability. */
  get worth(): number {
    return this.#account.worth(this.#others.probability);
  }

  step(step: number): void {
    const sight = this.show(step);
    if (sight !== null) this.play(() => this.maker.act(sight));
  }

  /** The maker's view at the beginning of a step; null once a rule was broken. */
  show(step: number): MakerSight | null {
    if (this.#failure !== null) return null;
    this.#others.replace();
    const fills = this.#stepFills;
    this.#stepFills = [];
    const competitors = [...this.#book].filter(({ id }) => id === null);
    return {
      step,
      account: this.#account,
      competitorBid: findBest(competitors, 'bid')?.tick ?? null,
      competitorAsk: findBest(competitors, 'ask')?.tick ?? null,
      probability: this.#others.probability,
      fills,
    };
  }

  /** Applies the maker's actions, and then those of all others. */
  play(act: () => Iterable<MakerAction>): void {
    try {
      for (const action of act()) this.#apply(action);
    } catch (error) {
      if (!(error instanceof ForbiddenAction)) throw error;
      this.#failure = error.message;
      return;
    }
    this.#others.act();
    this.#tally.mark(this.worth);
  }

  result(): SimulationResult {
    const outcome = this.#others.truth.isYes ? 1 : 0;
    return {
      seed: this.#seed,
      ...this.#tally.edges(),
      actions: this.#actions,
      requests: null,
      halts: 0,
      reported: null,
      ...this.#tally.gains(round10(this.#account.worth(outcome))),
      outcome,
      failure: this.#failure ?? this.maker.failure ?? null,
    };
  }

  #apply(action: MakerAction): void {
    this.#actions++;
    if (action.kind === 'place') this.#book.add(this.#account.open(action));
    else this.#book.delete(this.#account.close(action.id));
  }

  #take(...[taker, buys, tick, shares]: Parameters<Venue['take']>): number {
    const side = buys ? 'ask' : 'bid';
    const best = () => findBest(this.#book, side);
    let left = shares;
    for (let order = best(); order !== null && left >= QUANTUM; order = best()) {
      if (buys ? order.tick > tick : order.tick < tick) break;
      const traded = Math.min(order.remaining, left);
      left = round10(left - traded);
      this.#trade(order, traded, taker === 'arbitrageur');
    }
    return round10(shares - left);
  }

  #trade(order: RestingOrder, shares: number, informed: boolean): void {
    order.remaining = round10(order.remaining - shares);
    const { id, side, tick } = order;
    const isUsedUp = order.remaining < QUANTUM / 2;
    if (isUsedUp) this.#book.delete(order);
    if (id === null) {
      if (isUsedUp) this.#others.usedUp(order);
      return;
    }
    this.#account.applyFill(id, shares);
    this.#stepFills.push({ side, tick, shares });
    const price = tickToPrice(tick);
    const gain = this.#others.probability - price;
    const edge = round10(shares * (side === 'bid' ? gain : -gain));
    this.#tally.countFill(shares, edge, informed);
  }
}
