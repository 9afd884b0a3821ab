import { expect, it } from 'vitest';
import { CALM } from './faults.js';
import { STANDARD } from './setting.js';
import { simulate } from './simulate.js';

const MINUTE_MS = 60_000;
const OUTAGE_MS = 20_000;

it('while connections are refused, drafts are not asked for as fast as they are', () => {
  let drafts = 0;
  const { violations, tally } = simulate({
    seed: 3,
    faultyMs: MINUTE_MS,
    setting: STANDARD,
    faults: CALM,
    begin: ({ network, timeline }) => {
      const startMs = timeline.nowMs + MINUTE_MS / 3;
      // It starts with a draft: there is always an order to place.
      network.script = ({ endpoint }, nowMs) => {
        if (endpoint !== 'orders.create' || nowMs < startMs) return null;
        if (drafts === 0) network.outageUntilMs = nowMs + OUTAGE_MS;
        if (nowMs < network.outageUntilMs) drafts++;
        return null;
      };
    },
  });
  expect(violations).toEqual([]);
  expect(tally.of('fault: unreachable')).toBeGreaterThan(5);
  expect(drafts).toBeLessThan(30);
});
