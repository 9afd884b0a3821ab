/** Quotes of a shipped strategy equal the mathematics that these tests compare with published results. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MarketView } from '../../../../src/trader/market/view.js';
import {
  indifferencePrices,
  informedFromMove,
  informedQuotes,
  newsSigma,
  reservationPrice,
} from '../../../../src/trader/strategy/maths/log-odds.js';
import logOddsMaker from '../../../../strategies/log-odds-maker.js';
import { book, m } from '../../market/fixtures.js';
import { FACTS, holding, paramsFor, viewOf } from '../fixtures.js';

/** A tick too fine to matter; only the mathematics widens the quotes. */
const FINE = { ...FACTS, tickMicros: m(0.000001), minPriceMicros: m(0.000001), maxPriceMicros: m(0.999999) };
const PLAIN = { half_spread_ticks: 1, stale_sigmas: 0, order_shares: '10', imbalance_weight: 0, trade_weight: 0 };

const around = (fair: number): MarketView => viewOf(book([[fair - 0.02, 100]], [[fair + 0.02, 100]]), { market: FINE });
const maker = (raw: Readonly<Record<string, unknown>>) =>
  logOddsMaker.create(paramsFor(logOddsMaker, { ...PLAIN, ...raw }), FINE);

interface Factors {
  readonly [name: string]: number;
}
const factor = (factors: Factors, name: string): number => factors[name] ?? Number.NaN;
const prices = (factors: Factors) => ({
  reservation: factor(factors, 'reservation_price'),
  bid: factor(factors, 'reservation_price') - factor(factors, 'bid_half_spread_price'),
  ask: factor(factors, 'reservation_price') + factor(factors, 'ask_half_spread_price'),
});

/**
 * It takes the reservation price at the middle of the order instead of the certainty equivalent's mean over the order:
 * a difference of at most (gamma n)^2 / 24 times the greatest |S''|, which is 1 / (6 sqrt 3).
 */
const MIDPOINT = (0.01 * 10) ** 2 / 24 / (6 * Math.sqrt(3)) + 1e-8;

test('log-odds-maker’s centre is the reservation price, whatever the price, position and aversion', () =>
  fc.assert(
    fc.property(
      fc.integer({ min: 5, max: 95 }),
      fc.integer({ min: -200, max: 200 }),
      fc.integer({ min: 0, max: 100 }),
      (cents, net, aversion) => {
        const { factors } = maker({ risk_aversion: aversion / 10_000 }).quote(holding(around(cents / 100), net));
        const fair = factor(factors, 'fair_price');
        expect(prices(factors).reservation).toBeCloseTo(reservationPrice(fair, aversion / 10_000, net), 12);
        const indifferent = indifferencePrices(fair, Math.max(1e-9, aversion / 10_000), net, 10);
        expect(Math.abs(prices(factors).bid - indifferent.bid)).toBeLessThan(MIDPOINT);
        expect(Math.abs(prices(factors).ask - indifferent.ask)).toBeLessThan(MIDPOINT);
      },
    ),
  ));

test('log-odds-maker widens for informed takers to the quotes of Glosten and Milgrom', () => {
  const quoter = maker({ risk_aversion: 0, markout_s: 10 });
  quoter.quote(around(0.5));
  const nowMs = around(0.5).nowMs + 1000;
  quoter.observe?.({ kind: 'fill', nowMs, side: 'ask', priceMicros: m(0.51), amountMicros: m(40), isMaker: true });
  const { factors } = quoter.quote({ ...around(0.55), nowMs: nowMs + 10_000 });
  const informed = informedFromMove(0.55, factor(factors, 'adverse_move_price'));
  expect(informed).toBeGreaterThan(0.01);
  const quotes = informedQuotes(0.55, informed);
  expect(prices(factors).bid).toBeCloseTo(quotes.bid, 12);
  expect(prices(factors).ask).toBeCloseTo(quotes.ask, 12);
});

test('log-odds-maker widens before resolution by what the Gaussian score moves until the next refresh', () => {
  const view = { ...around(0.5), timeToResolutionMs: 600_000 };
  const { factors } = maker({ risk_aversion: 0, stale_sigmas: 1, refresh_s: 5 }).quote(view);
  const moved = newsSigma(0.5, 600) * Math.sqrt(5);
  expect(factor(factors, 'stale_sigma_price')).toBeCloseTo(moved, 12);
  expect(factor(factors, 'bid_half_spread_price')).toBeCloseTo(moved, 12);
});
