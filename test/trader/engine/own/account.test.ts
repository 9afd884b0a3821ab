/** Value of holdings: the marks that stand in, prices that one quoter cannot set, and wished core sets. */

import { describe, expect } from 'vitest';
import { Marks, Valuation } from '../../../../src/trader/engine/own/account.js';
import type { Ledger } from '../../../../src/trader/ledger/contract.js';
import { testWithLedger } from '../../ledger/ledger-tests.js';
import { book } from '../../market/fixtures.js';
import { m, ONE } from '../../risk/states.js';

const MARK = m(420_000);
const held = new Map([['a', null]]);
const isOut = () => true;
const isIn = () => false;

/** A test within one step of a ledger. */
const testInStep = (name: string, work: (ledger: Ledger) => void) =>
  testWithLedger(name, (ledger) => ledger.transaction(() => work(ledger)));

/** A test with the marks of a new process after one that had this mark while it held shares there. */
const testAfterRestart = (name: string, look: (marks: Marks) => void) =>
  testInStep(name, (ledger) => {
    const before = new Marks(ledger);
    before.set('a', MARK);
    before.fill(held, isIn, 0);
    look(new Marks(ledger));
  });

describe('the last mark of what is held', () => {
  testAfterRestart('outlives the process, and stands in at once for a market that was taken out', (marks) => {
    marks.fill(held, isOut, 0);
    expect(marks.get('a')).toBe(MARK);
  });

  testAfterRestart('stands in for a silent market after a minute, so that a start first waits for it', (marks) => {
    marks.fill(held, isIn, 60_000);
    expect(marks.has('a')).toBe(false);
    marks.fill(held, isIn, 60_001);
    expect(marks.get('a')).toBe(MARK);
  });

  testAfterRestart('never takes the place of what the market says now', (marks) => {
    marks.set('a', m(500_000));
    marks.fill(held, isOut, 100_000);
    expect(marks.get('a')).toBe(500_000);
  });

  testAfterRestart('is kept when it is stored again before the market has a new one', (marks) => {
    marks.save(held.keys());
    marks.fill(held, isOut, 0);
    expect(marks.get('a')).toBe(MARK);
  });

  testInStep('is not kept of a market in which nothing is held any more', (ledger) => {
    const before = new Marks(ledger);
    before.set('a', MARK);
    before.fill(held, isIn, 0);
    before.save([]);
    const after = new Marks(ledger);
    after.fill(held, isOut, 100_000);
    expect(after.has('a')).toBe(false);
  });
});

const never = () => false;
const holding = (yes: number, no: number) => ({
  cashMicros: m(1000 * ONE),
  held: new Map([['a', { yesMicros: m(yes * ONE), noMicros: m(no * ONE), yesCostMicros: m(0), noCostMicros: m(0) }]]),
});

function show(valuation: Valuation, bid: number, ask: number, shares: number, nowMs: number): void {
  valuation.look('a', (bid + ask) / 2, book([[bid, shares]], [[ask, shares]]), nowMs);
}

describe('what limits value holdings at', () => {
  testInStep('is not the price that one quoter has walked the book to, with small orders or large ones', (ledger) => {
    for (const shares of [12, 1_000_000]) {
      const valuation = new Valuation(ledger);
      for (let step = 0; step <= 34; step++) show(valuation, 0.49 + step / 100, 0.51 + step / 100, shares, step * 7000);
      const worth = valuation.value(holding(100, 0), never, 240_000);
      expect(worth?.equityMicros).toBeGreaterThanOrEqual(1050 * ONE);
      expect(worth?.equityMicros).toBeLessThan(1050.02 * ONE);
    }
  });

  testInStep('is the slow average for NO when the price is walked down', (ledger) => {
    const valuation = new Valuation(ledger);
    for (let step = 0; step <= 34; step++) show(valuation, 0.49 - step / 100, 0.51 - step / 100, 12, step * 7000);
    expect(valuation.value(holding(0, 100), never, 240_000)?.equityMicros).toBeLessThan(1050.02 * ONE);
  });

  testInStep('counts as passing what others do not bid for, and no longer once they do', (ledger) => {
    const valuation = new Valuation(ledger);
    show(valuation, 0.5, 0.5, 100, 0);
    expect(valuation.value(holding(100, 0), never, 0)?.passingMicros).toBe(0);
    show(valuation, 0.5, 0.5, 12, 1000);
    expect(valuation.value(holding(100, 0), never, 0)).toEqual({ equityMicros: 1050 * ONE, passingMicros: 44 * ONE });
    valuation.look('a', null, { bids: [], asks: [] }, 2000);
    expect(valuation.value(holding(100, 0), never, 0)?.passingMicros).toBe(50 * ONE);
    show(valuation, 0.5, 0.5, 100, 3000);
    expect(valuation.value(holding(100, 0), never, 0)?.passingMicros).toBe(0);
  });

  testInStep('is not raised by a restart in the middle of a walk', (ledger) => {
    const before = new Valuation(ledger);
    show(before, 0.49, 0.51, 12, 0);
    show(before, 0.83, 0.85, 12, 240_000);
    before.save(['a']);
    const after = new Valuation(ledger);
    show(after, 0.83, 0.85, 12, 300_000);
    expect(after.value(holding(100, 0), never, 0)?.equityMicros).toBeLessThan(1050.02 * ONE);
  });

  testInStep('is due to be stored every ten minutes', (ledger) => {
    const valuation = new Valuation(ledger);
    const times = [0, 599_999, 600_000, 600_001, 1_200_000];
    expect(times.filter((nowMs) => valuation.takeDue(nowMs))).toEqual([600_000, 1_200_000]);
  });
});
