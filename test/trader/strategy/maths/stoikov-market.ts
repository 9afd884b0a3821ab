/**
 * The market of Avellaneda and Stoikov's simulation (section 3.3 of the published paper): 200 steps of a price that moves
 * by +-sigma sqrt(dt) after each side was filled, independently, with probability min(1, A e^(-k delta) dt). What a quoting
 * rule earns in it, in three ways: moments carried forward, moments carried backward, and drawn paths.
 */

import type { Random } from '../../../../src/shared/base/random.js';

export interface StoikovMarket {
  /** Fills in a unit of time at distance 0. */
  readonly rate: number;
  readonly k: number;
  readonly sigma: number;
}

export const STEPS = 200;
const DT = 1 / STEPS;
const START_PRICE = 100;

/** A quoting rule: prices for this price, inventory and time left. */
export type Quoting = (price: number, inventory: number, timeLeft: number) => { bid: number; ask: number };

/** Of profit and of the inventory at the end. */
export interface Outcome {
  readonly profit: number;
  readonly deviation: number;
  readonly inventory: number;
  readonly inventoryDeviation: number;
}

interface Fill {
  readonly move: number;
  /** Earned against the price at the time. */
  readonly income: number;
  readonly chance: number;
}

function fills({ rate, k }: StoikovMarket, quoting: Quoting, inventory: number, step: number): readonly Fill[] {
  const quotes = quoting(0, inventory, 1 - step * DT);
  const [bid, ask] = [-quotes.bid, quotes.ask];
  const bought = Math.min(1, rate * Math.exp(-k * bid) * DT);
  const sold = Math.min(1, rate * Math.exp(-k * ask) * DT);
  return [
    { move: 0, income: 0, chance: (1 - sold) * (1 - bought) },
    { move: -1, income: ask, chance: sold * (1 - bought) },
    { move: 1, income: bid, chance: (1 - sold) * bought },
    { move: 0, income: ask + bid, chance: sold * bought },
  ];
}

/** No inventory beyond the number of steps can be reached. */
const SIZE = 2 * STEPS + 3;
const MIDDLE = STEPS + 1;
function add(vector: Float64Array, at: number, value: number): void {
  vector[at] = (vector[at] ?? 0) + value;
}
const total = (vector: Float64Array, of: (value: number, inventory: number) => number): number =>
  vector.reduce((sum, value, i) => sum + of(value, i - MIDDLE), 0);
const byInventory = (of: (inventory: number) => number): Float64Array =>
  Float64Array.from({ length: SIZE }, (_, i) => of(i - MIDDLE));
const nothing = (): Float64Array => new Float64Array(SIZE);

/**
 * P(q), E[income; q] and E[income^2; q] from the first step to the last. Fills do not depend on the price, so its moves
 * add variance only: sigma^2 dt E[q^2] in each step.
 */
export function outcomeForward(market: StoikovMarket, quoting: Quoting): Outcome {
  let now = { chance: byInventory((q) => (q === 0 ? 1 : 0)), income: nothing(), square: nothing() };
  let carried = 0;
  for (let step = 0; step < STEPS; step++) {
    const next = { chance: nothing(), income: nothing(), square: nothing() };
    for (let q = -step; q <= step; q++) {
      const from = q + MIDDLE;
      const [p = 0, e = 0, ee = 0] = [now.chance[from], now.income[from], now.square[from]];
      for (const { move, income, chance } of fills(market, quoting, q, step)) {
        add(next.chance, from + move, chance * p);
        add(next.income, from + move, chance * (e + income * p));
        add(next.square, from + move, chance * (ee + 2 * income * e + income ** 2 * p));
      }
    }
    now = next;
    carried += market.sigma ** 2 * DT * total(now.chance, (p, q) => p * q * q);
  }
  const profit = total(now.income, (value) => value);
  const inventory = total(now.chance, (p, q) => p * q);
  return {
    profit,
    deviation: Math.sqrt(total(now.square, (value) => value) - profit ** 2 + carried),
    inventory,
    inventoryDeviation: Math.sqrt(total(now.chance, (p, q) => p * q * q) - inventory ** 2),
  };
}

/**
 * The mean and mean square of what is still to come, from the last step to the first, price moves included: nothing is
 * shared with the way above but the market's rule of fills.
 */
export function outcomeBackward(market: StoikovMarket, quoting: Quoting): Outcome {
  let rest = {
    profit: nothing(),
    square: nothing(),
    last: byInventory((q) => q),
    lastSquare: byInventory((q) => q * q),
  };
  for (let step = STEPS - 1; step >= 0; step--) {
    const next = { profit: nothing(), square: nothing(), last: nothing(), lastSquare: nothing() };
    for (let q = -step; q <= step; q++) {
      for (const { move, income, chance } of fills(market, quoting, q, step)) {
        const [from, to] = [q + MIDDLE, q + move + MIDDLE];
        const [profit = 0, square = 0] = [rest.profit[to], rest.square[to]];
        const moved = (q + move) ** 2 * market.sigma ** 2 * DT;
        add(next.profit, from, chance * (income + profit));
        add(next.square, from, chance * (income ** 2 + 2 * income * profit + square + moved));
        add(next.last, from, chance * (rest.last[to] ?? 0));
        add(next.lastSquare, from, chance * (rest.lastSquare[to] ?? 0));
      }
    }
    rest = next;
  }
  const start = (vector: Float64Array): number => vector[MIDDLE] ?? Number.NaN;
  return {
    profit: start(rest.profit),
    deviation: Math.sqrt(start(rest.square) - start(rest.profit) ** 2),
    inventory: start(rest.last),
    inventoryDeviation: Math.sqrt(start(rest.lastSquare) - start(rest.last) ** 2),
  };
}

/** Profit and last inventory of one path, with prices, cash and fills as a trader would book them. */
export function drawnPath(
  market: StoikovMarket,
  quoting: Quoting,
  random: Random,
): { profit: number; inventory: number } {
  let [price, cash, inventory] = [START_PRICE, 0, 0];
  for (let step = 0; step < STEPS; step++) {
    const { bid, ask } = quoting(price, inventory, 1 - step * DT);
    const [bought, sold] = [price - bid, ask - price].map((distance) =>
      random.chance(market.rate * Math.exp(-market.k * distance) * DT),
    );
    if (bought) [cash, inventory] = [cash - bid, inventory + 1];
    if (sold) [cash, inventory] = [cash + ask, inventory - 1];
    price += (random.chance(0.5) ? 1 : -1) * market.sigma * Math.sqrt(DT);
  }
  return { profit: cash + inventory * price, inventory };
}
