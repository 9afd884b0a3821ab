import { describe, expect, test } from 'vitest';
import { normalDensity, normalQuantile } from '../../../../src/shared/base/random.js';
import {
  certaintyEquivalent,
  eventReservationPrices,
  indifferencePrices,
  informedFromMove,
  informedHalfSpread,
  informedQuotes,
  logit,
  newsSigma,
  reservationPrice,
  sigmoid,
  staleCost,
} from '../../../../src/trader/strategy/maths/log-odds.js';
import { near } from '../../../shared/statistics/fixtures.js';

describe('settlement-aware reservation price (CARA, p = 0.6, gamma = 0.01, n = 10)', () => {
  test.each([
    [0, 0.6, 0.58792447, 0.61191568],
    [50, 0.47638386, 0.46393652, 0.48887043],
    [100, 0.35559502, 0.34425144, 0.367159],
    [-100, 0.80304969, 0.79498161, 0.81079837],
  ])('with %d shares', (net, reservation, bid, ask) => {
    const prices = indifferencePrices(0.6, 0.01, net, 10);
    expect([reservationPrice(0.6, 0.01, net), prices.bid, prices.ask]).toEqual(near([reservation, bid, ask], 8));
  });

  test('is the LMSR with b = 1 / gamma: cost of 10 shares from 0.5 with b = 100 is 5.12494795', () =>
    expect(certaintyEquivalent(0.5, 0.01, 0) - certaintyEquivalent(0.5, 0.01, -10)).toBeCloseTo(5.12494795, 8));

  // From 0.50 with b = 100: the YES size between there and each price (Hanson's LMSR as a ladder).
  const LADDER = [4.0005, 8.0043, 12.0144, 16.0343, 20.0671].map((shares, i) => [(51 + i) / 100, shares] as const);
  test.each(LADDER)('reaches the offer %d by the sale of %d shares', (price, shares) => {
    expect(100 * (logit(price) - logit(0.5))).toBeCloseTo(shares, 4);
    expect(reservationPrice(0.5, 0.01, -shares)).toBeCloseTo(price, 6);
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
    expect([quotes.bid, quotes.ask]).toEqual(near([bid, ask], 8));
    const spread = (4 * informed * p * (1 - p)) / (1 - informed ** 2 * (2 * p - 1) ** 2);
    expect(quotes.ask - quotes.bid).toBeCloseTo(spread, 12);
  });

  test('the informed part that a mean move betrays is bounded and grows with the move', () => {
    expect(informedFromMove(0.5, 0.1)).toBeCloseTo(0.2, 12);
    expect([informedFromMove(0.5, -1), informedFromMove(0.01, 1), informedFromMove(0, 1)]).toEqual([0, 0.9, 0]);
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
  ])('phi(Phi^-1(%d)) is %d (theory 1.7)', (p, density) =>
    expect(normalDensity(normalQuantile(p))).toBeCloseTo(density, 5),
  );

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
  ])('a quote 1c off, 600 s before the end, refreshed every %d s, costs %d (theory 2)', (delay, cost, digit) =>
    expect(Math.abs(staleCost(0.01, newsSigma(0.5, 600) * Math.sqrt(delay)) - cost)).toBeLessThan(digit),
  );

  test('the ends are exact', () => {
    const ends = [newsSigma(0, 10), newsSigma(0.5, 0), staleCost(0.02, 0), staleCost(-0.02, 0)];
    expect(ends).toEqual([0, Infinity, 0, 0.02]);
  });
});
