/** The daily summary reports a day that ended by the exchange's clock. */

import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/shared/base/micros.js';
import { DailySummary, summaryText } from '../../../src/shell/daemon/telemetry.js';
import type { AccountSnapshot } from '../../../src/trader/engine/snapshot.js';
import { agreedAt } from '../console/state-of-markets.js';

const MIDNIGHT = Date.UTC(2026, 11, 2);
const MINUTE_MS = 60_000;
const result = (day: string, units: number) => ({ day, resultMicros: micros(units * 10_000) });
const first = { current: result('2026-12-01', 1782), ended: null };
const second = { current: result('2026-12-02', 14), ended: result('2026-12-01', 1782) };

describe('a daily summary', () => {
  it('of an exchange whose clock is ahead comes at once', () => {
    const summary = new DailySummary();
    expect(summary.take(second, 0)).toBe(false);
    summary.request(MIDNIGHT, 0);
    expect([summary.take(second, 0), summary.take(second, 1)]).toEqual([true, false]);
  });

  it('waits for the end of the day by a clock that is behind, and for the first valuation', () => {
    const summary = new DailySummary();
    summary.request(MIDNIGHT, 0);
    const taken = [summary.take(null, 0), summary.take(first, 1_000), summary.take(second, 2_000)];
    expect(taken).toEqual([false, false, true]);
  });

  it('comes without the day when that does not end', () => {
    const summary = new DailySummary();
    summary.request(MIDNIGHT, 0);
    expect([summary.take(first, 15 * MINUTE_MS - 1), summary.take(first, 15 * MINUTE_MS)]).toEqual([false, true]);
  });

  it('at the midnight of a zone behind tells of the day that ended hours ago', () => {
    const summary = new DailySummary();
    summary.request(MIDNIGHT + 5 * 3_600_000, 0);
    expect(summary.take(second, 0)).toBe(true);
  });
});

describe('its text', () => {
  const account = {
    ...{ mode: 'quoting', resultMicros: 17_960_000, cashMicros: 900_000_000, equityMicros: 1_017_960_000 },
    ...{ fills: 12, openOrders: 8, reconciled: agreedAt(MIDNIGHT - 600_000), accepted: [] },
  };
  it.each([
    [second, '1 December (UTC): +17.82'],
    [first, '1 December (UTC) so far: +17.82'],
    [null, 'no valuation yet'],
  ])('names the day', (days, head) => {
    expect(summaryText({ ...account, days } as unknown as AccountSnapshot, MIDNIGHT - 1)).toBe(
      `${head}; total result +17.96; cash 900.00, worth 1017.96; 12 fills in this run, 8 open orders, quoting; ledger and exchange agree`,
    );
  });

  it.each([
    [agreedAt(MIDNIGHT - 600_000), 'ledger and exchange agree (compared at 2026-12-01 23:50:00 UTC)'],
    [null, 'ledger and exchange are not compared yet'],
  ])('claims no present agreement without a new comparison', (reconciled, end) => {
    const text = summaryText({ ...account, days: null, reconciled } as unknown as AccountSnapshot, MIDNIGHT);
    expect(text.split('; ').at(-1)).toBe(end);
  });
});
