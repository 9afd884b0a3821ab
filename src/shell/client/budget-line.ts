/**
 * The request budget of one scope, which also limits the scheduler's plan. A request is sent at once while the sliding
 * window has a free place. Each place that becomes free releases one waiting request.
 */

import PQueue from 'p-queue';
import { LANES, type Lane } from '../../shared/protocol/seam.js';
import { type AnswerSignals, Pacing, type Permit } from './pacing.js';

/** Maximum queued requests of a scope. More than a minute's whole budget would be stale before they are sent. */
const LONGEST_LINE = 1_000;
/** Lanes (request priorities) whose queue may be twice as long, so that queued reads never block a cancel. */
const URGENT: readonly Lane[] = ['cancel', 'submit'];

const rankOf = ({ lane }: { readonly lane: Lane }): number => LANES.indexOf(lane);

interface WaitingRequest {
  readonly lane: Lane;
  /** Whether the request is a cancel of a kill. */
  readonly isUrgent: boolean;
  /** Ends the wait with a permit to be sent, or with null. */
  readonly settle: (permit: Permit | null) => void;
}

/** Request queue of one budget scope. Requests are sent when the window has a free place, urgent requests first. */
export class BudgetLine {
  readonly #pacing: Pacing;
  readonly #monotonicMs: () => number;
  /** Waiting requests by lane, those of a lane in the order of arrival. */
  #waiting: readonly WaitingRequest[] = [];
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** `most`: upper limit of requests per minute, even if the venue allows more. */
  constructor(requestsPerMinute: number, monotonicMs: () => number, most = Number.POSITIVE_INFINITY) {
    this.#pacing = new Pacing(requestsPerMinute, most);
    this.#monotonicMs = monotonicMs;
  }

  /** Free fraction of a minute's budget, less the waiting requests; negative if more wait than may be sent. */
  get freePart(): number {
    const nowMs = this.#monotonicMs();
    return (this.#pacing.freePermits(nowMs) - this.#waiting.length) / this.#pacing.window.limitAt(nowMs);
  }

  read() {
    return this.#pacing.read(this.#monotonicMs());
  }

  /** Takes a place in the window if a place is free and no request waits; otherwise returns null. */
  tryEnter(): Permit | null {
    if (this.#waiting.length > 0 || this.#closed || this.#pacing.freePermits(this.#monotonicMs()) < 1) return null;
    this.#pacing.start('place');
    return 'place';
  }

  /**
   * Waits for a place in the window, at most `patienceMs`; null after this time, or if the queue is full or closed.
   * @param isUrgent whether the request is a cancel of a kill; default: whether it is a cancel
   */
  enter(lane: Lane, patienceMs: number, isUrgent = lane === 'cancel'): Promise<Permit | null> {
    const longest = URGENT.includes(lane) ? 2 * LONGEST_LINE : LONGEST_LINE;
    if (this.#closed || this.#waiting.length >= longest || patienceMs <= 0) return Promise.resolve(null);
    return new Promise((resolve) => {
      const settle = (permit: Permit | null) => {
        clearTimeout(timer);
        this.#waiting = this.#waiting.filter((other) => other !== request);
        resolve(permit);
      };
      const timer = setTimeout(() => settle(null), boundedDelay(patienceMs));
      const request = { lane, isUrgent, settle };
      const place = this.#waiting.findLastIndex((other) => rankOf(other) <= rankOf(request)) + 1;
      this.#waiting = this.#waiting.toSpliced(place, 0, request);
      this.#callUp();
    });
  }

  /** Records that a request was sent but got no answer. */
  onSilence(place: Permit): void {
    this.#pacing.onSilence(place, this.#monotonicMs());
    this.#callUp();
  }

  /** Records an answer. Returns the pause after a refusal, ms; null without a refusal. Probes ignore the pause. */
  onAnswer(place: Permit, heard: AnswerSignals): number | null {
    const pauseMs = this.#pacing.onAnswer(place, heard, this.#monotonicMs());
    this.#callUp();
    return pauseMs;
  }

  /** Frees the window's place of a request that was not sent. */
  onUnsent(place: Permit): void {
    this.#pacing.giveBack(place);
    this.#callUp();
  }

  /** True if a granted place must not be used, because the venue has since refused a request or cut the budget. */
  isOverdrawn(place: Permit): boolean {
    return this.#pacing.isOverdrawn(place, this.#monotonicMs());
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const { settle } of this.#waiting) settle(null);
  }

  /** Gives free places of the window to the first waiting requests, and sets a timer for the next free place. */
  #callUp(): void {
    clearTimeout(this.#timer);
    if (this.#waiting.length === 0) return;
    const nowMs = this.#monotonicMs();
    const free = Math.max(0, Math.floor(this.#pacing.freePermits(nowMs)));
    for (const request of this.#waiting.slice(0, free)) this.#grant(request, 'place');
    if (free === 0) this.#probe(nowMs);
    const probers = this.#waiting.filter(({ lane }) => Pacing.mayProbe(lane));
    const probeMs = Math.min(...probers.map(({ isUrgent }) => this.#pacing.nextProbeMs(isUrgent, nowMs)));
    const wakeMs = Math.min(this.#pacing.nextPlaceMs(nowMs), probeMs);
    // `wakeMs` is infinite while all counted requests are in flight; `onSilence` or `onAnswer` then calls `#callUp`.
    if (this.#waiting.length > 0 && Number.isFinite(wakeMs))
      this.#timer = setTimeout(() => this.#callUp(), boundedDelay(wakeMs - nowMs));
  }

  /** If a probe of the venue is due, sends the most urgent request that may probe, ahead of the queue. */
  #probe(nowMs: number): void {
    const first = this.#waiting.find(
      ({ lane, isUrgent }) => Pacing.mayProbe(lane) && this.#pacing.nextProbeMs(isUrgent, nowMs) <= nowMs,
    );
    if (first !== undefined) this.#grant(first, 'probe');
  }

  #grant({ settle }: WaitingRequest, permit: Permit): void {
    this.#pacing.start(permit);
    settle(permit);
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
