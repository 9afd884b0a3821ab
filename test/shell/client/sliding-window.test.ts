import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../../src/shared/base/sliding-minute.js';
import { Pacing, SlidingWindow } from '../../../src/shell/client/pacing.js';

/** A venue by the interface's rule: it rejects a request if its last minute already has `limit` of them. */
function plainVenue(limit: number) {
  const arrivals: number[] = [];
  return (atMs: number): boolean => {
    const recent = arrivals.filter((arrival) => arrival > atMs - MINUTE_MS && arrival <= atMs).length;
    if (recent < limit) arrivals.push(atMs);
    return recent < limit;
  };
}

describe('the sliding window', () => {
  it('never lets through what the venue would refuse, however long requests take', () => {
    const step = fc.record({
      waitMs: fc.nat({ max: 9_000 }),
      outMs: fc.nat({ max: 5_000 }),
      backMs: fc.nat({ max: 5_000 }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.array(step, { maxLength: 120 }), (limit, steps) => {
        const window = new SlidingWindow(limit);
        const arrivals: number[] = [];
        let answers: number[] = [];
        let nowMs = 0;
        for (const { waitMs, outMs, backMs } of steps) {
          nowMs += waitMs;
          for (const due of answers.filter((at) => at <= nowMs).sort((a, b) => a - b)) window.finish(due);
          answers = answers.filter((at) => at > nowMs);
          if (window.free(nowMs) < 1) continue;
          window.start();
          arrivals.push(nowMs + outMs);
          answers.push(nowMs + outMs + backMs);
        }
        const accepts = plainVenue(limit);
        for (const arrival of arrivals.sort((a, b) => a - b)) expect(accepts(arrival)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('wastes nothing: with instant answers it allows exactly what the venue allows', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.nat({ max: 20_000 }), { maxLength: 120 }),
        (limit, waits) => {
          const [window, accepts] = [new SlidingWindow(limit), plainVenue(limit)];
          let nowMs = 0;
          for (const wait of waits) {
            nowMs += wait;
            const free = window.free(nowMs) >= 1;
            expect(free).toBe(accepts(nowMs));
            if (!free) {
              expect(window.nextFreeMs(nowMs)).toBeGreaterThan(nowMs);
              continue;
            }
            window.start();
            window.finish(nowMs);
          }
        },
      ),
      { numRuns: 300 },
    ));

  it('says when a place comes free, and gives back the place of what never left', () => {
    const window = new SlidingWindow(2);
    window.start();
    window.finish(1_000);
    window.start();
    expect([window.free(2_000), window.nextFreeMs(2_000)]).toEqual([0, 1_000 + MINUTE_MS]);
    window.giveBack();
    expect([window.free(2_000), window.free(1_000 + MINUTE_MS)]).toEqual([1, 2]);
    window.start();
    window.start();
    expect(window.nextFreeMs(99_000)).toBe(Number.POSITIVE_INFINITY);
  });

  it('takes the venue’s word on its limit when it is said twice, and on what others used, for one window', () => {
    const window = new SlidingWindow(100);
    for (const limit of [10, 1, 10]) {
      window.learn(limit, 0, 0);
      expect(window.free(0)).toBe(100);
    }
    window.start();
    window.learn(10, 3, 0);
    window.finish(0);
    expect(window.free(0)).toBe(3);
    window.start();
    window.learn(10, 5, 10);
    window.finish(10);
    expect([window.free(10), window.free(10 + MINUTE_MS)]).toEqual([5, 10]);
  });

  it('tries what was let through after an unexplained refusal, and twice as much after each minute without one', () => {
    const window = new SlidingWindow(80);
    for (let n = 0; n < 20; n++) {
      window.start();
      window.finish(0);
    }
    window.distrust(1_000, false);
    expect([window.free(1_000), window.nextFreeMs(1_000), window.free(1_000 + MINUTE_MS)]).toEqual([0, MINUTE_MS, 40]);
    expect(window.free(1_000 + 2 * MINUTE_MS)).toBe(80);
    window.distrust(500_000, false);
    expect(window.free(500_000)).toBe(10);
    window.distrust(500_000 + MINUTE_MS, true);
    expect(window.free(500_000 + MINUTE_MS)).toBe(10);
    expect(window.nextFreeMs(500_000 + MINUTE_MS)).toBe(500_000 + 2 * MINUTE_MS);
  });

  it('counts right over a million requests', () => {
    const window = new SlidingWindow(1_000);
    let least = 1_000;
    for (let n = 0; n < 1_000_000; n++) {
      window.start();
      window.finish(n * 100);
      least = Math.min(least, window.free(n * 100));
    }
    // Ten a second are 600 a minute.
    expect(least).toBe(400);
    expect(window.free(100_000_000 + MINUTE_MS)).toBe(1_000);
  });
});

const PROFILE_LIMIT = 200;
const SENT = 40;
const PAUSE_MS = 1_000;

/** Forty requests were answered; the venue rejected the next two with a Retry-After of a second each. */
function refused(budget: { readonly limit: number; readonly remaining: number } | null): Pacing {
  const pacing = new Pacing(PROFILE_LIMIT, Number.POSITIVE_INFINITY, () => 0);
  for (let i = 0; i < SENT; i++) {
    pacing.start('place');
    pacing.onAnswer('place', { genuine: true, throttled: false, askedMs: null, budget: null }, 0);
  }
  for (let i = 0; i < 2; i++) {
    pacing.start('place');
    pacing.onAnswer('place', { genuine: true, throttled: true, askedMs: PAUSE_MS, budget }, 0);
  }
  return pacing;
}

it.each([
  ['named by the venue', { limit: SENT, remaining: 0 }, Number.POSITIVE_INFINITY],
  ['a guess of ours', null, 2 * PAUSE_MS],
])('cancels and own reads probe after the pause as the limit is %s', (_, budget, probeMs) => {
  const pacing = refused(budget);
  expect(pacing.freePermits(2 * PAUSE_MS)).toBeLessThan(1);
  expect(pacing.nextProbeMs(false, 2 * PAUSE_MS)).toBe(probeMs);
  // Within the Retry-After only the cancels of a kill are sent.
  expect(pacing.nextProbeMs(false, PAUSE_MS / 2)).toBe(Number.POSITIVE_INFINITY);
  expect(pacing.nextProbeMs(true, PAUSE_MS / 2)).toBeLessThan(2 * PAUSE_MS);
});
