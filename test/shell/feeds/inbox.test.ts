/** The inbox of a feed, whose values reach a core with the same limits. */

import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { FeedValue } from '../../../src/shared/protocol/seam.js';
import { FeedInbox, TOGETHER_MS } from '../../../src/shell/feeds/inbox.js';

const NOW_MS = 1_770_000_000_000;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW_MS });
  onTestFinished(() => void vi.useRealTimers());
});

function opened() {
  const passed: FeedValue[] = [];
  const said: string[] = [];
  const inbox = new FeedInbox('model', {
    deliver: (_feed, values) => void passed.push(...values),
    loud: (text) => void said.push(text),
    quiet: () => undefined,
  });
  /** Sends one row for each market, and returns the markets whose values were passed to the core. */
  const send = (markets: readonly string[], at = NOW_MS): readonly string[] => {
    for (const market of markets) inbox.line({ row: { market, p: 0.6, at } });
    vi.advanceTimersByTime(TOGETHER_MS);
    return passed.splice(0).map(({ conditionId }) => conditionId);
  };
  return { inbox, passed, said, send };
}

it('passes on the values of any number of markets, and forgets the least recently updated market', () => {
  const { inbox, said, send } = opened();
  expect(send(Array.from({ length: 2000 }, (_, index) => `M${index}`))).toHaveLength(2000);
  expect([send(['M0'], NOW_MS + 1), send(['new'])]).toEqual([['M0'], ['new']]);
  expect([send(['M0'], NOW_MS + 1), send(['M1']), send(['new'])]).toEqual([[], ['M1'], []]);
  expect([said, inbox.status.problems]).toEqual([[], 0]);
});

it('passes markets on in the order of their newest values, because the core forgets by this order', () => {
  const { inbox, send } = opened();
  inbox.line({ row: { market: 'A', p: 0.5, at: NOW_MS } });
  expect(send(['B', 'A'])).toEqual(['B', 'A']);
});

it('passes on no value from before a clock that was set back, until the value is sent again', () => {
  const { inbox, passed, send } = opened();
  inbox.line({ row: { market: 'A', p: 0.6, at: NOW_MS } });
  vi.setSystemTime(NOW_MS - 500);
  vi.advanceTimersByTime(TOGETHER_MS);
  expect(passed).toEqual([]);
  vi.setSystemTime(NOW_MS);
  expect(send(['A'])).toEqual(['A']);
});
