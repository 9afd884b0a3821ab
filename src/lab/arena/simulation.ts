/** Simulates the challenge in the published order of steps, and measures the maker's gains at the true probability. */

import { type SimulationResult, Tally } from './contract.js';
import {
  type Configuration,
  drawConfiguration,
  type LadderSide,
  PythonRandom,
  startScore,
  type Truth,
} from './score.js';

const WRONG_BY = 1e-9;
const SELL_PRICE_FLOOR = 0.05;
const ALL_SHARES = 100_000;

/** The book on which the participants trade, in ticks and shares. */
export interface Venue {
  best(side: LadderSide): number | null;
  rest(order: SimulatedOrder): void;
  /** Executes an order that buys at up to `tick`, or sells at down to `tick`. Returns the number of traded shares. */
  take(taker: 'arbitrageur' | 'retail', buys: boolean, tick: number, shares: number): number;
}

export class Others {
  readonly truth: Truth;
  probability: number;
  readonly #venue: Venue;
  readonly #config: Configuration;
  readonly #retail: PythonRandom;
  readonly #extra: PythonRandom;
  /** The competitor's filled orders, which are not replaced yet, in the order of their fills. */
  readonly used: SimulatedOrder[] = [];

  constructor(venue: Venue, config: Configuration, seed: number, truth: Truth) {
    this.#venue = venue;
    this.#config = config;
    this.truth = truth;
    this.probability = truth.probability;
    this.#retail = new PythonRandom(seed + 1);
    this.#extra = new PythonRandom(seed + 2 ** 32);
    // The competitor's orders rest on all ticks outside its spread, and do not follow later price moves.
    const bestBid = Math.ceil(this.probability / TICK - 1e-12) - config.competitorSpread;
    const bestAsk = Math.floor(this.probability / TICK + 1e-12) + config.competitorSpread;
    for (let tick = LOWEST_TICK; tick <= Math.min(bestBid, HIGHEST_TICK); tick++) this.#rest('bid', tick);
    for (let tick = Math.max(bestAsk, LOWEST_TICK); tick <= HIGHEST_TICK; tick++) this.#rest('ask', tick);
  }

  replace(): void {
    const { competitorSpread } = this.#config;
    for (const { side, tick } of this.used.splice(0)) {
      if (side === 'ask') this.#rest('bid', tick - competitorSpread);
      else this.#rest('ask', tick + competitorSpread);
    }
  }

