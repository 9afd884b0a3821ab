import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RateLimit } from '../../../src/exchange/http/rate-guard.js';

const WINDOW_MS = 60_000;

/** The obvious model: stores every call and counts them. */
class PlainWindow {
  readonly #limit: number;
  readonly #taken: number[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  take(nowMs: number): ReturnType<RateLimit['take']> {
    const inside = () => this.#taken.filter((time) => time > nowMs - WINDOW_MS);
    const allowed = inside().length < this.#limit;
    if (allowed) this.#taken.push(nowMs);
    const [oldest = Number.NaN] = inside();
    return { allowed, limit: this.#limit, remaining: this.#limit - inside().length, resetMs: oldest + WINDOW_MS };
  }

  get taken(): readonly number[] {
    return this.#taken;
  }
}

const gaps = fc.array(fc.oneof(fc.constant(0), fc.nat(50), fc.nat(5_000), fc.nat(70_000)), { maxLength: 400 });

describe('sliding windows', () => {
  it('let through exactly what the plain model lets through, for every key on its own', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        gaps,
        fc.array(fc.nat(2), { maxLength: 400 }),
        (limit, steps, keys) => {
          const window = new RateLimit(limit);
          const plain = new Map<string, PlainWindow>();
          let nowMs = 1_700_000_000_000;
          for (const [at, step] of steps.entries()) {
            nowMs += step;
            const key = `key ${keys[at] ?? 0}`;
            const model = plain.get(key) ?? new PlainWindow(limit);
            plain.set(key, model);
            expect(window.take(key, nowMs)).toEqual(model.take(nowMs));
          }
          for (const model of plain.values()) expect(mostInOneWindow(model.taken)).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: 200 },
    ));

  it('name the moment from which one more request fits, to the millisecond', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.nat(4_000), { minLength: 1, maxLength: 200 }),
        (limit, steps) => {
          const window = new RateLimit(limit);
          let nowMs = 0;
          for (const step of steps) {
            nowMs += step;
            const verdict = window.take('key', nowMs);
            if (verdict.allowed) continue;
            expect(window.take('key', verdict.resetMs - 1).allowed).toBe(false);
            expect(window.take('key', verdict.resetMs).allowed).toBe(true);
            return;
          }
        },
      ),
    ));

  it('treat held keys alike in calm and in a flood of made-up keys, and lets none of those exceed the limit', () => {
    const limit = 3;
    const maxStrangers = 4;
    const isHeld = (key: string) => key.startsWith('held');
    const keys = fc.oneof(
      fc.nat(2).map((n) => `held ${n}`),
      fc.nat(30).map((n) => `made up ${n}`),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(keys, fc.oneof(fc.nat(500), fc.nat(15_000))), { maxLength: 600 }), (arrivals) => {
        const windows = new RateLimit(limit, maxStrangers);
        const plain = new Map<string, PlainWindow>();
        const taken = new Map<string, number[]>();
        let nowMs = 0;
        for (const [key, step] of arrivals) {
          nowMs += step;
          const verdict = windows.take(key, nowMs, isHeld);
          if (verdict.allowed) taken.set(key, [...(taken.get(key) ?? []), nowMs]);
          if (!isHeld(key)) continue;
          const model = plain.get(key) ?? new PlainWindow(limit);
          plain.set(key, model);
          expect(verdict).toEqual(model.take(nowMs));
        }
        for (const times of taken.values()) expect(mostInOneWindow(times)).toBeLessThanOrEqual(limit);
        expect(windows.size).toBeLessThanOrEqual(maxStrangers + 3);
      }),
      { numRuns: 300 },
    );
  });

  it('keep a bounded number under a million made-up keys, and are as good as new a minute later', () => {
    const windows = new RateLimit(300);
    for (let n = 0; n < 1_000_000; n++) windows.take(`made up ${n}`, n / 100);
    expect([windows.size, windows.take('one more', 10_000).allowed]).toEqual([10_000, false]);
    expect(windows.take('one more', 10_000, () => true)).toMatchObject({ allowed: true, remaining: 299 });
    expect(windows.take('a stranger', 10_000 + WINDOW_MS)).toMatchObject({ allowed: true, remaining: 299 });
    expect(windows.size).toBeLessThan(10);
  });

  it('let nobody begin anew by moving from the shared window to his own', () => {
    const windows = new RateLimit(2, 1);
    windows.take('first', 0);
    for (const nowMs of [50_000, 50_001]) expect(windows.take('late', nowMs).allowed).toBe(true);
    // The first window is empty by now, so it would have room.
    expect(windows.take('late', WINDOW_MS + 1).allowed).toBe(false);
    expect(windows.take('late', 50_001 + WINDOW_MS)).toMatchObject({ allowed: true, remaining: 1 });
  });
});

function mostInOneWindow(times: readonly number[]): number {
  const counts = times.map((start) => times.filter((time) => time >= start && time < start + WINDOW_MS).length);
  return Math.max(0, ...counts);
}
