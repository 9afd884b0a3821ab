import { expect, it } from 'vitest';
import type { BookedFill } from '../../../src/trader/ledger/contract.js';
import { IndependentFillCount } from '../../../src/trader/reconcile/independent-fill-count.js';
import { fillOf } from '../ledger/books.js';

it('counts a trade that settles after the count began on both sides, and newer trades once', () => {
  const fills: BookedFill[] = [fillOf({ pubkey: 'newer', timestampS: 995 })];
  const notes = new Map<string, string>();
  const ledger = {
    fill: (pubkey: string) => fills.find((fill) => fill.pubkey === pubkey) ?? null,
    fillsAfter: (seq: number) => fills.map((row, i) => ({ seq: i + 1, row })).slice(seq),
    newestSeq: () => fills.length,
    tradeTurns: () => 1,
  };
  const count = new IndependentFillCount(ledger as never, {
    note: (key) => notes.get(key) ?? null,
    setNote: (key, value) => void notes.set(key, value),
  });
  const rowOf = (pubkey: string, state: string, timestamp: number) => {
    const { marketConditionId, amountMicros, priceMicros, feeMicros, isYes, side } = fillOf({});
    const order = { side, outcome: { is_yes: isYes }, market: { condition_id: marketConditionId } };
    return { pubkey, amount: amountMicros, price: priceMicros, fee: feeMicros, timestamp, state, order };
  };
  const compare = (state: string, venueTimeMs: number) => {
    count.begin();
    const data = [rowOf('newer', 'done', 995), rowOf('turning', state, 990), rowOf('failed', 'failed', 980)];
    count.onReport({ outcome: { kind: 'answered', data, nextCursor: null }, venueTimeMs } as never);
    return count.settle(true);
  };
  expect(compare('in_process', 1_000_000)).toEqual([]);
  fills.push(fillOf({ pubkey: 'turning', timestampS: 990 }));
  for (const venueTimeMs of [1_060_000, 1_120_000]) expect(compare('done', venueTimeMs)).toEqual([]);
  expect([count.hasCompared, count.sumLacking([])]).toEqual([true, []]);
});
