import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VenueTimeBounds } from '../../../src/trader/engine/venue-clock.js';
import { forAll } from '../for-all.js';

describe('the venue clock', () => {
  it('knows nothing before the first answer', () => expect(new VenueTimeBounds().nowMs(5)).toBeNull());

  it('meets the true offset within the shortest round trip, whatever the answers', () => {
    const answer = fc.record({ gapMs: fc.integer({ min: 1, max: 5000 }), tripMs: fc.integer({ min: 1, max: 400 }) });
    const offsets = fc.integer({ min: -400_000, max: 400_000 });
    forAll([offsets, fc.array(answer, { minLength: 1, maxLength: 60 })], (offset, answers) => {
      const clock = new VenueTimeBounds();
      let now = 1_700_000_000_000;
      for (const { gapMs, tripMs } of answers) {
        now += gapMs;
        clock.observe(Math.floor((now + tripMs / 2 + offset) / 1000) * 1000, now, now + tripMs);
        now += tripMs;
      }
      const found = clock.offsetMs ?? Number.NaN;
      expect(Math.abs(found - offset)).toBeLessThanOrEqual(500 + Math.min(...answers.map(({ tripMs }) => tripMs)));
    });
  });

  it('follows a step of either clock with the next answer', () => {
    const clock = new VenueTimeBounds();
    clock.observe(1_000_000, 1_000_000, 1_000_050);
    clock.observe(1_310_000, 1_010_000, 1_010_050);
    expect(Math.abs((clock.offsetMs ?? 0) - 300_000)).toBeLessThan(1_100);
  });
});
