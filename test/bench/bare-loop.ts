/** A loop that needs nothing but a core, on threads: what this machine gives to any program that takes another one. */

import { Worker } from 'node:worker_threads';
import { sized } from './bench.js';

const TURNS = sized(3_000_000_000, 1_000_000);
/** Told when it starts computing and when it has ended: starting a thread is not what is measured. */
const PROGRAM = `
  const { parentPort } = require('node:worker_threads');
  parentPort.postMessage('starts');
  let sum = 0;
  for (let i = 0; i < ${TURNS}; i++) sum = (sum + i * 7) | 0;
  parentPort.postMessage(sum);
`;

/** How many turns a second so many threads do together. */
export async function bareLoopRate(threads: number): Promise<number> {
  const spans = await Promise.all(Array.from({ length: threads }, runLoop));
  const fromMs = Math.min(...spans.map(([startMs]) => startMs));
  const toMs = Math.max(...spans.map(([, endMs]) => endMs));
  return (threads * TURNS * 1000) / (toMs - fromMs);
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
