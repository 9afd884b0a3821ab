import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gridWishes, worstLossPerShare } from '../../strategies/grid/lines.js';
import grid from '../../strategies/grid.js';
import { book, m } from '../trader/market/fixtures.js';
import { FACTS, holding, paramsFor, viewOf } from '../trader/strategy/fixtures.js';

const WIDE = viewOf(book([[0.3, 100]], [[0.7, 100]]));
const made = (raw: unknown = {}, saved?: unknown) => grid.create(paramsFor(grid, raw), FACTS, saved);
const prices = (levels: readonly { priceMicros: number }[]) => levels.map(({ priceMicros }) => priceMicros / 1e6);

describe('the lines', () => {
  it('lose 22 at most with bids of 10 at 0.48, 0.46, 0.44, 0.42 and 0.40', () => {
    const lines = { centre: 0.5, step: 0.02, levels: 5 };
    expect(gridWishes({ ...lines, shares: 10 }, 0).bids.opens.map(({ price }) => price)).toEqual([
      0.48, 0.46, 0.44, 0.42, 0.4,
    ]);
    expect(10 * worstLossPerShare(lines)).toBeCloseTo(22, 9);
  });

  it('offer at the next line what was bought at one', () => {
    const quoter = made({ max_loss: 22, resize_fraction: 0 });
    expect(prices(quoter.quote(WIDE).bids)).toEqual([0.48, 0.46, 0.44, 0.42, 0.4]);
    const bought = quoter.quote(holding(WIDE, 15));
    expect(bought.bids[0]).toEqual({ priceMicros: m(0.46), amountMicros: m(5) });
    expect(bought.asks.slice(0, 3)).toEqual([
      { priceMicros: m(0.48), amountMicros: m(5) },
      { priceMicros: m(0.5), amountMicros: m(10) },
      { priceMicros: m(0.52), amountMicros: m(10) },
    ]);
  });

  it('stay where they were, also over a restart', () => {
    const quoter = made();
    quoter.quote(WIDE);
    const moved = viewOf(book([[0.39, 100]], [[0.41, 100]]));
    const again = made({}, JSON.parse(JSON.stringify(quoter.save?.())));
    expect([again.quote(moved), again.quote(moved).factors['centre_price']]).toEqual([quoter.quote(moved), 0.5]);
  });

  it('let go of more than their own at the innermost exit that is left', () => {
    const { asks } = made({ max_loss: 22, resize_fraction: 0 }).quote(holding(WIDE, 70));
    expect(asks[0]).toEqual({ priceMicros: m(0.42), amountMicros: m(30) });
  });
});

describe('near the middle', () => {
  // A deviation of 0.03 in the three seconds from a poll until an order of the next one rests.
  const moving = { ...WIDE, estimates: { ...WIDE.estimates, sigmaPricePerSqrtS: 0.03 / Math.sqrt(3) } };
  const slow = { ...moving, pace: { ...moving.pace, lookEveryS: 2, reactS: 1 } };

  it('opens no line within what the price may do before it could be moved', () => {
    const { bids, asks, factors } = made().quote(slow);
    expect(prices(bids)).toEqual([0.46, 0.44, 0.42, 0.4]);
    expect(prices(asks)).toEqual([0.54, 0.56, 0.58, 0.6]);
    expect(factors['stale_sd_price']).toBeCloseTo(0.03, 9);
    expect(prices(made({ stale_sigmas: 0 }).quote(slow).bids)[0]).toBe(0.48);
  });

  it('opens nothing where the price has run past all lines of a side', () => {
    // Their orders would be a tick below the best ask, beyond the middle.
    expect(made({ centre_price: 0.9 }).quote(slow).bids).toEqual([]);
    expect(prices(made({ centre_price: 0.9, stale_sigmas: 0 }).quote(slow).bids)).toEqual([0.69]);
  });

  it('still undoes what is held there', () => expect(prices(made().quote(holding(slow, 5)).asks)[0]).toBe(0.5));

  it('opens no more where a few shares are held on the other side', () => {
    for (const view of [slow, { ...slow, stance: 'widen' as const }]) {
      const flat = made().quote(view);
      expect(prices(made().quote(holding(view, 0.01)).asks)).toEqual(prices(flat.asks));
      expect(prices(made().quote(holding(view, -0.01)).bids)).toEqual(prices(flat.bids));
      expect(prices(made().quote(holding(view, 3)).asks)).toEqual([0.5, ...prices(flat.asks)]);
    }
  });

  it('says that all lines are too near', () => {
    const { fairMicros, note } = made({ stale_sigmas: 10 }).quote(slow);
    expect(fairMicros).toBeNull();
    expect(note).toContain('too near to the mid');
  });
});

it('makes its lines smaller by what an order may be larger than its line', () => {
  const { bids } = made({ max_loss: 22, resize_fraction: 0.25 }).quote(WIDE);
  expect(bids[0]?.amountMicros).toBe(m(8));
});

it('loses no more than it said, whatever the price does', () => {
  const lines = { centre: 0.5, step: 0.05, levels: 5, shares: 10 };
  const worst = 10 * worstLossPerShare(lines);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 19 }), { maxLength: 60 }), (path) => {
      let [cash, net] = [0, 0];
      for (const twentieth of path) {
        // A price fills every line that it meets.
        for (;;) {
          const { bids, asks } = gridWishes(lines, net);
          const [bid, ask] = [[...bids.undoes, ...bids.opens][0], [...asks.undoes, ...asks.opens][0]];
          if (bid !== undefined && bid.price >= twentieth / 20 - 1e-9)
            [cash, net] = [cash - bid.price * bid.shares, net + bid.shares];
          else if (ask !== undefined && ask.price <= twentieth / 20 + 1e-9)
            [cash, net] = [cash + ask.price * ask.shares, net - ask.shares];
          else break;
        }
      }
      expect(Math.min(cash, cash + net)).toBeGreaterThanOrEqual(-worst - 1e-9);
    }),
  );
});
