/** Connections to a queue's server, which is checked before work is sent to it. */

import { Redis } from 'ioredis';
import { messageOf, TwinbookError } from '../../shared/base/errors.js';

const CONNECT_WITHIN_MS = 5_000;
const OLDEST = 7;
const LONGEST_PAUSE_MS = 2_000;

/** Prefix of all keys, for the rights of a user of the server. */
export const PREFIX = 'twinbook';
/** Writes like a queue, by a script, and leaves nothing. */
const PROBE = "redis.call('set', KEYS[1], '1') return redis.call('del', KEYS[1])";

/** Requests wait while the server is away. `report` gets each end and each return of the connection, once. */
export function connect(url: string, report: (text: string, isAway: boolean) => void): Redis {
  const retryStrategy = (attempts: number) => Math.min(LONGEST_PAUSE_MS, 100 * attempts);
  const redis = new Redis(url, { maxRetriesPerRequest: null, retryStrategy });
  let wasAway = false;
  const note = (isAway: boolean, text: string) => {
    if (isAway !== wasAway) report(text, isAway);
    wasAway = isAway;
  };
  // Each failed attempt is an error too: `close` is enough.
  redis.on('error', () => undefined);
  redis.on('close', () => note(true, 'the server of the queue is away; waiting for it'));
  redis.on('ready', () => note(false, 'the server of the queue is back'));
  return redis;
}

/** Ends the connection without a report. */
export function disconnect(redis: Redis): void {
  redis.removeAllListeners('close').disconnect();
}

/**
 * Throws TwinbookError `queue_unusable` for a server that does not answer, is neither Redis nor Valkey, is too old, may
 * drop jobs, or is not writable. Its text has host and port, never user or password.
 */
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
    // A missing database is reported only here; jobs would go into the first one.
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
    throw unusable(`${place} is Redis of version ${version}`, `Redis ${OLDEST} or newer, or Valkey`);
  if (policy !== 'noeviction')
    throw unusable(
      `${place} has the maxmemory-policy ${policy}`,
      'noeviction: others forget jobs when memory is short',
    );
  if (field('cluster_enabled') === '1') throw unusable(`${place} is a Redis Cluster`, 'a single server');
}

/** Throws an error answer of the server (full memory, another password) as `queue_unusable`. */
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
    return unusable(`${place} refuses: ${text}`, 'a user that may write twinbook:*, and free memory');
  const wanted = 'a server that `redis-cli ping` reaches (rediss:// for TLS, else redis://)';
  return unusable(`${place} does not answer: ${text}`, wanted);
}

const unusable = (what: string, wanted: string): TwinbookError =>
  new TwinbookError('queue_unusable', `the queue's server ${what}`, `Wanted: ${wanted}.`);

/** Host and port. Throws TwinbookError `usage` for a wrong address; repeats nothing that may be secret. */
function formatPlace(url: string): string {
  const { protocol, hostname, port, pathname } = URL.canParse(url) ? new URL(url) : new URL('none:');
  // A path that is no number may be the rest of a password with a slash in it.
  if (/^rediss?:$/.test(protocol) && hostname !== '' && /^\/?\d*$/.test(pathname)) return `${hostname}:${port || 6379}`;
  const text = 'the address of the queue (TWINBOOK_QUEUE_URL or its file) is not understood';
  throw new TwinbookError('usage', text, 'Wanted: redis://HOST:PORT, or rediss://USER:PASSWORD@HOST:PORT/DATABASE.');
}
