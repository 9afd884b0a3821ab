/** One flow, killed at many points: the first run is traced to list its calls; later runs are killed at some. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { must } from '../../src/shared/base/errors.js';
import { Random } from '../../src/shared/base/random.js';
import type { Comparison } from './kill-comparison.js';
import { FLOWS, type Flow } from './kill-flows.js';
import { callsIn, type KillPoint, type MadeCall, type Tracing } from './traced.js';

/** A second kill comes within this number of calls of the recovery. */
const EARLY_CALLS = 60;
/** Files that do not count: the run's journal, shared memory, which no crash keeps, and the log. */
const ASIDE = /\/runs\/|-shm$|\.log$/;

export interface KillResult extends Comparison, KillPair {
  /** Kills that happened at their call; the other runs ended before it. */
  readonly hits: number;
}

/** Where a flow, and then its recovery, is killed. */
export interface KillPair {
  readonly first: KillPoint;
  readonly second: KillPoint;
}

/** Kills a flow at `count` points spread over all its writes, and again in each recovery. */
export async function killedFlow(
  name: string,
  { count, seed }: { readonly count: number; readonly seed: number },
  onResult: (result: KillResult) => void,
): Promise<readonly KillResult[]> {
  return withFlow(name, async (flow, folder) => {
    const { run, recovery } = await watched(flow, folder);
    return killedAll(flow, pairs(run, recovery, count, Random.fromSeed(seed, name)), onResult);
  });
}

/** Kills a flow at given points. */
export const killedAt = (name: string, at: readonly KillPair[]): Promise<readonly KillResult[]> =>
  withFlow(name, async (flow) => {
    await flow.prepare();
    await flow.finish();
    return killedAll(flow, at, () => undefined);
  });

async function withFlow<T>(name: string, work: (flow: Flow, folder: string) => Promise<T>): Promise<T> {
  const found = FLOWS[name];
  if (found === undefined) throw new Error(`no flow ${name}`);
  const flow = await found.open();
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-calls-'));
  try {
    return await work(flow, folder);
  } finally {
    await flow.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One point in each part of the flow; the second early in the recovery. */
function pairs(
  run: readonly MadeCall[],
  recovery: readonly MadeCall[],
  count: number,
  random: Random,
): readonly KillPair[] {
  return Array.from({ length: count }, (_, n) => ({
    first: must(run[Math.floor(((n + random.uniform()) * run.length) / count)], 'a call of the flow'),
    second: must(recovery[random.below(Math.min(EARLY_CALLS, recovery.length))], 'a call of the recovery'),
  }));
}

async function killedAll(
  flow: Flow,
  at: readonly KillPair[],
  onResult: (result: KillResult) => void,
): Promise<readonly KillResult[]> {
  const results: KillResult[] = [];
  for (const pair of at) {
    await flow.prepare();
    const endings = [await flow.run({ killAt: pair.first }), await flow.recover({ killAt: pair.second })];
    const hits = endings.filter((ending) => ending === 'killed').length;
    const result = { ...pair, hits, ...(await flow.finish()) };
    results.push(result);
    onResult(result);
  }
  return results;
}

/** The writes of the flow and of a start after it, in order. */
async function watched(flow: Flow, folder: string) {
  const list = (file: string): Tracing => ({ list: join(folder, file) });
  // The first run creates the files and credentials that later runs find.
  await flow.prepare();
  await flow.finish();
  await flow.prepare();
  await flow.run(list('run'));
  await flow.recover(list('recovery'));
  await flow.finish();
  return { run: written(join(folder, 'run')), recovery: written(join(folder, 'recovery')) };
}

/** Calls from the program's first access to its files: before that it only loads code. */
function written(file: string): readonly MadeCall[] {
  const calls = callsIn(file).filter(({ target }) => !ASIDE.test(target));
  const begin = calls.findIndex(({ target }) => /\.lock|wallet\.json|\.sqlite/.test(target));
  return calls.slice(Math.max(0, begin));
}
