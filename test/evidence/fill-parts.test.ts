import { expect, it } from 'vitest';
import { aFill, aMarket, ONE } from '../lab/report/sessions.js';
import { judgeRun, partsTable } from './fill-parts.js';

/** The cells of a row behind its name, apart by a space. */
const cells = (table: string, row: string) => {
  const line = table.split('\n').find((each) => each.startsWith(`| ${row} `)) ?? '';
  return line.split(' | ').slice(1).join(' ').replace(' |', '');
};

const bought = aFill({ marksAfterMicros: [420_000, 390_000, 400_000, null, null], joinedBehindMicros: 0 });
const after = [440_000, 440_000, 440_000, null, null];
const sold = aFill({ side: 'ask', timeMs: 2000, priceMicros: 450_000, marksAfterMicros: after, isMaker: false });

it('says what fills had brought by each horizon, after the close by the outcome', () => {
  const market = aMarket({ outcome: true, closeMs: 50_000, fills: [bought] });
  expect(cells(partsTable([judgeRun([market])]), 'all')).toBe('1 10 +0.20 −0.10 0.00 +6.00 +6.00 +6.00');
});

it('tells fills apart by who came, side, price, time, position and queue, and what is unknown counts nothing', () => {
  const market = aMarket({ closeMs: null, endMarkMicros: 500_000, fills: [bought, sold, sold] });
  const table = partsTable([judgeRun([market])]);
  const first = '1 10 +0.20 −0.10 0.00 0.00 0.00 +1.00';
  expect(cells(table, 'who came: a taker')).toBe(first);
  expect(cells(table, 'side: bid')).toBe(first);
  expect(cells(table, 'position before: none')).toMatch(/^2 20 \+0\.30 0\.00 /);
  expect(cells(table, 'position before: reduced')).toBe('1 10 +0.10 +0.10 +0.10 0.00 0.00 −0.50');
  expect(cells(table, 'queue: our order took')).toMatch(/^2 20 \+0\.20 /);
});

it('is the mean of several runs, with the error of their windows', () => {
  const other = aMarket({ conditionId: 'b', eventTitle: 'Wind' });
  const gaining = judgeRun([aMarket({ outcome: true, fills: [bought] }), other]);
  const idle = judgeRun([aMarket(), other]);
  // Windows averaged 3.00 and 0.00: a deviation of 2.12, times the root of two.
  expect(cells(partsTable([gaining, idle]), 'all')).toMatch(/ \+3\.00 ± 3\.00$/);
});

it('has no error of one window', () =>
  expect(partsTable([judgeRun([aMarket({ fills: [bought], endMarkMicros: ONE / 2 })])])).not.toContain('±'));
