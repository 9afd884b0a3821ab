import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Holdings, KEEP_NEAREST, type Move } from '../../../src/lab/session/holdings.js';

const ONE = 1_000_000;

const traded = (isYes: boolean, isBuy: boolean, shares: number, price: number, fee = 0): Move => ({
  kind: 'fill',
  timeMs: 0,
  orderPubkey: 'o',
  isYes,
  isBuy,
  amountMicros: shares * ONE,
  cashMicros: (isBuy ? -1 : 1) * shares * price * ONE,
  feeMicros: fee * ONE,
  markMicros: null,
});

const merged = (sets: number): Move => {
  const amounts = { yesMicros: sets * ONE, noMicros: sets * ONE, cashMicros: sets * ONE };
  return { kind: 'merge', timeMs: 0, ...amounts, yesCostMicros: null, markMicros: null };
};

const heldAfter = (...moves: readonly Move[]): Holdings => {
  const held = new Holdings();
  for (const move of moves) held.move(move);
  return held;
};

it('shares leave at what they cost on average, fees apart', () => {
  const bought = [traded(true, true, 10, 0.4, 0.5), traded(true, true, 10, 0.6)];
  expect(heldAfter(...bought)).toMatchObject({ yesMicros: 20 * ONE, costMicros: 10 * ONE, cashMicros: -10.5 * ONE });
  const left = { yesMicros: 15 * ONE, costMicros: 7.5 * ONE, cashMicros: -6 * ONE, feesMicros: 0.5 * ONE };
  expect(heldAfter(...bought, traded(true, false, 5, 0.9))).toMatchObject(left);
});

it('a merge takes sets of both outcomes, each at its own cost', () => {
  const held = heldAfter(traded(true, true, 10, 0.4), traded(false, true, 4, 0.5), merged(4));
  expect(held).toMatchObject({ yesMicros: 6 * ONE, noMicros: 0, netMicros: 6 * ONE });
  expect(held.costMicros).toBeCloseTo(2.4 * ONE, 5);
  expect(held.cashMicros).toBeCloseTo(-2 * ONE, 5);
});

it('what was never bought has no cost, when it leaves and after it came back', () => {
  const away = heldAfter(traded(true, false, 10, 0.5));
  expect(away).toMatchObject({ yesMicros: -10 * ONE, costMicros: 0 });
  away.move(traded(true, true, 10, 0.4));
  expect(away).toMatchObject({ yesMicros: 0, costMicros: 0 });
});

it('complete sets are worth 1 each without a price; all else needs one', () => {
  expect(heldAfter(traded(true, true, 3, 0.4), traded(false, true, 3, 0.4)).worthMicros(null)).toBe(3 * ONE);
  expect(heldAfter(traded(true, true, 3, 0.4)).worthMicros(null)).toBeNull();
  expect(heldAfter(traded(false, true, 3, 0.4)).worthMicros(250_000)).toBe(2.25 * ONE);
});

it('the last share takes the rest of the cost, however odd the pieces', () => {
  const pieces = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(pieces, fc.integer({ min: 1, max: 999_999 }), (amounts, price) => {
      for (const held of [new Holdings(), new Holdings(KEEP_NEAREST)]) {
        const total = amounts.reduce((sum, amount) => sum + amount, 0);
        const paid = Math.floor((total * price) / ONE);
        held.move({ ...traded(true, true, 0, 0), amountMicros: total, cashMicros: -paid } as Move);
        for (const amount of amounts) {
          const before = held.costMicros;
          held.move({ ...traded(true, false, 0, 0), amountMicros: amount, cashMicros: 0 } as Move);
          expect(held.costMicros).toBeLessThanOrEqual(before);
          expect(Math.abs(held.costMicros - (paid * held.yesMicros) / total)).toBeLessThan(amounts.length + 1);
        }
        expect([held.yesMicros, held.costMicros]).toEqual([0, 0]);
      }
    }),
  );
});
