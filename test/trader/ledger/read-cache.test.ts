import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TwinbookError } from '../../../src/shared/base/errors.js';
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';
import type { Ledger, LedgerReader } from '../../../src/trader/ledger/contract.js';
import { openLedger, openMemoryLedger, openReadOnly } from '../../../src/trader/ledger/ledger.js';
import { forAll } from '../for-all.js';
import { conversionOf, fillOf, HOLDER, intentOf, m, marketOf, ONE, orderOf, withLedger } from './books.js';
import { testInFolder, testWithLedger } from './ledger-tests.js';

/** One write. `n` selects one of few names, so that writes affect earlier rows. */
type Write = (ledger: Ledger, n: number) => unknown;

const WRITES: readonly Write[] = [
  (ledger, n) => ledger.changeIntent('run-a-1', { state: 'signed', updatedMs: n, lastReason: `${n}` }),
  (ledger, n) => ledger.changeIntent('run-a-1', { state: n % 2 === 0 ? 'done' : 'live', updatedMs: n }),
  (ledger, n) => ledger.setNote(`note ${n % 2}`, `${n}`),
  (ledger, n) => ledger.saveMarket(marketOf({ title: `title ${n}` })),
  (ledger, n) => ledger.bookFill(fillOf({ pubkey: `trade-${n}`, amountMicros: m(n * ONE) })),
  (ledger, n) => ledger.setCapital(m(n * ONE), 1),
  (ledger, n) =>
    ledger.changeOrder('order-1', { status: 'open', filledMicros: m(n * ONE), closedMs: n % 2 === 0 ? n : null }),
  (ledger, n) => ledger.noteFailedTrade(`trade-${n}`, 'order-1', m(n * ONE), 1),
  (ledger, n) => ledger.bookConversion(conversionOf('merge', ONE, { pubkey: `merge-${n}`, intentId: 'run-a-1' })),
];

/** Returns all values that the writer may read from its caches. */
const answers = (ledger: LedgerReader) => ({
  intent: ledger.intent('run-a-1'),
  orders: [ledger.order('order-1'), ledger.order('order-2')],
  notes: [ledger.note('note 0'), ledger.note('note 1')],
  market: ledger.market('a'),
  positions: ledger.positions(),
  cash: ledger.cash(),
  shares: ledger.shares('a', true),
  pnl: ledger.pnl(new Map()),
  fills: [0, 1, 3].map((seq) => ledger.fillsAfter(seq)),
});

const step = fc.record({
  writes: fc.array(fc.record({ write: fc.nat({ max: WRITES.length - 1 }), n: fc.integer({ min: 1, max: 5 }) }), {
    maxLength: 4,
  }),
  fails: fc.boolean(),
});

class Thrown extends Error {}

testWithLedger('the writer returns what a reader of the file finds, also after rollbacks', (ledger, path) => {
  ledger.transaction(() => {
    ledger.addIntent(intentOf());
    ledger.addOrder(orderOf());
  });
  const reader = openReadOnly(path);
  forAll([fc.array(step, { maxLength: 8 })], { numRuns: 60 }, (steps) => {
    for (const { writes, fails } of steps) {
      take(ledger, writes, fails);
      expect(answers(ledger)).toEqual(answers(reader));
    }
  });
  expect(ledger.verify()).toEqual([]);
  reader.close();
});

