/** Value of quoting markets, and their choice: their needs are covered, the best come first, and small differences change nothing. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bestTolerance,
  choose,
  DWELL_S,
  netValue,
  PricedOffer,
  pricesFor,
  requestsPerS,
} from '../../../src/trader/scheduler/market-choice.js';
import { staleLossPerS } from '../../../src/trader/scheduler/stale-index.js';
import { forAll } from '../for-all.js';
import { quote, staleMarket } from './world.js';

const LEAST = { look: 0, request: 0.001, currencyPerS: 1e-7 };
const PLENTY: Parameters<typeof choose>[1] = { looksPerS: 1e6, requestsPerS: 1e6, currency: 1e9 };
const ROOM = { most: new Map([['a', 100]]), entries: 100, free: new Set<string>() };

interface Made {
  readonly fillsPerS: number;
  readonly sigma?: number;
  readonly distance?: number;
  readonly isChosen?: boolean;
  readonly isFixed?: boolean;
  readonly doubt?: number;
}

function candidate(id: string, made: Made): Parameters<typeof choose>[0][number] {
  const { fillsPerS, sigma = 0.0005, distance = 0.02, isChosen = false, isFixed = false, doubt = 0 } = made;
  const side = { fillsPerS, sharesPerFill: 10, distance, adverse: 0.3 * distance, feePerShare: 0 };
  const offer = new PricedOffer({
    sides: [side, side],
    market: staleMarket({
      usualDistance: distance,
      sigmaPerSqrtS: sigma,
      jumpsPerS: 1 / 36_000,
      takersPerS: 2 * fillsPerS,
      quotes: [quote('bid', 0.5 - distance, 10), quote('ask', 0.5 + distance, 10)],
    }),
    leastTolerance: 0.005,
    currency: 10,
  });
  return { id, group: 'a', offer, isChosen, isFixed, doubt };
}

const manyCandidates = fc
  .array(
    fc.record({
      fillsPerS: fc.double({ min: 0.0005, max: 0.02, noNaN: true }),
      sigma: fc.double({ min: 0.0002, max: 0.003, noNaN: true }),
      distance: fc.double({ min: 0.005, max: 0.05, noNaN: true }),
      isChosen: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((all) => all.map((made, i) => candidate(`m${i}`, made)));

describe('the choice of markets', () => {
  it('finds prices under which what is of value takes no more than there is', () => {
    const supplies = fc.record({
      looksPerS: fc.double({ min: 0.01, max: 2, noNaN: true }),
      requestsPerS: fc.double({ min: 0.05, max: 4, noNaN: true }),
      currency: fc.double({ min: 5, max: 200, noNaN: true }),
    });
    forAll([manyCandidates, supplies], { numRuns: 20 }, (candidates, supply) => {
      const prices = pricesFor(candidates, supply, LEAST);
      const taken = candidates.map(({ offer }) => offer.at(prices)).filter(({ net }) => net > 0);
      const sum = (of: (value: (typeof taken)[number]) => number) => taken.reduce((all, each) => all + of(each), 0);
      expect(sum((value) => value.currencyBound)).toBeLessThanOrEqual(supply.currency);
      expect(sum((value) => 1 / value.lookEveryS)).toBeLessThanOrEqual(supply.looksPerS * 1.0001);
      expect(sum(requestsPerS)).toBeLessThanOrEqual(supply.requestsPerS * 1.0001);
    });
  });

  it('charges no more than was told where there is enough', () =>
    expect(pricesFor([candidate('x', { fillsPerS: 0.002 })], PLENTY, LEAST)).toEqual(LEAST));

  it('takes the best for which there is room, and none that costs more than it brings', () => {
    const all = [0.002, 0.008, 0.004, 0.00001].map((fillsPerS, i) => candidate(`m${i}`, { fillsPerS }));
    const two = choose(all, PLENTY, LEAST, { ...ROOM, most: new Map([['a', 2]]) });
    expect([...two.chosen].sort()).toEqual(['m1', 'm2']);
    expect(two.ranked.map(({ id }) => id)).toEqual(['m1', 'm2', 'm0', 'm3']);
    expect([...choose(all, PLENTY, LEAST, ROOM).chosen].sort()).toEqual(['m0', 'm1', 'm2']);
  });

  it('charges nothing for those that find no place', () => {
    const all = Array.from({ length: 30 }, (_, i) => candidate(`m${i}`, { fillsPerS: 0.004 }));
    const one = all[0]?.offer.at(LEAST).currencyBound ?? 0;
    const supply = { ...PLENTY, currency: 4 * one };
    expect(choose(all, supply, LEAST, { ...ROOM, most: new Map([['a', 3]]) }).prices).toEqual(LEAST);
    expect(choose(all, supply, LEAST, ROOM).prices.currencyPerS).toBeGreaterThan(1e-6);
  });

  it('lets what is quoted stay until it costs what coming and going does, and takes up what earns that', () => {
    const margin = (8 * LEAST.request) / DWELL_S;
    const worth = (fillsPerS: number) => candidate('x', { fillsPerS }).offer.at(LEAST).net;
    // Found by bisection: fills at which the value is at most this.
    const fillsFor = (net: number) => {
      let [low, high] = [0.00001, 0.01];
      for (let i = 0; i < 60; i++)
        [low, high] = worth((low + high) / 2) < net ? [(low + high) / 2, high] : [low, (low + high) / 2];
      return low;
    };
    const isTaken = (net: number, isChosen: boolean) =>
      choose([candidate('x', { fillsPerS: fillsFor(net), isChosen })], PLENTY, LEAST, ROOM).chosen.has('x');
    expect([isTaken(0.9 * margin, false), isTaken(1.1 * margin, false)]).toEqual([false, true]);
    expect([isTaken(-0.9 * margin, true), isTaken(-1.1 * margin, true)]).toEqual([true, false]);
  });

  it('takes up few at once, and lets none go for one that is hardly better', () => {
    const all = Array.from({ length: 5 }, (_, i) => candidate(`m${i}`, { fillsPerS: 0.004 + i / 1000 }));
    expect([...choose(all, PLENTY, LEAST, { ...ROOM, entries: 2 }).chosen].sort()).toEqual(['m3', 'm4']);
    const quoted = candidate('old', { fillsPerS: 0.004, isChosen: true });
    const one = { ...ROOM, most: new Map([['a', 1]]) };
    const against = (fillsPerS: number) => [
      ...choose([quoted, candidate('new', { fillsPerS })], PLENTY, LEAST, one).chosen,
    ];
    expect([against(0.00402), against(0.008)]).toEqual([['old'], ['new']]);
  });

  it('keeps every tenth place for one that may be better than believed', () => {
    const sure = Array.from({ length: 12 }, (_, i) => candidate(`m${i}`, { fillsPerS: 0.004 }));
    const doubtful = candidate('new', { fillsPerS: 0.002, doubt: 1 });
    const chosen = choose([...sure, doubtful], PLENTY, LEAST, { ...ROOM, most: new Map([['a', 10]]) }).chosen;
    expect([chosen.size, chosen.has('new')]).toEqual([10, true]);
  });

  it('counts what is quoted as a matter of course, whatever it is worth', () => {
    const fixed = candidate('fixed', { fillsPerS: 0.00001, isFixed: true });
    const free = candidate('free', { fillsPerS: 0.004 });
    const { chosen } = choose([fixed, free], PLENTY, LEAST, { ...ROOM, most: new Map() });
    expect([...chosen]).toEqual(['fixed']);
    expect(choose([fixed, free], { ...PLENTY, currency: 15 }, LEAST, ROOM).chosen.has('free')).toBe(false);
  });
});

const market = staleMarket({ quotes: [quote('bid', 0.49, 50), quote('ask', 0.52, 30)] });

const offer: ConstructorParameters<typeof PricedOffer>[0] = {
  sides: [{ fillsPerS: 0.002, sharesPerFill: 10, distance: 0.02, adverse: 0.006, feePerShare: 0 }],
  market,
  leastTolerance: 0.005,
  currency: 50,
};

describe('the net value of a market', () => {
  it('is the sum of its terms, as reckoned by hand', () => {
    const side = { fillsPerS: 0.002, sharesPerFill: 10, distance: 0.02, adverse: 0.006, feePerShare: 0 };
    const given = { sides: [side, side], currency: 50, orders: 0, movesPerS: 1 / 60 };
    const prices = { look: 0.001, request: 0.001, currencyPerS: 1e-7 };
    const value = netValue(given, { lookEveryS: 30, stale: 6e-5 }, prices);
    expect(value.edge).toBeCloseTo(0.00056, 12);
    expect(value.fillsPerS).toBeCloseTo(0.004, 12);
    expect(value.net).toBeCloseTo(0.000387, 12);
    expect(value.net * 3600).toBeCloseTo(1.3932, 8);
    const { edge, stale, looks, moves, fills, reserve, currency, net } = netValue(
      { ...given, orders: 2 },
      { lookEveryS: 30, stale: 6e-5 },
      prices,
    );
    expect(edge - stale - looks - moves - fills - reserve - currency).toBeCloseTo(net, 15);
    // Two requests for each of two orders are reserved in every minute.
    expect(value.net - net).toBeCloseTo((0.001 * 4) / 60, 12);
  });

  it('has the tolerance that costs least', () => {
    const cost = (w: number) => (0.92 * w * w) / 6 + (0.008 * 0.0005 ** 2) / (w * w);
    const w = bestTolerance(0.008, 0.0005, 0.92);
    expect(w).toBeCloseTo(0.0106868166, 10);
    expect(cost(w)).toBeCloseTo(3.5023801e-5, 12);
    expect((60 * 0.0005 ** 2) / (w * w)).toBeCloseTo(0.131339, 6);
    forAll([fc.double({ min: 0.1, max: 10, noNaN: true })], (factor) => {
      expect(cost(w * factor)).toBeGreaterThanOrEqual(cost(w) * (1 - 1e-12));
    });
    expect(bestTolerance(0, 0.0005, 0.92)).toBe(0);
    expect(bestTolerance(0.008, 0.0005, 0)).toBe(Number.POSITIVE_INFINITY);
  });

  it('takes the looks that are best at their price, and fewer of dearer ones', () => {
    const priced = new PricedOffer(offer);
    const at = (look: number) => priced.at({ look, request: 0.001, currencyPerS: 1e-7 });
    for (const look of [0, 1e-6, 1e-4, 1e-2]) {
      const { lookEveryS, looks, stale } = at(look);
      for (const other of [Math.max(1, lookEveryS / 1.6), lookEveryS * 1.6])
        expect(staleLossPerS(market, other) + look / other).toBeGreaterThanOrEqual((looks + stale) * 0.999);
    }
    expect(at(0).lookEveryS).toBe(1);
    expect(at(1e-2).lookEveryS).toBeGreaterThan(2 * at(1e-4).lookEveryS);
  });

  it('moves orders as often as the price crosses their tolerance, and never more than once a second', () => {
    const moves = (request: number, sigma: number) =>
      new PricedOffer({ ...offer, market: { ...market, sigmaPerSqrtS: sigma } }).at({
        look: 0,
        request,
        currencyPerS: 0,
      }).movesPerS;
    expect(moves(0, 0.001)).toBeCloseTo(2 * (0.001 / 0.005) ** 2, 12);
    expect(moves(0.1, 0.001)).toBeLessThan(moves(0, 0.001));
    expect([moves(0, 0.5), moves(0.1, Number.POSITIVE_INFINITY)]).toEqual([2, 2]);
  });
});
