/** Messages of a session about itself: bounded, and important ones are never crowded out. */

import { expect, it } from 'vitest';
import { RequestCount } from '../../../src/lab/backtest/session.js';
import type { TraderSnapshot } from '../../../src/trader/engine/snapshot.js';
import { PROFILE } from '../../simulation/setting.js';

it('a halt is heard of however much else was said before it', () => {
  const count = new RequestCount(PROFILE.rate_limits);
  for (let i = 0; i < 5_000; i++) count.notices([{ timeMs: i, severity: 'info', kind: 'fill', text: `fill ${i}` }]);
  count.notices([{ timeMs: 6_000, severity: 'loud', kind: 'halted', text: 'loss limit' }]);
  expect(count.said.length).toBeLessThan(600);
  expect(count.said.filter(({ severity }) => severity === 'loud').map(({ text }) => text)).toEqual(['loss limit']);
  expect(count.said.at(-1)?.text).toBe('4500 further notices were left out');
});

it('what strategies say counts by its words, under what was said first', () => {
  const count = new RequestCount(PROFILE.rate_limits);
  const unquoted = (note: string) => ({ conditionId: 'a', refusals: [], bidMicros: null, askMicros: null, note });
  for (const note of [
    'resolves in 840 s, stays out for 3600 s',
    'no book',
    'resolves in 780.5 s, stays out for 3600 s',
  ]) {
    // Only these fields of a snapshot are read.
    count.onSnapshot({ unsent: 0, markets: [unquoted(note)] } as unknown as TraderSnapshot);
  }
  expect(count.refused).toEqual([
    { by: 'guard', name: 'resolves in 840 s, stays out for 3600 s', count: 2 },
    { by: 'guard', name: 'no book', count: 1 },
  ]);
});
