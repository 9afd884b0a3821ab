/**
 * The budget of one scope: a guard rail below the scheduler's plan. While places are free a request passes at once; the
 * others wait in line, by lane, until the sliding window has places.
 */

import PQueue from 'p-queue';
import { LANES, type Lane } from '../../shared/protocol/seam.js';
import { type AnswerSignals, Pacing, type Permit } from './pacing.js';

/** More than a minute's whole budget in line would be stale before its turn. */
const LONGEST_LINE = 1_000;
/** For these there is a second line behind a full one: reads that pile up must not turn a cancel away. */
const URGENT: readonly Lane[] = ['cancel', 'submit'];

interface Waiting {
  readonly lane: Lane;
  /** A cancel of a kill. */
  readonly isUrgent: boolean;
  readonly settle: (place: Permit | null) => void;
}

/** The line of one scope: a request leaves when the window of the budget has a place for it, urgent lanes first. */
export class BudgetLine {
  readonly #pacing: Pacing;
  readonly #monotonicMs: () => number;
  /** By lane, then in order of arrival. */
  readonly #waiting: Waiting[] = [];
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
    return (this.#pacing.freePermits(nowMs) - this.#waiting.length) / this.#pacing.window.limitAt(nowMs);
  }

  read() {
    return this.#pacing.read(this.#monotonicMs());
  }

  /** Takes a place if one is free and no request waits. */
  tryEnter(): Permit | null {
    if (this.#waiting.length > 0 || this.#closed || this.#pacing.freePermits(this.#monotonicMs()) < 1) return null;
    this.#pacing.start('place');
    return 'place';
  }

  /**
   * Waits for a place, at most `patienceMs`. Null when none came in time, the line is too long or closed.
   * @param isUrgent a cancel of a kill; absent: any cancel
   */
  enter(lane: Lane, patienceMs: number, isUrgent = lane === 'cancel'): Promise<Permit | null> {
    const longest = URGENT.includes(lane) ? 2 * LONGEST_LINE : LONGEST_LINE;
    if (this.#closed || this.#waiting.length >= longest || patienceMs <= 0) return Promise.resolve(null);
    return new Promise((resolve) => {
      const settle = (place: Permit | null) => {
        clearTimeout(timer);
        this.#waiting.splice(this.#waiting.indexOf(request), 1);
        resolve(place);
      };
      const request: Waiting = { lane, isUrgent, settle };
      const timer = setTimeout(() => settle(null), boundedDelay(patienceMs));
      const behind = this.#waiting.findIndex((other) => LANES.indexOf(other.lane) > LANES.indexOf(lane));
      this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, request);
      this.#callUp();
    });
  }

  /** The request left without an answer. */
  onSilence(place: Permit): void {
    this.#pacing.onSilence(place, this.#monotonicMs());
    this.#callUp();
  }

  /** The request was answered. Returns how long a refusal holds back all but probes, ms; null without one. */
  onAnswer(place: Permit, heard: AnswerSignals): number | null {
    const pauseMs = this.#pacing.onAnswer(place, heard, this.#monotonicMs());
    this.#callUp();
    return pauseMs;
  }

  /** The request with a place never left. */
  onUnsent(place: Permit): void {
    this.#pacing.giveBack(place);
    this.#callUp();
  }

  /** True when a granted place must not be used: the venue has refused since, or reported less room. */
  isOverdrawn(place: Permit): boolean {
    return this.#pacing.isOverdrawn(place, this.#monotonicMs());
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const request of [...this.#waiting]) request.settle(null);
  }

  /** Gives free places to the first waiting requests, and sets a timer for the next free place. */
  #callUp(): void {
    if (this.#closed || this.#waiting.length === 0) return;
    const nowMs = this.#monotonicMs();
    const called = this.#waiting.slice(0, Math.max(0, Math.floor(this.#pacing.freePermits(nowMs))));
    for (const request of called) this.#admit(request, 'place');
    const prober = this.#waiting.find((request) => this.#nextProbeMs(request, nowMs) <= nowMs);
    if (called.length === 0 && prober !== undefined) this.#admit(prober, 'probe');
    clearTimeout(this.#timer);
    if (this.#waiting.length === 0) return;
    const probesMs = this.#waiting.map((request) => this.#nextProbeMs(request, nowMs));
    const wakeMs = Math.min(this.#pacing.nextPlaceMs(nowMs), ...probesMs);
    // Infinity: everything counted is in flight, and `onSilence` or `onAnswer` will call up.
    if (Number.isFinite(wakeMs)) this.#timer = setTimeout(() => this.#callUp(), boundedDelay(wakeMs - nowMs));
  }

  #admit(request: Waiting, place: Permit): void {
    this.#pacing.start(place);
    request.settle(place);
  }

  /** When this request may leave as a probe, ms; Infinity for a lane without probes. */
  #nextProbeMs({ lane, isUrgent }: Waiting, nowMs: number): number {
    return Pacing.mayProbe(lane) ? this.#pacing.nextProbeMs(isUrgent, nowMs) : Number.POSITIVE_INFINITY;
  }
}

/** setTimeout fires at once beyond 2^31 - 1 ms; an hour is enough here. */
export const boundedDelay = (ms: number): number => Math.max(1, Math.min(Math.ceil(ms), 3_600_000));

/** Bounds requests in flight, cancels and submits apart: a venue that hangs on eight reads must not delay a cancel. */
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
