import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AssertionFailed } from '../../../src/shared/base/errors.js';
import type { BookedConversion, BookedFill, Ledger } from '../../../src/trader/ledger/contract.js';
import { balance, tradeNotional } from '../../../src/trader/ledger/postings.js';
import { fillOf, intentOf, m, ONE, orderOf, withLedger } from './books.js';

describe('the rounding of a trade', () => {
  it.each([
    { isYes: true, price: 420_000, amount: 10 * ONE, notional: 4_200_000 },
    { isYes: true, price: 333_333, amount: 1_000_001, notional: 333_333 },
    // The NO side pays the amount less what the YES side pays: 1.000001 - floor(0.666667 x 1.000001).
    { isYes: false, price: 333_333, amount: 1_000_001, notional: 333_334 },
    { isYes: false, price: 580_000, amount: 10 * ONE, notional: 5_800_000 },
  ])('isYes $isYes at $price x $amount moves $notional', ({ isYes, price, amount, notional }) => {
    expect(tradeNotional(isYes, m(price), m(amount))).toBe(notional);
  });

  it('lets the two sides of a set add up to the set, for every price and amount', () => {
    const price = fc.integer({ min: 1, max: ONE - 1 });
    const amount = fc.integer({ min: 1, max: 2 ** 50 });
    fc.assert(
      fc.property(price, amount, (p, a) => {
        const yes = tradeNotional(true, m(p), m(a));
        const no = tradeNotional(false, m(ONE - p), m(a));
        expect(yes + no).toBe(a);
        expect(BigInt(yes)).toBe((BigInt(p) * BigInt(a)) / 1_000_000n);
      }),
    );
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

  it('books a buy, a sell, a merge and a redeem with cash, shares, fees and result', () => {
    withLedger((ledger) => {
      prepare(ledger);
      ledger.transaction(() => ledger.setCapital(m(1000 * ONE), 1));
      const book = (fill: Parameters<typeof fillOf>[0]) => ledger.transaction(() => ledger.bookFill(fillOf(fill)));
      expect(book({})).toBe('booked');
      expect(ledger.cash()).toBe(m(1000 * ONE - 4_200_000 - 42_000));
      expect(ledger.positions()).toEqual([
        { marketConditionId: 'a', isYes: true, sharesMicros: 10 * ONE, costMicros: 4_200_000 },
      ]);
      book({ pubkey: 't2', orderPubkey: 'sell', side: 'sell', priceMicros: m(500_000), amountMicros: m(4 * ONE) });
      expect(ledger.cash()).toBe(m(1000 * ONE - 4_242_000 + 2_000_000 - 42_000));
      book({
        pubkey: 't3',
        orderPubkey: 'no',
        isYes: false,
        priceMicros: m(550_000),
        amountMicros: m(6 * ONE),
        feeMicros: null,
      });
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
      const merge = conversion({
        pubkey: 'm1',
        intentId: 'merge',
        yesMicros: m(5 * ONE),
        noMicros: m(5 * ONE),
        cashMicros: m(5 * ONE),
      });
      expect(ledger.transaction(() => ledger.bookConversion(merge))).toBe(true);
      expect(ledger.transaction(() => ledger.bookConversion(merge))).toBe(false);
      expect(ledger.pnl(new Map())).toMatchObject({ realisedMicros: 320_000 + 5 * 30_000, unmarked: ['a'] });
      const redeem = conversion({
        pubkey: 'r1',
        intentId: 'redeem',
        kind: 'redeem',
        yesMicros: m(ONE),
        noMicros: m(ONE),
        cashMicros: m(ONE),
      });
      ledger.transaction(() => ledger.bookConversion(redeem));
      expect(ledger.positions()).toEqual([]);
      const { cashMicros, totalMicros, realisedMicros } = ledger.pnl(new Map());
      expect(realisedMicros).toBe(320_000 + 6 * 30_000);
      expect(cashMicros).toBe(1000 * ONE + totalMicros);
      expect(ledger.verify()).toEqual([]);
    });
  });

  it('books a change of the configured capital once', () => {
    withLedger((ledger) => {
      for (const capital of [1000, 1000, 400]) ledger.transaction(() => ledger.setCapital(m(capital * ONE), 1));
      expect(ledger.cash()).toBe(400 * ONE);
      expect(ledger.pnl(new Map())).toMatchObject({ capitalMicros: 400 * ONE, totalMicros: 0 });
      expect(ledger.verify()).toEqual([]);
    });
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
    fc.assert(
      fc.property(fills, fc.array(fc.nat(100)), (rows, shuffle) => {
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
            return {
              cashMicros,
              totalMicros,
              feesMicros,
              yes: ledger.shares('a', true),
              no: ledger.shares('a', false),
            };
          }),
        );
        expect(results[1]).toEqual(results[0]);
      }),
      { numRuns: 15 },
    );
  });
});

