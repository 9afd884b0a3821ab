/** Faults behind a queue, with real workers and a real server: the rows equal those of threads, each stored once. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { JobQueue } from '../../../src/shell/queue/job-queue.js';
import { run } from '../../cli/run.js';
import { IS_LONG } from '../../support/effort.js';
import { type Running, twinbook as startTwinbook } from '../../support/processes.js';
import { HAS_REDIS, type RedisServer, startRedis } from '../../support/redis.js';
import { resolvable } from '../../support/resolvable.js';
import { untilTrue } from '../../support/waiting.js';
import { querySweep, readSweepTables, record, type SweepPlace, sweepPlace } from './place.js';

let place: SweepPlace;
let redis: RedisServer;
let client: Redis;
const QUESTION = ['--param', 'behind_ticks=0:3:1', '--folds', '4', '--fill-model', 'risk-averse'];
const KEPT = ['--appendonly', 'yes', '--appendfsync', 'everysec'];
const SECRET = 'a secret of 23 letters.';
const queueEnv = () => ({ TWINBOOK_QUEUE_URL: redis.url, TWINBOOK_QUEUE_SECRET: SECRET });
const never = () => new Promise<void>(() => undefined);
const machine = () => ['-c', place.config, '--data', place.data, '--workers', '1'];
const QUEUED = ['--engine', 'queue', '--chunk-seconds', '1'];
const ledBy = (out: string, question = QUESTION) => ['sweep', ...machine(), ...question, ...QUEUED, '--out', out];
const lead = (out: string, question = QUESTION, stopAsked = never, extra: readonly string[] = []) =>
  run([...ledBy(out, question), ...extra], { cwd: place.folder, stopAsked, env: queueEnv() });
const worker = (env: Readonly<Record<string, string>> = {}, config = place.config): Running => {
  const words = ['sweep', 'worker', '-c', config, '--data', place.data, '--workers', '1', '--lock-seconds', '2'];
  return startTwinbook(words, { ...queueEnv(), ...env });
};
const end = async (...running: readonly Running[]) => {
  for (const { process } of running) process.kill('SIGKILL');
  await Promise.all(running.map(({ exited }) => exited));
};
const untilAny = (jobs: 'active' | 'wait') => untilTrue(async () => (await client.llen(`twinbook:sweep:${jobs}`)) > 0);

const contentOf = (out: string) => readSweepTables(join(place.folder, out));
/** Waits for the led sweep: its rows equal those of threads. Then ends the workers. */
async function expectSame(out: string, leading: ReturnType<typeof lead>, ...workers: readonly Running[]) {
  const { code, err } = await leading;
  expect(`${code} ${err}`).toMatch(/^0 /);
  expect(contentOf(out)).toEqual(contentOf('threads'));
  await end(...workers);
  return err;
}

