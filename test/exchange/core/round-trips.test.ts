/** Random round trips of complete sets: bought, split, merged and sold in any order, money is only ever moved. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { times } from '../../support/effort.js';
import { accepted, m, settings, Venue } from './venue.js';

const ACCOUNTS = 3;

const move = fc.oneof(
  fc.record({
    kind: fc.constant('order' as const),
    account: fc.nat(ACCOUNTS - 1),
    isYes: fc.boolean(),
    isBuy: fc.boolean(),
    cents: fc.integer({ min: 40, max: 60 }),
    lots: fc.integer({ min: 1, max: 3000 }),
  }),
  fc.record({
    kind: fc.constantFrom('split' as const, 'merge' as const),
    account: fc.nat(ACCOUNTS - 1),
    lots: fc.integer({ min: 1, max: 3000 }),
  }),
  fc.record({ kind: fc.constant('pass' as const), account: fc.constant(0), lots: fc.nat(1000) }),
);
type Move = typeof move extends fc.Arbitrary<infer T> ? T : never;

/** What an account is worth where a YES share is worth so much, micros. */
function equity(venue: Venue, account: number, yesMicros: bigint): bigint {
  const { yes, no } = venue.core.readHolding(account, 0);
  const shares = BigInt(yes) * yesMicros + BigInt(no) * (1_000_000n - yesMicros);
  return BigInt(venue.core.readFunds(account).total) + shares / 1_000_000n;
}

/** Refusals (nothing to sell, no funds) are as good as done: nothing moves. */
function play({ core, id, nowMs }: Venue, one: Move, account: number): void {
  const amount = String(one.lots / 100);
  if (one.kind === 'order') {
    const price = m(one.cents / 100);
    const order = {
      market_condition_id: id,
      is_yes: one.isYes,
      order_type: 'limit',
      price,
      amount: m(amount),
    } as const;
    const draft = core.draftOrder(nowMs, account, { ...order, side: one.isBuy ? 'buy' : 'sell' });
    if (draft.ok) accepted(core.submitOrder(nowMs, account, draft.value.pubkey, true));
  } else if (one.kind === 'split') {
    const draft = core.draftSplit(nowMs, account, id, amount);
    if (draft.ok) accepted(core.submitSplit(nowMs, account, draft.value.pubkey, true));
  } else if (one.kind === 'merge') {
    const draft = core.draftMerge(nowMs, account, id, amount);
    if (draft.ok) accepted(core.submitMerge(nowMs, account, draft.value.pubkey, true));
  }
}

test.each([
  ['no fees', '0', '0'],
  ['fees of takers', '0', '0.02'],
  ['fees of both', '0.013', '0.0371'],
])(
  'with %s no money is made or lost: what accounts own and what was charged is what they began with',
  (_name, maker, taker) => {
    const isFree = maker === '0' && taker === '0';
    let traded = 0;
    let converted = 0;
    fc.assert(
      fc.property(
        fc.array(move, { minLength: 20, maxLength: 60 }),
        fc.integer({ min: 0, max: 100 }),
        (moves, cents) => {
          const venue = new Venue({ maker_fee_rate: m(maker), taker_fee_rate: m(taker) });
          const accounts = Array.from({ length: ACCOUNTS }, (_, index) => venue.account(index + 1));
          for (const account of accounts) venue.split(account, '50');
          const mark = BigInt(cents) * 10_000n;
          const begun = BigInt(settings.startingFunds) * BigInt(ACCOUNTS);
          const owned = () => accounts.map((account) => equity(venue, account, mark));
          for (const one of moves) {
            const before = owned();
            play(venue, one, accounts[one.account] ?? 0);
            venue.pass(one.kind === 'pass' ? one.lots : settings.landingMs);
            const after = owned();
            const isOrder = one.kind === 'order';
            if (isOrder && after.some((each, index) => each !== before[index])) traded += 1;
            // Complete sets come and go at their worth, at any price and whatever fees there are.
            if (!isOrder) expect(after).toEqual(before);
            if (one.kind === 'merge' || one.kind === 'split') converted += 1;
            const sum = after.reduce((total, each) => total + each, 0n);
            expect(sum + BigInt(venue.core.feesCollected)).toBe(begun);
            if (isFree) expect(venue.core.feesCollected).toBe(0);
            const holdings = accounts.map((account) => venue.core.readHolding(account, 0));
            const outstanding = (side: 'yes' | 'no') => holdings.reduce((total, holding) => total + holding[side], 0);
            expect(outstanding('yes')).toBe(outstanding('no'));
          }
        },
      ),
      { numRuns: times(40, 400) },
    );
    expect([traded > 20, converted > 20]).toEqual([true, true]);
  },
);
