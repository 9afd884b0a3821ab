/** A budget that answers reduce is reported once. */

import { expect, it } from 'vitest';
import { BudgetWatch } from '../../../src/trader/scheduler/budget.js';
import { RequestQueue } from '../../../src/trader/scheduler/request-queue.js';
import { askOf, LIMITS } from './world.js';

/** A venue whose answers report this public budget at each second. */
function tell(seconds: number, say: (second: number) => { limit: number; remaining: number } | null) {
  const queue = new RequestQueue(LIMITS);
  const watch = new BudgetWatch(LIMITS);
  const told: string[] = [];
  for (let second = 0; second < seconds; second++) {
    const nowMs = 1_700_000_000_000 + 1000 * second;
    const said = say(second);
    if (second % 2 === 0) queue.push(askOf('public', 'quiet', 'name', nowMs + 500));
    for (const { id: requestId } of queue.release(nowMs).requests)
      queue.onOutcome({
        kind: 'outcome',
        requestId,
        outcome: { kind: 'answered', data: [] as never, nextCursor: null },
        nowMs,
        sentMs: nowMs,
        venueTimeMs: nowMs,
        budget: said === null ? null : { scope: 'public', resetMs: nowMs + 1000, ...said },
      });
    for (const { kind, text } of watch.look(queue, nowMs)) told.push(`${second} ${kind}: ${text}`);
  }
  return told;
}

it('says nothing while there is enough', () => expect(tell(300, () => ({ limit: 120, remaining: 60 }))).toEqual([]));

it('says that others use it, once for all answers that say so, and that it is over', () => {
  const told = tell(600, (s) => (s > 20 && s < 300 && s % 60 < 30 ? { limit: 120, remaining: 0 } : null));
  expect(told).toEqual([
    '32 budget_short: only 6 of 120 public requests a minute are available: other programs seem to send requests; market reads wait',
    expect.stringMatching(/^\d+ budget_back: 114 public requests a minute are available again$/),
  ]);
});

it('says what limit is told', () => {
  const [told] = tell(120, (s) => (s > 20 ? { limit: 4, remaining: 4 } : null));
  expect(told).toMatch(
    /3 of 120 public requests a minute are available: the exchange's request limit is 4; market reads wait$/,
  );
});
