import { describe, expect, test } from 'vitest';
import {
  monopolyHalfSpread,
  stoikovQuotes,
  stoikovReservation,
  stoikovSpread,
} from '../../../../src/trader/strategy/maths/inventory-quotes.js';

/**
 * The market of Avellaneda and Stoikov's simulation (section 3.3 of the published paper): 200 steps of a price that
 * moves by +-sigma sqrt(dt) after each side was filled, independently, with probability min(1, A e^(-k delta) dt).
 */
interface StoikovMarket {
  /** Fills in a unit of time at distance 0. */
  readonly rate: number;
  readonly k: number;
  readonly sigma: number;
}

const STEPS = 200;
const DT = 1 / STEPS;

/** A quoting rule: prices for this price, inventory and time left. */
type Quoting = (price: number, inventory: number, timeLeft: number) => { bid: number; ask: number };

/** Moments of the profit and of the inventory at the end. */
interface Outcome {
  readonly profit: number;
  readonly deviation: number;
  readonly inventory: number;
  readonly inventoryDeviation: number;
}

interface Fill {
  readonly move: number;
  /** Income relative to the current price. */
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

/** The number of steps bounds the inventory. */
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
function outcomeForward(market: StoikovMarket, quoting: Quoting): Outcome {
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

const MARKET: StoikovMarket = { rate: 140, k: 1.5, sigma: 2 };
const setting = (gamma: number) => ({ gamma, sigma: MARKET.sigma, k: MARKET.k });

const inventoryQuotes =
  (gamma: number): Quoting =>
  (price, inventory, timeLeft) =>
    stoikovQuotes(price, inventory, setting(gamma), timeLeft);

/** The paper's benchmark: the mean over time of the other's spread (linear in time), always around the price. */
const symmetricHalf = (gamma: number): number => stoikovSpread(setting(gamma), 1 / 2) / 2;
const symmetricQuotes =
  (gamma: number): Quoting =>
  (price) => ({ bid: price - symmetricHalf(gamma), ask: price + symmetricHalf(gamma) });

type Four = readonly [profit: number, deviation: number, inventory: number, inventoryDeviation: number];
const four = (outcome: Outcome): Four => [
  outcome.profit,
  outcome.deviation,
  outcome.inventory,
  outcome.inventoryDeviation,
];

interface Cell {
  readonly name: string;
  readonly quoting: Quoting;
  readonly printed: Four;
  /** Standard errors of the printed figures: those of 1000 paths. */
  readonly errors: Four;
  /** Exact moments of the simulation; inventory has mean 0 by symmetry. */
  readonly exact: Four;
}

/** Tables 1, 2 and 3 of the published paper, with gamma .1, .01 and 1. */
const CELLS: readonly Cell[] = [
  {
    name: 'table 1, inventory',
    quoting: inventoryQuotes(0.1),
    printed: [65.0, 6.6, 0.08, 2.9],
    errors: [0.207, 0.147, 0.093, 0.065],
    exact: [64.8925, 6.5432, 0, 2.9268],
  },
  {
    name: 'table 1, symmetric',
    quoting: symmetricQuotes(0.1),
    printed: [68.4, 12.7, 0.26, 8.4],
    errors: [0.426, 0.454, 0.266, 0.189],
    exact: [68.2282, 13.4573, 0, 8.4017],
  },
  {
    name: 'table 2, inventory',
    quoting: inventoryQuotes(0.01),
    printed: [68.6, 8.7, 0.12, 5.1],
    errors: [0.284, 0.23, 0.165, 0.117],
    exact: [68.3996, 8.9606, 0, 5.2125],
  },
  {
    name: 'table 2, symmetric',
    quoting: symmetricQuotes(0.01),
    printed: [68.8, 12.8, 0.09, 8.7],
    errors: [0.433, 0.47, 0.276, 0.196],
    exact: [68.6662, 13.6776, 0, 8.7119],
  },
  {
    name: 'table 3, inventory',
    quoting: inventoryQuotes(1),
    printed: [31.4, 5.0, 0.02, 1.7],
    errors: [0.153, 0.111, 0.052, 0.036],
    exact: [31.4545, 4.8379, 0, 1.6414],
  },
  {
    name: 'table 3, symmetric',
    quoting: symmetricQuotes(1),
    printed: [44.0, 11.0, 0.0, 5.1],
    errors: [0.34, 0.291, 0.164, 0.117],
    exact: [43.869, 10.7515, 0, 5.1893],
  },
];

const FIGURES = ['profit', 'deviation', 'inventory', 'inventory deviation'];

describe.each(CELLS)('Avellaneda–Stoikov 2008, $name', ({ quoting, printed, errors, exact }) => {
  const oracle = outcomeForward(MARKET, quoting);

  test('has the exact moments, to all digits known', () => {
    for (const [i, value] of four(oracle).entries()) expect(value, FIGURES[i]).toBeCloseTo(exact[i] ?? 0, 4);
  });

  test('is what the paper printed of 1000 paths, within four standard errors', () => {
    for (const [i, value] of four(oracle).entries()) {
      expect(Math.abs(value - (printed[i] ?? 0)), FIGURES[i]).toBeLessThan(4 * (errors[i] ?? 0));
    }
  });
});

describe('Avellaneda–Stoikov 2008, beside the tables', () => {
  test.each([
    [0.1, 1.4908, 1.49],
    [0.01, 1.3489, 1.35],
    [1, 3.0217, 3.02],
    [0.5, 2.1507, 2.15],
  ])('gamma %d: the mean spread is %d, printed as %d', (gamma, spread, printed) => {
    expect(2 * symmetricHalf(gamma)).toBeCloseTo(spread, 4);
    expect(2 * symmetricHalf(gamma)).toBeCloseTo(printed, 2);
  });

  test.each([
    ['inventory', inventoryQuotes(0.5), 48.5681, 5.8981, 1.9558],
    ['symmetric', symmetricQuotes(0.5), 60.0035, 12.3302, 6.9293],
  ] as const)('gamma 0.5, %s (not in the published paper)', (_name, quoting, profit, deviation, inventoryDeviation) => {
    const got = outcomeForward(MARKET, quoting);
    expect(got.profit).toBeCloseTo(profit, 4);
    expect(got.deviation).toBeCloseTo(deviation, 4);
    expect(got.inventoryDeviation).toBeCloseTo(inventoryDeviation, 4);
  });

  test.each([0.01, 0.1, 1])('gamma %d: a constant spread has its moments in closed form', (gamma) => {
    const half = symmetricHalf(gamma);
    const p = (MARKET.rate * Math.exp(-MARKET.k * half)) / STEPS;
    const carried = ((MARKET.sigma ** 2 / STEPS) * 2 * p * (1 - p) * STEPS * (STEPS + 1)) / 2;
    const got = outcomeForward(MARKET, symmetricQuotes(gamma));
    expect(got.profit).toBeCloseTo(2 * STEPS * p * half, 9);
    expect(got.deviation).toBeCloseTo(Math.sqrt(half ** 2 * 2 * STEPS * p * (1 - p) + carried), 9);
    expect(got.inventoryDeviation).toBeCloseTo(Math.sqrt(2 * STEPS * p * (1 - p)), 9);
  });

  test('quotes that are never let beyond the price earn more at gamma 1, with more risk: not the paper', () => {
    const floored: Quoting = (price, inventory, timeLeft) => {
      const { bid, ask } = stoikovQuotes(price, inventory, setting(1), timeLeft);
      return { bid: Math.min(price, bid), ask: Math.max(price, ask) };
    };
    const got = outcomeForward(MARKET, floored);
    expect(got.profit).toBeCloseTo(38.23, 2);
    expect(got.deviation).toBeCloseTo(6.17, 2);
  });
});

// The working paper's spread is constant, and A gives e^(k / 4) fills in a step: 200 e^(-.375).
describe('the working paper of 2006', () => {
  const market = { ...MARKET, rate: 200 * Math.exp(-0.375) };
  const around =
    (gamma: number, half: number): Quoting =>
    (price, inventory, timeLeft) => {
      const centre = stoikovReservation(price, inventory, setting(gamma), timeLeft);
      return { bid: centre - half, ask: centre + half };
    };

  test.each([
    ['gamma .1, inventory', 0.1, monopolyHalfSpread(0.1, 1.5), 63.03, 6.02, 2.92],
    ['gamma .1, symmetric', 0, monopolyHalfSpread(0.1, 1.5), 67.39, 13.68, 8.78],
    ['gamma .1, best bid and ask', 0, 0.25, 47.24, 14.37, 9.98],
    ['gamma .01, inventory', 0.01, monopolyHalfSpread(0.01, 1.5), 67.15, 8.9, 5.21],
    ['gamma .01, symmetric', 0, monopolyHalfSpread(0.01, 1.5), 67.42, 13.63, 8.7],
    ['gamma .5, inventory', 0.5, monopolyHalfSpread(0.5, 1.5), 23.21, 5.02, 1.95],
    ['gamma .5, symmetric', 0, monopolyHalfSpread(0.5, 1.5), 66.73, 13.88, 9.07],
  ])('%s', (_name, gamma, half, profit, deviation, inventoryDeviation) => {
    const got = outcomeForward(market, around(gamma, half));
    expect(got.profit).toBeCloseTo(profit, 2);
    expect(got.deviation).toBeCloseTo(deviation, 2);
    expect(got.inventoryDeviation).toBeCloseTo(inventoryDeviation, 2);
  });
});

describe('quotes of Avellaneda and Stoikov', () => {
  test('lie at the distances that the paper gives (equations 29 and 30, solved for each side)', () => {
    const [gamma, sigma, k, timeLeft] = [0.1, 2, 1.5, 0.7];
    for (const inventory of [-20, -1, 0, 3, 20]) {
      const { bid, ask } = stoikovQuotes(100, inventory, { gamma, sigma, k }, timeLeft);
      const risk = (gamma * sigma ** 2 * timeLeft) / 2;
      const base = Math.log(1 + gamma / k) / gamma;
      expect(ask - 100).toBeCloseTo((1 - 2 * inventory) * risk + base, 12);
      expect(100 - bid).toBeCloseTo((1 + 2 * inventory) * risk + base, 12);
    }
  });

  test('of a risk-neutral maker lie 1 / k from the price', () => {
    expect(stoikovSpread({ gamma: 0, sigma: 2, k: 1.5 }, 1)).toBeCloseTo(2 / 1.5, 12);
    expect(stoikovSpread({ gamma: 1e-9, sigma: 2, k: 1.5 }, 1)).toBeCloseTo(2 / 1.5, 8);
    expect(stoikovQuotes(10, 7, { gamma: 0, sigma: 2, k: 2 }, 1)).toEqual({ bid: 9.5, ask: 10.5 });
  });
});
