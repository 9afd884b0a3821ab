/** The venue's estimate of a holding decides the order of polls once confirmed; it is never a price. */

import { expect, it } from 'vitest';
import { assetRow } from '../../../src/shared/protocol/records.js';
import { MarketTracker } from '../../../src/trader/market/market-tracker.js';
import { MarkTrust, readVenueMark } from '../../../src/trader/market/venue-marks.js';
import { at, detail, m, order, own, snapshot } from './fixtures.js';

const row = (usdt: string | null, total: string, is_yes = true, is_final = false) =>
  assetRow.parse({
    asset_kind: 'share',
    amounts: { total, locked: '0', available: total },
    token: { symbol: 'M-LPT' },
    value: { usdt, basis: 'mark_to_market' },
    position: { market: { condition_id: 'M' }, is_yes, is_final },
  });

it.each([
  ['of YES', row('4.2', '10'), 0.42],
  ['of NO, in YES space', row('4.2', '10', false), 0.58],
  ['none while the market has no price', row('0', '10'), null],
  ['none at a price that none can be', row('10', '10'), null],
  ['none beyond it', row('1000000000', '10'), null],
  ['none of so few shares that rounding would move it', row('0.000042', '0.0001'), null],
  ['none where it does not say', row(null, '10'), null],
  ['none of a settled market', row('9', '10', true, true), null],
])('reads a mark: %s', (_, held, price) => {
  const read = readVenueMark(held);
  if (price === null) expect(read).toBeNull();
  else expect(read).toBeCloseTo(price, 9);
});

it('believes marks after twenty moves told, half of them there, and no longer once they lie', () => {
  const trust = new MarkTrust();
  for (let i = 0; i < 100; i++) trust.note(false, false);
  for (let i = 0; i < 19; i++) trust.note(true, true);
  expect(trust.isBelieved, 'nineteen are too few').toBe(false);
  trust.note(true, true);
  expect(trust).toMatchObject({ isBelieved: true, told: 20, precision: 21 / 22, recall: 21 / 22 });
  for (let i = 0; i < 1000; i++) trust.note(true, true);
  let lies = 0;
  for (; trust.isBelieved; lies++) trust.note(true, false);
  expect(lies, 'however often it was right before').toBeLessThan(40);
  const missing = new MarkTrust();
  for (let i = 0; i < 20; i++) missing.note(i % 2 === 0, true);
  expect(missing.recall).toBeCloseTo(11 / 22, 12);
  expect(missing.isBelieved, 'ten told').toBe(false);
});

const BIDS = [[0.48, 30]] as const;
const ASKS = [[0.52, 40]] as const;

function seen(): { feed: MarketTracker; trust: MarkTrust } {
  const feed = new MarketTracker('M');
  const trust = new MarkTrust();
  feed.venueMark.trust = trust;
  feed.onDetail(detail(), at(1000, 1));
  feed.onBook(snapshot(BIDS, [[0.52, 30]]), at(2000, 2), []);
  return { feed, trust };
}

it('tells by how much a market has moved since its book, beyond what rounding hides', () => {
  const { feed } = seen();
  expect(feed.motion?.markMove).toBe(0);
  feed.onVenueMark(0.53, at(3000, 3));
  expect(feed.motion?.markMove).toBeCloseTo(0.025, 9);
  feed.onVenueMark(0.504, at(4000, 4));
  expect(feed.motion?.markMove).toBe(0);
});

it('is no price: nothing that a strategy or risk is shown follows from it', () => {
  const { feed } = seen();
  const before = [feed.view(5000, own()), feed.sight(5000), feed.mark(5000, []), feed.motion?.price];
  feed.onVenueMark(0.9, at(4000, 4));
  expect([feed.view(5000, own()), feed.sight(5000), feed.mark(5000, []), feed.motion?.price]).toEqual(before);
});

it('takes a mark with our own orders in it for what it is', () => {
  const feed = new MarketTracker('M');
  feed.onDetail(detail(), at(1000, 1));
  const ours = order({ side: 'bid', priceMicros: m(0.51), remainingMicros: m(5), submittedMs: 0, acceptedMs: 0 });
  feed.onBook(snapshot([[0.51, 5], ...BIDS], ASKS), at(2000, 2), [ours]);
  // Others' price is near 0.5, the middle of the whole book 0.515.
  feed.onVenueMark(0.515, at(3000, 3));
  expect(feed.motion?.markMove).toBe(0);
});

it('leaves a mark out that left before the newest book, and forgets it with the next one', () => {
  const { feed } = seen();
  feed.onBook(snapshot(BIDS, ASKS), at(4000, 9), []);
  feed.onVenueMark(0.6, at(5000, 8));
  expect(feed.motion?.markMove).toBe(0);
  feed.onVenueMark(0.6, at(5000, 10));
  expect(feed.motion?.markMove).toBeGreaterThan(0.09);
  feed.onBook(snapshot(BIDS, ASKS), at(6000, 11), []);
  expect(feed.motion?.markMove).toBe(0);
});

it('learns from the look that comes within half a minute of a mark', () => {
  const { feed, trust } = seen();
  let [nowMs, id] = [2000, 2];
  const look = (middle: number, waitMs = 1000) => {
    nowMs += waitMs;
    const cents = (price: number) => Math.round(100 * price) / 100;
    feed.onBook(snapshot([[cents(middle - 0.02), 30]], [[cents(middle + 0.02), 30]]), at(nowMs, ++id), []);
  };
  const tell = (price: number) => {
    nowMs += 1000;
    feed.onVenueMark(price, at(nowMs, ++id));
  };
  tell(0.55);
  look(0.55);
  expect(trust).toMatchObject({ told: 1, precision: 2 / 3 });
  tell(0.6);
  look(0.55);
  expect(trust).toMatchObject({ told: 2, precision: 2 / 4 });
  tell(0.55);
  look(0.6);
  expect(trust).toMatchObject({ told: 2, recall: 2 / 4 });
  tell(0.65);
  look(0.65, 31_000);
  expect(trust.told, 'too late to say anything of the mark').toBe(2);
});
