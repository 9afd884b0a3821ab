import { expect, it } from 'vitest';
import { ExchangeRefusals } from '../../../../src/trader/engine/guards.js';

const START_MS = Date.UTC(2026, 10, 28, 12);
const FUNDS = { slug: 'order_insufficient_funds', reason: 'not enough' };

it('orders that are refused one after another wait longer and longer, until one is taken', () => {
  const refusals = new ExchangeRefusals();
  const waits = Array.from({ length: 7 }, () => {
    refusals.onRefused(FUNDS, START_MS);
    return refusals.waitMs(1_000);
  });
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  refusals.onRefused({ slug: 'order_price_off_grid', reason: 'off' }, START_MS);
  expect(refusals.waitMs(1_000)).toBe(1_000);
  expect(refusals.waitMs(60_000)).toBe(60_000);
});

it('names slug, beginning, the last minute and the newest words, and tells a minute of refusals once', () => {
  const refusals = new ExchangeRefusals();
  expect([refusals.note, refusals.describe(START_MS), refusals.takeLasting(START_MS)]).toEqual([null, null, false]);
  for (const afterMs of [0, 30_000, 59_999]) {
    refusals.onRefused(FUNDS, START_MS + afterMs);
    expect(refusals.takeLasting(START_MS + afterMs)).toBe(false);
  }
  refusals.onRefused({ ...FUNDS, reason: '2 are missing' }, START_MS + 61_000);
  expect([refusals.takeLasting(START_MS + 61_000), refusals.takeLasting(START_MS + 90_000)]).toEqual([true, false]);
  expect(refusals.note).toBe('refused by the exchange: order_insufficient_funds');
  expect(refusals.describe(START_MS + 61_000)).toBe(
    'the exchange has rejected all orders since 2026-11-28 12:00:00 UTC, 3 in the last minute; the newest rejection: order_insufficient_funds, 2 are missing',
  );
  expect([refusals.onTaken(), refusals.onTaken(), refusals.note]).toEqual([true, false, null]);
});
