/** Value of shares whose market no longer reports one. */

import { describe, expect, it } from 'vitest';
import { Marks } from '../../../../src/trader/engine/own/account.js';
import { withLedger } from '../../ledger/books.js';
import { m } from '../../risk/states.js';

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
