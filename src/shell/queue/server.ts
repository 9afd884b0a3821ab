/** Connections to the server of a queue, which is looked at before work is trusted to it. */

import { Redis } from 'ioredis';
import { TwinbookError } from '../../shared/base/errors.js';

const CONNECT_WITHIN_MS = 5_000;
const OLDEST = 7;
const LONGEST_PAUSE_MS = 2_000;

/** Of all keys, for the rights of a user of the server. */
export const PREFIX = 'twinbook';
/** Writes as a queue does, by a script, and leaves nothing. */
const PROBE = "redis.call('set', KEYS[1], '1') return redis.call('del', KEYS[1])";

/** For work: requests wait while the server is away, and connect again by themselves. */
export function connection(url: string): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    retryStrategy: (attempts) => Math.min(LONGEST_PAUSE_MS, 100 * attempts),
  });
  // Each failed attempt is one; who uses the connection hears of it by `close`.
  redis.on('error', () => undefined);
  return redis;
}

/** Tells when the server goes away and when it is back, once each; gives what ends that. */
export function watchServer(redis: Redis, tell: (text: string, isAway: boolean) => void): () => void {
  let wasAway = false;
  const note = (isAway: boolean, text: string) => {
    if (isAway === wasAway) return;
    wasAway = isAway;
    tell(text, isAway);
  };
  const away = () => note(true, 'the server of the queue is away; waiting for it');
  const back = () => note(false, 'the server of the queue is back');
  redis.on('close', away).on('ready', back);
  return () => void redis.off('close', away).off('ready', back);
}

/**
 * Throws TwinbookError `queue_unusable` for a server that does not answer, is none of Redis or Valkey, is too old, may forget
 * what it was given, or cannot be written. Says host and port, never user or password.
 */
export async function requireServer(url: string): Promise<void> {
  const place = formatPlace(url);
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_WITHIN_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let heard: unknown = null;
  redis.on('error', (error) => {
    heard = error;
  });
  try {
    await within(CONNECT_WITHIN_MS, async () => {
      await redis.connect();
      const fields = parseFields(await redis.info());
      // A database that the server does not have is told so and nowhere else; the work would go into the first one.
      if (heard !== null) throw heard;
      requireFit(place, fields);
      await redis.eval(PROBE, 1, `${PREFIX}:probe`);
    });
  } catch (error) {
    throw error instanceof TwinbookError ? error : explain(place, heard ?? error);
  } finally {
    redis.disconnect();
  }
}

function requireFit(place: string, info: ReadonlyMap<string, string>): void {
  const version = info.get('redis_version') ?? '';
  if (!(Number(version.split('.')[0]) >= OLDEST)) {
    throw unusable(`${place} is Redis ${version || 'of an unknown version'}`, `Redis ${OLDEST} or newer, or Valkey`);
  }
  const policy = info.get('maxmemory_policy') ?? 'unknown';
  if (policy !== 'noeviction') {
    throw unusable(
      `${place} has the maxmemory-policy ${policy}`,
      'noeviction: others forget jobs when memory is short',
    );
  }
  if (info.get('role') === 'slave') throw unusable(`${place} is a replica`, 'the server that is written to');
  if (info.get('cluster_enabled') === '1') throw unusable(`${place} is a Redis Cluster`, 'a single server');
}

/** Does what asks the server: what it refuses (its memory is full, its password another) is thrown as `queue_unusable`. */
export async function askServer<T>(url: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw isRefusal(error) ? explain(formatPlace(url), error) : error;
  }
}

const isRefusal = (error: unknown): error is Error => error instanceof Error && error.name === 'ReplyError';

/** Why the server cannot be used, by what it or the connection to it has said. */
function explain(place: string, error: unknown): TwinbookError {
  const text = error instanceof Error ? error.message : String(error);
  if (/WRONGPASS|NOAUTH|NOPERM|invalid password/i.test(text)) {
    return unusable(`${place} refuses this user or password: ${text}`, 'one that may use all commands on twinbook:*');
  }
  if (/DB index/i.test(text))
    return unusable(`${place} does not have the database of the address: ${text}`, 'a number that `databases` allows');
  if (/Protocol error/i.test(text))
    return unusable(`${place} does not speak as Redis does`, 'the port of Redis or Valkey');
  if (isRefusal(error))
    return unusable(`${place} takes no work: ${text}`, 'a server that can be written to: its own log says more');
  const wanted = 'a server that runs there (rediss:// where it speaks TLS, else redis://): `redis-cli ping` asks it';
  return unusable(`${place} does not answer: ${text}`, wanted);
}

const unusable = (what: string, wanted: string): TwinbookError =>
  new TwinbookError('queue_unusable', `the queue's server ${what}`, `Wanted: ${wanted}.`);

/** By its number; none is the first. */
const DATABASE = /^\/?\d*$/;

/** Host and port. Throws TwinbookError `usage` for what is no address of such a server; repeats nothing that may be secret. */
function formatPlace(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const wrong = parsed === null ? 'it is no URL' : whatIsWrong(parsed);
  if (parsed !== null && wrong === null) return `${parsed.hostname}:${parsed.port || 6379}`;
  const text = `the address of the queue (TWINBOOK_QUEUE_URL or its file) is not understood: ${wrong}`;
  throw new TwinbookError('usage', text, 'Wanted: redis://HOST:PORT, or rediss://USER:PASSWORD@HOST:PORT/DATABASE.');
}

function whatIsWrong({ protocol, hostname, pathname }: URL): string | null {
  if (!/^rediss?:$/.test(protocol)) return `it begins with ${protocol}`;
  if (hostname === '') return 'it names no host';
  // What stands there may be the rest of a password with a slash in it.
  return DATABASE.test(pathname) ? null : 'its database is no number';
}

const parseFields = (info: string): ReadonlyMap<string, string> =>
  new Map(
    info.split('\r\n').flatMap((line): [string, string][] => {
      const at = line.indexOf(':');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : [];
    }),
  );

async function within<T>(ms: number, act: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing for ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([act(), late]);
  } finally {
    clearTimeout(timer);
  }
}
