/** Distributes jobs through BullMQ on Redis or Valkey. Every call waits while the queue's server cannot be reached. */

import { DelayedError, Job, Queue, WaitingError, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { messageOf, TwinbookError } from '../../shared/base/errors.js';
import { openSeal, seal } from './seal.js';

type SealKey = Parameters<typeof seal>[0];

type Handled =
  | { readonly kind: 'done'; readonly text: string }
  /** The job needs a worker of another version: it waits in the queue, and this worker continues. */
  | { readonly kind: 'foreign'; readonly why: string }
  /** This machine lacks the job's input data. The job returns to the queue, and this worker ends with the error. */
  | { readonly kind: 'refused'; readonly error: unknown };

export interface QueueWork {
  /** Time without a renewal of the job's lock after which a worker loses its job, ms. */
  readonly lockMs: number;
  /** @param document returns a document stored by `JobQueue.keep`; null if there is none */
  readonly handle: (data: unknown, document: (key: string) => Promise<string | null>) => Promise<Handled>;
  readonly say: (text: string) => void;
  /** Resolves when the worker is asked to stop. The worker then finishes its job and takes no further job. */
  readonly stopAsked: Promise<void>;
}

/** Maximum number of times that a job may lose its worker before it fails. */
const MOST_STALLS = 2;
/** Time without a connection to the server after which a worker ends, ms; a supervisor may then restart it. */
const MOST_AWAY_MS = 60_000;

/**
 * Runs jobs, one at a time, until asked to stop. Jobs must run on other threads, so that this thread can renew a job's
 * lock. Throws the error of a refused job, and TwinbookError `queue_unusable` without a connection to the server.
 */
export async function workOn(address: QueueAddress, work: QueueWork): Promise<void> {
  await requireServer(address.url);
  let end: (error: unknown) => void = () => undefined;
  const ended = new Promise<unknown>((resolve) => {
    end = resolve;
  });
  let timer: NodeJS.Timeout | undefined;
  const redis = connect(address.url, (text, isAway) => {
    work.say(text);
    clearTimeout(timer);
    const what = `the queue's server did not answer for ${MOST_AWAY_MS / 1000} s`;
    const error = new TwinbookError('queue_unusable', what, 'Start the worker again when the server answers.');
    if (isAway) timer = setTimeout(() => end(error), MOST_AWAY_MS);
  });
  let said = '';
  const say = (text: string) => {
    if (text !== said) work.say(text);
    said = text;
  };
  const process = async (job: Job, token?: string): Promise<string> => {
    const handled = await handleSealed(address, job, redis, work.handle);
    if (handled.kind === 'done') return handled.text;
    if (handled.kind === 'foreign') {
      say(`this worker leaves a job to other workers: ${handled.why}`);
      await job.moveToDelayed(Date.now() + work.lockMs, token);
      throw new DelayedError();
    }
    await job.moveToWait(token);
    // After this forced close, the worker takes neither this job again nor a further job.
    void worker.close(true);
    end(handled.error);
    throw new WaitingError();
  };
  const place = { connection: redis, prefix: PREFIX, concurrency: 1, skipVersionCheck: true };
  const stalls = { lockDuration: work.lockMs, stalledInterval: work.lockMs / 2, maxStalledCount: MOST_STALLS };
  const worker = new Worker(address.name, process, { ...place, ...stalls });
  worker.on('error', ({ message }) => say(`queue: ${message}`));
  let error = await Promise.race([ended, work.stopAsked.then(() => null)]);
  // After an error the worker ends at once. After a stop request, the worker first finishes its job, if connected.
  if (error === null) error = await Promise.race([ended, worker.close().then(() => null)]);
  else await worker.close(true).catch(() => undefined);
  clearTimeout(timer);
  disconnect(redis);
  if (error !== null) throw error;
}

/** Runs a job and returns its signed result. If the job throws, the signed result contains the error. */
async function handleSealed(
  address: QueueAddress,
  { id = '', data }: Job,
  redis: Redis,
  handle: QueueWork['handle'],
): Promise<Handled> {
  const text = openSeal(address, 'job', id, (data as { readonly sealed?: unknown } | null)?.sealed);
  if (text === null) return { kind: 'foreign', why: UNSEALED };
  // A document larger than `MOST_BYTES` is truncated, so the caller finds a wrong checksum.
  const document = async (key: string) => (await redis.getrange(documentKey(address.name, key), 0, MOST_BYTES)) || null;
  try {
    const handled = await handle(JSON.parse(text), document);
    return handled.kind === 'done' ? { kind: 'done', text: seal(address, 'done', id, handled.text) } : handled;
  } catch (error) {
    return { kind: 'done', text: seal(address, 'failed', id, messageOf(error)) };
  }
}

const CONNECT_WITHIN_MS = 5_000;
const OLDEST = 7;
const LONGEST_PAUSE_MS = 2_000;

/** Prefix of all our keys on the server, so that a server user can be limited to these keys. */
const PREFIX = 'twinbook';
/** Redis script that tests the permission to write, and deletes the test key. */
const PROBE = "redis.call('set', KEYS[1], '1') return redis.call('del', KEYS[1])";

/** Connects to the server; requests wait for the connection. Calls `report` when the connection is lost or restored. */
function connect(url: string, report: (text: string, isAway: boolean) => void): Redis {
  const retryStrategy = (attempts: number) => Math.min(LONGEST_PAUSE_MS, 100 * attempts);
  const redis = new Redis(url, { maxRetriesPerRequest: null, retryStrategy });
  let wasAway = false;
  const note = (isAway: boolean, text: string) => {
    if (isAway !== wasAway) report(text, isAway);
    wasAway = isAway;
  };
  // The `error` event of a failed attempt to connect is ignored, because a `close` event follows.
  redis.on('error', () => undefined);
  redis.on('close', () => note(true, 'the connection to the queue’s server is lost; reconnecting'));
  redis.on('ready', () => note(false, 'the queue’s server is connected again'));
  return redis;
}

function disconnect(redis: Redis): void {
  redis.removeAllListeners('close').disconnect();
}

/** Throws TwinbookError `queue_unusable` for an unsuitable server; the error names host and port, but no password. */
export async function requireServer(url: string): Promise<void> {
  const place = formatPlace(url);
  const options = { lazyConnect: true, connectTimeout: CONNECT_WITHIN_MS, commandTimeout: CONNECT_WITHIN_MS };
  const redis = new Redis(url, { ...options, maxRetriesPerRequest: 0, retryStrategy: () => null });
  let heard: unknown = null;
  redis.on('error', (error) => {
    heard = error;
  });
  try {
    await redis.connect();
    const info = await redis.info();
    // Redis reports a failed database selection only as an event; without this check, jobs go into the first database.
    if (heard !== null) throw heard;
    requireFit(place, info);
    await redis.eval(PROBE, 1, `${PREFIX}:probe`);
  } catch (error) {
    throw error instanceof TwinbookError ? error : explain(place, heard ?? error);
  } finally {
    redis.disconnect();
  }
}

function requireFit(place: string, info: string): void {
  const field = (name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? 'unknown';
  const [version, policy] = [field('redis_version'), field('maxmemory_policy')];
  if (!(Number(version.split('.')[0]) >= OLDEST))
    throw unusable(`${place} is Redis of version ${version}`, `Use Redis ${OLDEST} or newer, or Valkey`);
  if (policy !== 'noeviction')
    throw unusable(
      `${place} has the maxmemory-policy ${policy}`,
      'Set maxmemory-policy noeviction: other policies delete jobs when memory is short',
    );
  if (field('cluster_enabled') === '1') throw unusable(`${place} is a Redis Cluster`, 'Use a single server');
}

/** Makes a request. Converts an error of the queue's server (full memory, wrong password) to `queue_unusable`. */
export async function askServer<T>(url: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw isRefusal(error) ? explain(formatPlace(url), error) : error;
  }
}

const isRefusal = (error: unknown): boolean => error instanceof Error && error.name === 'ReplyError';

function explain(place: string, error: unknown): TwinbookError {
  const text = messageOf(error);
  if (isRefusal(error))
    return unusable(`${place} refuses: ${text}`, 'Let the user write keys twinbook:*, or give the server more memory');
  const wanted = 'Use a server that `redis-cli ping` reaches (rediss:// for TLS, otherwise redis://)';
  return unusable(`${place} does not answer: ${text}`, wanted);
}

const unusable = (what: string, wanted: string): TwinbookError =>
  new TwinbookError('queue_unusable', `the queue's server ${what}`, `${wanted}.`);

/** Returns a server's host and port. Throws `usage` for an invalid address; the error does not quote the address. */
function formatPlace(url: string): string {
  const { protocol, hostname, port, pathname } = URL.canParse(url) ? new URL(url) : new URL('none:');
  // A path that is not a number may be the end of a password that contains a slash.
  if (/^rediss?:$/.test(protocol) && hostname !== '' && /^\/?\d*$/.test(pathname)) return `${hostname}:${port || 6379}`;
  const text = 'the address of the queue (TWINBOOK_QUEUE_URL or its file) is not a Redis URL';
  throw new TwinbookError('usage', text, 'Use redis://HOST:PORT, or rediss://USER:PASSWORD@HOST:PORT/DATABASE.');
}

/** `url`: server address, `redis://` or `rediss://`, with user and password if needed. The address is a secret. */
interface QueueAddress extends SealKey {
  readonly url: string;
}

/** A finished job. `stalled`: the job lost its worker too often. `forged`: the result is not signed with the secret. */
interface EndedJob {
  readonly id: string;
  readonly kind: 'done' | 'failed' | 'stalled' | 'forged';
  readonly text: string;
}

/** Age at which the server deletes documents and ended jobs, s: a month. */
const FORGOTTEN_AFTER_S = 30 * 86_400;
const STALLED = /stalled more than allowable limit/;
/** Maximum number of jobs in a single request to the server. */
const TOGETHER = 200;
/** Maximum size of a document or result, bytes; ten times the size of large documents. */
const MOST_BYTES = 2 ** 26;

const documentKey = (queue: string, key: string): string => `${PREFIX}:${queue}:document:${key}`;

const UNSEALED = 'the job or its result is not signed with the TWINBOOK_QUEUE_SECRET of this process';

export class JobQueue {
  readonly #redis: Redis;
  readonly #address: QueueAddress;
  readonly #queue: Queue;

  /** @param say called with a sentence when the connection is lost or restored */
  constructor(address: QueueAddress, say: (text: string) => void) {
    this.#redis = connect(address.url, say);
    this.#address = address;
    this.#queue = new Queue(address.name, { connection: this.#redis, prefix: PREFIX, skipVersionCheck: true });
    this.#queue.on('error', () => undefined);
  }

  async keep(key: string, text: string): Promise<void> {
    await this.#redis.set(documentKey(this.#address.name, key), text, 'EX', FORGOTTEN_AFTER_S);
  }

  /** Adds jobs of plain data to the queue. Jobs that are already in the queue stay unchanged. */
  add(jobs: readonly { readonly id: string; readonly data: unknown }[]): Promise<void> {
    const age = { age: FORGOTTEN_AFTER_S };
    const makeJob = ({ id, data }: (typeof jobs)[number]) => ({
      name: 'chunk',
      data: { sealed: seal(this.#address, 'job', id, JSON.stringify(data)) },
      // BullMQ runs a job again only if its worker disappeared.
      opts: { jobId: id, attempts: 1, removeOnComplete: age, removeOnFail: age },
    });
    return inParts(jobs, (some) => this.#queue.addBulk(some.map(makeJob)));
  }

  /** Returns the ended jobs among `ids`, at most 200 in one call, and the ids unknown to the server. */
  async look(ids: readonly string[]): Promise<{ readonly ended: EndedJob[]; readonly absent: string[] }> {
    const ended: EndedJob[] = [];
    const absent: string[] = [];
    await inParts(ids, async (some) => {
      const read = (id: string) => this.#redis.hmget(this.#queue.toKey(id), 'timestamp', 'finishedOn');
      for (const [at, [added, finished]] of (await Promise.all(some.map(read))).entries()) {
        const id = some[at] ?? '';
        if (added === null) absent.push(id);
        else if (finished !== null && ended.length < TOGETHER) ended.push(...(await this.#readEnded(id)));
      }
    });
    return { ended, absent };
  }

  /** Reads an ended job; returns an empty list if another process has removed the job. */
  async #readEnded(id: string): Promise<readonly EndedJob[]> {
    if ((await this.#redis.hstrlen(this.#queue.toKey(id), 'returnvalue')) > MOST_BYTES)
      return [{ id, kind: 'forged', text: `the result has more than ${MOST_BYTES} bytes` }];
    const job = await Job.fromId(this.#queue, id);
    if (job === undefined) return [];
    // The server itself ends a stalled job. The server cannot sign, so the result of a stalled job is not signed.
    if (STALLED.test(job.failedReason ?? '')) return [{ id, kind: 'stalled', text: job.failedReason }];
    for (const kind of ['done', 'failed'] as const) {
      const text = openSeal(this.#address, kind, id, job.returnvalue);
      if (text !== null) return [{ id, kind, text }];
    }
    return [{ id, kind: 'forged', text: UNSEALED }];
  }

  /** Removes the jobs from the queue, except jobs that a worker runs. */
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