describe('a trade', () => {
  it('is booked once, and its repeat changes nothing', () => {
    withLedger((ledger) => {
      prepare(ledger);
      expect(ledger.transaction(() => ledger.bookFill(fillOf()))).toBe('booked');
      const before = ledger.cash();
      expect(ledger.transaction(() => ledger.bookFill(fillOf({ seenMs: 99 })))).toBe('repeated');
      expect(ledger.cash()).toBe(before);
      expect(ledger.order('order-1')?.bookedMicros).toBe(10 * ONE);
    });
  });

  it.each([{ amountMicros: m(9 * ONE) }, { priceMicros: m(1) }, { feeMicros: m(1) }, { orderPubkey: 'sell' }])(
    'that comes again with %o is reported and not overwritten',
    (change) => {
      withLedger((ledger) => {
        prepare(ledger);
        ledger.transaction(() => ledger.bookFill(fillOf()));
        expect(ledger.transaction(() => ledger.bookFill(fillOf(change)))).toBe('differs');
        expect(ledger.fills()).toEqual([fillOf()]);
      });
    },
  );

  it.each<[string, Partial<BookedFill>, Partial<BookedFill>, string]>([
    ['leaves out its fee and whose order rested', {}, { feeMicros: null, isMaker: null }, 'repeated'],
    ['says whose order rested, and a fee of 0', { feeMicros: null, isMaker: null }, { feeMicros: m(0) }, 'repeated'],
    ['says another fee', { feeMicros: m(1) }, { feeMicros: m(2) }, 'differs'],
  ])('that %s when it comes again', (_what, first, again, booking) => {
    withLedger((ledger) => {
      prepare(ledger);
      ledger.transaction(() => ledger.bookFill(fillOf(first)));
      expect(ledger.transaction(() => ledger.bookFill(fillOf(again)))).toBe(booking);
      expect(ledger.fills()).toEqual([fillOf(first)]);
    });
  });

  it('whose fee is named later pays it then, by itself and once, and is undone with it', () => {
    withLedger((ledger) => {
      prepare(ledger);
      const book = (feeMicros: number | null) =>
        ledger.transaction(() => ledger.bookFill(fillOf({ feeMicros: feeMicros === null ? null : m(feeMicros) })));
      const capital = ledger.cash();
      expect(book(null)).toBe('booked');
      const before = ledger.pnl(new Map());
      const turns = ledger.tradeTurns();
      expect([book(42_000), book(42_000), book(null), book(43_000)]).toEqual([
        'fee_paid',
        'repeated',
        'repeated',
        'differs',
      ]);
      expect(ledger.pnl(new Map())).toMatchObject({
        cashMicros: before.cashMicros - 42_000,
        feesMicros: 42_000,
        realisedMicros: before.realisedMicros,
      });
      expect(ledger.fills()).toEqual([fillOf({ feeMicros: m(42_000) })]);
      expect(ledger.tradeTurns()).toBe(turns + 1);
      const { marketConditionId, strategy } = ledger.bookingsAfter(0, 100).at(-2) ?? {};
      expect(ledger.bookingsAfter(0, 100).at(-1)).toMatchObject({
        cashMicros: -42_000,
        feesMicros: 42_000,
        marketConditionId,
        strategy,
      });
      expect(ledger.verify()).toEqual([]);

      const { pubkey, orderPubkey, amountMicros } = fillOf();
      const turn = () => ledger.transaction(() => ledger.noteFailedTrade(pubkey, orderPubkey, amountMicros, 1));
      expect(turn()).toBe('unbooked');
      expect(ledger.pnl(new Map())).toMatchObject({ feesMicros: 0, cashMicros: capital });
      expect([book(null), book(7)]).toEqual(['booked', 'fee_paid']);
      expect(ledger.pnl(new Map()).feesMicros).toBe(7);
      expect(ledger.verify()).toEqual([]);
    });
  });

  it('that failed to settle counts against its order once', () => {
    withLedger((ledger) => {
      prepare(ledger);
      const note = () => ledger.transaction(() => ledger.noteFailedTrade('bad', 'order-1', m(ONE), 1));
      expect([note(), note()]).toEqual(['noted', 'repeated']);
      expect(ledger.order('order-1')?.failedMicros).toBe(ONE);
      expect(ledger.fills()).toEqual([]);
      expect(ledger.verify()).toEqual([]);
    });
  });

  it('that changes its mind is booked, undone and booked again, and the books agree each time', () => {
    withLedger((ledger) => {
      prepare(ledger);
      const { pubkey, orderPubkey, amountMicros, marketConditionId, isYes } = fillOf();
      const book = () => ledger.transaction(() => ledger.bookFill(fillOf()));
      const fail = () => ledger.transaction(() => ledger.noteFailedTrade(pubkey, orderPubkey, amountMicros, 1));
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
  });

  it('that was undone leaves its place in the order of booking to nobody', () => {
    withLedger((ledger) => {
      prepare(ledger);
      const first = fillOf();
      ledger.transaction(() => ledger.bookFill(first));
      const seen = ledger.newestSeq('fills');
      ledger.transaction(() => ledger.noteFailedTrade(first.pubkey, first.orderPubkey, first.amountMicros, 1));
      ledger.transaction(() => ledger.bookFill(fillOf({ pubkey: 'next' })));
      expect(ledger.fillsAfter(seen).map(({ row }) => row.pubkey)).toEqual(['next']);
    });
  });

  it('that was undone after a younger one leaves both places to nobody', () => {
    withLedger((ledger) => {
      prepare(ledger);
      const fills = ['older', 'younger'].map((pubkey) => fillOf({ pubkey, amountMicros: m(ONE) }));
      for (const fill of fills) ledger.transaction(() => ledger.bookFill(fill));
      const seen = ledger.newestSeq('fills');
      for (const { pubkey, orderPubkey, amountMicros } of fills.reverse())
        ledger.transaction(() => ledger.noteFailedTrade(pubkey, orderPubkey, amountMicros, 1));
      ledger.transaction(() => ledger.bookFill(fillOf({ pubkey: 'next' })));
      expect(ledger.fillsAfter(seen).map(({ row }) => row.pubkey)).toEqual(['next']);
    });
  });
});

describe('the self-check', () => {
  it.each([
    { spoil: "UPDATE balances SET amount = amount + 1 WHERE account = 'cash'", says: 'balance of cash' },
    { spoil: "DELETE FROM postings WHERE account = 'fees'", says: 'do not sum to zero' },
    { spoil: 'UPDATE orders SET booked = booked - 1', says: 'fills booked for order' },
    { spoil: "DELETE FROM balances WHERE account = 'fees'", says: 'no balance for postings of fees' },
    { spoil: 'UPDATE orders SET failed = 1', says: 'failed trades of order' },
    { spoil: "UPDATE transactions SET ref = 'other' WHERE kind = 'fill'", says: 'first transaction of fill' },
    {
      spoil:
        "INSERT INTO transactions (kind, ref, time_ms) SELECT kind, ref || '~2', 1 FROM transactions WHERE kind = 'fill'",
      says: 'transactions in force of fill',
    },
  ])('finds $says', async ({ spoil, says }) => {
    const { SqliteDriver } = await import('../../../src/shared/base/sqlite-driver.js');
    withLedger((ledger, path) => {
      prepare(ledger);
      ledger.transaction(() => ledger.bookFill(fillOf()));
      expect(ledger.verify()).toEqual([]);
      const vandal = new SqliteDriver(path);
      vandal.exec(spoil);
      vandal.close();
      expect(ledger.verify().join('\n')).toContain(says);
    });
  });
});

const conversion = (changes: Partial<BookedConversion>): BookedConversion => ({
  pubkey: 'c',
  intentId: 'merge',
  kind: 'merge',
  marketConditionId: 'a',
  yesMicros: m(0),
  noMicros: m(0),
  cashMicros: m(0),
  yesCostMicros: null,
  seenMs: 1,
  ...changes,
});

/** Adds three orders and two conversions, to which fills and bookings refer. */
function prepare(ledger: Ledger): void {
  ledger.transaction(() => {
    for (const id of ['run-a-1', 'sell', 'no', 'merge', 'redeem']) ledger.addIntent(intentOf({ id }));
    ledger.addOrder(orderOf());
    ledger.addOrder(orderOf({ pubkey: 'sell', intentId: 'sell', side: 'sell' }));
    ledger.addOrder(orderOf({ pubkey: 'no', intentId: 'no', isYes: false }));
  });
}