describe.runIf(IS_LONG && HAS_REDIS)('behind a queue, in the long effort and with redis-server', () => {
  beforeAll(async () => {
    place = sweepPlace();
    await record(place.data, { events: 8, minutes: 3 });
    const threads = ['sweep', ...machine(), ...QUESTION, '--out', 'threads'];
    expect(await run(threads, { cwd: place.folder, stopAsked: never })).toMatchObject({ code: 0 });
    redis = await startRedis(place.folder, KEPT);
    client = new Redis(redis.url);
    client.on('error', () => undefined);
  });
  afterAll(async () => {
    client.disconnect();
    await end(redis.running);
    place.remove();
  });
  beforeEach(() => client.flushall());

  it('a worker that is killed loses its chunk to another', async () => {
    const leading = lead('killed');
    const first = worker();
    await untilAny('active');
    await end(first);
    await expectSame('killed', leading, worker());
  });

  it('a worker that is frozen is not waited for, and what it brings later is refused', async () => {
    const leading = lead('frozen');
    const first = worker();
    await untilAny('active');
    first.process.kill('SIGSTOP');
    const second = worker();
    await expectSame('frozen', leading);
    first.process.kill('SIGCONT');
    await first.waitFor(/queue: .*(Missing lock|Missing key|lock)/i);
    await end(first, second);
  });

  it('the server is killed and comes back', async () => {
    const leading = lead('back');
    const working = worker();
    await untilAny('active');
    await end(redis.running);
    redis = await startRedis(place.folder, KEPT, redis.port);
    expect(await expectSame('back', leading, working)).toMatch(
      /the connection to the queue’s server is lost; reconnecting\n[\s\S]*the queue’s server is connected again\n/,
    );
  });

  it('the data of the server is deleted in mid-sweep', async () => {
    const leading = lead('deleted');
    const working = worker();
    await untilAny('active');
    await client.flushall();
    expect(await expectSame('deleted', leading, working)).toMatch(
      /The queue has lost \d+ chunks: these chunks are sent again/,
    );
  });

  it('a chunk that kills its worker fails after three, and the others go on', async () => {
    const question = ['--param', 'mode=sound,kills', '--folds', '1', '--fill-model', 'risk-averse'];
    let isOver = false;
    const supervised = async () => {
      while (!isOver) {
        const working = worker();
        void leading.then(() => working.process.kill('SIGKILL'));
        await working.exited;
      }
    };
    const leading = lead('poison', question).finally(() => (isOver = true));
    const [{ code, out }] = await Promise.all([leading, supervised()]);
    expect(code).toBe(0);
    expect(out).toContain('failed: several workers ended without a result');
  });

  it('one who leads is killed, and another goes on where it was', async () => {
    const leading = startTwinbook(ledBy(join(place.folder, 'resumed')), queueEnv());
    const working = worker();
    await working.waitFor(/fold 1, .* backtests/);
    await end(leading);
    await expectSame('resumed', lead('resumed', QUESTION, never, ['--resume']), working);
  });

  it('two that lead the same sweep, and a worker in another time zone, give the same', async () => {
    const working = worker({ TZ: 'Asia/Tokyo' });
    await Promise.all(['one', 'other'].map((out) => expectSame(out, lead(out))));
    await end(working);
  });

  it('a worker with another configuration gives its chunk back and ends, and another one runs it', async () => {
    const other = join(place.folder, 'other.yaml');
    writeFileSync(other, readFileSync(place.config, 'utf8').replace('"1000"', '"1001"'));
    const leading = lead('refused');
    const wrong = worker({}, other);
    expect(await wrong.exited).toBe(4);
    expect(wrong.output()).toContain('is not the configuration that the sweep was planned with');
    const working = worker();
    await expectSame('refused', leading);
    working.process.kill('SIGTERM');
    expect(await working.exited).toBe(0);
  });

  it('a result that is not signed with the secret is sent again, and ends the sweep when it comes again and again', async () => {
    const lying = new (await import('bullmq')).Worker('sweep', async () => 'done, believe me', {
      connection: client.duplicate({ maxRetriesPerRequest: null }),
      prefix: 'twinbook',
    });
    const { code, err } = await lead('lied to');
    expect(code).toBe(1);
    expect(err).toMatch(/A chunk failed and is sent again: a result was rejected: the job or its result is not signed/);
    await lying.close(true);
    expect(querySweep(join(place.folder, 'lied to'), 'SELECT * FROM results')).toEqual([]);
  });

  it('a job of another version waits for its own workers, and the others go on', async () => {
    const sheet = JSON.stringify({ version: '0.0.1', node: 20, timeZone: 'UTC' });
    const queue = new JobQueue({ url: redis.url, name: 'sweep', secret: SECRET }, () => undefined);
    await queue.keep('older', sheet);
    await queue.add([{ id: 'of-another-version', data: { sheet: 'older', chunk: { fold: 0, first: 1, last: 1 } } }]);
    const working = worker();
    await working.waitFor(/this worker leaves a job to other workers: the sweep was planned by Twinbook 0\.0\.1/);
    await expectSame('beside', lead('beside'));
    expect(await queue.look(['of-another-version'])).toEqual({ ended: [], absent: [] });
    await queue.close();
    await end(working);
  });

  it('stopped by its user it takes waiting chunks back, and goes on later', async () => {
    const [stopAsked, stop] = resolvable();
    const leading = lead('stopped', QUESTION, () => stopAsked);
    await untilAny('wait');
    stop();
    expect(await leading).toMatchObject({ code: 1, err: expect.stringContaining('with --resume to continue') });
    expect(await client.llen('twinbook:sweep:wait')).toBe(0);
    await expectSame('stopped', lead('stopped', QUESTION, never, ['--resume']), worker());
  });
});