  #rest(side: LadderSide, tick: number): void {
    const { competitorSides, competitorNotional } = this.#config;
    if (!competitorSides.includes(side)) return;
    const at = Math.min(HIGHEST_TICK, Math.max(LOWEST_TICK, tick));
    const remaining = floorToQuantum(competitorNotional / tickToPrice(at));
    if (remaining >= QUANTUM) this.#venue.rest({ id: null, side, tick: at, remaining });
  }

  act(): void {
    this.truth.step();
    this.probability = this.truth.probability;
    const { informedPart } = this.#config;
    if (informedPart >= 1 || this.#extra.random() < informedPart) this.#arbitrage(this.probability);
    for (const order of drawRetail(this.#retail, this.#config)) this.#serve(order);
  }

  #arbitrage(probability: number): void {
    const highest = Math.ceil((probability - WRONG_BY) * 100) - 1;
    const lowest = Math.floor((probability + WRONG_BY) * 100) + 1;
    if ((this.#venue.best('ask') ?? Number.POSITIVE_INFINITY) <= highest)
      this.#venue.take('arbitrageur', true, Math.min(HIGHEST_TICK, highest), ALL_SHARES);
    if ((this.#venue.best('bid') ?? Number.NEGATIVE_INFINITY) >= lowest)
      this.#venue.take('arbitrageur', false, Math.max(LOWEST_TICK, lowest), ALL_SHARES);
  }

  #serve({ buys, notional }: ReturnType<typeof drawRetail>[number]): void {
    if (!buys) {
      const price = Math.max(this.probability, SELL_PRICE_FLOOR);
      const shares = Math.min(ALL_SHARES, floorToQuantum(notional / price));
      if (shares >= QUANTUM) this.#venue.take('retail', false, LOWEST_TICK, shares);
      return;
    }
    let left = notional;
    for (let ask = this.#venue.best('ask'); ask !== null; ask = this.#venue.best('ask')) {
      const shares = floorToQuantum(left / tickToPrice(ask));
      if (shares < QUANTUM) return;
      const filled = this.#venue.take('retail', true, ask, shares);
      left = round10(left - filled * tickToPrice(ask));
      if (filled === 0) return;
    }
  }
}

export function drawRetail(random: PythonRandom, config: Configuration) {
  const { retailRate, retailMeanNotional, retailSigma } = config;
  const mu = Math.log(retailMeanNotional) - retailSigma ** 2 / 2;
  return Array.from({ length: random.poisson(retailRate) }, () => {
    const buys = random.random() < 0.5;
    // `notional`: currency that a buy spends, or fair value of the shares that a sell offers.
    return { buys, notional: random.lognormal(mu, retailSigma) };
  });
}

type MakerOrder = MakerFill & Readonly<{ kind: 'place'; id: string }>;

export type MakerAction = MakerOrder | { readonly kind: 'cancel'; readonly id: string };

class ForbiddenAction extends Error {}

interface CoveredOrder extends SimulatedOrder {
  readonly id: string;
  /** Number of held YES shares that the ask sells. The ask sells its other shares short. */
  covered: number;
}

const ENOUGH = 1e-9;

const boundCash = ({ side, tick, remaining, covered }: CoveredOrder): number =>
  side === 'bid' ? tickToPrice(tick) * remaining : (1 - tickToPrice(tick)) * (remaining - covered);

export class SimulatedAccount {
  cash: number;
  yes = 0;
  no = 0;
  orders: readonly CoveredOrder[] = [];

  constructor(cash: number) {
    this.cash = cash;
  }

  get freeCash(): number {
    const bound = this.orders.reduce((sum, order) => sum + boundCash(order), 0);
    return round10(this.cash - round10(bound));
  }

  get freeYes(): number {
    const covered = this.orders.reduce((sum, order) => sum + order.covered, 0);
    return round10(Math.max(0, this.yes - covered));
  }

  open({ id, side, tick, shares }: MakerOrder): SimulatedOrder {
    if (this.orders.some((order) => order.id === id)) throw new ForbiddenAction(`the order id ${id} is already in use`);
    if (!Number.isInteger(tick) || tick < LOWEST_TICK || tick > HIGHEST_TICK)
      throw new ForbiddenAction(`tick ${tick} is not from ${LOWEST_TICK} to ${HIGHEST_TICK}`);
    if (!(shares >= QUANTUM)) throw new ForbiddenAction(`${shares} shares are less than the minimum`);
    const covered = side === 'ask' ? Math.min(this.freeYes, shares) : 0;
    const order = { id, side, tick, remaining: shares, covered };
    const needed = boundCash(order);
    if (needed > this.freeCash + ENOUGH) throw new ForbiddenAction(`cash needed: ${needed}, free: ${this.freeCash}`);
    this.orders = [...this.orders, order];
    return order;
  }

  close(id: string): CoveredOrder {
    const order = this.#find(id);
    this.orders = this.orders.filter((other) => other !== order);
    return order;
  }

  #find(id: string): CoveredOrder {
    const order = this.orders.find((one) => one.id === id);
    if (order === undefined) throw new ForbiddenAction(`there is no order ${id}`);
    return order;
  }

  /** Books traded shares at the order's price. The order's remaining shares have already been reduced. */
  applyFill(id: string, shares: number): void {
    const order = this.#find(id);
    const price = tickToPrice(order.tick);
    if (order.side === 'bid') {
      this.cash = round10(this.cash - price * shares);
      this.yes = round10(this.yes + shares);
    } else {
      const sold = Math.min(shares, order.covered);
      const uncovered = shares - sold;
      order.covered = round10(order.covered - sold);
      this.yes = round10(this.yes - sold);
      this.no = round10(this.no + uncovered);
      this.cash = round10(this.cash + price * sold - (1 - price) * uncovered);
    }
    if (order.remaining <= 0) this.close(id);
  }

  worth(probability: number): number {
    return this.cash + this.yes * probability + this.no * (1 - probability);
  }
}

const LOWEST_TICK = 1;
export const HIGHEST_TICK = 99;
const TICK = 0.01;
/** Returns a tick's price. 57 / 100 gives the double 0.57, but 57 × 0.01 gives the double next to it. */
export const tickToPrice = (tick: number): number => tick / 100;

/** Rounds a double to 10 decimal places, half to even. The double's exact binary value decides. */
export function round10(value: number): number {
  // A double is exactly half-way between two numbers of ten decimals only if it is an odd multiple of 2^-11.
  const halves = value * 2048;
  if (!Number.isInteger(halves) || halves % 2 === 0) return Number(value.toFixed(10)) + 0;
  const below = Math.floor(value * 1e10);
  return (below % 2 === 0 ? below : below + 1) / 1e10;
}

export const QUANTUM = 0.01;

/** Rounds shares down to a multiple of `QUANTUM`. A floating-point error below 1e-9 × QUANTUM is ignored. */
export const floorToQuantum = (shares: number): number => round10(Math.floor(shares / QUANTUM + 1e-9) * QUANTUM);

export interface SimulatedOrder {
  readonly id: string | null;
  readonly side: LadderSide;
  readonly tick: number;
  /** Shares. */
  remaining: number;
}

/** Returns the order that trades first on a side: the oldest at the best price. `orders`: oldest order first. */
function findBest(orders: Iterable<SimulatedOrder>, side: LadderSide): SimulatedOrder | null {
  let best: SimulatedOrder | null = null;
  for (const order of orders) {
    if (order.side !== side) continue;
    if (best === null || (side === 'ask' ? order.tick < best.tick : order.tick > best.tick)) best = order;
  }
  return best;
}

export const STARTING_CASH = 1000;

export interface MakerSight {
  readonly step: number;
  readonly account: SimulatedAccount;
  readonly competitorBid: number | null;
  readonly competitorAsk: number | null;
  /** True probability of YES, only for simulated feeds. A maker must not use the true probability for its quotes. */
  readonly probability: number;
  readonly fills: readonly MakerFill[];
}

type MakerFill = Pick<SimulatedOrder, 'side' | 'tick'> & { readonly shares: number };

export interface Maker {
  /** Yields actions. Each action of the maker is applied before the next action is requested. */
  act(sight: MakerSight): Iterable<MakerAction>;
  readonly failure?: string | null;
}

export function simulate(seed: number, maker: Maker, config = drawConfiguration(seed)): SimulationResult {
  const simulation = new Simulation(seed, maker, config, startScore(config, seed));
  for (let step = 0; step < config.steps; step++) simulation.step(step);
  return simulation.result();
}

export class Simulation<M extends Maker> {
  readonly maker: M;
  readonly #seed: number;
  /** Orders of the competitor and the maker, oldest first. */
  readonly #book = new Set<SimulatedOrder>();
  readonly #others: Others;
  readonly #account = new SimulatedAccount(STARTING_CASH);
  #stepFills: MakerFill[] = [];
  readonly #tally = new Tally(STARTING_CASH, round10);
  #actions = 0;
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

  get worth(): number {
    return this.#account.worth(this.#others.probability);
  }

  step(step: number): void {
    const sight = this.show(step);
    if (sight !== null) this.play(() => this.maker.act(sight));
  }

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

  play(act: () => Iterable<MakerAction>): void {
    try {
      for (const action of act()) {
        this.#actions++;
        if (action.kind === 'place') this.#book.add(this.#account.open(action));
        else this.#book.delete(this.#account.close(action.id));
      }
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

  #trade(order: SimulatedOrder, shares: number, informed: boolean): void {
    order.remaining = round10(order.remaining - shares);
    const { id, side, tick } = order;
    const isUsedUp = order.remaining < QUANTUM / 2;
    if (isUsedUp) this.#book.delete(order);
    if (id === null) {
      if (isUsedUp) this.#others.used.push(order);
      return;
    }
    this.#account.applyFill(id, shares);
    this.#stepFills.push({ side, tick, shares });
    const price = tickToPrice(tick);
    const gain = this.#others.probability - price;
    this.#tally.countFill(shares, round10(shares * (side === 'bid' ? gain : -gain)), informed);
  }
}
