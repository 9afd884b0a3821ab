import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MINUTE_MS, SlidingMinute } from '../../../src/shared/base/sliding-minute.js';

it('a moment counts for a whole minute after it, and then no more', () => {
  const minute = new SlidingMinute();
  minute.add(1_000);
  expect([minute.countAt(1_000), minute.countAt(1_000 + MINUTE_MS - 1)]).toEqual([1, 1]);
  expect([minute.countAt(1_000 + MINUTE_MS), minute.leavesMs(1_000)]).toEqual([0, 1_000 + MINUTE_MS]);
});

it('a clock that leaps and comes back finds what it counted, unless that was forgotten', () => {
  const minute = new SlidingMinute();
  minute.add(1_000);
  expect([minute.countAt(500_000), minute.countAt(2_000)]).toEqual([0, 1]);
  minute.forget(500_000);
  expect([minute.countAt(2_000), minute.size, minute.newestMs]).toEqual([0, 0, null]);
});

it('counts as a list of all moments does, however many come and go', () => {
  const steps = fc.array(
    fc.record({ passMs: fc.oneof(fc.nat(20_000), fc.constant(0)), moments: fc.nat(9), isForgetting: fc.boolean() }),
    { minLength: 1, maxLength: 60 },
  );
  fc.assert(
    fc.property(steps, fc.nat(12), (taken, skipped) => {
      const minute = new SlidingMinute();
      const all: number[] = [];
      let nowMs = 0;
      for (const { passMs, moments, isForgetting } of taken) {
        nowMs += passMs;
        for (let i = 0; i < moments; i++) {
          minute.add(nowMs);
          all.push(nowMs);
        }
        if (isForgetting) minute.forget(nowMs);
        const counted = all.filter((timeMs) => timeMs > nowMs - MINUTE_MS);
        const leaving = counted[skipped];
        expect(minute.countAt(nowMs)).toBe(counted.length);
        expect(minute.leavesMs(nowMs, skipped)).toBe(leaving === undefined ? null : leaving + MINUTE_MS);
        expect(minute.newestMs ?? nowMs).toBe(minute.size === 0 ? nowMs : all.at(-1));
        if (isForgetting) expect(minute.size).toBe(counted.length);
      }
    }),
  );
});
