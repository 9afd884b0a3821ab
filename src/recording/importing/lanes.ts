/** Where markets are imported side by side: this thread, and others that read raw files by themselves. */

import type { Worker } from 'node:worker_threads';
import { AssertionFailed, must, TwinbookError } from '../../shared/base/errors.js';
import { startWorker } from '../../shared/base/worker-start.js';
import type { Recording } from '../contract.js';
import type { WritingOrder, WritingReport } from './contract.js';
import { type TellProgress, type WrittenMarket, writeMarket } from './write-market.js';

/** Takes one market at a time. */
export interface Lane {
  /** As `writeMarket`. */
  write(recording: Recording, folder: string, tell: TellProgress): Promise<WrittenMarket>;
  end(): Promise<unknown>;
}

/**
 * While one market of a thread waits for what is unpacked, encoded or synced for it, which happens beside, it goes on with
 * another. With two of them both wait for a fifth of the time.
 */
const PER_THREAD = 3;

/** So many lanes: three of this thread, and of each further thread one where such threads can read all markets. */
export function openLanes(recordings: readonly Recording[], wanted: number): readonly Lane[] {
  const count = Math.max(1, Math.min(wanted, recordings.length));
  const here: Lane = { write: writeMarket, end: () => Promise.resolve() };
  const ours = Array.from({ length: Math.min(PER_THREAD, count) }, () => here);
  if (!recordings.every(({ raw }) => raw !== undefined)) return ours;
  // Others first: they have to start.
  return [...Array.from({ length: count - ours.length }, () => new ThreadLane()), ...ours];
}

/** Who waits for the market that the thread writes. */
interface Waiting {
  readonly tell: TellProgress;
  readonly resolve: (written: WrittenMarket) => void;
  readonly reject: (error: unknown) => void;
}

class ThreadLane implements Lane {
  readonly #worker: Worker;
  #waiting: Waiting | null = null;

  constructor() {
    this.#worker = startWorker({ name: 'writing-thread', data: null, youngMb: 6 }, import.meta.url);
    this.#worker.on('message', (report: WritingReport) => this.#hear(report));
    this.#worker.on('error', (error) => this.#waiting?.reject(error));
    this.#worker.on('exit', (code) =>
      this.#waiting?.reject(new AssertionFailed(`a thread that imports ended with code ${code}`)),
    );
  }

  write({ market, raw }: Recording, folder: string, tell: TellProgress): Promise<WrittenMarket> {
    return new Promise((resolve, reject) => {
      this.#waiting = { tell, resolve, reject };
      const order: WritingOrder = { market, raw: must(raw, 'raw files of a market for a thread'), folder };
      this.#worker.postMessage(order);
    });
  }

  end(): Promise<unknown> {
    return this.#worker.terminate();
  }

  #hear(report: WritingReport): void {
    const waiting = must(this.#waiting, 'who waits for the market');
    if (report.kind === 'progress') waiting.tell(report.events, report.share);
    else if (report.kind === 'written') waiting.resolve(report.written);
    else waiting.reject(new TwinbookError(report.code, report.message, report.hint));
  }
}
