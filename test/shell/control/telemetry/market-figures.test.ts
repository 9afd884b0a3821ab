import { expect, test } from 'vitest';
import { ZERO } from '../../../../src/shared/base/micros.js';
import { makeFigures } from '../../../../src/shell/control/telemetry/market-figures.js';
import type { MarketFace } from '../../../../src/trader/engine/snapshot.js';
import { book, m } from '../../../trader/market/fixtures.js';
import { viewOf } from '../../../trader/strategy/fixtures.js';

const trades = Array.from({ length: 100 }, (_, i) => ({
  priceMicros: m(0.5),
  amountMicros: m(3),
  taker: i % 2 === 0 ? ('buy' as const) : ('sell' as const),
  venueTimeMs: 100_000 - i * 1_000,
  seenMs: 100_000,
}));

const FACE: MarketFace = {
  conditionId: 'M',
  title: 'Will it?',
  strategies: ['maker'],
  view: viewOf(book([[0.45, 100]], [[0.55, 100]]), { trades }),
  quotes: null,
  note: '',
  orders: [],
  yesMicros: ZERO,
  noMicros: ZERO,
  markMicros: null,
  bookSeenMs: null,
  refusals: [],
};

test('a market tells its newest public trades with its ladder, and neither while telemetry is braked', () => {
  const told = makeFigures(FACE, true);
  expect(told.trades).toHaveLength(20);
  expect(told.trades?.slice(0, 2)).toEqual([
    [100_000, 500_000, 3_000_000, 'buy'],
    [99_000, 500_000, 3_000_000, 'sell'],
  ]);
  expect(told.bids).toEqual([[450_000, 100_000_000]]);
  const braked = makeFigures(FACE, false);
  expect([braked.trades, braked.bids]).toEqual([undefined, undefined]);
  expect(makeFigures({ ...FACE, view: null }, true).trades).toBeUndefined();
});
