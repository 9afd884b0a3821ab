/** The program of the thread of `read-beside.ts`: reads raw files ahead of those who play them, a few chunks each. */

import { parentPort } from 'node:worker_threads';
import { must, TwinbookError } from '../../shared/base/errors.js';
import type { EventChunk, KalshiFiles, RecordingWarning } from '../contract.js';
import { kalshiChunks } from '../importers/kalshi-stream.js';
import { CHUNKS_AHEAD, type ReadingOrder, type ReadingReport } from './contract.js';

const parent = must(parentPort, 'parent of this thread');
const streams = new Map<number, Stream>();

/** One that is read: how many chunks may still be sent, and who waits for that. */
class Stream {
  #left = CHUNKS_AHEAD;
  #isClosed = false;
  #wake: () => void = () => undefined;

  grant(): void {
    this.#left++;
    this.#wake();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** Waits until one more may be sent; false when nobody wants it. */
  async take(): Promise<boolean> {
    while (this.#left === 0 && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#left--;
    return !this.#isClosed;
  }
}

parent.on('message', (order: ReadingOrder) => {
  if (order.kind === 'open') void read(order.stream, order.files);
  else if (order.kind === 'taken') streams.get(order.stream)?.grant();
  else streams.get(order.stream)?.close();
});

async function read(id: number, files: KalshiFiles): Promise<void> {
  const stream = new Stream();
  streams.set(id, stream);
  const warnings: RecordingWarning[] = [];
  const about = () => ({ stream: id, warnings: warnings.splice(0) });
  try {
    for await (const chunk of kalshiChunks(files, warnings)) {
      if (!(await stream.take())) return;
      tell({ ...about(), kind: 'chunk', chunk }, columnsOf(chunk));
    }
    tell({ ...about(), kind: 'end' });
  } catch (error) {
    // Anything else is a bug: it ends the thread, and whoever waits for it hears of it.
    if (!(error instanceof TwinbookError)) throw error;
    const { code, message, hint } = error;
    tell({ ...about(), kind: 'failed', code, message, hint });
  } finally {
    streams.delete(id);
  }
}

/** Handed over, not copied: a reader keeps no chunk that it has given. */
const columnsOf = ({ timeMs, kind, side, priceMicros, amountMicros }: EventChunk): ArrayBuffer[] =>
  [timeMs, kind, side, priceMicros, amountMicros].map(({ buffer }) => buffer as ArrayBuffer);

const tell = (report: ReadingReport, transferred: ArrayBuffer[] = []): void => parent.postMessage(report, transferred);
