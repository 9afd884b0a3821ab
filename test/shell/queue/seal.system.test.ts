/** Foreign entries in a queue: jobs and results without the signature of its secret, with a real server. */

import { Queue, Worker } from 'bullmq';
import { beforeEach, describe, expect, it } from 'vitest';
import { JobQueue, type QueueWork, workOn } from '../../../src/shell/queue/job-queue.js';
import { openSeal, seal } from '../../../src/shell/queue/seal.js';
import { HAS_REDIS, redisOfGroup } from '../../support/redis.js';
import { resolvable } from '../../support/resolvable.js';
import { until, untilTrue } from '../../support/waiting.js';

type Handled = Awaited<ReturnType<QueueWork['handle']>>;

const JOBS = ['one', 'two'].map((id) => ({ id, data: { id } }));

describe('a seal', () => {
  const address = { url: '', name: 'sweep', secret: 'of this queue' };
  const sealed = seal(address, 'done', 'one', 'text with "spaces"\n');

  it('opens for its purpose, queue, job, text and secret alone', () => {
    expect(openSeal(address, 'done', 'one', sealed)).toBe('text with "spaces"\n');
    expect([openSeal(address, 'job', 'one', sealed), openSeal(address, 'done', 'two', sealed)]).toEqual([null, null]);
    expect(openSeal({ ...address, name: 'other' }, 'done', 'one', sealed)).toBeNull();
    expect(openSeal({ ...address, secret: 'other' }, 'done', 'one', sealed)).toBeNull();
    expect(openSeal(address, 'done', 'one', sealed.replace('text', 'test'))).toBeNull();
    for (const none of ['', 'text', ' text', null, 7]) expect(openSeal(address, 'done', 'one', none)).toBeNull();
  });
});

describe.runIf(HAS_REDIS)('with redis-server, a queue that others write to', () => {
  const server = redisOfGroup();
  let address: ConstructorParameters<typeof JobQueue>[0];
  let queue: JobQueue;
  let number = 0;
  const others = () => ({ connection: { host: '127.0.0.1', port: server().port }, prefix: 'twinbook' });

  beforeEach(async () => {
    address = { url: server().url, name: `queue-${++number}`, secret: 'of this queue' };
    queue = new JobQueue(address, () => undefined);
    return () => queue.close();
  });

  const look = async () => (await queue.look(['one', 'two'])).ended.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const allEnded = () => until(look, (ended) => ended.length === 2);

  /** Works until `act` has ended. */
  async function working<T>(handle: (data: unknown) => Promise<Handled>, act: (said: string[]) => Promise<T>) {
    const said: string[] = [];
    const [stopAsked, stop] = resolvable();
    const done = workOn(address, { lockMs: 30_000, handle, say: (text) => said.push(text), stopAsked });
    const answer = await act(said);
    stop();
    await done;
    return answer;
  }

  it('gives the results of its own workers, and what they threw', async () => {
    await queue.add(JOBS);
    const handle = (data: unknown): Promise<Handled> => {
      const { id } = data as { id: string };
      return id === 'one' ? Promise.resolve({ kind: 'done', text: 'brought' }) : Promise.reject(new Error('thrown'));
    };
    expect(await working(handle, allEnded)).toEqual([
      { id: 'one', kind: 'done', text: 'brought' },
      { id: 'two', kind: 'failed', text: 'thrown' },
    ]);
  });

  it('names results as forged that are unsigned, of another secret, or of another job', async () => {
    await queue.add(JOBS);
    const forged = new Worker(
      address.name,
      async ({ id }) => {
        if (id === 'two') throw new Error('failed, believe me');
        return seal({ ...address, secret: 'guessed' }, 'done', 'one', 'brought');
      },
      others(),
    );
    const text = 'the job or its result is not signed with the TWINBOOK_QUEUE_SECRET of this process';
    expect(await allEnded()).toEqual([
      { id: 'one', kind: 'forged', text },
      { id: 'two', kind: 'forged', text },
    ]);
    await forged.close();
    await queue.remove(['one', 'two']);
    await queue.add(JOBS);
    const replayed = new Worker(address.name, async () => seal(address, 'done', 'one', 'brought'), others());
    expect((await allEnded()).map(({ kind }) => kind)).toEqual(['done', 'forged']);
    await replayed.close();
  });

  it('leaves jobs that it cannot tell to other workers, says so once, and does its own', async () => {
    const foreign = new Queue(address.name, others());
    await foreign.add('chunk', { sheet: 'of an older version' }, { jobId: 'older' });
    await foreign.add('chunk', null, { jobId: 'nothing' });
    await queue.add([...JOBS, { id: 'newer', data: { id: 'newer' } }]);
    const handle = async (data: unknown): Promise<Handled> =>
      (data as { id: string }).id === 'newer'
        ? { kind: 'foreign', why: 'it is of a newer version' }
        : { kind: 'done', text: '' };
    const said = await working(handle, async (texts) => {
      expect((await allEnded()).map(({ kind }) => kind)).toEqual(['done', 'done']);
      await untilTrue(async () => (await foreign.getDelayedCount()) === 3);
      return texts;
    });
    expect(said).toEqual([
      'this worker leaves a job to other workers: the job or its result is not signed with the TWINBOOK_QUEUE_SECRET of this process',
      'this worker leaves a job to other workers: it is of a newer version',
    ]);
    expect(await queue.look(['older', 'nothing', 'newer'])).toEqual({ ended: [], absent: [] });
    await foreign.close();
  });
});
