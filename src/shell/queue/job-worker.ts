/**
 * Takes jobs from the queue, one at a time. This thread only talks to the server: the work must run on other threads;
 * otherwise the job's lock is not renewed and another worker gets it.
 */

import { DelayedError, type Job, WaitingError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { messageOf, TwinbookError } from '../../shared/base/errors.js';
import { documentKey, MOST_BYTES, type QueueAddress, UNSEALED } from './job-queue.js';
import { openSeal, seal } from './seal.js';
import { connect, disconnect, PREFIX, requireServer } from './server.js';

export type Handled =
  | { readonly kind: 'done'; readonly text: string }
  /** A job for workers of another version: it waits for them, and this worker continues. */
  | { readonly kind: 'foreign'; readonly why: string }
  /** This machine lacks the job's input: the job goes back, and this worker ends with the error. */
  | { readonly kind: 'refused'; readonly error: unknown };

export interface QueueWork {
  /** A worker silent for this long loses its job, ms. */
  readonly lockMs: number;
  /** @param document returns a document stored by the leader; null without one */
  readonly handle: (data: unknown, document: (key: string) => Promise<string | null>) => Promise<Handled>;
  readonly say: (text: string) => void;
  /** Then it takes no further job and finishes the present one. */
  readonly stopAsked: Promise<void>;
}

/** A job fails when more workers than this disappeared with it. */
const MOST_STALLS = 2;
/** A worker without a connection for this long ends: a supervisor restarts it with new connections. */
const MOST_AWAY_MS = 60_000;

/**
 * Runs until it is asked to stop. Throws the error of a refused job, and TwinbookError `queue_unusable` when the server
 * is away.
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
    const what = `the queue's server was away for ${MOST_AWAY_MS / 1000} s`;
    const error = new TwinbookError('queue_unusable', what, 'Start the worker again when the server is back.');
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
      say(`a job is left to other workers: ${handled.why}`);
      await job.moveToDelayed(Date.now() + work.lockMs, token);
      throw new DelayedError();
    }
    await job.moveToWait(token);
    // It takes no job from here on, including this one.
    void worker.close(true);
    end(handled.error);
    throw new WaitingError();
  };
  const place = { connection: redis, prefix: PREFIX, concurrency: 1, skipVersionCheck: true };
  const stalls = { lockDuration: work.lockMs, stalledInterval: work.lockMs / 2, maxStalledCount: MOST_STALLS };
  const worker = new Worker(address.name, process, { ...place, ...stalls });
  worker.on('error', ({ message }) => say(`queue: ${message}`));
  let error = await Promise.race([ended, work.stopAsked.then(() => null)]);
  // After an error it ends at once; else the present job ends first, unless the server stays away.
  if (error === null) error = await Promise.race([ended, worker.close().then(() => null)]);
  else await worker.close(true).catch(() => undefined);
  clearTimeout(timer);
  disconnect(redis);
  if (error !== null) throw error;
}

/** The signed result. An error of the job is a result too: only a stall has no signature. */
async function handleSealed(
  address: QueueAddress,
  { id = '', data }: Job,
  redis: Redis,
  handle: QueueWork['handle'],
): Promise<Handled> {
  const text = openSeal(address, 'job', id, (data as { readonly sealed?: unknown } | null)?.sealed);
  if (text === null) return { kind: 'foreign', why: UNSEALED };
  // A longer document is cut, and then refused by its checksum.
  const document = async (key: string) => (await redis.getrange(documentKey(address.name, key), 0, MOST_BYTES)) || null;
  try {
    const handled = await handle(JSON.parse(text), document);
    return handled.kind === 'done' ? { kind: 'done', text: seal(address, 'done', id, handled.text) } : handled;
  } catch (error) {
    const why = messageOf(error);
    return { kind: 'done', text: seal(address, 'failed', id, why) };
  }
}
