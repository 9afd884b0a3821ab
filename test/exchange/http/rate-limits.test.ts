import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RateLimit } from '../../../src/exchange/http/rate-limits.js';

const WINDOW_MS = 60_000;

/** The obvious model: remembers everything, counts by looking. */
class PlainWindow {
  readonly #limit: number;
  readonly #taken: number[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  take(nowMs: number): { allowed: boolean; remaining: number } {
    const inside = () => this.#taken.filter((time) => time > nowMs - WINDOW_MS).length;
    const allowed = inside() < this.#limit;
    if (allowed) this.#taken.push(nowMs);
    return { allowed, remaining: this.#limit - inside() };
  }

  get taken(): readonly number[] {
    return this.#taken;
  }
}

const gaps = fc.array(fc.oneof(fc.constant(0), fc.nat(50), fc.nat(5_000), fc.nat(70_000)), { maxLength: 400 });

describe('a sliding window', () => {
  it('lets through exactly what the plain model lets through, for every key on its own', () => {
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
            const { allowed, remaining } = window.take(key, nowMs);
            expect({ allowed, remaining }).toEqual(model.take(nowMs));
          }
          for (const model of plain.values()) expect(mostInOneWindow(model.taken)).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('names the moment from which one more request fits, to the millisecond', () => {
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
    );
  });

  it('keeps a bounded number of windows, and a flood of made-up keys cannot reset one in use', () => {
    const window = new RateLimit(2, 3);
    for (const key of ['a', 'b', 'c']) window.take(key, 0);
    expect(window.take('a', 1).allowed).toBe(true);
    for (let n = 0; n < 100; n++) window.take(`made up ${n}`, 2);
    expect(window.take('made up again', 3).allowed).toBe(false);
    expect(window.take('a', 4).allowed).toBe(false);
    expect(window.take('b', 4).allowed).toBe(true);
  });

  it('gives a place back when a window has run empty', () => {
    const window = new RateLimit(1, 1);
    window.take('a', 0);
    expect(window.take('b', WINDOW_MS + 5)).toMatchObject({ allowed: true, remaining: 0 });
    expect(window.take('a', WINDOW_MS + 6).allowed).toBe(true);
  });
});

function mostInOneWindow(times: readonly number[]): number {
  const counts = times.map((start) => times.filter((time) => time >= start && time < start + WINDOW_MS).length);
  return Math.max(0, ...counts);
}
