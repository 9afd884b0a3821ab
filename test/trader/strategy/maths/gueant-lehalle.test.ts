import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type GueantModel,
  type GueantQuote,
  gueantDistances,
  gueantHorizonQuotes,
  gueantQuotes,
  stoikovSpread,
} from '../../../../src/trader/strategy/maths/inventory-quotes.js';

/** Figures 1 to 3 of arXiv 1105.3115, T = 600. Its plots show no effect of the limit at 30: they used a wider one. */
const FIGURES: GueantModel = { a: 0.9, k: 0.3, gamma: 0.01, sigma: 0.3 };
const WIDE = 60;

const solved = new Map<string, readonly GueantQuote[]>();

function exact(model: GueantModel, inventory: number, timeLeft = 600, maxInventory = WIDE): GueantQuote {
  const key = JSON.stringify([model, String(timeLeft), maxInventory]);
  const quotes = solved.get(key) ?? gueantHorizonQuotes(model, maxInventory, timeLeft);
  solved.set(key, quotes);
  const quote = quotes[inventory + maxInventory];
  if (quote === undefined) throw new Error(`no quote for ${inventory}`);
  return quote;
}
const bid = (...of: Parameters<typeof exact>): number => exact(...of).bid ?? Number.NaN;
const spread = (...of: Parameters<typeof exact>): number => bid(...of) + (exact(...of).ask ?? Number.NaN);

describe('GLFT, figures 1 to 3', () => {
  test.each([
    [-30, 1.2988, 4],
    [0, 3.313045, 6],
    [30, 5.3243, 4],
  ])('the bid with %d units lies %d away', (inventory, distance, digits) => {
    expect(bid(FIGURES, inventory)).toBeCloseTo(distance, digits);
  });

  // Values of sixteen digits: exp(-M t) 1 by Taylor series in steps of one unit of time, in arithmetic of 60 digits.
  test.each([
    [600, 3.99293, 5],
    [100, 3.898389458792593, 12],
    [50, 3.692720145276654, 12],
    [10, 3.372932679105612, 12],
    [1, 3.28843, 5],
  ])('with 10 units and %d left the bid lies %d away', (timeLeft, distance, digits) => {
    expect(bid(FIGURES, 10, timeLeft)).toBeCloseTo(distance, digits);
  });

  test('the spread is widest without inventory, and falls to that of no risk at the horizon', () => {
    expect(spread(FIGURES, 0)).toBeCloseTo(6.62609, 5);
    expect(spread(FIGURES, 30)).toBeCloseTo(6.62307, 5);
    expect(spread(FIGURES, -30)).toBeCloseTo(6.62307, 5);
    for (const inventory of [-30, 0, 17]) expect(spread(FIGURES, inventory, 0)).toBeCloseTo(2 * 3.278982, 5);
  });

  test('the closed form has the constants c and s', () => {
    const at = (inventory: number) => gueantDistances(FIGURES, inventory);
    expect(at(1).bid - at(0).bid).toBeCloseTo(0.067866, 6);
    expect((at(0).bid + at(-1).bid) / 2).toBeCloseTo(3.278982, 6);
    expect(at(0).bid + at(0).ask).toBeCloseTo(2 * 3.278982 + 0.067866, 5);
  });
});

describe('GLFT, figure 4: exact and closed-form bids of a more volatile price', () => {
  test.each([
    // The panels' captions are exchanged and misprinted in the draft: these parameters give their curves.
    ['right', 0.9, -30, 0.6643, 0.6096],
    ['right', 0.9, 30, 5.9778, 6.0389],
    ['left', 0.2, -30, -1.8966, -2.3836],
    ['left', 0.2, 30, 8.6001, 9.1336],
  ])('%s panel, a = %d, %d units', (_panel, a, inventory, distance, approximate) => {
    const model = { ...FIGURES, sigma: 0.4, a };
    expect(bid(model, inventory)).toBeCloseTo(distance, 4);
    expect(gueantDistances(model, inventory).bid).toBeCloseTo(approximate, 4);
  });
});

describe('GLFT, figures 6 to 8: risk aversion', () => {
  test.each([
    [0.001, 6.6766, 2.2457, 2.2444],
    [0.1, 5.9862, 2.3711, 2.1775],
    [0.5, 4.5797, 2.4617, 1.8398],
  ])('gamma %d: spreads %d, %d and, with 30 units, %d', (gamma, calm, volatile, loaded) => {
    const quick = { ...FIGURES, gamma, sigma: 0.6, k: 0.9 };
    expect(spread({ ...FIGURES, gamma }, 0)).toBeCloseTo(calm, 4);
    expect(spread(quick, 0)).toBeCloseTo(volatile, 4);
    expect(spread(quick, 30)).toBeCloseTo(loaded, 4);
    expect(spread(quick, -30)).toBeCloseTo(loaded, 4);
  });
});

