import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssertionFailed } from '../../../src/shared/base/errors.js';
import { type Micros, micros } from '../../../src/shared/base/micros.js';
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';
import type { BookedFill, Ledger } from '../../../src/trader/ledger/contract.js';
import { openMemoryLedger } from '../../../src/trader/ledger/ledger.js';
import { balance, tradeNotional } from '../../../src/trader/ledger/postings.js';
import { forAll } from '../for-all.js';
import { conversionOf, fillOf, intentOf, m, ONE, orderOf, withLedger } from './books.js';
import { testWithLedger } from './ledger-tests.js';

describe('the rounding of a trade', () => {
  it.each([
    [true, 333_333, 1_000_001, 333_333],
    // The NO side pays the amount less what the YES side pays: 1.000001 - floor(0.666667 x 1.000001).
    [false, 333_333, 1_000_001, 333_334],
  ])('isYes %s at %d x %d moves %d', (isYes, price, amount, notional) => {
    expect(tradeNotional(isYes, m(price), m(amount))).toBe(notional);
  });

  it('lets the two sides of a set add up to the set, for every price and amount', () => {
    const price = fc.integer({ min: 1, max: ONE - 1 });
    const amount = fc.integer({ min: 1, max: 2 ** 50 });
    forAll([price, amount], (p, a) => {
      const yes = tradeNotional(true, m(p), m(a));
      expect(yes + tradeNotional(false, m(ONE - p), m(a))).toBe(a);
      expect(BigInt(yes)).toBe((BigInt(p) * BigInt(a)) / 1_000_000n);
    });
  });
});

describe('double entry', () => {
  it('refuses postings that do not sum to zero per asset', () => {
    const postings = [
      { account: 'cash', asset: 'currency', amountMicros: m(1) },
      { account: 'shares/a/YES', asset: 'a/YES', amountMicros: m(-1) },
    ];
    expect(() => balance(postings)).toThrow(AssertionFailed);
  });

  testWithLedger('books a buy, a sell, a merge and a redeem with cash, shares, fees and result', (ledger) => {
    const { book } = prepare(ledger);
    ledger.transaction(() => ledger.setCapital(m(1000 * ONE), 1));
    expect(book()).toBe('booked');
    expect(ledger.cash()).toBe(m(1000 * ONE - 4_200_000 - 42_000));
    expect(ledger.positions()).toEqual([
      { marketConditionId: 'a', isYes: true, sharesMicros: 10 * ONE, costMicros: 4_200_000 },
    ]);
    book({ pubkey: 't2', orderPubkey: 'sell', side: 'sell', priceMicros: m(500_000), amountMicros: m(4 * ONE) });
    expect(ledger.cash()).toBe(m(1000 * ONE - 4_242_000 + 2_000_000 - 42_000));
    const no = { pubkey: 't3', orderPubkey: 'no', isYes: false, feeMicros: null };
    book({ ...no, priceMicros: m(550_000), amountMicros: m(6 * ONE) });
    expect(ledger.pnl(new Map([['a', m(450_000)]]))).toEqual({
      capitalMicros: 1000 * ONE,
      cashMicros: 1000 * ONE - 4_242_000 + 1_958_000 - 3_300_000,
      realisedMicros: 320_000,
      feesMicros: 84_000,
      // The position is 6 YES that cost 0.42 and 6 NO that cost 0.55, valued at 0.45 and 0.55.
      unrealisedMicros: 180_000,
      totalMicros: 320_000 - 84_000 + 180_000,
      unmarked: [],
    });
    const merge = conversionOf('merge', 5 * ONE);
    expect(ledger.transaction(() => ledger.bookConversion(merge))).toBe(true);
    expect(ledger.transaction(() => ledger.bookConversion(merge))).toBe(false);
    expect(ledger.pnl(new Map())).toMatchObject({ realisedMicros: 320_000 + 5 * 30_000, unmarked: ['a'] });
    ledger.transaction(() => ledger.bookConversion(conversionOf('redeem', ONE)));
    expect(ledger.positions()).toEqual([]);
    const { cashMicros, totalMicros, realisedMicros } = ledger.pnl(new Map());
    expect(realisedMicros).toBe(320_000 + 6 * 30_000);
    expect(cashMicros).toBe(1000 * ONE + totalMicros);
    expect(ledger.verify()).toEqual([]);
  });

  testWithLedger('books a change of the configured capital once', (ledger) => {
    for (const capital of [1000, 1000, 400]) ledger.transaction(() => ledger.setCapital(m(capital * ONE), 1));
    expect(ledger.cash()).toBe(400 * ONE);
    expect(ledger.pnl(new Map())).toMatchObject({ capitalMicros: 400 * ONE, totalMicros: 0 });
    expect(ledger.verify()).toEqual([]);
  });

  it('ends with the same cash, shares and total result in whatever order fills are booked', () => {
    const fill = fc.record({
      isYes: fc.boolean(),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      priceMicros: fc.integer({ min: 1, max: ONE - 1 }).map(m),
      amountMicros: fc.integer({ min: 1, max: 20 * ONE }).map(m),
      feeMicros: fc.option(fc.integer({ min: 0, max: ONE }).map(m)),
    });
    const fills = fc.array(fill, { minLength: 1, maxLength: 8 });
    forAll([fills, fc.array(fc.nat(100))], { numRuns: 15 }, (rows, shuffle) => {
      const inOrder = rows.map((row, i) => fillOf({ ...row, pubkey: `t${i}` }));
      const shuffled = [...inOrder].sort(
        (a, b) => (shuffle[Number(a.pubkey.slice(1))] ?? 0) - (shuffle[Number(b.pubkey.slice(1))] ?? 0),
      );
      const mark = new Map([['a', m(370_000)]]);
      const results = [inOrder, shuffled].map((list) =>
        withLedger((ledger) => {
          prepare(ledger);
          ledger.transaction(() => {
            for (const row of list) expect(ledger.bookFill(row)).toBe('booked');
          });
          expect(ledger.verify()).toEqual([]);
          const { cashMicros, totalMicros, feesMicros } = ledger.pnl(mark);
          return [cashMicros, totalMicros, feesMicros, ledger.shares('a', true), ledger.shares('a', false)];
        }),
      );
      expect(results[1]).toEqual(results[0]);
    });
  });
});

