/** A server that work is not to be trusted to, as it is found before anything is sent and in the middle. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openQueue } from '../../../src/shell/queue/bullmq-queue.js';
import { requireServer } from '../../../src/shell/queue/server.js';
import { HAS_REDIS, type RedisServer, startRedis } from '../../support/redis.js';

describe.runIf(HAS_REDIS)('with redis-server, the server of a queue', () => {
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-queue-'));
  let server: RedisServer;
  let owner: Redis;
  const urlOf = (who: string, database = '') => `redis://${who}127.0.0.1:${server.port}${database}`;
  const refusal = (url: string) => requireServer(url).then(() => 'none', String);

  beforeAll(async () => {
    server = await startRedis(folder);
    owner = new Redis(server.url);
    await owner.call('acl', 'setuser', 'reader', 'on', '>pw', '~*', '&*', '+@read', '+info', '+hello');
    await owner.call('acl', 'setuser', 'elsewhere', 'on', '>pw', '~other:*', '&*', '+@all');
    await owner.call('acl', 'setuser', 'worker', 'on', '>pw', '~twinbook:*', '&twinbook:*', '+@all');
  });
  afterAll(async () => {
    owner.disconnect();
    server.running.process.kill('SIGKILL');
    await server.running.exited;
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['worker:pw@', '/3', 'none'],
    ['worker:pw@', '/99', 'does not have the database of the address: ERR DB index is out of range'],
    ['worker:pw@', '/work', 'the address of the queue is not understood'],
    ['worker:wrong@', '', 'refuses this user or password: WRONGPASS'],
    ['reader:pw@', '', 'refuses this user or password: NOPERM'],
    ['elsewhere:pw@', '', 'refuses this user or password: NOPERM'],
  ])('asked as %s at %s: %s', async (who, database, expected) => {
    expect(await refusal(urlOf(who, database))).toContain(expected);
    expect(await owner.keys('*')).toEqual([]);
  });

  it('that has no room in the middle of the work is named, and no bug', async () => {
    const queue = await openQueue({ url: urlOf('worker:pw@'), name: 'sweep' });
    await owner.config('SET', 'maxmemory', '1');
    expect(await refusal(urlOf('worker:pw@'))).toContain('takes no work: OOM');
    await expect(queue.keep('a', 'b')).rejects.toMatchObject({ code: 'queue_unusable', message: /takes no work: OOM/ });
    await owner.config('SET', 'maxmemory', '0');
    await queue.keep('a', 'b');
    await queue.close();
  });
});
