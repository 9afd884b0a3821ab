/** The queue of whoever hands out work, as BullMQ keeps it on Redis or Valkey. */

import { Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { EndedJob, JobQueue, QueueAddress, QueueJob } from './contract.js';
import { askServer, connection, PREFIX, requireServer, watchServer } from './server.js';

/** What nobody came back for is forgotten after a month. */
const FORGOTTEN_AFTER_S = 30 * 86_400;
const STALLED = /stalled more than allowable limit/;
/** Requests that are under way together. */
const TOGETHER = 200;

/** Throws as `requireServer` does. */
export async function openQueue({ url, name }: QueueAddress): Promise<JobQueue> {
  await requireServer(url);
  const queue = new BullQueue(connection(url), name);
  return {
    watch: (say) => queue.watch(say),
    keep: (...what) => askServer(url, () => queue.keep(...what)),
    add: (...what) => askServer(url, () => queue.add(...what)),
    listEnded: (...what) => askServer(url, () => queue.listEnded(...what)),
    listAbsent: (...what) => askServer(url, () => queue.listAbsent(...what)),
    remove: (...what) => askServer(url, () => queue.remove(...what)),
    workers: () => queue.workers(),
    close: () => queue.close(),
  };
}

/** Where a document of such a queue lies. */
export const documentKey = (queue: string, key: string): string => `${PREFIX}:${queue}:document:${key}`;

class BullQueue implements JobQueue {
  readonly #redis: Redis;
  readonly #name: string;
  readonly #queue: Queue;
  #stopWatching: () => void = () => undefined;

  constructor(redis: Redis, name: string) {
    this.#redis = redis;
    this.#name = name;
    this.#queue = new Queue(name, { connection: redis, prefix: PREFIX, skipVersionCheck: true });
    this.#queue.on('error', () => undefined);
  }

  watch(say: (text: string) => void): void {
    this.#stopWatching();
    this.#stopWatching = watchServer(this.#redis, say);
  }

  async keep(key: string, text: string): Promise<void> {
    await this.#redis.set(documentKey(this.#name, key), text, 'EX', FORGOTTEN_AFTER_S);
  }

  async add(jobs: readonly QueueJob[]): Promise<void> {
    const age = { age: FORGOTTEN_AFTER_S };
    for (let at = 0; at < jobs.length; at += TOGETHER) {
      await this.#queue.addBulk(
        jobs.slice(at, at + TOGETHER).map(({ id, data }) => ({
          name: 'chunk',
          data,
          // Work that throws has failed: a job is repeated only when whoever took it vanished.
          opts: { jobId: id, attempts: 1, removeOnComplete: age, removeOnFail: age },
        })),
      );
    }
  }

  async listEnded(ids: ReadonlySet<string>): Promise<readonly EndedJob[]> {
    const found: EndedJob[] = [];
    for (const id of await this.#queue.getRanges(['completed', 'failed'], 0, -1, true)) {
      if (!ids.has(id)) continue;
      const job = await Job.fromId(this.#queue, id);
      if (job === undefined) continue;
      const reason = job.failedReason;
      if (reason === undefined) found.push({ id, kind: 'done', text: String(job.returnvalue) });
      else found.push({ id, kind: STALLED.test(reason) ? 'stalled' : 'failed', text: reason });
      // No more at once than fits into memory: whoever asks asks again.
      if (found.length === TOGETHER) break;
    }
    return found;
  }

  async listAbsent(ids: readonly string[]): Promise<readonly string[]> {
    const missing: string[] = [];
    for (let at = 0; at < ids.length; at += TOGETHER) {
      const some = ids.slice(at, at + TOGETHER);
      const known = await Promise.all(some.map((id) => this.#redis.exists(this.#queue.toKey(id))));
      missing.push(...some.filter((_, index) => known[index] === 0));
    }
    return missing;
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const job = await Job.fromId(this.#queue, id);
      // One that is locked stays: somebody is busy with it.
      await job?.remove().catch(() => undefined);
    }
  }

  async workers(): Promise<number | null> {
    try {
      return await this.#queue.getWorkersCount();
    } catch {
      return null;
    }
  }

  async close(): Promise<void> {
    this.#stopWatching();
    await this.#queue.close().catch(() => undefined);
    this.#redis.disconnect();
  }
}
