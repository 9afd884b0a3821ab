import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ASK, BID } from '../../../src/exchange/core/contract.js';
import { ExchangeCore } from '../../../src/exchange/core/core.js';
import { bookRow } from '../../../src/exchange/core/records/market-rows.js';
import { BookTexts } from '../../../src/exchange/service/book-texts.js';
import { successText } from '../../../src/exchange/service/envelope.js';
import { must } from '../../../src/shared/base/errors.js';
import type { Micros } from '../../../src/shared/base/micros.js';

const micros = (value: number) => value as Micros;

function bookOf(): { core: ExchangeCore; market: number; maker: number } {
  const times = { draftLifetimeMs: 60_000, landingMs: 400, challengeLifetimeMs: 600_000 };
  const core = new ExchangeCore({ serviceName: 'SVC', ...times, startingFunds: micros(0), seed: 1 });
  const made = core.at(1).markets.create({ config: { kind: 'orderbook', price_precision: 3 } });
  if (!made.ok) throw new Error('no market');
  return { core, market: made.value.index, maker: core.at(1).identity.openInternal('maker', { unlimited: true }) };
}

describe('texts of a book', () => {
  it('say in every depth and outcome, after every change, what the book itself says', () => {
    const change = fc.record({
      side: fc.constantFrom(BID, ASK),
      tick: fc.integer({ min: 1, max: 130 }),
      lots: fc.integer({ min: 100, max: 100_000 }),
    });
    const reads = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 100 })), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.array(change, { maxLength: 80 }), reads), { maxLength: 6 }), (steps) => {
        const { core, market, maker } = bookOf();
        const texts = new BookTexts(core);
        for (const [changes, asked] of steps) {
          for (const { side, tick, lots } of changes) {
            const price = 500_000 + (side === BID ? -1000 : 1000) * tick;
            core.at(1).internal.place(maker, market, side, micros(price), micros(lots * 10_000), false);
          }
          for (const [isYes, depth] of asked) {
            const plain = successText(bookRow(core.catalog.market(market), isYes, depth), {});
            expect(texts.formatBook(market, isYes, depth)).toBe(plain);
            expect(texts.formatBook(market, isYes, depth)).toBe(plain);
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  it('read the book at most eight times for each change', () => {
    const { core, market, maker } = bookOf();
    const texts = new BookTexts(core);
    let readings = 0;
    const { book } = must(core.catalog.market(market).orderbook, 'a book');
    const best = book.best.bind(book);
    book.best = (side) => {
      readings += 1;
      return best(side);
    };
    for (const price of [400_000, 401_000]) {
      core.at(1).internal.place(maker, market, BID, micros(price), micros(1_000_000), false);
      readings = 0;
      for (let depth = 1; depth <= 100; depth++)
        for (const isYes of [true, false]) texts.formatBook(market, isYes, depth);
      // A reading starts with the best level of each side.
      expect(readings).toBe(2 * 8);
    }
  });
});
