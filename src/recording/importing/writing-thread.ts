/** The program of the threads of `lanes.ts`: reads raw files and writes them in our format, one market at a time. */

import { parentPort } from 'node:worker_threads';
import { must, TwinbookError } from '../../shared/base/errors.js';
import type { RecordingWarning } from '../contract.js';
import { kalshiChunks } from '../importers/kalshi-stream.js';
import type { WritingOrder, WritingReport } from './contract.js';
import { type Readable, writeMarket } from './write-market.js';

const parent = must(parentPort, 'parent of this thread');
const tell = (report: WritingReport): void => parent.postMessage(report);

parent.on('message', (order: WritingOrder) => void write(order));

async function write({ market, raw, folder }: WritingOrder): Promise<void> {
  const found: RecordingWarning[] = [];
  const recording: Readable = {
    market,
    get warnings() {
      return [...raw.warnings, ...found];
    },
    chunks: () => kalshiChunks(raw.files, found),
  };
  try {
    const written = await writeMarket(recording, folder, (events, share) => tell({ kind: 'progress', events, share }));
    tell({ kind: 'written', written });
  } catch (error) {
    // Anything else is a bug: it ends the thread, and whoever waits for it hears of it.
    if (!(error instanceof TwinbookError)) throw error;
    const { code, message, hint } = error;
    tell({ kind: 'failed', code, message, hint });
  }
}
