import { expect, it } from 'vitest';
import { equityAt, MarketWalk, type SessionOrder } from '../../../src/lab/session/live-session.js';
import { aFill, ONE } from '../report/sessions.js';

const terms = { priceMicros: 400_000, ownPriceMicros: 400_000, isBuy: true, amountMicros: 10 * ONE };
const bid: SessionOrder = { pubkey: 'bid', side: 'bid', ...terms, fromMs: 1_000, toMs: 5_000, isCanceled: true };
/** Bought as NO at 0.35. */
const ask: SessionOrder = {
  ...bid,
  pubkey: 'ask',
  side: 'ask',
  priceMicros: 650_000,
  ownPriceMicros: 350_000,
  toMs: null,
};

/** Four shares of the bid. */
const fill = aFill({ timeMs: 3_000, orderPubkey: 'bid', amountMicros: 4 * ONE, markMicros: 500_000 });

const PRICES = { at: () => ({ bidMicros: 450_000, askMicros: 550_000, middleMicros: 500_000 }) };
const MARKET = { orders: [ask, bid], fills: [fill], conversions: [], prices: PRICES };

it.each([
  [0, { ourBidMicros: null, ourAskMicros: null }, 0],
  [1_000, { ourBidMicros: 400_000, ourAskMicros: 650_000 }, 7_500_000],
  // Bought shares are locked as shares, no longer by their order.
  [3_000, { ourBidMicros: 400_000, ourAskMicros: 650_000 }, 7_500_000],
  [5_000, { ourBidMicros: null, ourAskMicros: 650_000 }, 5_100_000],
])('at %s ms orders rest, and currency is locked, as it was then', (timeMs, ours, lockedMicros) => {
  const walk = new MarketWalk(MARKET);
  walk.advance(timeMs);
  expect(walk.top(timeMs)).toEqual({ bidMicros: 450_000, askMicros: 550_000, ...ours });
  expect(walk.lockedMicros).toBe(lockedMicros);
});

it('many small steps lead to where one leads', () => {
  const [steps, leap] = [new MarketWalk(MARKET), new MarketWalk(MARKET)];
  for (let timeMs = 0; timeMs <= 6_000; timeMs += 250) steps.advance(timeMs);
  leap.advance(6_000);
  expect(steps.top(6_000)).toEqual(leap.top(6_000));
  expect(steps.held).toMatchObject({ yesMicros: 4 * ONE, costMicros: 1_600_000 });
  expect(leap.held).toMatchObject({ yesMicros: 4 * ONE, costMicros: 1_600_000 });
});

it('an account is worth its currency and what is held at the middle, if that is known', () => {
  const walks = [new MarketWalk(MARKET), new MarketWalk({ ...MARKET, fills: [] })];
  for (const walk of walks) walk.advance(3_000);
  expect(equityAt(3_000, walks, 100 * ONE)).toBe(100 * ONE - 1_600_000 + 2_000_000);
  const blind = new MarketWalk({ ...MARKET, prices: null });
  blind.advance(3_000);
  expect(equityAt(3_000, [...walks, blind], 100 * ONE)).toBeNull();
});
