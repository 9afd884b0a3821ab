/** Value of holdings: the marks that stand in, prices that one quoter cannot set, and wished core sets. */

import { describe, expect, it } from 'vitest';
import { Marks, Valuation } from '../../../../src/trader/engine/own/account.js';
import type { Ledger } from '../../../../src/trader/ledger/contract.js';
import type { Book } from '../../../../src/trader/market/view.js';
import { withLedger } from '../../ledger/books.js';
import { m, ONE } from '../../risk/states.js';

const MARK = m(420_000);
const held = new Map([['a', null]]);
const isOut = () => true;
const isIn = () => false;

/** The state of a new process after one that had this mark while it held shares there. */
const restarted = (look: (marks: Marks) => void): void =>
  withLedger((ledger) =>
    ledger.transaction(() => {
      const before = new Marks(ledger);
      before.set('a', MARK);
      before.fill(held, isIn, 0);
      look(new Marks(ledger));
    }),
  );

describe('the last mark of what is held', () => {
  it('outlives the process, and stands in at once for a market that was taken out', () => {
    restarted((marks) => {
      marks.fill(held, isOut, 0);
      expect(marks.get('a')).toBe(MARK);
    });
  });

  it('stands in for a silent market after a minute, so that a start first waits for it', () => {
    restarted((marks) => {
      marks.fill(held, isIn, 60_000);
      expect(marks.has('a')).toBe(false);
      marks.fill(held, isIn, 60_001);
      expect(marks.get('a')).toBe(MARK);
    });
  });

  it('never takes the place of what the market says now', () => {
    restarted((marks) => {
      marks.set('a', m(500_000));
      marks.fill(held, isOut, 100_000);
      expect(marks.get('a')).toBe(500_000);
    });
  });

  it('is not kept of a market in which nothing is held any more', () => {
    withLedger((ledger) =>
      ledger.transaction(() => {
        const before = new Marks(ledger);
        before.set('a', MARK);
        before.fill(held, isIn, 0);
        before.save([]);
        const after = new Marks(ledger);
        after.fill(held, isOut, 100_000);
        expect(after.has('a')).toBe(false);
      }),
    );
  });
});

const level = (price: number, shares: number) => ({
  priceMicros: m(Math.round(price * ONE)),
  amountMicros: m(shares * ONE),
});
const quote = (bid: number, ask: number, shares: number): Book => ({
  bids: [level(bid, shares)],
  asks: [level(ask, shares)],
});
const middle = (bid: number, ask: number) => (bid + ask) / 2;
const never = () => false;
const holding = (yes: number, no: number) => ({
  cashMicros: m(1000 * ONE),
  held: new Map([['a', { yesMicros: m(yes * ONE), noMicros: m(no * ONE), yesCostMicros: m(0), noCostMicros: m(0) }]]),
});

function show(valuation: Valuation, bid: number, ask: number, shares: number, nowMs: number): void {
  valuation.look('a', middle(bid, ask), quote(bid, ask, shares), nowMs);
}

const inLedger = (work: (ledger: Ledger) => void) => withLedger((ledger) => ledger.transaction(() => work(ledger)));

describe('what limits value holdings at', () => {
  it('is not the price that one quoter has walked the book to, with small orders or large ones', () => {
    inLedger((ledger) => {
      for (const shares of [12, 1_000_000]) {
        const valuation = new Valuation(ledger);
        for (let step = 0; step <= 34; step++)
          show(valuation, 0.49 + step / 100, 0.51 + step / 100, shares, step * 7000);
        const worth = valuation.value(holding(100, 0), never, 240_000);
        expect(worth?.equityMicros).toBeGreaterThanOrEqual(1050 * ONE);
        expect(worth?.equityMicros).toBeLessThan(1050.02 * ONE);
      }
    });
  });

  it('is the slow average for NO when the price is walked down', () => {
    inLedger((ledger) => {
      const valuation = new Valuation(ledger);
      for (let step = 0; step <= 34; step++) show(valuation, 0.49 - step / 100, 0.51 - step / 100, 12, step * 7000);
      const worth = valuation.value(holding(0, 100), never, 240_000);
      expect(worth?.equityMicros).toBeLessThan(1050.02 * ONE);
    });
  });

  it('counts as passing what others do not bid for, and no longer once they do', () => {
    inLedger((ledger) => {
      const valuation = new Valuation(ledger);
      show(valuation, 0.5, 0.5, 100, 0);
      expect(valuation.value(holding(100, 0), never, 0)?.passingMicros).toBe(0);
      show(valuation, 0.5, 0.5, 12, 1000);
      expect(valuation.value(holding(100, 0), never, 0)).toEqual({
        equityMicros: 1050 * ONE,
        passingMicros: 44 * ONE,
      });
      valuation.look('a', null, { bids: [], asks: [] }, 2000);
      expect(valuation.value(holding(100, 0), never, 0)?.passingMicros).toBe(50 * ONE);
      show(valuation, 0.5, 0.5, 100, 3000);
      expect(valuation.value(holding(100, 0), never, 0)?.passingMicros).toBe(0);
    });
  });

  it('is not raised by a restart in the middle of a walk', () => {
    inLedger((ledger) => {
      const before = new Valuation(ledger);
      show(before, 0.49, 0.51, 12, 0);
      show(before, 0.83, 0.85, 12, 240_000);
      before.save(['a']);
      const after = new Valuation(ledger);
      show(after, 0.83, 0.85, 12, 300_000);
      expect(after.value(holding(100, 0), never, 0)?.equityMicros).toBeLessThan(1050.02 * ONE);
    });
  });

  it('is due to be stored every ten minutes', () => {
    inLedger((ledger) => {
      const valuation = new Valuation(ledger);
      const times = [0, 599_999, 600_000, 600_001, 1_200_000];
      expect(times.filter((nowMs) => valuation.takeDue(nowMs))).toEqual([600_000, 1_200_000]);
    });
  });
});
