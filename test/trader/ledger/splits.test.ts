import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Micros, micros } from '../../../src/shared/base/micros.js';
import type { BookedConversion } from '../../../src/trader/ledger/contract.js';
import { openMemoryLedger } from '../../../src/trader/ledger/ledger.js';
import { intentOf } from './books.js';

const ONE = 1_000_000;
const m = (value: number) => value as Micros;

const splitOf = (sets: number, yesPrice: number): BookedConversion => ({
  pubkey: `split-${sets}-${yesPrice}`,
  intentId: 'split',
  kind: 'split',
  marketConditionId: 'a',
  yesMicros: micros(-sets),
  noMicros: micros(-sets),
  cashMicros: micros(-sets),
  yesCostMicros: micros(Math.floor((sets * yesPrice) / ONE)),
  seenMs: 1,
});

const mergeOf = (sets: number): BookedConversion => ({
  ...splitOf(0, 0),
  pubkey: 'merge',
  intentId: 'merge',
  kind: 'merge',
  yesMicros: micros(sets),
  noMicros: micros(sets),
  cashMicros: micros(sets),
  yesCostMicros: null,
});

it('a split takes currency, brings both shares at the cost that its price gives them, and has no result', () => {
  const ledger = openMemoryLedger();
  ledger.transaction(() => {
    ledger.startRun({ id: 'run', version: '1', configHash: 'h', startedMs: 1 });
    ledger.setCapital(m(100 * ONE), 1);
    ledger.addIntent(intentOf({ id: 'split', kind: 'split' }));
    expect(ledger.bookConversion(splitOf(10 * ONE, 900_000))).toBe(true);
    // The answer that settled the split is repeated.
    expect(ledger.bookConversion(splitOf(10 * ONE, 900_000))).toBe(false);
  });
  expect(ledger.cash()).toBe(90 * ONE);
  expect(ledger.positions()).toMatchObject([
    { isYes: false, sharesMicros: 10 * ONE, costMicros: 1 * ONE },
    { isYes: true, sharesMicros: 10 * ONE, costMicros: 9 * ONE },
  ]);
  expect(ledger.pnl(new Map([['a', m(900_000)]]))).toMatchObject({ realisedMicros: 0, totalMicros: 0 });
  expect(ledger.conversions()).toEqual([splitOf(10 * ONE, 900_000)]);
  expect(ledger.verify()).toEqual([]);
});

it('a split and the merge of its sets leave everything as it was, whatever the price and the sizes', () => {
  const sets = fc.integer({ min: 1, max: 1_000 * ONE });
  fc.assert(
    fc.property(sets, fc.integer({ min: 1, max: ONE - 1 }), (amount, price) => {
      const ledger = openMemoryLedger();
      ledger.transaction(() => {
        ledger.startRun({ id: 'run', version: '1', configHash: 'h', startedMs: 1 });
        ledger.setCapital(m(1_000 * ONE), 1);
        for (const id of ['split', 'merge'] as const) ledger.addIntent(intentOf({ id, kind: id }));
        ledger.bookConversion(splitOf(amount, price));
        // The equity is unchanged, because complete sets are worth their cost.
        expect(ledger.cash() + amount).toBe(1_000 * ONE);
        ledger.bookConversion(mergeOf(amount));
      });
      expect([ledger.cash(), ledger.positions(), ledger.pnl(new Map()).totalMicros]).toEqual([1_000 * ONE, [], 0]);
      expect(ledger.verify()).toEqual([]);
    }),
    { numRuns: 50 },
  );
});