describe('GLFT at its limits', () => {
  test('a limit of 30 units is felt beside it, and nothing is quoted beyond it', () => {
    expect(bid(FIGURES, 29, 600, 30)).toBeCloseTo(6.130908, 6);
    expect(bid(FIGURES, -30, 600, 30)).toBeCloseTo(0.427056, 6);
    expect(exact(FIGURES, 30, 600, 30).bid).toBeNull();
    expect(exact(FIGURES, -30, 600, 30).ask).toBeNull();
  });

  test('impact of fills widens the quotes', () => {
    const model = { ...FIGURES, impact: 0.5 };
    expect(bid(model, 0)).toBeCloseTo(3.564352, 6);
    expect(spread(model, 0)).toBeCloseTo(7.128704, 6);
    expect(gueantDistances(model, 0).bid).toBeCloseTo(3.564212, 6);
  });

  test('at the horizon only the cost of selling what is held remains', () => {
    // v(T) = e^(-k impact q^2 / 2): the bid moves by impact (2 q + 1) / 2, the ask the other way.
    const model = { ...FIGURES, impact: 0.5 };
    const base = Math.log(1 + model.gamma / model.k) / model.gamma + 0.25;
    for (const q of [-7, 0, 12]) expect(bid(model, q, 0)).toBeCloseTo(base + (0.5 * (2 * q + 1)) / 2, 10);
  });

  test.each([0.001, 0.01, 0.5])('gamma %d: far from the horizon the quotes are those of infinity', (gamma) => {
    const model = { ...FIGURES, gamma };
    for (const inventory of [-30, -3, 0, 20])
      expect(bid(model, inventory, 5000)).toBeCloseTo(bid(model, inventory, Infinity), 9);
  });

  test('without risk aversion and far from the limit the distance is 1 / k', () => {
    const model = { ...FIGURES, gamma: 0 };
    expect(bid(model, 0, 10)).toBeCloseTo(1 / 0.3, 9);
    expect(gueantDistances(model, 5)).toEqual({ bid: 1 / 0.3, ask: 1 / 0.3 });
    expect(stoikovSpread(model, 1)).toBeCloseTo(2 / 0.3, 12);
  });

  test('without risk aversion the limit is felt as with hardly any', () => {
    const none = { ...FIGURES, gamma: 0 };
    const little = { ...FIGURES, gamma: 1e-7 };
    for (const inventory of [20, 28, 29]) {
      expect(bid(none, inventory, 50, 30)).toBeCloseTo(bid(little, inventory, 50, 30), 4);
    }
  });

  test('what cannot be is refused', () => {
    expect(() => gueantHorizonQuotes(FIGURES, 1.5, 1)).toThrow('got 1.5');
    expect(() => gueantHorizonQuotes(FIGURES, 0, 1)).toThrow('got 0');
    for (const time of [-1, Number.NaN]) expect(() => gueantHorizonQuotes(FIGURES, 5, time)).toThrow(`got ${time}`);
    expect(() => gueantHorizonQuotes(FIGURES, 5, 1e9)).toThrow('terms');
    expect(() => gueantHorizonQuotes({ ...FIGURES, impact: 5 }, 60, 1)).toThrow('300 orders');
  });
});

