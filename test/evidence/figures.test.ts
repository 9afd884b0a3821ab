import { expect, it } from 'vitest';
import { analyse } from '../../src/lab/report/analysis/analyse.js';
import { aFill, aMarket, aSession, ONE } from '../lab/report/sessions.js';
import { type EvidenceRow, resultsByWindow, rowOf, tableOf, wordsOf } from './figures.js';

/** Ten shares bought at 0.40 and settled: 6 gained, or 4 lost. */
const bought = (conditionId: string, eventTitle: string, outcome: boolean) =>
  aMarket({
    conditionId,
    eventTitle,
    outcome,
    endMarkMicros: 500_000,
    endYesMicros: 10 * ONE,
    fills: [aFill({ atCrossing: outcome, isMaker: outcome })],
  });

const idle = (eventTitle: string) => aMarket({ conditionId: 'c', eventTitle });

it('counts a window without a fill as 0, and markets of one event as one window', () => {
  const markets = [bought('a', 'one', true), bought('b', 'one', false), idle('two')];
  expect(resultsByWindow(analyse(aSession(markets)))).toEqual([2 * ONE, 0]);
});

it('is one row for a strategy and a model, with the error of the mean over windows', () => {
  const row = rowOf('maker', analyse(aSession([bought('a', 'one', true), bought('b', 'two', false), idle('three')])));
  // Results 6, -4 and 0: a deviation of 5.03, over the root of three.
  expect(row.windowMicros).toBeCloseTo((2 * ONE) / 3, 0);
  expect(row.errorMicros).toBeCloseTo(Math.sqrt(76 / 9) * ONE, 0);
  expect(tableOf([row]).split('\n')[2]).toBe(
    '| maker | `power:3` | +2.00 | +0.67 (2.91) | +0.20 | +1.80 | 0.00 | 2 (1) | 20 | 10 | +1.00 | +1.00 (0.00) | +1.00 |',
  );
});

it('says where markets were not played', () => {
  const halted = aMarket({ quoting: { ...aMarket().quoting, ordersPlaced: 0, haltedMs: 60_000 } });
  expect(tableOf([rowOf('maker', analyse(aSession([halted])))])).toContain('| 0.00, 1 not played |');
});

it('says in words what lies far from 0, and where the rule about crossings decides the sign', () => {
  const row = (strategy: string, model: string, resultMicros: number, fills = 1): EvidenceRow => ({
    ...rowOf(strategy, analyse(aSession([aMarket()]))),
    model,
    resultMicros,
    windowMicros: resultMicros,
    errorMicros: ONE,
    fills,
  });
  const rows = [
    ...[row('bold', 'risk-averse', -ONE), row('bold', 'posts-only', 2 * ONE), row('bold', 'optimistic', -ONE)],
    ...[row('mixed', 'risk-averse', ONE), row('mixed', 'optimistic', -ONE), row('mixed', 'posts-only', -ONE)],
    row('idle', 'posts-only', 0, 0),
  ];
  expect(wordsOf(rows)).toBe(
    'Of 7 means of a window these lie two standard errors or more from 0: `bold` under `posts-only` (+2.00). ' +
      '`bold` is below 0 under every queue where recorded makers trade, above 0 under every queue where they only post. ' +
      '`mixed` is above or below 0 with the queue where recorded makers trade, below 0 under every queue where they only post. ' +
      '`idle` has no fill.',
  );
  expect(wordsOf(rows.slice(2, 3))).toMatch(/^No mean of a window lies two standard errors/);
});
