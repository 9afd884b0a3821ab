import { expect, test } from 'vitest';
import { startLifeline } from '../../../src/shell/alerts/conditions.js';
import { ACCOUNT, agreedAt } from '../console/state-of-markets.js';
import { FACTS } from './facts.js';

const MINUTE = 60_000;
const IDLE = { isCurrent: true, steps: 0, answered: 0, reconciledMs: 0, isGuarded: true };
const work = (minute: number, more: Partial<typeof IDLE> = {}) => ({
  ...{ ...IDLE, steps: minute * 600, answered: minute * 100, reconciledMs: minute * MINUTE },
  ...more,
});
const look = (lifeline: ReturnType<typeof startLifeline>, one: typeof IDLE, steadyMs: number, nowMs: number) => {
  const { isCurrent, steps, answered, reconciledMs, isGuarded } = one;
  const requests = ACCOUNT.health.requests.map((row) => ({ ...row, answered }));
  const account = { ...ACCOUNT, reconciled: agreedAt(reconciledMs), health: { ...ACCOUNT.health, steps, requests } };
  return lifeline({ ...FACTS, nowMs, steadyMs, isGuarded, account }, isCurrent);
};
/** Calls of each minute, with this work done. */
const calls = (works: readonly (typeof IDLE)[]) => {
  const lifeline = startLifeline(0);
  return works.map((one, i) => look(lifeline, one, (i + 1) * MINUTE, (i + 1) * MINUTE));
};
const ALIVE = '';

test('a trader that works is called alive, as often as wanted and no oftener', () => {
  expect(calls([work(1), work(2), work(3)])).toEqual([ALIVE, ALIVE, ALIVE]);
  expect(look(startLifeline(0), work(1), MINUTE - 1, MINUTE)).toBeNull();
});

test.each([
  ['the trader does not answer', { isCurrent: false }],
  ['the trader’s loop made no step', { steps: 600 }],
  ['the exchange answered no request', { answered: 100 }],
  ['nothing was reconciled', { reconciledMs: 2 * MINUTE - 600_001 }],
  ['no guardian is active', { isGuarded: false }],
])('%s: that is said in place of being alive', (why, more) => {
  expect(calls([work(1), work(2, more)])).toEqual([ALIVE, why]);
});

test('a new run counts as work', () =>
  expect(calls([work(5), work(1, { reconciledMs: 2 * MINUTE })])).toEqual([ALIVE, ALIVE]));
