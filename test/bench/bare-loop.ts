/** A loop that only uses a core, on threads: the scaling that this machine offers to any program. */

import { Worker } from 'node:worker_threads';
import { sized } from './bench.js';

const TURNS = sized(3_000_000_000, 1_000_000);
/** Messages mark the start and the end of the computation, to exclude the start of the thread. */
const PROGRAM = `
  const { parentPort } = require('node:worker_threads');
  parentPort.postMessage('starts');
  let sum = 0;
  for (let i = 0; i < ${TURNS}; i++) sum = (sum + i * 7) | 0;
  parentPort.postMessage(sum);
`;

/** Turns per second of this number of threads together. */
export async function bareLoopRate(threads: number): Promise<number> {
  const spans = await Promise.all(Array.from({ length: threads }, runLoop));
  const fromMs = Math.min(...spans.map(([startMs]) => startMs));
  return (threads * TURNS * 1000) / (Math.max(...spans.map(([, endMs]) => endMs)) - fromMs);
}

function runLoop(): Promise<readonly [startMs: number, endMs: number]> {
  const worker = new Worker(PROGRAM, { eval: true });
  let startMs: number | null = null;
  return new Promise((resolve, reject) => {
    worker.on('message', () => {
      if (startMs === null) startMs = performance.now();
      else resolve([startMs, performance.now()]);
    });
    worker.on('error', reject);
  });
}
