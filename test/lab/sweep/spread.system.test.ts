/** Sweeps run in chunks elsewhere: the same rows as on threads of one process. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSheet, openRunner } from '../../../src/lab/sweep/chunks.js';
import { planSweep } from '../../../src/lab/sweep/facts.js';
import { run } from '../../cli/run.js';
import { optimiseThreadsLate } from '../../support/late-optimising.js';
import { twinbook as startTwinbook } from '../../support/processes.js';
import { HAS_REDIS, redisOfGroup } from '../../support/redis.js';
import { readSweepTables, record, sweepPlace, sweepPlan } from './place.js';

optimiseThreadsLate();

const place = sweepPlace();
afterAll(() => place.remove());
beforeAll(async () => {
  await record(place.data, { events: 2 });
  expect(await sweep('--out', 'threads')).toMatchObject({ code: 0 });
});

const never = () => new Promise<void>(() => undefined);
const twinbook = (args: readonly string[], env: Readonly<Record<string, string>> = {}, stopAsked = never) =>
  run(args, { cwd: place.folder, stopAsked, env });
const OF_MACHINE = ['-c', 'trader.yaml', '--data', 'recordings'];
const QUESTION = [...OF_MACHINE, '--param', 'behind_ticks=0:1:1', '--folds', '2', '--fill-model', 'risk-averse'];
const sweep = (...args: readonly string[]) => twinbook(['sweep', ...QUESTION, '--workers', '1', ...args]);
const runChunk = (env: Readonly<Record<string, string>>, dir = 'chunks', machine = OF_MACHINE, stopAsked = never) =>
  twinbook(['sweep', 'worker', '--dir', dir, ...machine, '--workers', '1'], env, stopAsked);
const FIRST = [...OF_MACHINE, '--index', '0'];

const contentOf = (out: string) => readSweepTables(join(place.folder, out));

describe('a machine that runs chunks', () => {
  it('gives the same for a chunk whether its threads are new or warm, and stops when it is asked', async () => {
    const plan = await sweepPlan(place, { params: ['behind_ticks=0:1:1'], fillModels: ['risk-averse'], folds: 2 });
    const sheet = makeSheet(await planSweep(plan));
    const runner = await openRunner(sheet, { source: plan.source, paths: plan.paths, workers: 1 });
    const first = await runner.run({ fold: 0, first: 1, last: 1 }, never());
    const second = await runner.run({ fold: 0, first: 2, last: 2 }, never());
    expect(await runner.run({ fold: 0, first: 1, last: 2 }, Promise.resolve())).toBeNull();
    const whole = await runner.run({ fold: 0, first: 1, last: 2 }, never());
    await runner.close();
    expect([...(first ?? []), ...(second ?? [])]).toEqual(whole);
    expect(whole?.map(({ outcome }) => outcome.kind)).toEqual(['done', 'done']);
  });

  it('keeps its threads within a fold, and an end of theirs is that of one backtest', async () => {
    const plan = await sweepPlan(place, { params: ['mode=sound,exits'], fillModels: ['risk-averse'], folds: 2 });
    const sheet = makeSheet(await planSweep(plan));
    const started: unknown[] = [];
    const note = (worker: unknown) => void started.push(worker);
    process.on('worker', note);
    const runner = await openRunner(sheet, { source: plan.source, paths: plan.paths, workers: 2 });
    const runFold = async (fold: number, from: number) =>
      (await runner.run({ fold, first: from + 1, last: from + 1 }, never()))?.map(({ outcome }) => outcome);
    const [first, again] = [await runFold(0, 0), await runFold(0, 0)];
    expect(started).toHaveLength(1);
    expect(again).toEqual(first);
    expect(await runFold(1, 0)).not.toEqual(first);
    expect(started).toHaveLength(2);
    expect(await runFold(1, 1)).toEqual([{ kind: 'failed', error: 'the thread ended: exit code 7' }]);
    expect(await runFold(0, 0)).toEqual(first);
    expect(started).toHaveLength(3);
    await runner.close();
    process.off('worker', note);
  });
});

describe('a sweep as a job array', () => {
  it('gives the rows of threads, chunk by chunk, and says what is missing until then', async () => {
    const planned = await twinbook(['sweep', 'plan', ...QUESTION, '--dir', 'chunks', '--out', 'array']);
    expect(planned).toMatchObject({ code: 0, out: expect.stringMatching(/chunks\s+2, numbered from 0 to 1/) });
    expect(planned.out).toContain('sbatch --array=0-1');
    const first = { code: 0, out: 'chunk 1: 2 backtests, 0 failed\n' };
    expect(await runChunk({ JOB_COMPLETION_INDEX: '1' })).toMatchObject(first);
    const early = await twinbook(['sweep', 'collect', '--dir', 'chunks']);
    expect(early).toMatchObject({ code: 6, out: '0\n' });
    expect(early.err).toContain('1 of 2 chunks are missing; 2 backtests were stored now.');
    expect(await runChunk({}, 'chunks', FIRST)).toMatchObject({ code: 0, out: 'chunk 0: 2 backtests, 0 failed\n' });
    const file = join(place.folder, 'chunks/results/chunk-0.json');
    const before = readFileSync(file, 'utf8');
    expect(await runChunk({ AWS_BATCH_JOB_ARRAY_INDEX: '0' })).toMatchObject({ out: 'chunk 0 is done already\n' });
    const whole = await twinbook(['sweep', 'collect', '--dir', 'chunks']);
    expect(whole).toMatchObject({ code: 0, out: expect.stringContaining('2 configurations, 2 events in 2 folds') });
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(contentOf('array')).toEqual(contentOf('threads'));
  });

  it('is refused by a machine with another configuration or other recordings, and says what is wrong with an index', async () => {
    await twinbook(['sweep', 'plan', ...QUESTION, '--dir', 'refused']);
    const refused = async (env: Readonly<Record<string, string>>, machine = OF_MACHINE) => {
      const { code, err, out } = await runChunk(env, 'refused', machine);
      expect(out).toBe('');
      return `${code} ${err}`;
    };
    expect(await refused({})).toMatch(/^2 no chunk number is given: wanted a whole number from 0/);
    expect(await refused({ SLURM_ARRAY_TASK_ID: 'x' })).toMatch(/^2 SLURM_ARRAY_TASK_ID is "x"/);
    expect(await refused({ SLURM_ARRAY_TASK_ID: '2' })).toMatch(/^2 there is no chunk 2/);
    expect(await refused({}, [...OF_MACHINE, '--index', '2'])).toMatch(/^2 there is no chunk 2/);
    const index = { SLURM_ARRAY_TASK_ID: '0' };
    writeFileSync(join(place.folder, 'other.yaml'), readFileSync(place.config, 'utf8').replace('"1000"', '"1001"'));
    expect(await refused(index, ['-c', 'other.yaml', '--data', 'recordings'])).toMatch(
      /^4 .*other.yaml is not the configuration that the sweep was planned with/,
    );
    mkdirSync(join(place.folder, 'few'));
    await record(join(place.folder, 'few'), { events: 1 });
    expect(await refused(index, ['-c', 'trader.yaml', '--data', 'few'])).toMatch(
      /^1 these are not the recordings of the sweep: 1 of 2 markets are missing or have different content/,
    );
    const stopped = await runChunk(index, 'refused', FIRST, () => Promise.resolve());
    expect(stopped).toMatchObject({ code: 1, err: expect.stringContaining('Chunk 0 was not stored') });
    expect(await twinbook(['sweep', 'collect', '--dir', 'refused'])).toMatchObject({ code: 6, out: '0-1\n' });
  });
});

describe.skipIf(!HAS_REDIS)('a sweep behind a queue (skipped where redis-server is missing)', () => {
  const redis = redisOfGroup();
  const secret = { TWINBOOK_QUEUE_SECRET: 'a secret of 23 letters.' };
  const queueEnv = () => ({ ...secret, TWINBOOK_QUEUE_URL: redis().url });
  const atQueue = (...args: string[]) => twinbook(['sweep', ...QUESTION, '--engine', 'queue', ...args], queueEnv());
  const worker = (...args: readonly string[]) => {
    const paths = ['-c', place.config, '--data', place.data, '--workers', '1'];
    return startTwinbook(['sweep', 'worker', ...paths, ...args], queueEnv());
  };

  it('gives the rows of threads, from a worker of its own, and leaves no job behind', async () => {
    const taking = worker();
    expect(await atQueue('--out', 'queued')).toMatchObject({ code: 0 });
    expect(contentOf('queued')).toEqual(contentOf('threads'));
    taking.process.kill('SIGTERM');
    expect(await taking.exited).toBe(0);
    const client = new Redis(redis().url);
    const jobs = (await client.keys('*')).filter((key) => /:[0-9a-f]{64}$/.test(key) && !key.includes('document'));
    expect(jobs).toEqual([]);
    client.disconnect();
    // Finished work is not sent again, so it needs no worker.
    expect(await atQueue('--out', 'queued')).toMatchObject({ code: 0 });
  });

  const at = (url: string) => ({ ...secret, TWINBOOK_QUEUE_URL: url });
  const keyless = (url: string, more = {}) => ({ TWINBOOK_QUEUE_URL: url, ...more });
  const SHORT = { TWINBOOK_QUEUE_SECRET: 'short' };
  const asked = async (env: Readonly<Record<string, string>>, ...args: readonly string[]) => {
    const ran = await twinbook(['sweep', ...QUESTION, '--engine', 'queue', '--out', 'never', ...args], env);
    return `${ran.code} ${ran.err}`;
  };

  it.each<[RegExp, () => Readonly<Record<string, string>>, string?]>([
    [/^2 TWINBOOK_QUEUE_URL is not set/, () => ({})],
    [/^2 TWINBOOK_QUEUE_SECRET is not set/, () => keyless('redis://queue.invalid:6379')],
    [/^1 the queue's server 127.0.0.1:1 does not answer/, () => keyless('redis://127.0.0.1:1')],
    [/^2 TWINBOOK_QUEUE_SECRET has 5 characters: it is too easy to guess/, () => keyless(redis().url, SHORT)],
    [/^2 the address of the queue \(TWINBOOK_QUEUE_URL or .*\) is not a Redis URL/, () => at('http://127.0.0.1:1')],
    [/^1 the queue's server 127.0.0.1:1 does not answer: .*ECONNREFUSED/, () => at('redis://:hunter22@127.0.0.1:1')],
    [/refuses: WRONGPASS/, () => at(`redis://stranger:hunter22@127.0.0.1:${redis().port}`)],
    [/^2 .*Wanted lower-case letters/s, () => at('redis://127.0.0.1:1'), 'No Name'],
  ])('says what is wrong with the queue before anything is sent: %s', async (words, env, queue) => {
    expect(await asked(env(), ...(queue === undefined ? [] : ['--queue', queue]))).toMatch(words);
  });

  it('takes no server that may forget jobs', async () => {
    const client = new Redis(redis().url);
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await asked(at(redis().url))).toMatch(
      /has the maxmemory-policy allkeys-lru\n {2}Set maxmemory-policy noeviction/,
    );
    await client.config('SET', 'maxmemory-policy', 'noeviction');
    client.disconnect();
  });
});
