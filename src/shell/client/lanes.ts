/**
 * Order and concurrency of calls. Cancels and submits have their own connections: a venue that hangs on eight reads
 * must not delay a cancel.
 */

import PQueue from 'p-queue';
import { LANES, type Lane } from '../../shared/protocol/seam.js';
import { boundedDelay } from './budget-line.js';

const URGENT: readonly Lane[] = ['cancel', 'submit'];

/** Bounds the requests in flight in two groups: cancels and submits, and everything else. */
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
