/**
 * `setTimeout` and the wall clock of this process, controlled by a test. Like `vi.useFakeTimers`, which however scans
 * all timers for each due one: for a thousand timers that takes seconds.
 */

import { vi } from 'vitest';

const MACHINE = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };

/** The result of `setTimeout`: the process does not wait for virtual timers. */
class Timer {
  readonly atMs: number;
  readonly run: () => void;

  constructor(atMs: number, run: () => void) {
    this.atMs = atMs;
    this.run = run;
  }

  unref(): this {
    return this;
  }

  ref(): this {
    return this;
  }
}

/** The earliest first; equal times in the order of creation. */
let waiting: Timer[] = [];

export function useVirtualTimers(): void {
  vi.useFakeTimers({ toFake: ['Date'] });
  globalThis.setTimeout = set as never; // Without the forms that only Node has.
  globalThis.clearTimeout = clear as never;
}

export function useTimersOfMachine(): void {
  Object.assign(globalThis, MACHINE);
  vi.useRealTimers();
  waiting = [];
}

/** Passes this time; each due task runs at its own time, and its promises before the next task. */
export async function passTime(ms: number): Promise<void> {
  const untilMs = Date.now() + ms;
  await settle();
  for (let next = waiting[0]; next !== undefined && next.atMs <= untilMs; next = waiting[0]) {
    waiting.shift();
    vi.setSystemTime(next.atMs);
    next.run();
    await settle();
  }
  vi.setSystemTime(untilMs);
  await settle();
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function set<Args extends unknown[]>(callback: (...args: Args) => void, ms = 0, ...args: Args): Timer {
  // Node's own rule for invalid waits.
  const waitMs = ms >= 1 && ms < 2 ** 31 ? Math.trunc(ms) : 1;
  const timer = new Timer(Date.now() + waitMs, () => callback(...args));
  let [from, to] = [0, waiting.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((waiting[middle]?.atMs ?? 0) <= timer.atMs) from = middle + 1;
    else to = middle;
  }
  waiting.splice(from, 0, timer);
  return timer;
}

function clear(timer: unknown): void {
  const at = timer instanceof Timer ? waiting.indexOf(timer) : -1;
  if (at >= 0) waiting.splice(at, 1);
}