describe('a trade', () => {
  it.each<[string, Partial<BookedFill>, Partial<BookedFill>, string]>([
    ['is seen later', {}, { seenMs: 99 }, 'repeated'],
    ['leaves out its fee and whose order rested', {}, { feeMicros: null, isMaker: null }, 'repeated'],
    ['says whose order rested, and a fee of 0', { feeMicros: null, isMaker: null }, { feeMicros: m(0) }, 'repeated'],
    ['says another fee', { feeMicros: m(1) }, { feeMicros: m(2) }, 'differs'],
    ['says another amount', {}, { amountMicros: m(9 * ONE) }, 'differs'],
    ['says another price', {}, { priceMicros: m(1) }, 'differs'],
    ['says another order', {}, { orderPubkey: 'sell' }, 'differs'],
  ])('that %s when it comes again changes nothing', (_what, first, again, booking) =>
    withLedger((ledger) => {
      const { book } = prepare(ledger);
      expect(book(first)).toBe('booked');
      const before = ledger.cash();
      expect(book(again)).toBe(booking);
      expect(ledger.fills()).toEqual([fillOf(first)]);
      expect([ledger.cash(), ledger.order('order-1')?.bookedMicros]).toEqual([before, 10 * ONE]);
    }),
  );

  testWithLedger('whose fee is named later pays it then, by itself and once, and is undone with it', (ledger) => {
    const { book: bookFill, fail } = prepare(ledger);
    const book = (feeMicros: number | null) => bookFill({ feeMicros: feeMicros as Micros | null });
    const capital = ledger.cash();
    expect(book(null)).toBe('booked');
    const before = ledger.pnl(new Map());
    const turns = ledger.tradeTurns();
    expect([42_000, 42_000, null, 43_000].map(book)).toEqual(['fee_paid', 'repeated', 'repeated', 'differs']);
    expect(ledger.pnl(new Map())).toMatchObject({
      cashMicros: before.cashMicros - 42_000,
      feesMicros: 42_000,
      realisedMicros: before.realisedMicros,
    });
    expect(ledger.fills()).toEqual([fillOf({ feeMicros: m(42_000) })]);
    expect(ledger.tradeTurns()).toBe(turns + 1);
    const { marketConditionId, strategy } = ledger.bookingsAfter(0, 100).at(-2) ?? {};
    const fee = { cashMicros: -42_000, feesMicros: 42_000, marketConditionId, strategy };
    expect(ledger.bookingsAfter(0, 100).at(-1)).toMatchObject(fee);
    expect(ledger.verify()).toEqual([]);

    expect(fail()).toBe('unbooked');
    expect(ledger.pnl(new Map())).toMatchObject({ feesMicros: 0, cashMicros: capital });
    expect([book(null), book(7)]).toEqual(['booked', 'fee_paid']);
    expect([ledger.pnl(new Map()).feesMicros, ledger.verify()]).toEqual([7, []]);
    expect(fail()).toBe('unbooked');
    const bookings = ledger.bookingsAfter(0, 100).filter(({ kind }) => kind === 'fill');
    expect(bookings.map(({ fills }) => fills)).toEqual([1, 0, -1, 1, 0, -1]);
    expect(new Set(bookings.map((one) => one.strategy))).toEqual(new Set([strategy]));
  });

  testWithLedger('that failed to settle counts against its order once', (ledger) => {
    const { fail } = prepare(ledger);
    expect([fail(), fail()]).toEqual(['noted', 'repeated']);
    expect([ledger.order('order-1')?.failedMicros, ledger.fills(), ledger.verify()]).toEqual([10 * ONE, [], []]);
  });

  testWithLedger('that is booked, undone and booked again leaves equal books each time', (ledger) => {
    const { book, fail } = prepare(ledger);
    const { orderPubkey, amountMicros, marketConditionId, isYes } = fillOf();
    const moved = () => {
      expect(ledger.verify()).toEqual([]);
      const { cashMicros, feesMicros, totalMicros } = ledger.pnl(new Map());
      return [cashMicros, feesMicros, totalMicros, ledger.shares(marketConditionId, isYes)];
    };
    const before = moved();
    book();
    const booked = moved();
    expect(booked).not.toEqual(before);
    for (let i = 0; i < 3; i++) {
      expect(fail()).toBe('unbooked');
      expect(moved()).toEqual(before);
      expect(ledger.order(orderPubkey)).toMatchObject({ bookedMicros: 0, failedMicros: amountMicros });
      expect(ledger.fills()).toEqual([]);
      expect(book()).toBe('booked');
      expect(moved()).toEqual(booked);
      expect(ledger.order(orderPubkey)).toMatchObject({ bookedMicros: amountMicros, failedMicros: 0 });
    }
    expect(ledger.fills()).toEqual([fillOf()]);
  });

  it.each([[['first']], [['older', 'younger']]])('that was undone leaves its place unused: %j', (pubkeys) =>
    withLedger((ledger) => {
      const { book, fail } = prepare(ledger);
      const fills = pubkeys.map((pubkey) => ({ pubkey, amountMicros: m(ONE) }));
      for (const fill of fills) book(fill);
      const seen = ledger.newestSeq('fills');
      for (const fill of fills.reverse()) fail(fill);
      book({ pubkey: 'next' });
      expect(ledger.fillsAfter(seen).map(({ row }) => row.pubkey)).toEqual(['next']);
    }),
  );
});

