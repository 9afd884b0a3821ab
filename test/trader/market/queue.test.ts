import { expect, test } from 'vitest';
import { aheadAfterBook, aheadAfterTrade, QueuePlaces } from '../../../src/trader/market/own-activity.js';
import { at, book, m, order } from './fixtures.js';

test('the risk-averse queue of hftbacktest: 100, trade 30, depths 60, 90, 50, trade 25, depth 25', () => {
  const fronts: number[] = [];
  let ahead = aheadAfterBook(null, m(100));
  for (const [kind, amount] of [
    ['trade', 30],
    ['book', 60],
    ['book', 90],
    ['book', 50],
    ['trade', 25],
    ['book', 25],
  ] as const) {
    ahead = kind === 'trade' ? aheadAfterTrade(ahead, m(amount)) : aheadAfterBook(ahead, m(amount));
    fronts.push(ahead / 1e6);
  }
  expect(fronts).toEqual([70, 60, 60, 50, 25, 25]);
});

test('nothing is known before a book that left after the order was accepted', () => {
  const queue = new QueuePlaces();
  const resting = order({ acceptedMs: 5000 });
  queue.onBook(book([[0.48, 30]], []), at(5100), [resting]);
  expect(queue.findAhead(resting)).toBeNull();
  queue.onBook(book([[0.48, 40]], []), at(5300), [resting]);
  expect(queue.findAhead(resting)).toBe(m(40));
});

test('a partial fill and a trade through the price both prove that nobody stands before us', () => {
  const queue = new QueuePlaces();
  const bid = order({ intentId: 'bid' });
  const ask = order({ intentId: 'ask', side: 'ask', priceMicros: m(0.52) });
  const levels = book([[0.48, 30]], [[0.52, 30]]);
  queue.onBook(levels, at(2000), [bid, ask]);
  queue.onBook(levels, at(3000), [{ ...bid, remainingMicros: m(4) }, ask]);
  expect([queue.findAhead(bid), queue.findAhead(ask)]).toEqual([0, m(30)]);
  const through = { priceMicros: m(0.53), amountMicros: m(1), taker: 'buy', venueTimeMs: 0, seenMs: 0 } as const;
  queue.onTrade(through, [bid, ask]);
  expect(queue.findAhead(ask)).toBe(0);
});

test('an order that is gone is forgotten', () => {
  const queue = new QueuePlaces();
  queue.onBook(book([[0.48, 30]], []), at(2000), [order()]);
  queue.onBook(book([[0.48, 30]], []), at(3000), []);
  expect(queue.findAhead(order())).toBeNull();
});
