/** Hands out jobs through BullMQ on Redis or Valkey. Every call waits while the server is away; `askServer` explains its errors. */

import { Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { openSeal, type SealKey, seal } from './seal.js';
import { connect, disconnect, PREFIX } from './server.js';

/** `url`: `redis://` or `rediss://`, with user and password if needed. It is a secret. */
export interface QueueAddress extends SealKey {
  readonly url: string;
}

/** `stalled`: too many workers disappeared with it. `forged`: the result lacks the signature of the queue's secret. */
export interface EndedJob {
  readonly id: string;
  readonly kind: 'done' | 'failed' | 'stalled' | 'forged';
  /** Its result, or the reason of its failure. */
  readonly text: string;
}

/** Age at which the server forgets documents and ended jobs: a month. */
const FORGOTTEN_AFTER_S = 30 * 86_400;
const STALLED = /stalled more than allowable limit/;
/** Maximum number of jobs of one request. */
const TOGETHER = 200;
/** Maximum size of a document or a result. Large ones have a tenth of it. */
export const MOST_BYTES = 2 ** 26;

export const documentKey = (queue: string, key: string): string => `${PREFIX}:${queue}:document:${key}`;

export const UNSEALED = 'it is not signed with the TWINBOOK_QUEUE_SECRET of this process';

export class JobQueue {
  readonly #redis: Redis;
  readonly #address: QueueAddress;
  readonly #queue: Queue;

  /** @param say called with a sentence when the server goes away and when it is back */
  constructor(address: QueueAddress, say: (text: string) => void) {
    this.#redis = connect(address.url, say);
    this.#address = address;
    this.#queue = new Queue(address.name, { connection: this.#redis, prefix: PREFIX, skipVersionCheck: true });
    this.#queue.on('error', () => undefined);
  }

  /** Stores a document for the workers. */
  async keep(key: string, text: string): Promise<void> {
    await this.#redis.set(documentKey(this.#address.name, key), text, 'EX', FORGOTTEN_AFTER_S);
  }

  /** Jobs of plain data. Existing jobs stay unchanged. */
  add(jobs: readonly { readonly id: string; readonly data: unknown }[]): Promise<void> {
    const age = { age: FORGOTTEN_AFTER_S };
    const makeJob = ({ id, data }: (typeof jobs)[number]) => ({
      name: 'chunk',
      data: { sealed: seal(this.#address, 'job', id, JSON.stringify(data)) },
      // A job runs again only when its worker disappeared.
      opts: { jobId: id, attempts: 1, removeOnComplete: age, removeOnFail: age },
    });
    return inParts(jobs, (some) => this.#queue.addBulk(some.map(makeJob)));
  }

  /** The ended ones of these jobs, at most `TOGETHER` at a time, and the ids unknown to the server. */
  async look(ids: readonly string[]): Promise<{ readonly ended: EndedJob[]; readonly absent: string[] }> {
    const ended: EndedJob[] = [];
    const absent: string[] = [];
    await inParts(ids, async (some) => {
      const read = (id: string) => this.#redis.hmget(this.#queue.toKey(id), 'timestamp', 'finishedOn');
      const states = await Promise.all(some.map(read));
      for (const [at, [added, finished]] of states.entries()) {
        const id = some[at] ?? '';
        if (added === null) absent.push(id);
        else if (finished !== null && ended.length < TOGETHER) ended.push(...(await this.#readEnded(id)));
      }
    });
    return { ended, absent };
  }

  /** Empty for a job that another process has removed. */
  async #readEnded(id: string): Promise<readonly EndedJob[]> {
    if ((await this.#redis.hstrlen(this.#queue.toKey(id), 'returnvalue')) > MOST_BYTES)
      return [{ id, kind: 'forged', text: `it has more than ${MOST_BYTES} bytes` }];
    const job = await Job.fromId(this.#queue, id);
    if (job === undefined) return [];
    // The server counts lost workers and signs nothing: a stall has no figures.
    if (STALLED.test(job.failedReason ?? '')) return [{ id, kind: 'stalled', text: job.failedReason }];
    for (const kind of ['done', 'failed'] as const) {
      const text = openSeal(this.#address, kind, id, job.returnvalue);
      if (text !== null) return [{ id, kind, text }];
    }
    return [{ id, kind: 'forged', text: UNSEALED }];
  }

  /** Removes these jobs, except those that a worker runs. */
  remove(ids: readonly string[]): Promise<void> {
    return inParts(ids, (some) => Promise.all(some.map((id) => this.#queue.remove(id))));
  }

  async close(): Promise<void> {
    await this.#queue.close().catch(() => undefined);
    disconnect(this.#redis);
  }
}

async function inParts<T>(all: readonly T[], act: (some: readonly T[]) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < all.length; at += TOGETHER) await act(all.slice(at, at + TOGETHER));
}