/** ln v by fourth-order Runge-Kutta steps of d(ln v)/dt, forward from the horizon: independent of the code above. */
function bidsByIntegration(model: GueantModel, maxInventory: number, timeLeft: number, steps: number): number[] {
  const { a, k, gamma, sigma, drift = 0, impact = 0 } = model;
  const alpha = (k / 2) * gamma * sigma ** 2;
  const eta = a * (1 + gamma / k) ** -(1 + k / gamma) * Math.exp((-k * impact) / 2);
  const units = Array.from({ length: 2 * maxInventory + 1 }, (_, i) => i - maxInventory);
  const at = (u: readonly number[], i: number) => u[i] ?? Number.NEGATIVE_INFINITY;
  const change = (u: readonly number[]) =>
    units.map((q, i) => {
      const neighbours = Math.exp(at(u, i + 1) - at(u, i)) + Math.exp(at(u, i - 1) - at(u, i));
      return k * drift * q - alpha * q * q + eta * neighbours;
    });
  const moved = (u: readonly number[], by: readonly number[], time: number) =>
    u.map((value, i) => value + time * (by[i] ?? 0));
  const dt = timeLeft / steps;
  let u = units.map((q) => (-k * impact * q * q) / 2);
  for (let step = 0; step < steps; step++) {
    const one = change(u);
    const two = change(moved(u, one, dt / 2));
    const three = change(moved(u, two, dt / 2));
    const four = change(moved(u, three, dt));
    u = u.map(
      (value, i) => value + (dt / 6) * ((one[i] ?? 0) + 2 * (two[i] ?? 0) + 2 * (three[i] ?? 0) + (four[i] ?? 0)),
    );
  }
  const base = Math.log(1 + gamma / k) / gamma + impact / 2;
  return units.slice(0, -1).map((_q, i) => (at(u, i) - at(u, i + 1)) / k + base);
}

describe('the exact solution, computed in another way', () => {
  test.each([
    ['the figures', FIGURES, 100],
    ['a drift', { ...FIGURES, drift: 0.01 }, 100],
    ['impact', { ...FIGURES, impact: 0.2 }, 100],
    ['all of it, more volatile', { a: 0.5, k: 0.6, gamma: 0.05, sigma: 0.5, drift: -0.02, impact: 0.1 }, 30],
  ])('%s: an integration of the differential equation agrees to 1e-6', (_name, model, timeLeft) => {
    const other = bidsByIntegration(model, 20, timeLeft, 4000);
    gueantHorizonQuotes(model, 20, timeLeft).forEach(({ bid: own }, i) => {
      if (own !== null) expect(Math.abs(own - (other[i] ?? Number.NaN))).toBeLessThan(1e-6);
    });
  });

  test('buying and selling are each other’s mirror, and a drift is a displaced inventory', () => {
    const drifting = { ...FIGURES, drift: 0.01 };
    const shift = 0.01 / (0.01 * 0.3 ** 2);
    for (const q of [-20, -1, 0, 5]) {
      expect(bid(FIGURES, q)).toBeCloseTo(exact(FIGURES, -q).ask ?? 0, 9);
      expect(bid(drifting, q)).toBeCloseTo(exact({ ...FIGURES, drift: -0.01 }, -q).ask ?? 0, 9);
      expect(gueantDistances(drifting, q).bid).toBeCloseTo(gueantDistances(FIGURES, q - shift).bid, 12);
      // Near the middle the closed form is accurate to a part in a thousand.
      expect(Math.abs(bid(drifting, q) - gueantDistances(drifting, q).bid)).toBeLessThan(0.05);
    }
  });
});

describe('the closed form with order size (Guéant 2016), as in the hftbacktest notebook', () => {
  const setting = { a: 2.986162360812285, k: 0.04235741115084049, gamma: 0.05, xi: 0.05, orderSize: 1, sigma: 10.69 };

  test('cell 24 to 1e-15 of its sixteen digits', () => {
    const { half, skew } = gueantQuotes(setting);
    expect(Math.abs(half / 20.47208533844371 - 1)).toBeLessThan(1e-15);
    expect(Math.abs(skew / 9.76326865029227 - 1)).toBeLessThan(1e-15);
  });

  test('without fear of not being filled it is its own limit', () => {
    const limit = gueantQuotes({ ...setting, xi: 1e-9 });
    const zero = gueantQuotes({ ...setting, xi: 0 });
    expect(limit.half / zero.half).toBeCloseTo(1, 6);
    expect(limit.skew / zero.skew).toBeCloseTo(1, 6);
    expect(zero.skew).toBeCloseTo(10.69 * Math.sqrt((0.05 * Math.E) / (2 * setting.a * setting.k)), 9);
  });

  test('with orders of one unit and one risk aversion it is the original', () => {
    fc.assert(
      fc.property(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 1, max: 1000 }), (inventory, thousandths) => {
        const model = { a: 0.9, k: 0.3, gamma: thousandths / 1000, sigma: 0.3 };
        const { half, skew } = gueantQuotes({ ...model, xi: model.gamma, orderSize: 1 });
        const distances = gueantDistances(model, inventory);
        expect(distances.bid).toBeCloseTo(half + skew * inventory, 10);
        expect(distances.ask).toBeCloseTo(half - skew * inventory, 10);
      }),
    );
  });
});
