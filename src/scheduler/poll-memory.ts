/** What the plan remembers of each poll: when it was asked, whether it is under way, how it failed. */

import type { PollResult } from './contract.js';

/** A failing poll waits twice as long each time, from here ... */
const FIRST_BACKOFF_MS = 1_000;
/** ... to here: a market in trouble costs one request a minute and is found again within one. */
export const LONGEST_BACKOFF_MS = 60_000;

interface Memory {
  /** Our clock when it was last asked; null before. */
  askedMs: number | null;
  underWay: boolean;
  failures: number;
  notBeforeMs: number;
  answered: boolean;
  expedited: boolean;
}

const FRESH: Readonly<Memory> = {
  askedMs: null,
  underWay: false,
  failures: 0,
  notBeforeMs: 0,
  answered: false,
  expedited: false,
};

/** Keyed by tag; holds what is polled now and what is still under way, nothing else. */
export class PollMemory {
  readonly #memories = new Map<string, Memory>();

  get size(): number {
    return this.#memories.size;
  }

  /** Milliseconds since it was last asked; Infinity before the first, when expedited, or when our clock stepped back. */
  age(tag: string, nowMs: number): number {
    const memory = this.#memories.get(tag);
    return memory === undefined || memory.askedMs === null || memory.expedited || nowMs < memory.askedMs
      ? Number.POSITIVE_INFINITY
      : nowMs - memory.askedMs;
  }

  /** Whether it has ever been answered. */
  answered(tag: string): boolean {
    return this.#memories.get(tag)?.answered ?? false;
  }

  expedited(tag: string): boolean {
    return this.#memories.get(tag)?.expedited ?? false;
  }

  /** Not under way, not backing off, and at least this long since it was asked. */
  ready(tag: string, intervalMs: number, nowMs: number): boolean {
    const memory = this.#memories.get(tag) ?? FRESH;
    if (memory.underWay) return false;
    if (memory.expedited) return true;
    // A clock that stepped back must not silence a poll for as long as it stepped.
    const sinceAsked = memory.askedMs === null || nowMs < memory.askedMs ? Infinity : nowMs - memory.askedMs;
    const backedOff = nowMs < memory.notBeforeMs && memory.notBeforeMs - nowMs <= LONGEST_BACKOFF_MS;
    return sinceAsked >= intervalMs && !backedOff;
  }

  asked(tag: string, nowMs: number): void {
    Object.assign(this.#of(tag), { askedMs: nowMs, underWay: true, expedited: false });
  }

  expedite(tag: string): void {
    this.#of(tag).expedited = true;
  }

  ended(tag: string, result: PollResult, nowMs: number): void {
    const memory = this.#memories.get(tag);
    if (memory === undefined || !memory.underWay) return;
    memory.underWay = false;
    if (result === 'unsent') return;
    memory.answered ||= result === 'ok';
    memory.failures = result === 'ok' ? 0 : Math.min(memory.failures + 1, 10);
    const wait = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (memory.failures - 1));
    memory.notBeforeMs = result === 'ok' ? 0 : nowMs + wait;
  }

  /** Forgets every poll that is not wanted any more, but for those under way. */
  keep(wanted: (tag: string) => boolean): void {
    for (const [tag, memory] of this.#memories) if (!memory.underWay && !wanted(tag)) this.#memories.delete(tag);
  }

  #of(tag: string): Memory {
    const known = this.#memories.get(tag);
    if (known !== undefined) return known;
    const fresh = { ...FRESH };
    this.#memories.set(tag, fresh);
    return fresh;
  }
}
