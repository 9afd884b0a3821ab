/**
 * Queues the requests of one scope within its budget; the scheduler plans with the same budget. A request is sent at
 * once while the sliding window has a free place. Only requests that must wait use Bottleneck, because Bottleneck takes
 * some milliseconds per job. Each free place in the window releases one waiting request.
 */

import Bottleneck from 'bottleneck';
import PQueue from 'p-queue';
import { LANES, type Lane } from '../../shared/protocol/seam.js';
import { Pacing } from './pacing.js';

type Permit = Parameters<Pacing['onAnswer']>[0];

/** Maximum queued requests of a scope. Requests beyond a whole minute's budget would be too old when sent. */
const LONGEST_LINE = 1_000;
/** Lanes (request priorities) whose queue may be twice as long, so that queued reads never block a cancel. */
const URGENT: readonly Lane[] = ['cancel', 'submit'];

/**
 * Bottleneck's minimum time between two starts, ms. It is negative because Bottleneck plans by the wall clock: with
 * zero, a clock that is set back would block the queue. The sliding window decides when to send, by a monotonic clock.
 */
const LONG_AGO_MS = -1e14;

function openLimiter(): Bottleneck {
  const limiter = new Bottleneck({ reservoir: 1, minTime: LONG_AGO_MS });
  // This first job empties Bottleneck's reservoir. After this job, Bottleneck's next planned start is in the past.
  limiter.schedule({ priority: 0 }, () => Promise.resolve()).catch(() => undefined);
  return limiter;
}

/** A waiting request that may test (probe) whether the venue still refuses requests. */
interface Prober {
  readonly lane: Lane;
  /** Whether the request is a cancel while all orders are being canceled. */
  readonly isUrgent: boolean;
  /** Gives the request a permit to be sent; returns false if the request no longer waits. */
  readonly settle: (place: Permit) => boolean;
}

/** Request queue of one budget scope. Requests are sent when the window has a free place, urgent requests first. */
export class BudgetLine {
  readonly #pacing: Pacing;
  readonly #monotonicMs: () => number;
  /** Bottleneck's queue; null until the first request must wait. */
  #limiter: Bottleneck | null = null;
  /** Number of jobs in Bottleneck's queue, including expired jobs. `#called`: queued jobs that have a place. */
  #queued = 0;
  #called = 0;
  /** Requests that may probe a refusing venue, in the order of arrival, including expired requests. */
  #probers: Prober[] = [];
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** `most`: upper limit of requests per minute, even if the venue allows more. */
  constructor(requestsPerMinute: number, monotonicMs: () => number, most = Number.POSITIVE_INFINITY) {
    this.#pacing = new Pacing(requestsPerMinute, most);
    this.#monotonicMs = monotonicMs;
  }

  /** Fraction of a minute's budget that all waiting requests leave free; negative if they need more than is free. */
  get freePart(): number {
    const nowMs = this.#monotonicMs();
    const remaining = this.#pacing.freePermits(nowMs) - (this.#queued - this.#called);
    return remaining / this.#pacing.window.limitAt(nowMs);
  }

  read() {
    return this.#pacing.read(this.#monotonicMs());
  }

