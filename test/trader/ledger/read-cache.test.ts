import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ledger, LedgerReader } from '../../../src/trader/ledger/contract.js';
import { openReadOnly } from '../../../src/trader/ledger/ledger.js';
import { fillOf, intentOf, m, ONE, orderOf, withLedger } from './books.js';

/** One write; `n` picks among few names, so that writes meet the rows of earlier ones. */
type Write = (ledger: Ledger, n: number) => unknown;

const WRITES: readonly Write[] = [
  (ledger, n) => ledger.changeIntent('run-a-1', { state: 'signed', updatedMs: n, lastReason: `${n}` }),
  (ledger, n) => ledger.changeIntent('run-a-1', { state: n % 2 === 0 ? 'done' : 'live', updatedMs: n }),
  (ledger, n) => ledger.setNote(`note ${n % 2}`, `${n}`),
  (ledger, n) => ledger.saveMarket({ ...MARKET, title: `title ${n}` }),
  (ledger, n) => ledger.bookFill(fillOf({ pubkey: `trade-${n}`, amountMicros: m(n * ONE) })),
  (ledger, n) => ledger.setCapital(m(n * ONE), 1),
  (ledger, n) =>
    ledger.bookConversion({
      pubkey: `merge-${n}`,
      intentId: 'run-a-1',
      kind: 'merge',
      marketConditionId: 'a',
      seenMs: 1,
      yesMicros: m(ONE),
      noMicros: m(ONE),
      cashMicros: m(ONE),
      yesCostMicros: null,
    }),
];

const MARKET = {
  ...({ conditionId: 'a', title: '', state: 'open', eventConditionId: null, yesLabel: null, noLabel: null } as const),
  makerFeeRateMicros: m(0),
  takerFeeRateMicros: m(0),
  resolutionS: null,
  seenMs: 1,
};

/** Everything that the writer may answer from memory. */
const answers = (ledger: LedgerReader) => ({
  intent: ledger.intent('run-a-1'),
  notes: [ledger.note('note 0'), ledger.note('note 1')],
  market: ledger.market('a'),
  positions: ledger.positions(),
  cash: ledger.cash(),
  shares: ledger.shares('a', true),
  pnl: ledger.pnl(new Map()),
});

const step = fc.record({
  writes: fc.array(fc.record({ write: fc.nat({ max: WRITES.length - 1 }), n: fc.integer({ min: 1, max: 5 }) }), {
    maxLength: 4,
  }),
  fails: fc.boolean(),
});

class Thrown extends Error {}

describe('what the writer remembers', () => {
  it('is what a reader of the file finds, also after steps that were rolled back', () => {
    withLedger((ledger, path) => {
      ledger.transaction(() => {
        ledger.addIntent(intentOf());
        ledger.addOrder(orderOf());
      });
      const reader = openReadOnly(path);
      try {
        fc.assert(
          fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
            for (const { writes, fails } of steps) {
              take(ledger, writes, fails);
              expect(answers(ledger)).toEqual(answers(reader));
            }
          }),
          { numRuns: 60 },
        );
        expect(ledger.verify()).toEqual([]);
      } finally {
        reader.close();
      }
    });
  });
});

/** One transaction with these writes; looks at everything in its middle, when nothing is certain yet. */
function take(ledger: Ledger, writes: readonly { write: number; n: number }[], fails: boolean): void {
  try {
    ledger.transaction(() => {
      for (const { write, n } of writes) {
        WRITES[write]?.(ledger, n);
        answers(ledger);
      }
      if (fails) throw new Thrown();
    });
  } catch (error) {
    // A second conversion of one intent breaks a constraint of the table, and the step is rolled back all the same.
    if (!(error instanceof Thrown) && !String(error).includes('UNIQUE')) throw error;
  }
}

describe('a step that writes nothing', () => {
  it('takes no lock of the file', () => {
    withLedger((ledger, path) => {
      const other = new Sqlite(path, { timeout: 0 });
      try {
        other.exec('BEGIN IMMEDIATE');
        expect(ledger.transaction(() => ledger.cash())).toBe(0);
        other.exec('ROLLBACK');
        ledger.transaction(() => {
          ledger.setNote('a', 'written');
          // A second writer now has to wait: the step has begun.
          expect(() => other.exec('BEGIN IMMEDIATE')).toThrow('locked');
        });
      } finally {
        other.close();
      }
      expect(ledger.note('a')).toBe('written');
    });
  });
});
