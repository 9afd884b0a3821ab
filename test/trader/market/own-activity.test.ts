/** Own orders and fills in a market: places in the queue, results of fills, and orders that a book lacks. */

import { describe, expect, it, test } from 'vitest';

import {
  aheadAfterBook,
  aheadAfterTrade,
  isShortOfOwn,
  OwnFills,
  OwnOrderMemory,
  QueuePlaces,
} from '../../../src/trader/market/own-activity.js';
import { at, book, levels, m, order } from './fixtures.js';

test('taking own orders out of a book lessens levels, and removes those with nothing left', () => {
  const memory = new OwnOrderMemory();
  const ask = order({ intentId: 'ask', side: 'ask', priceMicros: m(0.5), remainingMicros: m(10) });
  memory.update(2000, [order({ priceMicros: m(0.4), remainingMicros: m(5) }), ask]);
  const others = memory.removeOwn(book([[0.4, 30]], levels('0.5x10 0.6x1')), at(3000));
  expect(others).toEqual(book([[0.4, 25]], [[0.6, 1]]));
});

test('the risk-averse queue of hftbacktest: 100, trade 30, depths 60, 90, 50, trade 25, depth 25', () => {
  const fronts: number[] = [];
  let ahead = aheadAfterBook(null, m(100));
  for (const step of ['trade 30', 'book 60', 'book 90', 'book 50', 'trade 25', 'book 25']) {
    const [kind, amount] = step.split(' ');
    const after = kind === 'trade' ? aheadAfterTrade : aheadAfterBook;
    ahead = after(ahead, m(Number(amount)));
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

const START_MS = 1_000_000;

/** A bid for 10 shares and an ask of 30 were filled at 0.40, the price by others' book. */
function filled(): OwnFills {
  const fills = new OwnFills();
  fills.look(0.4, START_MS);
  fills.onFill({ side: 'bid', priceMicros: m(0.4), amountMicros: m(10), nowMs: START_MS });
  fills.onFill({ side: 'ask', priceMicros: m(0.4), amountMicros: m(30), nowMs: START_MS });
  return fills;
}

const shown = (fills: OwnFills, side: 'bid' | 'ask') =>
  fills.view.markouts[side]
    .map(({ meanPrice: mean, shares }) => `${mean === null ? null : Math.round(mean * 1e6)} x ${Math.round(shares)}`)
    .join(', ');

describe('own fills', () => {
  it('are judged by the first look from each horizon on, the two sides by themselves', () => {
    const fills = filled();
    fills.look(0.9, START_MS + 4_999);
    expect(shown(fills, 'bid')).toBe('null x 0, null x 0, null x 0');
    fills.look(0.43, START_MS + 6_000);
    fills.look(0.9, START_MS + 7_000);
    fills.look(0.38, START_MS + 30_000);
    fills.onFill({ side: 'bid', priceMicros: m(0.38), amountMicros: m(30), nowMs: START_MS + 30_000 });
    fills.look(0.4, START_MS + 35_000);
    // 10 shares that had gained 0.03 and 30 that had gained 0.02.
    expect(shown(fills, 'bid')).toBe('22500 x 40, -20000 x 10, null x 0');
    expect(shown(fills, 'ask')).toBe('-30000 x 30, 20000 x 30, null x 0');
    expect(fills.view.markouts.bid.map(({ horizonS }) => horizonS)).toEqual([5, 30, 300]);
  });

  it('are not judged by a look that came too late, nor by a book that names no price', () => {
    const fills = filled();
    fills.look(0.5, START_MS + 10_001);
    fills.look(null, START_MS + 30_000);
    fills.look(0.5, START_MS + 31_000);
    fills.look(0.44, START_MS + 600_000);
    expect(shown(fills, 'bid')).toBe('null x 0, null x 0, 40000 x 10');
  });

  it('that were learned of too late count, and are not judged', () => {
    const fills = new OwnFills();
    fills.onLateFill();
    for (let second = 0; second <= 100; second += 10) fills.look(0.5, START_MS + second * 1000);
    expect(fills.view.fillsPerS).toBeCloseTo(0.01, 6);
    expect(shown(fills, 'bid')).toMatch(/^null x 0,/);
  });

  it('have no rate before a minute of looking, and time in which nobody looked is none', () => {
    const fills = filled();
    fills.look(0.4, START_MS + 50_000);
    expect(fills.view.fillsPerS).toBeNull();
    fills.look(0.4, START_MS + 4_000_000);
    expect(fills.view.fillsPerS).toBeCloseTo(2 / 110, 6);
  });

  it('fade by half in a day of looking', () => {
    const fills = filled();
    fills.look(0.43, START_MS + 5_000);
    for (let minute = 0; minute <= 1440; minute++) fills.look(0.43, START_MS + 5_000 + minute * 60_000);
    expect(shown(fills, 'ask')).toMatch(/^-30000 x 15,/);
  });

  it('are saved once for each change, and restored; what waited is not judged after it', () => {
    const fills = filled();
    fills.look(0.43, START_MS + 5_000);
    const text = fills.takeSaved();
    expect(fills.takeSaved()).toBeNull();
    const next = new OwnFills();
    next.restore(text ?? '');
    expect(next.view.markouts).toEqual(fills.view.markouts);
    next.look(0.9, START_MS + 30_000);
    expect(shown(next, 'bid')).toBe('30000 x 10, null x 0, null x 0');
  });

  it('are not judged by looks on another clock', () => {
    const fills = filled();
    fills.clockSetBack();
    fills.look(0.43, START_MS + 5_000);
    expect(shown(fills, 'bid')).toMatch(/^null x 0,/);
  });
});

const SENT_MS = 10_000;
const bid = (price: number, amount: number, acceptedMs: number | null = 5000) =>
  order({ side: 'bid', priceMicros: m(price), remainingMicros: m(amount), acceptedMs });

it.each([
  ['where our level is gone', [[0.48, 5]], [bid(0.5, 10)], true],
  ['where our level holds less than we have there', [[0.5, 6]], [bid(0.5, 10)], true],
  ['where it holds less than our two orders there', [[0.5, 15]], [bid(0.5, 10), bid(0.5, 10)], true],
  ['where nothing is left on our side', [], [bid(0.5, 10)], true],
  ['but not where it holds ours and others', [[0.5, 25]], [bid(0.5, 10), bid(0.5, 10)], false],
  ['but not where ours lies beyond the levels that it shows', [[0.52, 5]], [bid(0.5, 10)], false],
  ['but not where ours was accepted after it was asked for', [[0.48, 5]], [bid(0.5, 10, SENT_MS)], false],
  ['but not where ours is not known to rest', [[0.48, 5]], [bid(0.5, 10, null)], false],
  ['but not where we have nothing', [[0.48, 5]], [], false],
] as const)('a book shows less than what rests of ours %s', (_, bids, orders, short) => {
  expect(isShortOfOwn(book(bids, [[0.6, 10]]), orders, SENT_MS)).toBe(short);
});
