/**
 * The budget of one scope: a guard rail below the scheduler's plan. A request passes at once while the sliding window
 * has a free place. Only waiting requests queue in Bottleneck, by lane: Bottleneck takes some milliseconds a job. Each
 * free place releases one request.
 */

import Bottleneck from 'bottleneck';
import PQueue from 'p-queue';
import { LANES, type Lane } from '../../shared/protocol/seam.js';
import { type AnswerSignals, Pacing, type Permit } from './pacing.js';

/** More than a minute's whole budget in line would be stale before its turn. */
const LONGEST_LINE = 1_000;
/** Urgent lanes have a second queue behind a full one: queued reads must not reject a cancel. */
const URGENT: readonly Lane[] = ['cancel', 'submit'];

/**
 * Negative minimum time between two starts, for Bottleneck. Bottleneck plans starts by the wall clock. A clock set back
 * would otherwise hold the queue. Places come from the window, which has a monotonic clock.
 */
const LONG_AGO_MS = -1e14;

function openLimiter(): Bottleneck {
  const limiter = new Bottleneck({ reservoir: 1, minTime: LONG_AGO_MS });
  // The first job uses up the reservoir; after it Bottleneck's next start lies in the past.
  limiter.schedule({ priority: 0 }, () => Promise.resolve()).catch(() => undefined);
  return limiter;
}

/** A waiting request that may probe. */
interface Prober {
  readonly lane: Lane;
  /** A cancel of a kill. */
  readonly isUrgent: boolean;
  /** Passes a permit to the request; returns false when the request no longer waits. */
  readonly settle: (place: Permit) => boolean;
}

/** The queue of one scope. Requests leave when the budget's window has a free place, urgent lanes first. */
export class BudgetLine {
  readonly #pacing: Pacing;
  readonly #monotonicMs: () => number;
  /** Null until a request has to wait. */
  #limiter: Bottleneck | null = null;
  /** Jobs in Bottleneck's queue, including those that no longer wait, and the number with a place. */
  #queued = 0;
  #called = 0;
  /** Probers in order of arrival, including probers that no longer wait. */
  #probers: Prober[] = [];
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** `most`: upper bound of requests per minute, even if the venue allows more. */
  constructor(requestsPerMinute: number, monotonicMs: () => number, most = Number.POSITIVE_INFINITY) {
    this.#pacing = new Pacing(requestsPerMinute, most);
    this.#monotonicMs = monotonicMs;
  }

  /** Fraction of a minute's budget that could leave now, less the waiting requests; negative when more wait. */
  get freePart(): number {
    const nowMs = this.#monotonicMs();
    const remaining = this.#pacing.freePermits(nowMs) - (this.#queued - this.#called);
    return remaining / this.#pacing.window.limitAt(nowMs);
  }

  read() {
    return this.#pacing.read(this.#monotonicMs());
  }

  /** Takes a place if one is free and no request waits; the fast path. */
  tryEnter(): Permit | null {
    if (this.#queued > 0 || this.#closed || this.#pacing.freePermits(this.#monotonicMs()) < 1) return null;
    this.#pacing.start('place');
    return 'place';
  }

  /**
   * Waits for a place, at most `patienceMs`. Null when none came in time, the line is too long or closed.
   * @param isUrgent a cancel of a kill; absent: any cancel
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
        if (!settle('place')) this.onUnsent('place'); // waits no more: the place goes to the next one
        return Promise.resolve();
      };
      // Bottleneck rejects only what `close` drops.
      this.#limiter ??= openLimiter();
      this.#limiter.schedule({ priority: LANES.indexOf(lane) }, turn).catch(() => settle(null));
      if (Pacing.mayProbe(lane)) this.#probers.push({ lane, isUrgent, settle });
      this.#callUp();
    });
  }

  /** The request left without an answer. */
  onSilence(place: Permit): void {
    this.#pacing.onSilence(place, this.#monotonicMs());
    if (this.#queued > 0) this.#callUp();
  }

  /** Records an answer. Returns the pause after a refusal (for all but probes), ms; null without a refusal. */
  onAnswer(place: Permit, heard: AnswerSignals): number | null {
    const pauseMs = this.#pacing.onAnswer(place, heard, this.#monotonicMs());
    if (this.#queued > 0) this.#callUp();
    return pauseMs;
  }

  /** The request with a place never left. */
  onUnsent(place: Permit): void {
    this.#pacing.giveBack(place);
    if (this.#queued > 0) this.#callUp();
  }

  /** True when a granted place must not be used: the venue has refused since, or reported less room. */
  isOverdrawn(place: Permit): boolean {
    return this.#pacing.isOverdrawn(place, this.#monotonicMs());
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#limiter?.stop({ dropWaitingJobs: true });
  }

  /** Gives free places to the first waiting requests, and sets a timer for the next free place. */
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
    // Infinity: everything counted is in flight, and `onSilence` or `onAnswer` will call up.
    if (Number.isFinite(wakeMs)) this.#timer = setTimeout(() => this.#callUp(), boundedDelay(wakeMs - nowMs));
  }

  /** Lets the most urgent request that may probe pass the line when a probe is due. */
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

/** setTimeout fires at once beyond 2^31 - 1 ms; an hour is enough here. */
export const boundedDelay = (ms: number): number => Math.max(1, Math.min(Math.ceil(ms), 3_600_000));

/**
 * Bounds how many requests are in flight at once, in two groups: cancels and submits, and everything else. Cancels and
 * submits have their own connections: a venue that hangs on eight reads must not delay a cancel.
 */
export class Lanes {
  readonly #urgent: PQueue;
  readonly #other: PQueue;

  /** `concurrency`: requests in flight at once in each of the two groups. */
  constructor(concurrency: number) {
    this.#urgent = new PQueue({ concurrency });
    this.#other = new PQueue({ concurrency });
  }

  /** Runs the task in its lane's turn; null when its turn did not come within `patienceMs`. */
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
      // p-queue starts a task inside `add` when it has room; only a waiting task needs a timer.
      void queue.add(turn, { priority: LANES.length - LANES.indexOf(lane) });
      if (state !== 'waiting') return;
      timer = setTimeout(() => {
        state = 'gone';
        resolve(null);
      }, boundedDelay(patienceMs));
    });
  }
}
