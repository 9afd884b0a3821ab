/** The price of a signed request, and the frequency of reading own state that follows from it. */

import { describe, expect, it } from 'vitest';
import { PollPlan } from '../../../src/trader/scheduler/poll-plan.js';
import { bestOwnPaceMs, fitOwnReads, RequestPrice } from '../../../src/trader/scheduler/request-price.js';
import { pollFacts, pollSettings, takePolls } from './world.js';

const NOW = 1_700_000_000_000;

/** Reads of own trades and own orders, and rounds, in two minutes. */
function countLooks(
  facts: Partial<Parameters<PollPlan['takeDue']>[1]>,
  settings: Partial<ConstructorParameters<typeof PollPlan>[0]> = {},
) {
  const plan = new PollPlan(pollSettings(settings));
  const counts = { fills: 0, orders: 0, assets: 0 };
  for (let ms = 0; ms < 120_000; ms += 250)
    for (const { target } of takePolls(plan, NOW + ms, pollFacts(facts)))
      if (target.kind in counts) counts[target.kind as keyof typeof counts] += 1;
  return counts;
}

describe('own trades are read', () => {
  it('as often as loses least', () => {
    expect(bestOwnPaceMs(0.001, 0.02 * 0.01)).toBeCloseTo(3162.278, 3);
    const lost = (s: number) => 0.001 / s + (0.02 * 0.01 * s) / 2;
    expect(lost(3.162278)).toBeLessThan(lost(3.1));
    expect(lost(3.162278)).toBeLessThan(lost(3.3));
  });

  it('at any pace where looks or late fills cost nothing', () => {
    expect([bestOwnPaceMs(0, 0.001), bestOwnPaceMs(0, Number.POSITIVE_INFINITY)]).toEqual([0, 0]);
    expect(bestOwnPaceMs(0.001, Number.POSITIVE_INFINITY)).toBe(0);
    expect(bestOwnPaceMs(0.001, 0)).toBe(Number.POSITIVE_INFINITY);
  });

  it.each([
    ['every second where it is not known', {}, {}, 120],
    ['at the pace that is best', { ownPaceMs: 4000 }, {}, 30],
    ['no more often than configured', { ownPaceMs: 300 }, {}, 120],
    ['every 15 seconds at the least', { ownPaceMs: Number.POSITIVE_INFINITY }, {}, 8],
    ['every so many seconds at the least as configured', { ownPaceMs: 60_000 }, { ownLongestMs: 6000 }, 20],
    ['at one pace where the longest is no longer', { ownPaceMs: 60_000 }, { ownLongestMs: 500 }, 120],
    ['seldom where nothing rests', { ownPaceMs: 1000, openOrders: 0 }, {}, 24],
  ] as const)('%s', (_, facts, settings, looks) => expect(countLooks(facts, settings).fills).toBe(looks));

  it('while own orders keep their pace', () =>
    expect(countLooks({ ownPaceMs: 15_000 }).orders).toBe(countLooks({}).orders));
});

describe('reads of what is ours within three tenths of the signed budget', () => {
  const asked = (fillsMs: number | null, ordersMs: number, roundsMs: number) => ({ fillsMs, ordersMs, roundsMs });
  const USUAL = asked(1000, 5000, 60_000);

  it.each([
    ['are as often as asked where the budget holds them', USUAL, 9, 285, USUAL],
    ['stretch rounds alone where those are what is too much', asked(2000, 10_000, 2000), 9, 285, { roundsMs: 10_909 }],
    ['leave a third to rounds', asked(300, 1500, 2000), 9, 285, asked(1263, 6316, 18_947)],
    ['leave trades and orders what rounds do not want', asked(300, 1500, 60_000), 9, 285, asked(941, 4706, 60_000)],
    ['count the pages of rounds', USUAL, 40, 285, asked(1263, 6316, 84_211)],
    ['stretch all where next to nothing is left', USUAL, 9, 30, asked(12_000, 60_000, 180_000)],
    ['have no trades where the venue lists none', asked(null, 1000, 2000), 6, 285, asked(null, 1053, 12_632)],
  ] as const)('%s', (_, wanted, requests, perMinute, most) => {
    const { fillsMs, ordersMs, roundsMs } = fitOwnReads(wanted, requests, perMinute);
    const rounded = { fillsMs: fillsMs && Math.round(fillsMs), ordersMs: Math.round(ordersMs) };
    expect({ ...rounded, roundsMs: Math.round(roundsMs) }).toEqual({ ...wanted, ...most });
    const minutely = 60_000 / ordersMs + (fillsMs === null ? 0 : 60_000 / fillsMs) + (requests * 60_000) / roundsMs;
    expect(minutely).toBeLessThanOrEqual(0.3 * perMinute + 1e-9);
  });

  it('is what the plan keeps to, counting what a round takes', () => {
    const often = { assetsIntervalMs: 2000 };
    const { fills, orders, assets } = countLooks({ requestsARound: 9 }, often);
    expect(fills + orders + 9 * assets).toBeLessThanOrEqual(2 * 0.3 * 285 + 9);
    expect(countLooks({ requestsARound: 1 }, often).assets).toBeGreaterThan(4 * assets);
    expect(countLooks({ requestsARound: 9 }), 'as configured').toMatchObject(countLooks({}));
  });
});

describe('the price of a request', () => {
  let at = 0;
  /** After this number of polls, five seconds apart, with this part of a burst left at each. */
  function follow(price: RequestPrice, looks: number, left: number): number {
    for (let i = 0; i < looks; i++) price.look({ burstLeft: () => left }, 5000 * ++at);
    return 0.001 * price.factor;
  }
  it('rises while less than half of a burst is left and falls while more is, within its bounds', () => {
    const price = new RequestPrice();
    expect(follow(price, 10, 1)).toBe(0.001);
    expect(follow(price, 10, 0)).toBeCloseTo(0.001 * Math.E, 9);
    expect(follow(price, 20, 0.5), 'as many are wanted as there are').toBeCloseTo(0.001 * Math.E, 9);
    expect(follow(price, 5, 1)).toBeCloseTo(0.001 * Math.exp(0.5), 9);
    expect(follow(price, 1000, 0)).toBeCloseTo(0.001 * Math.exp(7), 6);
    expect(follow(price, 1000, 1)).toBe(0.001);
  });

  it('does not depend on how often it is looked at within five seconds', () => {
    const price = new RequestPrice();
    for (let ms = 0; ms < 50_000; ms += 100) price.look({ burstLeft: () => 0 }, ms);
    expect(price.factor).toBeCloseTo(Math.E, 9);
  });
});