it.each([
  ["UPDATE balances SET amount = amount + 1 WHERE account = 'cash'", 'balance of cash'],
  ["DELETE FROM postings WHERE account = 'fees'", 'do not sum to zero'],
  ['UPDATE orders SET booked = booked - 1', 'fills booked for order'],
  ["DELETE FROM balances WHERE account = 'fees'", 'no balance for postings of fees'],
  ['UPDATE orders SET failed = 1', 'failed trades of order'],
  ["UPDATE transactions SET ref = 'other' WHERE kind = 'fill'", 'first transaction of fill'],
  [
    "INSERT INTO transactions (kind, ref, time_ms) SELECT kind, ref || '~2', 1 FROM transactions WHERE kind = 'fill'",
    'unreversed transactions of fill',
  ],
])('the self-check after %s finds: %s', (spoil, finding) =>
  withLedger((ledger, path) => {
    prepare(ledger).book();
    expect(ledger.verify()).toEqual([]);
    const vandal = new SqliteDriver(path);
    vandal.exec(spoil);
    vandal.close();
    expect(ledger.verify().join('\n')).toContain(finding);
  }),
);

describe('a split', () => {
  /** A ledger in memory with this capital and the intents of a split and a merge. */
  function newLedger(capital: number): Ledger {
    const ledger = openMemoryLedger();
    ledger.transaction(() => {
      ledger.startRun({ id: 'run', version: '1', configHash: 'h', startedMs: 1 });
      ledger.setCapital(m(capital), 1);
      for (const id of ['split', 'merge'] as const) ledger.addIntent(intentOf({ id, kind: id }));
    });
    return ledger;
  }

  const splitOf = (sets: number, yesPrice: number) =>
    conversionOf('split', -sets, { yesCostMicros: micros(Math.floor((sets * yesPrice) / ONE)) });

  it('takes currency, brings both shares at the cost that its price gives them, and has no result', () => {
    const ledger = newLedger(100 * ONE);
    const split = splitOf(10 * ONE, 900_000);
    // The answer that settled the split is repeated.
    for (const isNew of [true, false]) expect(ledger.transaction(() => ledger.bookConversion(split))).toBe(isNew);
    expect(ledger.cash()).toBe(90 * ONE);
    expect(ledger.positions()).toMatchObject([
      { isYes: false, sharesMicros: 10 * ONE, costMicros: 1 * ONE },
      { isYes: true, sharesMicros: 10 * ONE, costMicros: 9 * ONE },
    ]);
    expect(ledger.pnl(new Map([['a', m(900_000)]]))).toMatchObject({ realisedMicros: 0, totalMicros: 0 });
    expect([ledger.conversions(), ledger.verify()]).toEqual([[split], []]);
  });

  it('and the merge of its sets leave everything as it was, whatever the price and the sizes', () => {
    const sets = fc.integer({ min: 1, max: 1_000 * ONE });
    forAll([sets, fc.integer({ min: 1, max: ONE - 1 })], { numRuns: 50 }, (amount, price) => {
      const ledger = newLedger(1_000 * ONE);
      ledger.transaction(() => {
        ledger.bookConversion(splitOf(amount, price));
        // The equity is unchanged, because complete sets are worth their cost.
        expect(ledger.cash() + amount).toBe(1_000 * ONE);
        ledger.bookConversion(conversionOf('merge', amount));
      });
      expect([ledger.cash(), ledger.positions(), ledger.pnl(new Map()).totalMicros]).toEqual([1_000 * ONE, [], 0]);
      expect(ledger.verify()).toEqual([]);
    });
  });
});

/** Adds three orders and two conversions, to which bookings refer; returns functions that book or undo a trade. */
function prepare(ledger: Ledger) {
  ledger.transaction(() => {
    for (const id of ['run-a-1', 'sell', 'no', 'merge', 'redeem']) ledger.addIntent(intentOf({ id }));
    ledger.addOrder(orderOf());
    ledger.addOrder(orderOf({ pubkey: 'sell', intentId: 'sell', side: 'sell' }));
    ledger.addOrder(orderOf({ pubkey: 'no', intentId: 'no', isYes: false }));
  });
  return {
    book: (changes: Partial<BookedFill> = {}) => ledger.transaction(() => ledger.bookFill(fillOf(changes))),
    fail: (changes: Partial<BookedFill> = {}) => {
      const { pubkey, orderPubkey, amountMicros } = fillOf(changes);
      return ledger.transaction(() => ledger.noteFailedTrade(pubkey, orderPubkey, amountMicros, 1));
    },
  };
}
