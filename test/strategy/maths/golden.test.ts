import { describe, expect, test } from 'vitest';
import {
  type StoikovSetting,
  stoikovReservation,
  stoikovSpread,
} from '../../../src/strategy/maths/avellaneda-stoikov.js';
import { gueantQuotes } from '../../../src/strategy/maths/gueant-lehalle.js';
import { informedFromMove, informedHalfSpread, informedQuotes } from '../../../src/strategy/maths/information.js';
import { logit, sigmoid } from '../../../src/strategy/maths/log-odds.js';
import { newsSigma, staleCost } from '../../../src/strategy/maths/news.js';
import { normalCdf, normalDensity, normalQuantile } from '../../../src/base/normal.js';
import {
  certaintyEquivalent,
  eventReservationPrices,
  indifferencePrices,
  reservationPrice,
} from '../../../src/strategy/maths/settlement.js';

describe('settlement-aware reservation price (CARA, p = 0.6, gamma = 0.01, n = 10)', () => {
  test.each([
    [0, 0.6, 0.58792447, 0.61191568],
    [50, 0.47638386, 0.46393652, 0.48887043],
    [100, 0.35559502, 0.34425144, 0.367159],
    [-100, 0.80304969, 0.79498161, 0.81079837],
  ])('with %d shares', (net, reservation, bid, ask) => {
    expect(reservationPrice(0.6, 0.01, net)).toBeCloseTo(reservation, 8);
    const prices = indifferencePrices(0.6, 0.01, net, 10);
    expect(prices.bid).toBeCloseTo(bid, 8);
    expect(prices.ask).toBeCloseTo(ask, 8);
  });

  test('is the LMSR with b = 1 / gamma: cost of 10 shares from 0.5 with b = 100 is 5.12494795', () => {
    const cost = certaintyEquivalent(0.5, 0.01, 0) - certaintyEquivalent(0.5, 0.01, -10);
    expect(cost).toBeCloseTo(5.12494795, 8);
  });

  test('stays finite for any inventory, and is p q without risk aversion', () => {
    expect(certaintyEquivalent(0.3, 0.01, -1e6)).toBeCloseTo(-1e6 - Math.log(0.3) / 0.01, 6);
    expect(certaintyEquivalent(0.3, 0.01, 1e6)).toBeCloseTo(-Math.log(0.7) / 0.01, 6);
    expect(certaintyEquivalent(0.3, 0, 40)).toBeCloseTo(12, 12);
  });

  test('of a two-outcome event equals that of the binary', () => {
    const [yes = 0, no = 0] = eventReservationPrices([0.6, 0.4], 0.01, [100, 0]);
    expect(yes).toBeCloseTo(0.35559502, 8);
    expect(yes + no).toBeCloseTo(1, 12);
  });
});

describe('Glosten–Milgrom quotes', () => {
  test.each([
    [0.5, 0.2, 0.4, 0.6],
    [0.3, 0.2, 0.22222222, 0.39130435],
    [0.9, 0.2, 0.85714286, 0.93103448],
    [0.05, 0.1, 0.0412844, 0.06043956],
  ])('p = %d, informed = %d', (p, informed, bid, ask) => {
    const quotes = informedQuotes(p, informed);
    expect(quotes.bid).toBeCloseTo(bid, 8);
    expect(quotes.ask).toBeCloseTo(ask, 8);
    expect(quotes.ask - quotes.bid).toBeCloseTo(
      (4 * informed * p * (1 - p)) / (1 - informed ** 2 * (2 * p - 1) ** 2),
      12,
    );
  });

  test('the informed part that a mean move betrays is bounded and grows with the move', () => {
    expect(informedFromMove(0.5, 0.1)).toBeCloseTo(0.2, 12);
    expect(informedFromMove(0.5, -1)).toBe(0);
    expect(informedFromMove(0.01, 1)).toBe(0.9);
    expect(informedFromMove(0, 1)).toBe(0);
    expect(informedHalfSpread(0)).toBe(0);
  });
});

test('log-odds and probability undo each other, and the ends are exact', () => {
  for (const p of [1e-9, 0.01, 0.3, 0.5, 0.97, 1 - 1e-9]) expect(sigmoid(logit(p))).toBeCloseTo(p, 12);
  expect([sigmoid(-1e9), sigmoid(1e9), logit(0), logit(1)]).toEqual([0, 1, -Infinity, Infinity]);
  expect(() => logit(1.01)).toThrow('got 1.01');
});

describe('Gaussian-score model', () => {
  test.each([
    [0.01, 0.02665],
    [0.05, 0.10314],
    [0.1, 0.1755],
    [0.25, 0.31778],
    [0.5, 0.39894],
  ])('phi(Phi^-1(%d)) is %d (theory 1.7)', (p, density) => {
    expect(normalDensity(normalQuantile(p))).toBeCloseTo(density, 5);
  });

  test.each([
    [86_400, 0.0014],
    [3600, 0.0067],
    [600, 0.0163],
    [60, 0.052],
  ])('one second moves p = 0.5 with %d s left by %d (theory 2)', (secondsLeft, sigma) => {
    // The source gives two significant digits in cents.
    expect(Math.abs(newsSigma(0.5, secondsLeft) - sigma)).toBeLessThan(0.0006);
  });

  test.each([
    [1, 0.0027, 0.00005],
    [5, 0.01, 0.0005],
  ])(
    'a quote 1c off, 10 minutes before the end, refreshed every %d s, costs %d a share (theory 2)',
    (delay, cost, digit) => {
      expect(Math.abs(staleCost(0.01, newsSigma(0.5, 600) * Math.sqrt(delay)) - cost)).toBeLessThan(digit);
    },
  );

  test('the ends are exact', () => {
    expect([newsSigma(0, 10), newsSigma(0.5, 0), staleCost(0.02, 0), staleCost(-0.02, 0)]).toEqual([
      0,
      Infinity,
      0,
      0.02,
    ]);
  });
});

