/**
 * Reads raw files on a thread of its own, ahead of whoever plays them: unpacking and decoding is then done while what came before
 * is played. One thread serves the whole process and does not keep it alive.
 */

import type { Worker } from 'node:worker_threads';
import { AssertionFailed, TwinbookError } from '../../shared/base/errors.js';
import { startWorker } from '../../shared/base/worker-start.js';
import type { EventChunk, KalshiFiles, RecordingWarning } from '../contract.js';
import type { ReadingOrder, ReadingReport } from './contract.js';

/** As `kalshiChunks`, and throws the same: the same chunks, with the warnings known by then. */
export async function* readBeside(files: KalshiFiles, warnings: RecordingWarning[]): AsyncGenerator<EventChunk> {
  warnings.length = 0;
  const thread = ReadingThread.ofProcess();
  const stream = thread.open(files);
  try {
    for (;;) {
      const report = await stream.next();
      warnings.push(...report.warnings);
      if (report.kind === 'failed') throw new TwinbookError(report.code, report.message, report.hint);
      if (report.kind === 'end') return;
      thread.tell({ kind: 'taken', stream: report.stream });
      yield report.chunk;
    }
  } finally {
    thread.close(stream);
  }
}

/** What has come of one stream and was not asked for yet, or who waits for more. */
class Stream {
  readonly id: number;
  readonly #reports: ReadingReport[] = [];
  #waiting: { readonly resolve: (report: ReadingReport) => void; readonly reject: (error: unknown) => void } | null =
    null;
  #failure: unknown = null;

  constructor(id: number) {
    this.id = id;
  }

  next(): Promise<ReadingReport> {
    const report = this.#reports.shift();
    if (report !== undefined) return Promise.resolve(report);
    if (this.#failure !== null) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  hear(report: ReadingReport): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting === null) this.#reports.push(report);
    else waiting.resolve(report);
  }

  fail(error: unknown): void {
    this.#failure = error;
    this.#waiting?.reject(error);
    this.#waiting = null;
  }
}

class ReadingThread {
  static #present: ReadingThread | null = null;
  readonly #worker: Worker;
  readonly #streams = new Map<number, Stream>();
  #opened = 0;

  private constructor() {
    this.#worker = startWorker({ name: 'reading-thread', data: null, youngMb: 6 }, import.meta.url);
    this.#worker.on('message', (report: ReadingReport) => this.#streams.get(report.stream)?.hear(report));
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', (code) => this.#end(new AssertionFailed(`the thread that reads ended with code ${code}`)));
    this.#worker.unref();
  }

  static ofProcess(): ReadingThread {
    ReadingThread.#present ??= new ReadingThread();
    return ReadingThread.#present;
  }

  open(files: KalshiFiles): Stream {
    this.#opened += 1;
    const stream = new Stream(this.#opened);
    this.#streams.set(stream.id, stream);
    // While somebody waits for what it reads the process must not end.
    this.#worker.ref();
    this.tell({ kind: 'open', stream: stream.id, files });
    return stream;
  }

  close({ id }: Stream): void {
    this.#streams.delete(id);
    this.tell({ kind: 'close', stream: id });
    if (this.#streams.size === 0) this.#worker.unref();
  }

  tell(order: ReadingOrder): void {
    this.#worker.postMessage(order);
  }

  /** Whoever reads hears why; the next reader gets a new thread. */
  #end(error: unknown): void {
    if (ReadingThread.#present === this) ReadingThread.#present = null;
    for (const stream of this.#streams.values()) stream.fail(error);
    this.#streams.clear();
  }
}