describe('a ledger of virtual time, which writes later', () => {
  it('says what the ledger of a file says, in lists too', () =>
    forAll([fc.array(step, { maxLength: 6 })], { numRuns: 8 }, (steps) => {
      withLedger((file) => {
        const memory = openMemoryLedger();
        for (const ledger of [file, memory]) begin(ledger);
        for (const { writes } of steps) {
          // Both ledgers break the same constraint, if any. A step that cannot be rolled back ends the run.
          if (take(file, writes, false) === 'failed') return;
          take(memory, writes, false);
          expect(answers(memory)).toEqual(answers(file));
        }
        expect(lists(memory)).toEqual(lists(file));
        expect(memory.verify()).toEqual([]);
      });
    }));

  testWithLedger('says it of more orders than wait to be written, whatever becomes of each', (file) => {
    const memory = openMemoryLedger();
    for (const ledger of [file, memory]) {
      begin(ledger);
      ledger.transaction(() => {
        for (let n = 0; n < 600; n++) trade(ledger, n);
      });
    }
    for (const n of [0, 1, 2, 3, 4, 299, 598, 599]) {
      expect(memory.order(`many-${n}`)).toEqual(file.order(`many-${n}`));
      expect(memory.intent(`run-b-${n}`)).toEqual(file.intent(`run-b-${n}`));
    }
    expect(lists(memory)).toEqual(lists(file));
    expect([memory.orders({ limit: 1000 }), memory.verify()]).toEqual([file.orders({ limit: 1000 }), []]);
  });

  testWithLedger('goes on from the content of a file, which stays as it is', (ledger, path) => {
    ledger.transaction(() => ledger.addIntent(intentOf()));
    ledger.close();
    const content = readFileSync(path);
    const memory = openMemoryLedger(content);
    memory.transaction(() => memory.addIntent(intentOf({ id: 'run-a-2' })));
    expect(memory.intents().map(({ id }) => id)).toHaveLength(2);
    expect(memory.verify()).toEqual([]);
    memory.close();
    expect(readFileSync(path)).toEqual(content);
  });

  it('is never made of other bytes', () => {
    const open = () => openMemoryLedger(Buffer.from('this is no ledger, and longer than the header of one would be'));
    expect(open).toThrow(TwinbookError);
    expect(open).toThrow(/cannot be opened/);
  });

  testInFolder('rolls back a failed step if it goes on from a file, and else breaks', (path) => {
    openLedger(path, HOLDER).close();
    const fail = (ledger: ReturnType<typeof openMemoryLedger>) => () =>
      ledger.transaction(() => {
        ledger.setNote('key', 'value');
        throw new Error('this step failed');
      });
    const replayed = openMemoryLedger(readFileSync(path));
    expect(fail(replayed)).toThrow('this step failed');
    expect(replayed.note('key')).toBeNull();
    replayed.transaction(() => replayed.setNote('key', 'another'));
    expect(replayed.note('key')).toBe('another');
    const backtested = openMemoryLedger();
    expect(fail(backtested)).toThrow('this step failed');
    expect(() => backtested.note('key')).toThrow(/cannot be rolled back/);
  });
});

/** Adds an order that rests forever, is canceled, or is filled before or after its end. */
function trade(ledger: Ledger, n: number): void {
  const [id, pubkey] = [`run-b-${n}`, `many-${n}`];
  ledger.addIntent(intentOf({ id }));
  ledger.addOrder(orderOf({ pubkey, intentId: id }));
  ledger.changeIntent(id, { state: 'live', updatedMs: n });
  ledger.changeOrder(pubkey, { status: 'open', filledMicros: m(0), closedMs: null });
  if (n % 4 === 0) return;
  const fill = fillOf({ pubkey: `fill-${n}`, orderPubkey: pubkey, amountMicros: m(ONE) });
  if (n % 4 === 1) ledger.bookFill(fill);
  ledger.changeOrder(pubkey, { status: 'canceled', filledMicros: m(n % 4 === 3 ? 0 : ONE), closedMs: n });
  if (n % 4 === 2) ledger.bookFill(fill);
  ledger.changeIntent(id, { state: 'done', updatedMs: n });
}

/** Adds three intents and an order of the first. The second intent ends before the first one changes. */
function begin(ledger: Ledger): void {
  ledger.transaction(() => {
    if (ledger.runs().length === 0) ledger.startRun({ id: 'run', version: '0', configHash: 'hash', startedMs: 1 });
    for (const id of ['run-a-1', 'run-a-2', 'run-a-3']) ledger.addIntent(intentOf({ id }));
    ledger.changeIntent('run-a-2', { state: 'done', updatedMs: 2 });
    ledger.addOrder(orderOf());
  });
}

const lists = (ledger: LedgerReader) => ({
  intents: ledger.intents(),
  active: ledger.activeIntents(),
  orders: ledger.orders(),
  unsettled: ledger.unsettledOrders(),
  failed: ledger.failedTrades(),
  bookings: ledger.bookingsAfter(0, 100),
});

/** Runs one transaction with these writes, and compares all values in its middle, before the commit. */
function take(ledger: Ledger, writes: readonly { write: number; n: number }[], fails: boolean): 'written' | 'failed' {
  try {
    ledger.transaction(() => {
      for (const { write, n } of writes) {
        WRITES[write]?.(ledger, n);
        answers(ledger);
      }
      if (fails) throw new Thrown();
    });
    return 'written';
  } catch (error) {
    // A second conversion of one intent breaks a constraint, so this step is rolled back too.
    if (!(error instanceof Thrown) && !String(error).includes('UNIQUE')) throw error;
    return 'failed';
  }
}

testWithLedger('a step that writes nothing takes no lock of the file', (ledger, path) => {
  const other = new SqliteDriver(path, { timeout: 0 });
  other.exec('BEGIN IMMEDIATE');
  expect(ledger.transaction(() => ledger.cash())).toBe(0);
  other.exec('ROLLBACK');
  ledger.transaction(() => {
    ledger.setNote('a', 'written');
    // The step has begun SQLite's transaction, so a second writer must wait.
    expect(() => other.exec('BEGIN IMMEDIATE')).toThrow('locked');
  });
  other.close();
  expect(ledger.note('a')).toBe('written');
});
