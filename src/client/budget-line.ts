/**
 * The budget of one scope: a guard rail below the scheduler's plan. While places are free a request passes at once;
 * Bottleneck, which takes some milliseconds a job, only holds the line of those that must wait, by lane, and lets as
 * many through as the sliding window has places.
 */

import Bottleneck from 'bottleneck';
import { LANES, type Lane } from '../protocol/seam.js';
import { SlidingWindow } from './sliding-window.js';

/** More than a minute's whole budget in line would be stale before its turn. */
const LONGEST_LINE = 1_000;
/** For these there is a second line behind a full one: reads that pile up must not turn a cancel away. */
const URGENT: readonly Lane[] = ['cancel', 'submit'];
/** No venue's word stops us for longer than this; afterwards it is asked again. */
const LONGEST_PAUSE_MS = 600_000;
/** Without any word of the venue: one second, doubled at each refusal up to a minute, less up to a half by chance. */
const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 60_000;

export class BudgetLine {
  readonly window: SlidingWindow;
  readonly #monotonicMs: () => number;
  readonly #limiter = new Bottleneck({ reservoir: 0 });
  /** Jobs in Bottleneck's queue, those included that gave up meanwhile, and how many of them have a place already. */
  #queued = 0;
  #called = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #refusals = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** `most`: requests a minute that are never exceeded, though the venue allows more. */
  constructor(requestsPerMinute: number, monotonicMs: () => number, most = Number.POSITIVE_INFINITY) {
    this.window = new SlidingWindow(requestsPerMinute, most);
    this.#monotonicMs = monotonicMs;
  }

  /** Takes a place if one is free and nobody stands in line; the fast path. */
  tryEnter(): boolean {
    if (this.#queued > 0 || this.#closed || this.#places() < 1) return false;
    this.window.start();
    return true;
  }

  /** Waits for a place, at most `patienceMs`. False when none came in time, the line is too long or closed. */
  enter(lane: Lane, patienceMs: number): Promise<boolean> {
    const longest = URGENT.includes(lane) ? 2 * LONGEST_LINE : LONGEST_LINE;
    if (this.#closed || this.#queued >= longest || patienceMs <= 0) return Promise.resolve(false);
    return new Promise((resolve) => {
      let waiting = true;
      const settle = (entered: boolean): boolean => {
        if (!waiting) return false;
        waiting = false;
        clearTimeout(timer);
        resolve(entered);
        return true;
      };
      const timer = setTimeout(() => settle(false), boundedDelay(patienceMs));
      this.#queued += 1;
      const turn = () => {
        this.#queued -= 1;
        this.#called -= 1;
        if (!settle(true)) this.leaveUnsent(); // gave up: the place goes to the next one
        return Promise.resolve();
      };
      // Bottleneck rejects only what `close` drops.
      this.#limiter.schedule({ priority: LANES.indexOf(lane) }, turn).catch(() => settle(false));
      this.#callUp();
    });
  }

  /** The request left, and its answer (or silence) came. */
  leave(): void {
    this.window.finish(this.#monotonicMs());
    if (this.#queued > 0) this.#callUp();
  }

  /** The request with a place never left. */
  leaveUnsent(): void {
    this.window.giveBack();
    if (this.#queued > 0) this.#callUp();
  }

  /** Whether places that were given out may not be used: since then the venue refused, or told of less room. */
  get isOverdrawn(): boolean {
    const nowMs = this.#monotonicMs();
    return nowMs < this.#pausedUntilMs || this.window.free(nowMs) < 0;
  }

  /**
   * Nothing leaves for as long as the venue said, or a growing while when it said nothing. Returns the pause, ms.
   * `explained`: the venue's headers say themselves that the budget is used up.
   */
  throttled(venueSaidMs: number | null, explained: boolean): number {
    if (!explained) this.window.distrust(this.#monotonicMs(), this.#refusals > 0);
    const grown = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(this.#refusals, 10));
    const pauseMs = Math.min(LONGEST_PAUSE_MS, venueSaidMs ?? grown * (0.5 + Math.random() / 2));
    this.#refusals += 1;
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#monotonicMs() + pauseMs);
    return pauseMs;
  }

  /** An answer that was no `throttled` ends the growth of the pauses. */
  notThrottled(): void {
    this.#refusals = 0;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#limiter.stop({ dropWaitingJobs: true });
  }

  #places(): number {
    const nowMs = this.#monotonicMs();
    return nowMs < this.#pausedUntilMs ? 0 : this.window.free(nowMs);
  }

  /** Gives free places to the first in line, and wakes up again when the next one may come free. */
  #callUp(): void {
    if (this.#closed) return;
    const called = Math.min(Math.max(0, Math.floor(this.#places())), this.#queued - this.#called);
    for (let n = 0; n < called; n++) this.window.start();
    this.#called += called;
    if (called > 0) void this.#limiter.incrementReservoir(called);
    clearTimeout(this.#timer);
    if (this.#queued === this.#called) return;
    const nowMs = this.#monotonicMs();
    const wakeMs = Math.max(this.#pausedUntilMs, this.window.free(nowMs) >= 1 ? nowMs : this.window.nextFreeMs(nowMs));
    // Infinity: everything counted is in flight, and `leave` will call up.
    if (Number.isFinite(wakeMs)) this.#timer = setTimeout(() => this.#callUp(), boundedDelay(wakeMs - nowMs));
  }
}

/** setTimeout fires at once for anything longer than 2^31 - 1 ms; an hour is as good as for ever here. */
export const boundedDelay = (ms: number): number => Math.max(1, Math.min(Math.ceil(ms), 3_600_000));
