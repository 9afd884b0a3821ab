import { describe, expect, it } from 'vitest';
import { times } from '../../support/effort.js';
import { ordinaryDays } from './virtual-trader.js';

const DAYS = times(10, 30);

describe(`${DAYS} days of an ordinary trader`, () => {
  it('raise no alarm: pauses, slow disks, restarts, crashes that are mended at once, suspends, clock steps', () => {
    const { done, had } = ordinaryDays(DAYS, 20_261_121);
    expect(done, JSON.stringify([...had])).toEqual([]);
    // Each kind must have happened, or the test proves nothing.
    expect([...had.keys()].sort()).toEqual(['clock', 'crash', 'disk', 'pause', 'restart', 'suspend']);
    expect(had.get('pause')).toBeGreaterThan(33 * DAYS);
  });
});
