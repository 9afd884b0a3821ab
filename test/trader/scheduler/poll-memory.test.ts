import { describe, expect, it } from 'vitest';
import type { PollResult } from '../../../src/trader/scheduler/poll-memory.js';
import { PollRecord } from '../../../src/trader/scheduler/poll-memory.js';

const MINUTE_MS = 60_000;

/** Times, s, of the requests for the list of markets, due each minute; `endOf` gives the result of the nth. */
function asked(endOf: (nth: number) => PollResult, untilS: number): readonly number[] {
  const poll = new PollRecord({ kind: 'catalog' }, 20);
  const seconds: number[] = [];
  for (let nowMs = 0; nowMs <= untilS * 1000; nowMs = Math.max(nowMs + 1, poll.readyFromMs(MINUTE_MS, nowMs))) {
    if (!poll.ready(MINUTE_MS, nowMs)) continue;
    poll.onAsk(nowMs);
    poll.onEnd(endOf(seconds.length), nowMs);
    seconds.push(Math.round(nowMs / 1000));
  }
  return seconds;
}

describe('a poll that is seldom due', () => {
  it('is asked again soon while it has never been answered: without the list of markets nothing is quoted', () => {
    expect(asked((nth) => (nth < 4 ? 'failed' : 'ok'), 100)).toEqual([0, 1, 3, 7, 15, 75]);
  });

  it('waits its time when its request never left, as where nobody can be reached: that has no backoff', () => {
    expect(asked((nth) => (nth === 0 ? 'failed' : 'unsent'), 130)).toEqual([0, 1, 61, 121]);
  });

  it('waits its time once it has been answered', () => {
    expect(asked((nth) => (nth === 1 ? 'failed' : 'ok'), 200)).toEqual([0, 60, 120, 180]);
  });
});
