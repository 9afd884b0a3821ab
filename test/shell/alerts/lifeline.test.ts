import { expect, test } from 'vitest';
import { Lifeline, type Work } from '../../../src/shell/alerts/conditions.js';

const MINUTE = 60_000;
const work = (minute: number, more: Partial<Work> = {}): Work => ({
  ...{ isCurrent: true, steps: minute * 600, answered: minute * 100, reconciledMs: minute * MINUTE, isGuarded: true },
  ...more,
});
/** Calls of each minute, with this work done. */
const calls = (works: readonly Work[]) => {
  const lifeline = new Lifeline(MINUTE, 0);
  return works.map((one, i) => lifeline.look(one, (i + 1) * MINUTE, (i + 1) * MINUTE));
};
const ALIVE = { kind: 'alive' };

test('a trader that works is called alive, as often as wanted and no oftener', () => {
  expect(calls([work(1), work(2), work(3)])).toEqual([ALIVE, ALIVE, ALIVE]);
  const lifeline = new Lifeline(MINUTE, 0);
  expect(lifeline.look(work(1), MINUTE - 1, MINUTE)).toBeNull();
});

test.each([
  ['the trader does not answer', { isCurrent: false }],
  ['the trader took no step', { steps: 600 }],
  ['the exchange answered nothing', { answered: 100 }],
  ['nothing was reconciled', { reconciledMs: 2 * MINUTE - 600_001 }],
  ['no guardian watches', { isGuarded: false }],
])('%s: that is said in place of being alive', (why, more) => {
  expect(calls([work(1), work(2, more)])).toEqual([ALIVE, { kind: 'failing', why }]);
});

test('a run that began anew is work', () => {
  expect(calls([work(5), work(1, { reconciledMs: 2 * MINUTE })])).toEqual([ALIVE, ALIVE]);
});
