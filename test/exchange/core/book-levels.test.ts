/** The book as numbers equals the book as text. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ASK, BID, type MatchingSide } from '../../../src/exchange/core/contract.js';
import type { CoreSnapshot, ExchangeCore } from '../../../src/exchange/core/core.js';
import { bookRow } from '../../../src/exchange/core/records/market-rows.js';
import { successText } from '../../../src/exchange/service/answers.js';
import { passCall } from '../../../src/exchange/service/handlers.js';
import { WalletSignatures } from '../../../src/exchange/service/wallet-signatures.js';
import { times } from '../../support/effort.js';
import { Drawer } from './drawer.js';
import { m, Venue } from './venue.js';

const DEPTH = 60;

/** `price:amount` of each level in Micros, from the text that the service would send. */
function fromText(core: ExchangeCore, market: number, side: MatchingSide, depth: number): string[] {
  const { bid, ask } = bookRow(core.catalog.market(market), true, depth);
  return (side === BID ? bid : ask).map(({ price, total_amount }) => `${m(price)}:${m(total_amount)}`);
}

function fromNumbers(core: ExchangeCore, market: number, side: MatchingSide, depth: number): string[] {
  const [prices, amounts] = [new Int32Array(DEPTH), new Float64Array(DEPTH)];
  const count = core.catalog.market(market).readLevels(side, depth, prices, amounts);
  return Array.from({ length: count }, (_, at) => `${prices[at]}:${amounts[at]}`);
}

/** The text that the service sends is that of the present book, also if it has sent the same one before. */
function expectPresentText(core: ExchangeCore, index: number, isYes: boolean, depth: number): void {
  const market = core.catalog.market(index);
  const [params, query] = [{ condition_id: market.card.conditionId }, { is_yes: isYes, depth }];
  const call = { nowMs: core.nowMs, account: -1, params, query, body: null, limit: 0 };
  const reply = passCall('markets.book', call, { core, wallets: new WalletSignatures('solana_tx') });
  const value = bookRow(market, isYes, depth);
  expect(reply).toEqual({ ok: true, value, text: successText(value, {}) });
}

/** The best price with a recorded amount in a snapshot, consumed or not; null if the market shows no book. */
function bestHeld({ catalog }: CoreSnapshot, market: number, side: MatchingSide): number | null {
  const saved = catalog.markets[market];
  const recorded = saved?.recorded?.[side];
  if (saved === undefined || recorded === undefined || saved.state !== 'open') return null;
  const { config } = saved.card;
  if (config.kind !== 'orderbook') return null;
  const ticks = recorded.total.filter((_, i) => i % 2 === 0 && (recorded.total[i + 1] ?? 0) > 0);
  if (ticks.length === 0) return null;
  return (side === BID ? Math.max(...ticks) : Math.min(...ticks)) * 10 ** (6 - config.price_precision);
}

describe('a book read as numbers', () => {
  it('is the book of the wire, at every depth and moment', () => {
    let levels = 0;
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 0, max: 5 }), (seed, depth) => {
        const drawer = new Drawer(seed);
        for (let step = 0; step < 120; step++) {
          drawer.step();
          for (let market = 0; market < drawer.core.catalog.markets.length; market++) {
            // For eight steps, an answer may repeat the text of the step before.
            expectPresentText(drawer.core, market, step % 16 < 8, step % 32 < 16 ? DEPTH : depth);
            for (const side of [BID, ASK] as const) {
              for (const deep of [depth, DEPTH]) {
                const text = fromText(drawer.core, market, side, deep);
                expect(fromNumbers(drawer.core, market, side, deep)).toEqual(text);
                levels += text.length;
              }
            }
          }
        }
      }),
      { numRuns: times(3, 8) },
    );
    expect(levels).toBeGreaterThan(1_000);
  });

  it('tells the best recorded price whatever real orders stand before it or took of it', () =>
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const drawer = new Drawer(seed);
        for (let step = 0; step < 120; step++) {
          drawer.step();
          const saved = drawer.core.snapshot() as CoreSnapshot;
          for (let market = 0; market < drawer.core.catalog.markets.length; market++) {
            for (const side of [BID, ASK] as const)
              expect(drawer.core.catalog.market(market).bestRecorded(side)).toBe(bestHeld(saved, market, side));
          }
        }
      }),
      { numRuns: times(3, 8) },
    ));

  it('refuses columns that hold fewer levels than are asked for', () => {
    const { core } = new Venue();
    expect(() => core.catalog.market(0).readLevels(BID, 3, new Int32Array(2), new Float64Array(3))).toThrow(/levels/);
    expect(() => core.catalog.market(0).readLevels(BID, 3, new Int32Array(3), new Float64Array(2))).toThrow(/levels/);
  });
});
