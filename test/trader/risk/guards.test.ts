import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ActionPace, FillGuard, LossGuard, NO_FILLS } from '../../../src/trader/risk/loss-guard.js';
import { m, ONE } from './states.js';

const again = <T>(state: T): T => JSON.parse(JSON.stringify(state)) as T;

describe('the guard against many fills in a short time', () => {
  const limits = { maxFills: 3, fillsWindowS: 10 };

  it('halts at one fill too many within its window, says so once, and stays halted over a restart', () => {
    const guard = new FillGuard(NO_FILLS);
    expect([100, 103, 106].map((timeS) => guard.observe(timeS, limits))).toEqual([null, null, null]);
    expect(guard.observe(109, limits)).toBe('4 fills within 10 s, the limit is 3');
    expect(guard.observe(110, limits)).toBeNull();
    const restarted = new FillGuard(again(guard.state));
    restarted.observe(5_000, limits);
    expect(restarted.state.halted).toBe('4 fills within 10 s, the limit is 3');
  });

  it('counts anew once a person has resumed', () => {
    const guard = new FillGuard({ timesS: [1, 1, 1, 1], halted: 'many' });
    guard.resume();
    expect(guard.state.halted).toBeNull();
    expect([1, 1, 1].map((timeS) => guard.observe(timeS, limits))).toEqual([null, null, null]);
    expect(guard.observe(1, limits)).not.toBeNull();
  });

  it('does not halt later for an earlier burst that a lower limit would have forbidden', () => {
    const guard = new FillGuard({ timesS: [1, 2, 3, 4], halted: null });
    expect(guard.observe(5_000, limits)).toBeNull();
    expect([5_001, 5_002, 5_003].map((timeS) => guard.observe(timeS, limits))[2]).toContain('4 fills within 10 s');
  });

  it('is halted exactly when some window of the times so far holds too many, in whatever order they are read', () => {
    const times = fc.array(fc.integer({ min: 1000, max: 1060 }), { maxLength: 14 });
    const bounds = fc.record({
      maxFills: fc.integer({ min: 1, max: 5 }),
      fillsWindowS: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(times, bounds, fc.nat(), (all, { maxFills, fillsWindowS }, cut) => {
        // Each page lists its newest fills first, so fills arrive in any order within the guard's memory.
        const read = all.length <= 4 * (maxFills + 1) ? all : [...all].sort((a, b) => a - b);
        let guard = new FillGuard(NO_FILLS);
        let tooMany = false;
        for (const [i, timeS] of read.entries()) {
          guard.observe(timeS, { maxFills, fillsWindowS });
          const seen = read.slice(0, i + 1);
          tooMany ||= seen.some((from) => seen.filter((t) => t >= from && t < from + fillsWindowS).length > maxFills);
          if (i === cut % 14) guard = new FillGuard(again(guard.state));
          expect(guard.state.halted !== null).toBe(tooMany);
        }
      }),
      { numRuns: 500 },
    );
  });
});

it('the pace of orders and cancels is the count within a second and a minute, whichever process began them', () => {
  const steps = fc.array(
    fc.record({ waitMs: fc.constantFrom(0, 1, 400, 999, 1000, 20_000, 59_999), restart: fc.boolean() }),
  );
  fc.assert(
    fc.property(steps, (all) => {
      const begun: number[] = [];
      let [pace, nowMs] = [new ActionPace([]), 1_700_000_000_000];
      for (const { waitMs, restart } of all) {
        nowMs += waitMs;
        // The ledger returns the newest rows first.
        if (restart) pace = new ActionPace([...begun].reverse());
        const within = (ms: number) => begun.filter((timeMs) => Math.abs(nowMs - timeMs) < ms).length;
        expect(pace.facts(nowMs)).toEqual({ lastSecond: within(1000), lastMinute: within(60_000) });
        pace.note(nowMs);
        begun.push(nowMs);
      }
    }),
    { numRuns: 300 },
  );
});

describe('a clock that is set back', () => {
  it('hides nothing of what was begun just before from the pace', () => {
    const pace = new ActionPace([]);
    for (let n = 0; n < 5; n++) pace.note(1_000_000 + n);
    expect(pace.facts(1_000_000 - 30_000)).toEqual({ lastSecond: 0, lastMinute: 5 });
  });

  it('loses nothing by a look from far away', () => {
    const pace = new ActionPace([1_000_000]);
    expect(pace.facts(2_000_000)).toEqual({ lastSecond: 0, lastMinute: 0 });
    expect(pace.facts(1_000_000)).toEqual({ lastSecond: 1, lastMinute: 1 });
  });
});

describe('what is stored of losses', () => {
  const limits = { maxLossDayMicros: m(50 * ONE), maxDrawdownMicros: m(100 * ONE) };
  const START = Date.UTC(2026, 10, 21, 23, 30);

  it('measures, after a crash at any moment, within a hundredth of the smaller limit, and knows of every halt', () => {
    const look = fc.record({
      minutes: fc.integer({ min: 0, max: 200 }),
      byMicros: fc.integer({ min: -3e6, max: 3e6 }),
    });
    fc.assert(
      fc.property(fc.array(look, { maxLength: 60 }), (all) => {
        let [nowMs, equity] = [START, 1000 * ONE];
        const guard = LossGuard.start(nowMs, m(equity));
        let stored = again(guard.state);
        for (const { minutes, byMicros } of all) {
          nowMs += minutes * 60_000;
          equity += byMicros;
          guard.observe(nowMs, m(equity), limits);
          if (guard.hasMovedFrom(stored, limits)) stored = again(guard.state);
          const restarted = new LossGuard(stored);
          restarted.observe(nowMs, m(equity), limits);
          const [here, there] = [guard.facts, restarted.facts];
          expect(Math.abs(here.dayLossMicros - there.dayLossMicros)).toBeLessThan(0.5 * ONE);
          expect(Math.abs(here.drawdownMicros - there.drawdownMicros)).toBeLessThan(0.5 * ONE);
          if (here.halted !== null) expect(there.halted).toBe(here.halted);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('has no end of the day that only a wrong clock saw', () => {
    const guard = LossGuard.start(START, m(1000 * ONE));
    const before = again(guard.state);
    guard.observe(START + 3_600_000, m(1000 * ONE), limits);
    const wrong = again(guard.state);
    guard.observe(START + 1, m(1000 * ONE), limits);
    expect([guard.hasMovedFrom(wrong, limits), guard.hasMovedFrom(before, limits)]).toEqual([true, false]);
  });

  it('is not begun anew by resuming from a pause: a loss is accepted only once it has halted trading', () => {
    const guard = LossGuard.start(START, m(1000 * ONE));
    guard.observe(START + 1, m(955 * ONE), limits);
    guard.resume();
    expect(guard.facts).toMatchObject({ dayLossMicros: 45 * ONE, drawdownMicros: 45 * ONE });
    expect(guard.observe(START + 2, m(950 * ONE), limits)).toBe('lost 50 today, the limit is 50');
    guard.resume();
    expect(guard.facts).toEqual({ dayLossMicros: 0, drawdownMicros: 0, halted: null });
  });
});
