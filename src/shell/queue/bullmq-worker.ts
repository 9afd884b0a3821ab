/**
 * Takes jobs from the queue, one at a time. The thread of this loop only talks to the server: what is done for a job must be
 * done by other threads, or its lock is not renewed and the job is given to another.
 */

import { DelayedError, type Job, WaitingError, Worker } from 'bullmq';
import { TwinbookError } from '../../shared/base/errors.js';
import { documentKey, UNSEALED } from './bullmq-queue.js';
import { type Handled, MOST_STALLS, type QueueAddress, type QueueTiming } from './contract.js';
import { openSeal, seal } from './seal.js';
import { connection, PREFIX, requireServer, watchServer } from './server.js';

export interface QueueWork {
  /** @param document gives a document that whoever hands out work has kept; null: there is none */
  readonly handle: (data: unknown, document: (key: string) => Promise<string | null>) => Promise<Handled>;
  readonly say: (text: string) => void;
  /** Then nothing new is taken; what is under way is done to its end. */
  readonly stopAsked: Promise<void>;
}

/** Until it is asked to stop. Throws what a job was refused for, and TwinbookError `queue_unusable` when the server is away. */
export async function workOn(address: QueueAddress, timing: QueueTiming, work: QueueWork): Promise<void> {
  const { url, name } = address;
  await requireServer(url);
  const redis = connection(url);
  let end: (error: unknown) => void = () => undefined;
  const ended = new Promise<unknown>((resolve) => {
    end = resolve;
  });
  const document = (key: string) => readDocument(redis, documentKey(name, key));
  const said = new Set<string>();
  const worker = new Worker(
    name,
    async (job: Job, token) => {
      const handled = await handleSealed(address, job, (data) => work.handle(data, document));
      if (handled.kind === 'done') return handled.text;
      if (handled.kind === 'foreign') {
        sayNew(said, `a job is left to other workers: ${handled.why}`, work.say);
        await job.moveToDelayed(Date.now() + timing.lockMs, token);
        throw new DelayedError();
      }
      await job.moveToWait(token);
      // From here on it takes nothing: neither this job again nor another.
      void worker.close(true);
      end(handled.error);
      throw new WaitingError();
    },
    {
      connection: redis,
      prefix: PREFIX,
      concurrency: 1,
      lockDuration: timing.lockMs,
      stalledInterval: timing.lockMs / 2,
      maxStalledCount: MOST_STALLS,
      skipVersionCheck: true,
    },
  );
  sayOnce(worker, redis, work.say);
  const stopWatching = watchConnection(redis, timing.awayMs, work.say, end);
  const stopped = work.stopAsked.then(() => null);
  let error = await Promise.race([ended, stopped]);
  // After an error nothing more is to be done; else what is under way ends first, unless the server stays away.
  if (error === null) error = await Promise.race([ended, worker.close().then(() => null)]);
  else await worker.close(true).catch(() => undefined);
  stopWatching();
  redis.disconnect();
  if (error !== null) throw error;
}

/** With a text that is sealed. What the job throws is its result too: of all that fails, only a stall has no seal. */
async function handleSealed(
  address: QueueAddress,
  { id = '', data }: Job,
  handle: (data: unknown) => Promise<Handled>,
): Promise<Handled> {
  const text = openSeal(address, 'job', id, (data as { readonly sealed?: unknown } | null)?.sealed);
  if (text === null) return { kind: 'foreign', why: UNSEALED };
  const sealResult = (kind: 'done' | 'failed', what: string): Handled => ({
    kind: 'done',
    text: seal(address, 'result', id, JSON.stringify({ kind, text: what })),
  });
  try {
    const handled = await handle(JSON.parse(text));
    return handled.kind === 'done' ? sealResult('done', handled.text) : handled;
  } catch (error) {
    return sealResult('failed', error instanceof Error ? error.message : String(error));
  }
}

/** Null where there is none. Throws TwinbookError `queue_unusable` for one that is too large. */
async function readDocument(redis: ReturnType<typeof connection>, key: string): Promise<string | null> {
  if ((await redis.strlen(key)) <= MOST_DOCUMENT_BYTES) return redis.get(key);
  const what = `a document of the queue has more than ${MOST_DOCUMENT_BYTES} bytes`;
  throw new TwinbookError('queue_unusable', what, 'Look for who else writes to the server.');
}

/** The sheet of the largest sweeps has a tenth of it. */
const MOST_DOCUMENT_BYTES = 2 ** 26;
const MOST_SAID = 100;

function sayNew(said: Set<string>, text: string, say: (text: string) => void): void {
  if (said.has(text)) return;
  if (said.size >= MOST_SAID) said.clear();
  said.add(text);
  say(text);
}

/** What the server refuses it refuses at every try: a text is said once, and again when the connection was made anew. */
function sayOnce(worker: Worker, redis: ReturnType<typeof connection>, say: (text: string) => void): void {
  const said = new Set<string>();
  redis.on('ready', () => said.clear());
  worker.on('error', ({ message }) => sayNew(said, `queue: ${message}`, say));
}

/** Ends the work when the server was away for too long: a supervisor starts it anew, with new connections. */
function watchConnection(
  redis: ReturnType<typeof connection>,
  awayMs: number,
  say: (text: string) => void,
  end: (error: unknown) => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  const stopWatching = watchServer(redis, (text, isAway) => {
    say(text);
    clearTimeout(timer);
    if (!isAway) return;
    timer = setTimeout(() => {
      const what = `the queue's server was away for ${awayMs / 1000} s`;
      end(new TwinbookError('queue_unusable', what, 'Start the worker again when the server is back.'));
    }, awayMs);
  });
  return () => {
    stopWatching();
    clearTimeout(timer);
  };
}
