/** Properties of every shipped strategy in every possible view of a market. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BookSide, MarketView } from '../../src/trader/market/view.js';
import { checkQuotes } from '../../src/trader/strategy/check.js';
import { strategyFrom } from '../../src/trader/strategy/read-params.js';
import * as bands from '../../strategies/bands.js';
import * as beliefMaker from '../../strategies/belief-maker.js';
import * as closingMaker from '../../strategies/closing-maker.js';
import * as fairMaker from '../../strategies/fair-maker.js';
import * as grid from '../../strategies/grid.js';
import * as lmsrMaker from '../../strategies/lmsr-maker.js';
import * as logOddsMaker from '../../strategies/log-odds-maker.js';
import * as mirrorMaker from '../../strategies/mirror-maker.js';
import * as touchMaker from '../../strategies/touch-maker.js';
import * as unwinder from '../../strategies/unwinder.js';
import { times } from '../support/effort.js';
import { anyView, FACTS, ofMarkets, paramsFor } from '../trader/strategy/fixtures.js';

const wild = fc.record({
  half_spread_ticks: fc.integer({ min: 1, max: 500 }),
  levels: fc.integer({ min: 1, max: 10 }),
  level_step_ticks: fc.integer({ min: 1, max: 500 }),
  improve_ticks: fc.integer({ min: 0, max: 500 }),
  risk_aversion: fc.double({ min: 0, max: 1, noNaN: true }),
  holding_time_s: fc.constantFrom(0, 1, 1e9),
  stale_sigmas: fc.double({ min: 0, max: 10, noNaN: true }),
  max_book_spread: fc.constant(1),
  min_fair_price: fc.constantFrom(0, 0.02),
  reduce_only_before_s: fc.constant(5000),
  halt_before_s: fc.constantFrom(0, 100, 5000),
});

const wildBelief = fc.record({
  kelly_fraction: fc.double({ min: 0.01, max: 100, noNaN: true }),
  max_order_shares: fc.constantFrom('0.01', '1000000'),
  taker_shares: fc.constantFrom('0.01', '1000000'),
  min_quote_s: fc.double({ min: 0.1, max: 3600, noNaN: true }),
  wall_log_odds: fc.double({ min: 0.001, max: 2, noNaN: true }),
  request_price: fc.constantFrom(0, 10),
  halt_before_s: fc.constantFrom(0, 100),
});

const wildFair = fc.record({
  model_sd_log_odds: fc.double({ min: 0.01, max: 2, noNaN: true }),
  book_weight: fc.constantFrom('auto', 'none'),
  max_gap_sds: fc.constantFrom(1, 20),
  half_spread_ticks: fc.integer({ min: 1, max: 500 }),
  min_edge_ticks: fc.double({ min: 0, max: 500, noNaN: true }),
  improve_ticks: fc.integer({ min: 0, max: 500 }),
  order_shares: fc.constantFrom('0.01', '25', '1000000'),
  kelly_fraction: fc.constantFrom(0.001, 1),
  min_fair_price: fc.constantFrom(0, 0.02),
});

const wildBands = fc
  .record({ widths: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 }), shares: fc.nat(500) })
  .map(({ widths, shares }) => {
    let near = 1;
    return {
      bands: widths.map((width) => {
        const min = near;
        near += width;
        const amounts = { min_shares: '1', avg_shares: String(shares + 1), max_shares: String(2 * shares + 1) };
        return { min_margin_ticks: min, avg_margin_ticks: min + (width >> 1), max_margin_ticks: near, ...amounts };
      }),
    };
  });

const wildUnwinder = fc.record({
  horizon_s: fc.constantFrom(1, 3600),
  urgency: fc.double({ min: 0, max: 10, noNaN: true }),
  keep_shares: fc.constantFrom('0', '30'),
  floor_price: fc.constantFrom(0, 0.01, 0.6),
  max_take_fraction: fc.constantFrom(0, 0.3, 1),
  order_shares: fc.constantFrom('0.01', '25', '1000000'),
});

const wildGrid = fc.record({
  centre_price: fc.constantFrom(0, 0.02, 0.5, 0.97),
  step_ticks: fc.integer({ min: 1, max: 500 }),
  levels: fc.integer({ min: 1, max: 10 }),
  max_loss: fc.constantFrom(0.01, 20, 1_000_000),
});

const wildLmsr = fc.record({
  prior_price: fc.constantFrom(0.001, 0.3, 0.5, 0.999),
  loss_budget: fc.constantFrom(0.01, 20, 1_000_000),
  vig_log_odds: fc.double({ min: 0, max: 5, noNaN: true }),
  levels: fc.integer({ min: 1, max: 10 }),
  level_step_ticks: fc.integer({ min: 1, max: 500 }),
  yield_to_others_ticks: fc.constantFrom(0, 4),
});

const wildClosing = fc.record({
  start_s: fc.constantFrom(3600, 1e7),
  look_sigmas: fc.double({ min: 0, max: 10, noNaN: true }),
  half_spread_ticks: fc.integer({ min: 1, max: 500 }),
  max_half_spread: fc.constantFrom(0.05, 0.5),
  improve_ticks: fc.integer({ min: 0, max: 500 }),
  order_shares: fc.constantFrom('0.01', '25', '1000000'),
  risk_aversion: fc.double({ min: 0, max: 1, noNaN: true }),
  max_book_spread: fc.constant(1),
  halt_before_s: fc.constantFrom(0, 5),
});

const wildMirror = fc.record({
  feed: fc.constant('model'),
  max_ref_age_s: fc.constantFrom(5, 86_400),
  max_ref_spread: fc.constantFrom(0.05, 1),
  max_basis_log_odds: fc.constantFrom(0.3, 5),
  half_spread_ticks: fc.integer({ min: 1, max: 500 }),
  improve_ticks: fc.integer({ min: 0, max: 500 }),
  order_shares: fc.constantFrom('0.01', '25', '1000000'),
  risk_aversion: fc.double({ min: 0, max: 1, noNaN: true }),
});

const wildTouch = fc.record({
  order_shares: fc.constantFrom('0.01', '25', '1000000'),
  penny_min_spread_ticks: fc.integer({ min: 2, max: 10 }),
  thin_fraction: fc.double({ min: 0.01, max: 1, noNaN: true }),
  pull_s: fc.constantFrom(0, 5),
  prior_sweep_ticks: fc.double({ min: 0, max: 100, noNaN: true }),
  risk_aversion: fc.double({ min: 0, max: 1, noNaN: true }),
});

/** Adds the takers that `anyView` does not have. */
const withMore = (view: MarketView): MarketView => {
  const { bids, asks } = view.others;
  const at = { venueTimeMs: 0, seenMs: view.nowMs, taker: 'buy' } as const;
  const trades = [...bids, ...asks].slice(0, 8).map((level) => ({ ...level, ...at }));
  const flow = { ...view.flow, tradesPerS: 0.02, meanTradeShares: trades.length === 0 ? null : 20 };
  return { ...view, trades, flow };
};

