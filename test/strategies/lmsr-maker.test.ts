import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MarketView } from '../../src/trader/market/view.js';
import { asksAbove, computeDepth, priceAt, worstLosses } from '../../strategies/lmsr/cost.js';
import lmsrMaker from '../../strategies/lmsr-maker.js';
import { book, m } from '../trader/market/fixtures.js';
import { FACTS, holding, paramsFor, viewOf } from '../trader/strategy/fixtures.js';

const EMPTY = viewOf(book([], []));
const made = (raw: unknown = {}, saved?: unknown) => lmsrMaker.create(paramsFor(lmsrMaker, raw), FACTS, saved);

describe('the scoring rule', () => {
  it('sells 4.0005, 8.0043 and 12.0144 shares on its way from 0.50 to 0.51, 0.52 and 0.53 with a depth of 100', () => {
    const asks = asksAbove(0.5, { depth: 100, vig: 0, tick: 0.01, step: 1, levels: 4 }).slice(1);
    let sold = 0;
    for (const [index, wanted] of [4.0005335, 8.0042708, 12.0144312].entries()) {
      sold += asks[index]?.shares ?? 0;
      expect(asks[index]?.price).toBeCloseTo(0.51 + index / 100, 9);
      expect(sold).toBeCloseTo(wanted, 6);
    }
    expect(priceAt(100, 0.5, -sold)).toBeCloseTo(0.53, 12);
  });

  it('is 144.3 and 62.1 shares deep for a budget of 100 at 0.50 and 0.20', () => {
    expect(computeDepth(100, 0.5)).toBeCloseTo(144.2695041, 6);
    expect(computeDepth(100, 0.2)).toBeCloseTo(62.1334935, 6);
  });

  it('loses at most 120.4 on YES and 35.7 on NO from 0.30 with a depth of 100', () => {
    expect(worstLosses(100, 0.3).yes).toBeCloseTo(120.3972804, 6);
    expect(worstLosses(100, 0.3).no).toBeCloseTo(35.6674944, 6);
  });
});

describe('lmsr-maker', () => {
  it('makes a book where there is none, around its prior', () => {
    const { bids, asks, fairMicros } = made({ vig_log_odds: 0.06, loss_budget: 200 }).quote(EMPTY);
    expect(fairMicros).toBe(m(0.5));
    expect(bids.map(({ priceMicros }) => priceMicros)).toEqual([0.48, 0.46, 0.44].map(m));
    expect(asks.map(({ priceMicros }) => priceMicros)).toEqual([0.52, 0.54, 0.56].map(m));
  });

  it('adds to the next level what is less than the smallest order', () => {
    // The rule is at 0.52 less the margin after 0.001 shares.
    const { asks } = made().quote(EMPTY);
    expect(asks.map(({ priceMicros }) => priceMicros)).toEqual([0.54, 0.56].map(m));
    expect((asks[0]?.amountMicros ?? 0) / 1e6).toBeCloseTo(
      computeDepth(20, 0.5) * Math.log(0.54 / 0.46) - computeDepth(20, 0.5) * 0.08,
      1,
    );
  });

  it('yields where others make a book', () => {
    expect(made().quote(viewOf(book([[0.48, 50]], [[0.52, 50]]))).note).toMatch(/the spread of others is 4 ticks/);
    expect(made().quote(viewOf(book([[0.48, 50]], [[0.53, 50]]))).bids).not.toEqual([]);
  });

  it('moves with its own fills only, counted from where it began, over restarts too', () => {
    const quoter = made();
    quoter.quote(holding(EMPTY, 50));
    const again = made({}, JSON.parse(JSON.stringify(quoter.save?.())));
    expect(again.quote(holding(EMPTY, 50)).fairMicros).toBe(m(0.5));
    expect(again.quote(holding(EMPTY, 60)).fairMicros).toBeLessThan(m(0.45));
  });

  it('loses no more than its budget, whatever is filled in whatever order', () => {
    const fill = fc.record({
      isBuy: fc.boolean(),
      level: fc.nat(2),
      part: fc.double({ min: 0.1, max: 1, noNaN: true }),
    });
    const start = fc.record({
      prior_price: fc.constantFrom(0.05, 0.3, 0.5, 0.8),
      loss_budget: fc.constantFrom(20, 200),
      vig_log_odds: fc.constantFrom(0, 0.08),
    });
    fc.assert(
      fc.property(start, fc.array(fill, { maxLength: 60 }), (raw, fills) => {
        const quoter = made(raw);
        let [cash, net] = [0, 0];
        quoter.quote(EMPTY);
        for (const { isBuy, level, part } of fills) {
          const roomy: MarketView = {
            ...holding(EMPTY, net),
            inventory: { ...holding(EMPTY, net).inventory, maxPositionMicros: m(9000) },
          };
          const { bids, asks } = quoter.quote(roomy);
          // A taker consumes the book: whole levels before the last one.
          const side = (isBuy ? asks : bids).slice(0, level + 1);
          for (const [index, { priceMicros, amountMicros }] of side.entries()) {
            const share = index === side.length - 1 ? part : 1;
            const shares = Math.floor((amountMicros / 1e6) * share * 100) / 100;
            cash += ((isBuy ? 1 : -1) * shares * priceMicros) / 1e6;
            net = Math.round((net + (isBuy ? -shares : shares)) * 100) / 100;
          }
        }
        expect(Math.min(cash, cash + net)).toBeGreaterThanOrEqual(-raw.loss_budget - 1e-6);
      }),
    );
  });
});