  /** Takes a place in the window if a place is free and no request waits; otherwise returns null. */
  tryEnter(): Permit | null {
    if (this.#queued > 0 || this.#closed || this.#pacing.freePermits(this.#monotonicMs()) < 1) return null;
    this.#pacing.start('place');
    return 'place';
  }

  /**
   * Waits up to `patienceMs` for a place in the window; returns null at this limit, or if the queue is full or closed.
   * @param isUrgent whether all orders are being canceled and the request is a cancel; default: true for every cancel
   */
  enter(lane: Lane, patienceMs: number, isUrgent = lane === 'cancel'): Promise<Permit | null> {
    const longest = URGENT.includes(lane) ? 2 * LONGEST_LINE : LONGEST_LINE;
    if (this.#closed || this.#queued >= longest || patienceMs <= 0) return Promise.resolve(null);
    return new Promise((resolve) => {
      let waiting = true;
      const settle = (answer: Permit | null): boolean => {
        if (!waiting) return false;
        waiting = false;
        clearTimeout(timer);
        resolve(answer);
        return true;
      };
      const timer = setTimeout(() => settle(null), boundedDelay(patienceMs));
      this.#queued += 1;
      const turn = () => {
        this.#queued -= 1;
        this.#called -= 1;
        if (!settle('place')) this.onUnsent('place'); // The request expired, so the next request gets the place.
        return Promise.resolve();
      };
      // Bottleneck rejects only the jobs that `close` drops.
      this.#limiter ??= openLimiter();
      this.#limiter.schedule({ priority: LANES.indexOf(lane) }, turn).catch(() => settle(null));
      if (Pacing.mayProbe(lane)) this.#probers.push({ lane, isUrgent, settle });
      this.#callUp();
    });
  }

  /** Records that a request was sent but got no answer. */
  onSilence(place: Permit): void {
    this.#pacing.onSilence(place, this.#monotonicMs());
    if (this.#queued > 0) this.#callUp();
  }

  /** Records an answer. Returns the pause after a refusal, ms; null without a refusal. Probes ignore the pause. */
  onAnswer(place: Permit, heard: Parameters<Pacing['onAnswer']>[1]): number | null {
    const pauseMs = this.#pacing.onAnswer(place, heard, this.#monotonicMs());
    if (this.#queued > 0) this.#callUp();
    return pauseMs;
  }

  /** Frees the place in the window that a request got but did not use, because the request was not sent. */
  onUnsent(place: Permit): void {
    this.#pacing.giveBack(place);
    if (this.#queued > 0) this.#callUp();
  }

  /** True if a granted place must not be used, because the venue has since refused a request or cut the budget. */
  isOverdrawn(place: Permit): boolean {
    return this.#pacing.isOverdrawn(place, this.#monotonicMs());
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#limiter?.stop({ dropWaitingJobs: true });
  }

  /** Gives free places of the window to the first waiting requests, and sets a timer for the next free place. */
  #callUp(): void {
    if (this.#closed) return;
    const nowMs = this.#monotonicMs();
    const free = Math.max(0, Math.floor(this.#pacing.freePermits(nowMs)));
    const called = Math.min(free, this.#queued - this.#called);
    for (let n = 0; n < called; n++) this.#pacing.start('place');
    this.#called += called;
    if (called > 0) void this.#limiter?.incrementReservoir(called);
    if (called === 0) this.#probe(nowMs);
    clearTimeout(this.#timer);
    if (this.#queued === this.#called) {
      this.#probers = [];
      return;
    }
    const probeMs = Math.min(...this.#probers.map(({ isUrgent }) => this.#pacing.nextProbeMs(isUrgent, nowMs)));
    const wakeMs = Math.min(this.#pacing.nextPlaceMs(nowMs), probeMs);
    // `wakeMs` is infinite if all requests in the window are in flight; `onSilence` or `onAnswer` then calls `#callUp`.
    if (Number.isFinite(wakeMs)) this.#timer = setTimeout(() => this.#callUp(), boundedDelay(wakeMs - nowMs));
  }

  /** If a probe of the venue is due, sends the most urgent request that may probe, ahead of the queue. */
  #probe(nowMs: number): void {
    const mayLeave = this.#probers.filter(({ isUrgent }) => this.#pacing.nextProbeMs(isUrgent, nowMs) <= nowMs);
    if (mayLeave.length === 0) return;
    this.#pacing.start('probe');
    const inTurn = mayLeave.sort((a, b) => LANES.indexOf(a.lane) - LANES.indexOf(b.lane));
    const first = inTurn.findIndex(({ settle }) => settle('probe'));
    const gone = new Set(first < 0 ? inTurn : inTurn.slice(0, first + 1));
    this.#probers = this.#probers.filter((prober) => !gone.has(prober));
    if (first < 0) this.#pacing.giveBack('probe');
  }
}

/** Returns a valid timer delay, ms, of at most an hour. A delay above 2^31 - 1 ms makes setTimeout fire at once. */
const boundedDelay = (ms: number): number => Math.max(1, Math.min(Math.ceil(ms), 3_600_000));

/** Limits concurrent requests of two groups: a venue that hangs on reads must not delay cancels and submits. */
export class Lanes {
  readonly #urgent: PQueue;
  readonly #other: PQueue;

  /** `concurrency`: maximum requests in flight in each of the two groups. */
  constructor(concurrency: number) {
    this.#urgent = new PQueue({ concurrency });
    this.#other = new PQueue({ concurrency });
  }

  /** Runs a request's task with its lane's priority. Returns null if the task did not start within `patienceMs`. */
  run<T>(lane: Lane, patienceMs: number, task: () => Promise<T>): Promise<T | null> {
    const queue = URGENT.includes(lane) ? this.#urgent : this.#other;
    return new Promise((resolve, reject) => {
      let state: 'waiting' | 'started' | 'gone' = 'waiting';
      let timer: NodeJS.Timeout | undefined;
      const turn = async () => {
        if (state === 'gone') return;
        state = 'started';
        clearTimeout(timer);
        await task().then(resolve, reject);
      };
      // p-queue starts a task inside `add` while there are free slots; only a task that waits needs a timer.
      void queue.add(turn, { priority: LANES.length - LANES.indexOf(lane) });
      if (state !== 'waiting') return;
      timer = setTimeout(() => {
        state = 'gone';
        resolve(null);
      }, boundedDelay(patienceMs));
    });
  }
}
