/** Runs the client's campaign in several processes: one processor alone is too slow. */

import { fork } from 'node:child_process';
import { join } from 'node:path';
import { Tally } from '../tally.js';
import type { ClientReport, ClientTask } from './client-process.js';

/** One per processor of the smallest machine that runs this. */
const PROCESSES = 2;

export async function clientProcesses(seed: number, halfMs: number): Promise<ClientReport & { readonly tally: Tally }> {
  const parts = Array.from({ length: PROCESSES }, (_, part) => reportOf({ seed, halfMs, part, parts: PROCESSES }));
  const reports = await Promise.all(parts);
  const tally = new Tally();
  for (const { counts } of reports) tally.addAll(counts);
  return {
    tally,
    counts: tally.counts,
    answers: reports.reduce((sum, { answers }) => sum + answers, 0),
    attackMs: Math.max(...reports.map(({ attackMs }) => attackMs)),
    faults: reports.flatMap(({ faults }) => faults),
    heapBytes: reports.flatMap(({ heapBytes }) => heapBytes),
  };
}

function reportOf(task: ClientTask): Promise<ClientReport> {
  return new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, 'client-process.ts'));
    child.once('exit', (code) => reject(new Error(`a process of the client ended with ${code}`)));
    child.once('message', (report) => {
      child.disconnect();
      resolve(report as ClientReport);
    });
    child.send(task);
  });
}
