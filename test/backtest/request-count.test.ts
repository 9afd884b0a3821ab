/** What a session says of itself: bounded, and what matters is never crowded out. */

import { expect, it } from 'vitest';
import { RequestCount } from '../../src/backtest/request-count.js';
import { PROFILE } from '../simulation/setting.js';

it('a halt is heard of however much else was said before it', () => {
  const count = new RequestCount(PROFILE.rate_limits);
  for (let i = 0; i < 5_000; i++) count.notices([{ timeMs: i, severity: 'info', kind: 'fill', text: `fill ${i}` }]);
  count.notices([{ timeMs: 6_000, severity: 'loud', kind: 'halted', text: 'loss limit' }]);
  expect(count.said.length).toBeLessThan(600);
  expect(count.said.filter(({ severity }) => severity === 'loud').map(({ text }) => text)).toEqual(['loss limit']);
  expect(count.said.at(-1)?.text).toBe('4500 further notices are left out');
});
