/** An untrusted server, detected before anything is sent and in the middle. */

import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askServer, JobQueue, requireServer } from '../../../src/shell/queue/job-queue.js';
import { HAS_REDIS, redisOfGroup } from '../../support/redis.js';
import { untilTrue } from '../../support/waiting.js';

describe.runIf(HAS_REDIS)('with redis-server, the server of a queue', () => {
  const server = redisOfGroup();
  let owner: Redis;
  const urlOf = (who: string, database = '') => `redis://${who}127.0.0.1:${server().port}${database}`;
  const refusal = (url: string) => requireServer(url).then(() => 'none', String);

  beforeAll(async () => {
    owner = new Redis(server().url);
    await owner.call('acl', 'setuser', 'reader', 'on', '>pw', '~*', '&*', '+@read', '+info', '+hello');
    await owner.call('acl', 'setuser', 'elsewhere', 'on', '>pw', '~other:*', '&*', '+@all');
    await owner.call('acl', 'setuser', 'worker', 'on', '>pw', '~twinbook:*', '&twinbook:*', '+@all');
  });
  afterAll(() => owner.disconnect());

  it.each([
    ['worker:pw@', '/3', 'none'],
    ['worker:pw@', '/99', 'refuses: ERR DB index is out of range'],
    ['worker:pw@', '/work', '(TWINBOOK_QUEUE_URL or its file) is not a Redis URL'],
    ['worker:wrong@', '', 'refuses: WRONGPASS'],
    ['reader:pw@', '', 'refuses: NOPERM'],
    ['elsewhere:pw@', '', 'refuses: NOPERM'],
  ])('asked as %s at %s: %s', async (who, database, expected) => {
    expect(await refusal(urlOf(who, database))).toContain(expected);
    expect(await owner.keys('*')).toEqual([]);
  });

  it.each(['localhost:6379', 'http://worker:pw@127.0.0.1', 'redis:', 'worker'])('with no address: %s', async (url) => {
    expect(await refusal(url)).toContain('is not a Redis URL');
    expect(await refusal(url)).not.toContain('pw');
  });

  it('whose connection breaks is said to be away, and to be back, and nothing at the end', async () => {
    const said: string[] = [];
    const address = { url: urlOf('worker:pw@'), name: 'sweep', secret: 'secret' };
    const queue = new JobQueue(address, (text) => said.push(text));
    await queue.keep('a', 'b');
    await owner.call('client', 'kill', 'type', 'normal', 'skipme', 'yes');
    await untilTrue(() => said.length === 2);
    await queue.close();
    expect(said).toEqual([
      'the connection to the queue’s server is lost; reconnecting',
      'the queue’s server is connected again',
    ]);
  });

  it('that has no room in the middle of the work is named, and no bug', async () => {
    const address = { url: urlOf('worker:pw@'), name: 'sweep', secret: 'secret' };
    const queue = new JobQueue(address, () => undefined);
    await owner.config('SET', 'maxmemory', '1');
    expect(await refusal(urlOf('worker:pw@'))).toContain('refuses: OOM');
    const asked = askServer(address.url, () => queue.keep('a', 'b'));
    await expect(asked).rejects.toMatchObject({ code: 'queue_unusable', message: /refuses: OOM/ });
    await owner.config('SET', 'maxmemory', '0');
    await queue.keep('a', 'b');
    await queue.close();
  });
});
