/** The best recorded price of a book. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ASK, BID, type BookSide } from '../../../src/exchange/core/contract.js';
import type { Snapshot } from '../../../src/exchange/core/core.js';
import { bookRow } from '../../../src/exchange/core/records/market-rows.js';
import { times } from '../../support/effort.js';
import { Drawer } from './drawer.js';
import { m, Venue } from './venue.js';

/** The best price with a recorded amount in a snapshot, consumed or not; null if the market shows no book. */
function bestHeld({ catalog }: Snapshot, market: number, side: BookSide): number | null {
  const saved = catalog.markets[market];
  const recorded = saved?.recorded?.[side];
  if (saved === undefined || recorded === undefined || saved.state !== 'open') return null;
  const { config } = saved.card;
  if (config.kind !== 'orderbook') return null;
  const ticks = recorded.total.filter((_, i) => i % 2 === 0 && (recorded.total[i + 1] ?? 0) > 0);
  if (ticks.length === 0) return null;
  return (side === BID ? Math.max(...ticks) : Math.min(...ticks)) * 10 ** (6 - config.price_precision);
}

describe('the recorded prices of a book', () => {
  it('tells the best recorded price whatever real orders stand before it or took of it', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const drawer = new Drawer(seed);
        for (let step = 0; step < 120; step++) {
          drawer.step();
          const saved = drawer.core.snapshot() as Snapshot;
          for (let market = 0; market < drawer.core.catalog.markets.length; market++) {
            for (const side of [BID, ASK] as const)
              expect(drawer.core.catalog.market(market).bestRecorded(side)).toBe(bestHeld(saved, market, side));
          }
        }
      }),
      { numRuns: times(3, 8) },
    );
  });

  it('has no recorded price before anything is recorded, or on a market that closed', () => {
    const venue = new Venue({ taker_fee_rate: m(0) });
    const { core, nowMs } = venue;
    const account = venue.account(1);
    venue.place(account, [true, 'buy', '0.4', '5']);
    expect(core.catalog.market(0).bestRecorded(BID)).toBe(null);
    core.at(nowMs).feed.level(0, ASK, m('0.6'), m(5));
    expect(core.catalog.market(0).bestRecorded(ASK)).toBe(600_000);
    venue.place(account, [true, 'buy', '0.6', '5']);
    // The recorded book is unaffected by our fill: it must not raise the value of our position.
    expect(core.catalog.market(0).bestRecorded(ASK)).toBe(600_000);
    core.at(nowMs).feed.level(0, ASK, m('0.6'), m(0));
    expect(core.catalog.market(0).bestRecorded(ASK)).toBe(null);
    core.at(nowMs).feed.level(0, ASK, m('0.61'), m(5));
    core.at(nowMs).markets.setState(venue.id, 'waiting_to_resolve');
    expect(core.catalog.market(0).bestRecorded(ASK)).toBe(null);
    expect(bookRow(core.catalog.market(0), true, 60).ask).toEqual([]);
  });
});
