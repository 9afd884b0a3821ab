import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MarketView } from '../../src/trader/market/view.js';
import { chooseManner, plannedShares } from '../../strategies/unwinder/plan.js';
import unwinder from '../../strategies/unwinder.js';
import { book, m } from '../trader/market/fixtures.js';
import { FACTS, holding, paramsFor, VIEW, viewOf } from '../trader/strategy/fixtures.js';

const later = (view: MarketView, seconds: number): MarketView => ({ ...view, nowMs: view.nowMs + seconds * 1000 });

const made = (raw: unknown = {}, saved?: unknown) => unwinder.create(paramsFor(unwinder, raw), FACTS, saved);

describe('the plan of Almgren and Chriss', () => {
  it('has 58.7, 32.4 and 14.4 of 100 shares left at a quarter, half and three quarters with an urgency of 2', () => {
    expect(plannedShares(100, 2, 0.25)).toBeCloseTo(58.7086134, 6);
    expect(plannedShares(100, 2, 0.5)).toBeCloseTo(32.4027137, 6);
    expect(plannedShares(100, 2, 0.75)).toBeCloseTo(14.3676692, 6);
  });

  it('is a straight line without urgency, and nothing is left at its end', () => {
    expect(plannedShares(100, 0, 0.3)).toBeCloseTo(70, 9);
    expect(plannedShares(100, 1e-6, 0.3)).toBeCloseTo(70, 6);
    expect(plannedShares(100, 10, 1)).toBe(0);
  });

  it('rests ahead of it, improves behind it, and takes far behind it or near the end', () => {
    expect([0, 0.2, 0.31].map((lag) => chooseManner(lag, 0.5, 0.1))).toEqual(['rest', 'improve', 'take']);
    expect(chooseManner(0, 0.9, 0.1)).toBe('take');
  });
});

describe('unwinder', () => {
  it('rests at the best price of others, then one tick better, then takes a part of their level', () => {
    const quoter = made({ floor_price: 0.2, urgency: 0 });
    const held = holding(VIEW, 100);
    expect(quoter.quote(held).asks).toEqual([{ priceMicros: m(0.55), amountMicros: m(25) }]);
    // A fifth of the time has passed and nothing is sold.
    expect(quoter.quote(later(held, 720)).asks[0]?.priceMicros).toBe(m(0.54));
    // Very small orders do not lead its price.
    const asks = [
      [0.47, 1],
      [0.55, 100],
    ] as const;
    for (const bid of [100, 4]) {
      const led = viewOf(book([[0.45, bid]], asks));
      expect(quoter.quote(later(holding(led, 100), 720)).asks[0]?.priceMicros).toBe(m(0.54));
    }
    const taking = quoter.quote(later(held, 1440));
    expect(taking).toMatchObject({ bids: [], asks: [{ priceMicros: m(0.45), amountMicros: m(25) }], postOnly: false });
    const thin = { ...viewOf(book([[0.45, 20]], [[0.55, 100]])), nowMs: VIEW.nowMs + 1_440_000 };
    expect(quoter.quote(holding(thin, 100)).asks[0]?.amountMicros).toBe(m(6));
  });

  it('buys NO back in the mirror', () => {
    const quoter = made({ floor_price: 0.2 });
    expect(quoter.quote(holding(VIEW, -100)).bids).toEqual([{ priceMicros: m(0.45), amountMicros: m(25) }]);
    expect(quoter.quote(later(holding(VIEW, -100), 3600)).bids[0]?.priceMicros).toBe(m(0.55));
  });

  it('never goes past its floor, and takes nothing without one', () => {
    const late = later(holding(VIEW, 100), 3600);
    const floored = made({ floor_price: 0.6 });
    floored.quote(holding(VIEW, 100));
    expect(floored.quote(late).asks[0]?.priceMicros).toBe(m(0.6));
    const open = made();
    open.quote(holding(VIEW, 100));
    expect([open.quote(late).asks[0]?.priceMicros, open.quote(late).postOnly]).toEqual([m(0.54), true]);
  });

  it('stops at what is to be kept', () => {
    const quoter = made({ keep_shares: '40' });
    expect(quoter.quote(holding(VIEW, 50)).asks[0]?.amountMicros).toBe(m(10));
    expect(quoter.quote(holding(VIEW, 40)).note).toBe('no shares are left to sell');
  });

  it('goes on with its plan after a restart', () => {
    const quoter = made({ floor_price: 0.2 });
    quoter.quote(holding(VIEW, 100));
    const again = made({ floor_price: 0.2 }, JSON.parse(JSON.stringify(quoter.save?.())));
    expect(again.quote(later(holding(VIEW, 100), 3300)).note).toMatch(/^take at 0.4500/);
  });

  it('gives a position that grows again its own time, also with a plan of an earlier release', () => {
    const oldPlan = { plan: { sign: 1, shares: 100, fromMs: VIEW.nowMs, forMs: 3_600_000 } };
    for (const quoter of [made({ floor_price: 0.2 }), made({ floor_price: 0.2 }, oldPlan)]) {
      quoter.quote(holding(VIEW, 100));
      quoter.quote(later(holding(VIEW, 70), 900));
      expect(quoter.quote(later(holding(VIEW, 72), 1800)).factors['passed_part'], 'the plan runs on').toBe(0.5);
      // Less than a minimum order is left, which cannot be sold.
      quoter.quote(later(holding(VIEW, 0.3), 3600));
      expect(quoter.quote(later(holding(VIEW, 0.4), 7200)).factors['passed_part']).toBe(1);
      expect(quoter.quote(later(holding(VIEW, 50), 7200)).note).toMatch(/^rest at 0.5500/);
      expect(quoter.quote(later(holding(VIEW, 40), 9000)).factors['passed_part']).toBe(0.5);
    }
  });

  it('is done by the time the market ends', () => {
    const soon = { ...holding(VIEW, 100), timeToResolutionMs: 110_000 };
    const quoter = made({ floor_price: 0.2 });
    quoter.quote(soon);
    expect(quoter.quote({ ...later(soon, 95), timeToResolutionMs: 15_000 }).note).toMatch(/^take/);
  });

  it('never adds and never passes its target, whatever it holds and whenever it is asked', () => {
    const step = fc.record({ seconds: fc.nat(2000), net: fc.integer({ min: -300, max: 300 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), fc.constantFrom('0', '30'), (steps, keep) => {
        const quoter = made({ floor_price: 0.1, keep_shares: keep, order_shares: '1000' });
        let now = 0;
        for (const { seconds, net } of steps) {
          now += seconds;
          const { bids, asks } = quoter.quote(later(holding(VIEW, net), now));
          const most = Math.max(0, Math.abs(net) - Number(keep)) * 1e6;
          const [reducing, adding] = net > 0 ? [asks, bids] : [bids, asks];
          expect(adding).toEqual([]);
          expect(reducing.reduce((sum, { amountMicros }) => sum + amountMicros, 0)).toBeLessThanOrEqual(most);
        }
      }),
    );
  });
});
