/** The queue of whoever hands out work, as BullMQ keeps it on Redis or Valkey. */

import { Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { TwinbookError } from '../../shared/base/errors.js';
import type { EndedJob, JobQueue, QueueAddress, QueueJob } from './contract.js';
import { openSeal, seal } from './seal.js';
import { askServer, connection, PREFIX, requireServer, watchServer } from './server.js';

/** What nobody came back for is forgotten after a month. */
const FORGOTTEN_AFTER_S = 30 * 86_400;
const STALLED = /stalled more than allowable limit/;
/** Ended jobs that are looked through; a sweep removes its own as it takes them. */
const MOST_ENDED = 100_000;
const PAGE = 1_000;
/** A chunk of the longest kind brings a tenth of it. */
const MOST_RESULT_BYTES = 2 ** 26;
/** Requests that are under way together. */
const TOGETHER = 200;

/** Throws as `requireServer` does. */
export async function openQueue(address: QueueAddress): Promise<JobQueue> {
  const { url } = address;
  await requireServer(url);
  const queue = new BullQueue(connection(url), address);
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

export const UNSEALED = 'it is not signed with the TWINBOOK_QUEUE_SECRET of this process';

const result = z.strictObject({ kind: z.enum(['done', 'failed']), text: z.string() });

function parseJson(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return null;
  }
}

const tooMany = (name: string): TwinbookError =>
  new TwinbookError(
    'queue_unusable',
    `the queue ${name} holds more than ${MOST_ENDED} ended jobs`,
    'Use a queue of its own (--queue NAME), or empty this one.',
  );

class BullQueue implements JobQueue {
  readonly #redis: Redis;
  readonly #address: QueueAddress;
  readonly #queue: Queue;
  #stopWatching: () => void = () => undefined;

  constructor(redis: Redis, address: QueueAddress) {
    this.#redis = redis;
    this.#address = address;
    this.#queue = new Queue(address.name, { connection: redis, prefix: PREFIX, skipVersionCheck: true });
    this.#queue.on('error', () => undefined);
  }

  watch(say: (text: string) => void): void {
    this.#stopWatching();
    this.#stopWatching = watchServer(this.#redis, say);
  }

  async keep(key: string, text: string): Promise<void> {
    await this.#redis.set(documentKey(this.#address.name, key), text, 'EX', FORGOTTEN_AFTER_S);
  }

  async add(jobs: readonly QueueJob[]): Promise<void> {
    const age = { age: FORGOTTEN_AFTER_S };
    for (let at = 0; at < jobs.length; at += TOGETHER) {
      await this.#queue.addBulk(
        jobs.slice(at, at + TOGETHER).map(({ id, data }) => ({
          name: 'chunk',
          data: { sealed: seal(this.#address, 'job', id, JSON.stringify(data)) },
          // Work that throws has failed: a job is repeated only when whoever took it vanished.
          opts: { jobId: id, attempts: 1, removeOnComplete: age, removeOnFail: age },
        })),
      );
    }
  }

  async listEnded(ids: ReadonlySet<string>): Promise<readonly EndedJob[]> {
    const found: EndedJob[] = [];
    for (let from = 0; found.length < TOGETHER; from += PAGE) {
      const page = await this.#queue.getRanges(['completed', 'failed'], from, from + PAGE - 1, true);
      if (page.length === 0) break;
      if (from >= MOST_ENDED) throw tooMany(this.#address.name);
      for (const id of page) if (ids.has(id)) found.push(...(await this.#readEnded(id)));
    }
    return found;
  }

  /** Empty where another process has removed it meanwhile. */
  async #readEnded(id: string): Promise<readonly EndedJob[]> {
    const key = this.#queue.toKey(id);
    if ((await this.#redis.hstrlen(key, 'returnvalue')) > MOST_RESULT_BYTES)
      return [{ id, kind: 'forged', text: `it has more than ${MOST_RESULT_BYTES} bytes` }];
    const [value = null, reason = null] = await this.#redis.hmget(key, 'returnvalue', 'failedReason');
    if (value === null && reason === null) return [];
    // The server counts who vanished, and seals nothing: a stall brings no figures.
    if (STALLED.test(reason ?? '')) return [{ id, kind: 'stalled', text: reason ?? '' }];
    const text = openSeal(this.#address, 'result', id, parseJson(value));
    const read = result.safeParse(parseJson(text));
    return [read.success ? { id, ...read.data } : { id, kind: 'forged', text: UNSEALED }];
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
