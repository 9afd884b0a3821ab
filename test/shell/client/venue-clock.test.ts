import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VenueClock } from '../../../src/shell/client/caller.js';

/** One answer: the venue's true clock is `offset` ahead of our monotonic one, its header is cut to the second. */
function answer(clock: VenueClock, sentMs: number, outMs: number, backMs: number, offset: number, wallOffset = 0) {
  const dateMs = Math.floor((sentMs + outMs + offset) / 1_000) * 1_000;
  const seenMonotonicMs = sentMs + outMs + backMs;
  return clock.observe(dateMs, { sentMonotonicMs: sentMs, seenMonotonicMs, wallMs: seenMonotonicMs + wallOffset });
}

/** Expects the true offset within the uncertainty and this slack. */
function expectNear(estimate: ReturnType<VenueClock['offset']>, offset: number, slackMs = 1): void {
  const { offsetMs = Number.NaN, uncertaintyMs = 0 } = estimate ?? {};
  expect(Math.abs(offsetMs - offset)).toBeLessThanOrEqual(uncertaintyMs + slackMs);
}

describe('the venue’s clock', () => {
  it('always lies within the uncertainty, which only shrinks as answers come', () => {
    const sample = fc.record({
      waitMs: fc.nat({ max: 3_000 }),
      outMs: fc.nat({ max: 800 }),
      backMs: fc.nat({ max: 800 }),
    });
    const offsets = fc.integer({ min: -1e9, max: 1e12 });
    fc.assert(
      fc.property(offsets, fc.array(sample, { minLength: 1, maxLength: 40 }), (offset, samples) => {
        const clock = new VenueClock();
        let now = 1_000_000;
        for (const { waitMs, outMs, backMs } of samples) {
          now += waitMs;
          answer(clock, now, outMs, backMs, offset);
          const seen = now + outMs + backMs;
          const estimate = clock.offset(seen, seen);
          expectNear(estimate, offset);
          expect(estimate?.uncertaintyMs).toBeLessThanOrEqual(500 + (outMs + backMs) / 2 + 1);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is known to some milliseconds after a hundred quick answers', () => {
    const clock = new VenueClock();
    for (let n = 0; n < 100; n++) answer(clock, n * 137, 1, 1, 12_345);
    expect(clock.offset(13_700, 13_700)?.uncertaintyMs).toBeLessThan(50);
    expect(Math.abs((clock.venueMs(13_700) ?? 0) - 26_045)).toBeLessThan(50);
  });

  it('follows clocks that drift apart by 400 ppm', () => {
    const clock = new VenueClock();
    for (let n = 0; n < 2_000; n++) {
      const sentMs = n * 1_100;
      const drifted = 5_000 + sentMs * 0.0004;
      answer(clock, sentMs, 2, 2, drifted);
      expectNear(clock.offset(sentMs + 4, sentMs + 4), drifted, 2);
    }
  });

  it.each([300_000, -300_000, 4_000])('follows a step of %d ms at the first answer and says so once', (step) => {
    const clock = new VenueClock();
    expect(answer(clock, 0, 5, 5, 0)).toBeNull();
    const notice = answer(clock, 5_000, 5, 5, step);
    expect(notice).toMatchObject({ kind: 'clock_offset', previousOffsetMs: expect.any(Number) });
    expectNear(notice, step);
    expect(answer(clock, 6_000, 5, 5, step)).toBeNull();
  });

  it('says at first sight when the clocks differ, and nothing when they do not', () => {
    expect(answer(new VenueClock(), 0, 5, 5, 300_000)).toMatchObject({ previousOffsetMs: null });
    expect(answer(new VenueClock(), 0, 5, 5, 900)).toBeNull();
  });

  it('says no more than three times a minute that the clocks differ where each answer comes from another server', () => {
    const clock = new VenueClock();
    const notices = Array.from({ length: 3_000 }, (_, n) => answer(clock, n * 100, 5, 5, n % 2 === 0 ? 0 : 5_000));
    expect(notices.filter((notice) => notice !== null)).toHaveLength(15);
  });

  it('does not move when our wall clock steps, but says so', () => {
    const clock = new VenueClock();
    answer(clock, 0, 5, 5, 1_000);
    const before = clock.venueMs(10_000) ?? 0;
    const notice = answer(clock, 2_000, 5, 5, 1_000, 300_000);
    expect(Math.abs((notice?.offsetMs ?? 0) + 299_000)).toBeLessThan(1_000);
    expect(Math.abs((clock.venueMs(10_000) ?? 0) - before)).toBeLessThan(1_000);
  });

  it('knows nothing before the first answer, and only the last after a restart', () => {
    const clock = new VenueClock();
    expect([clock.venueMs(0), clock.offset(0, 0)]).toEqual([null, null]);
    for (let n = 0; n < 50; n++) answer(clock, n * 130, 1, 1, 0);
    const times = { sentMonotonicMs: 7_000, seenMonotonicMs: 7_010, wallMs: 7_010 };
    clock.forget();
    clock.observe(7_000, times);
    expect(clock.offset(7_010, 7_010)?.uncertaintyMs).toBeGreaterThan(400);
  });
});