describe.each([
  ['log-odds-maker', logOddsMaker, wild],
  ['bands', bands, wildBands],
  ['belief-maker', beliefMaker, wildBelief],
  ['fair-maker', fairMaker, wildFair],
  ['unwinder', unwinder, wildUnwinder],
  ['grid', grid, wildGrid],
  ['closing-maker', closingMaker, wildClosing],
  ['lmsr-maker', lmsrMaker, wildLmsr],
  ['touch-maker', touchMaker, wildTouch],
  ['mirror-maker', mirrorMaker, wildMirror],
] as const)('%s', (name, module, params: fc.Arbitrary<unknown>) => {
  const strategy = ofMarkets(strategyFrom(module, name));

  test('is a strategy with usable defaults', () => {
    expect(strategy.name).toBe(name);
    expect(paramsFor(strategy)).toBeTypeOf('object');
  });

  test('quotes make sense, twice the same, and unless it takes never meet what others offer', () => {
    const runs = fc.tuple(params, fc.array(anyView, { minLength: 1, maxLength: 4 }));
    fc.assert(
      fc.property(runs, ([raw, views]) => {
        const make = () => strategy.create(paramsFor(strategy, raw), views[0]?.market ?? FACTS);
        const [first, second] = [make(), make()];
        for (const view of views.map(withMore)) {
          const quotes = first.quote(view);
          expect(checkQuotes(quotes, view)).toBeNull();
          expect(second.quote(view)).toEqual(quotes);
          if (strategy.takes === true) continue;
          const isNew = (side: BookSide, price: number) =>
            !view.orders.some((order) => order.side === side && order.priceMicros === price);
          const [bid, ask] = [view.others.bids[0]?.priceMicros ?? 0, view.others.asks[0]?.priceMicros ?? 1e6];
          for (const { priceMicros } of quotes.bids)
            if (isNew('bid', priceMicros)) expect(priceMicros).toBeLessThan(ask);
          for (const { priceMicros } of quotes.asks)
            if (isNew('ask', priceMicros)) expect(priceMicros).toBeGreaterThan(bid);
        }
      }),
      { numRuns: times(100, 200) },
    );
  });

  test('with what may be filled in one direction, the position limit holds; reducing only never passes zero', () =>
    fc.assert(
      fc.property(params, anyView, (raw, view) => {
        const quotes = strategy.create(paramsFor(strategy, raw), view.market).quote(withMore(view));
        const { netMicros, maxPositionMicros } = view.inventory;
        const sum = (levels: readonly { readonly amountMicros: number }[]) =>
          levels.reduce((total, { amountMicros }) => total + amountMicros, 0);
        const most = view.stance === 'reduce-only' ? 0 : maxPositionMicros;
        if (quotes.bids.length > 0) expect(netMicros + sum(quotes.bids)).toBeLessThanOrEqual(most);
        if (quotes.asks.length > 0) expect(sum(quotes.asks) - netMicros).toBeLessThanOrEqual(most);
      }),
      { numRuns: times(100, 200) },
    ));
});