test('the normal distribution agrees with tables and with its own inverse', () => {
  // Abramowitz and Stegun, table 26.1 and 26.2.
  expect(normalCdf(1)).toBeCloseTo(0.841344746068543, 14);
  expect(normalCdf(-2)).toBeCloseTo(0.022750131948179, 14);
  expect(normalCdf(-5) / 2.866515718791939e-7).toBeCloseTo(1, 10);
  expect(normalQuantile(0.975)).toBeCloseTo(1.959963984540054, 13);
  for (const p of [1e-12, 1e-4, 0.2, 0.5, 0.8, 0.9999]) expect(normalCdf(normalQuantile(p)) / p).toBeCloseTo(1, 10);
});

test('GLFT closed form gives the figures of the hftbacktest notebook (cell 24)', () => {
  const setting = { a: 2.986162360812285, k: 0.04235741115084049, gamma: 0.05, xi: 0.05, orderSize: 1, sigma: 10.69 };
  const { half, skew } = gueantQuotes(setting);
  expect(half).toBeCloseTo(20.47208533844371, 12);
  expect(skew).toBeCloseTo(9.76326865029227, 12);
  const limit = gueantQuotes({ ...setting, xi: 1e-9 });
  const zero = gueantQuotes({ ...setting, xi: 0 });
  expect(limit.half / zero.half).toBeCloseTo(1, 6);
});

describe('Avellaneda–Stoikov 2008, tables 1 to 3 (exact moments of the published simulation)', () => {
  test.each([
    [0.1, 64.8925, 6.5432, 2.9268],
    [0.01, 68.3996, 8.9606, 5.2125],
    [1, 31.4545, 4.8379, 1.6414],
    [0.5, 48.5681, 5.8981, 1.9558],
  ])('gamma = %d', (gamma, profit, deviation, inventoryDeviation) => {
    const moments = stoikovMoments({ gamma, sigma: 2, k: 1.5 });
    expect(moments.profit).toBeCloseTo(profit, 4);
    expect(moments.deviation).toBeCloseTo(deviation, 4);
    expect(moments.inventoryDeviation).toBeCloseTo(inventoryDeviation, 4);
  });

  test('the spread of a risk-neutral maker is 2 / k', () => {
    expect(stoikovSpread({ gamma: 0, sigma: 2, k: 1.5 }, 1)).toBeCloseTo(2 / 1.5, 12);
    expect(stoikovSpread({ gamma: 1e-9, sigma: 2, k: 1.5 }, 1)).toBeCloseTo(2 / 1.5, 8);
  });
});

/** P(q), E[income; q], E[income^2; q] carried through 200 steps; fills do not depend on the price, so no sampling. */
function stoikovMoments(setting: StoikovSetting) {
  const [rate, steps, maxInventory] = [140, 200, 120];
  const dt = 1 / steps;
  const size = 2 * maxInventory + 1;
  let chain = { p: new Float64Array(size), first: new Float64Array(size), second: new Float64Array(size) };
  chain.p[maxInventory] = 1;
  let carried = 0;
  for (let step = 0; step < steps; step++) {
    const timeLeft = 1 - step * dt;
    const next = { p: new Float64Array(size), first: new Float64Array(size), second: new Float64Array(size) };
    for (let i = 1; i < size - 1; i++) {
      const weight = chain.p[i] ?? 0;
      if (weight === 0) continue;
      const half = stoikovSpread(setting, timeLeft) / 2;
      const shift = stoikovReservation(0, i - maxInventory, setting, timeLeft);
      const [ask, bid] = [half + shift, half - shift];
      const sold = Math.min(1, rate * Math.exp(-setting.k * ask) * dt);
      const bought = Math.min(1, rate * Math.exp(-setting.k * bid) * dt);
      for (const [move, income, chance] of [
        [0, 0, (1 - sold) * (1 - bought)],
        [-1, ask, sold * (1 - bought)],
        [1, bid, (1 - sold) * bought],
        [0, ask + bid, sold * bought],
      ] as const) {
        const first = chain.first[i] ?? 0;
        next.p[i + move] = (next.p[i + move] ?? 0) + chance * weight;
        next.first[i + move] = (next.first[i + move] ?? 0) + chance * (first + income * weight);
        const second = (chain.second[i] ?? 0) + 2 * income * first + income * income * weight;
        next.second[i + move] = (next.second[i + move] ?? 0) + chance * second;
      }
    }
    chain = next;
    carried += setting.sigma ** 2 * dt * inventorySquare(chain.p, maxInventory);
  }
  const sum = (values: Float64Array) => values.reduce((a, b) => a + b, 0);
  const profit = sum(chain.first);
  return {
    profit,
    deviation: Math.sqrt(sum(chain.second) - profit * profit + carried),
    inventoryDeviation: Math.sqrt(inventorySquare(chain.p, maxInventory)),
  };
}

const inventorySquare = (p: Float64Array, middle: number): number =>
  p.reduce((sum, weight, i) => sum + weight * (i - middle) ** 2, 0);
