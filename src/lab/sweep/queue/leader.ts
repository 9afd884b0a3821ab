/**
 * The engine of a sweep whose chunks are run by workers behind a queue. Delivery is at least once, effect is once: only what
 * this process has stored counts. The queue may be lost whole; missing chunks are sent again.
 */

import { z } from 'zod';
import { TwinbookError } from '../../../shared/base/errors.js';
import type { EndedJob, JobQueue, QueueWork } from '../../../shell/queue/job-queue.js';
import {
  type Chunk,
  ChunkRunner,
  chunkId,
  keepOutcomes,
  makeChunks,
  makeSheet,
  OtherVersion,
  outcomesText,
  type RunnerPlace,
  readOutcomes,
  readSheet,
  type SweepSheet,
  sheetHash,
  tasksIn,
} from '../chunks/chunk.js';
import type { EngineWork } from '../facts.js';

const LOOK_EVERY_MS = 500;
/** Attempts of a job that fails outside its backtests. */
const MOST_TRIES = 3;

interface LeaderOptions {
  readonly queue: JobQueue;
  /** Processor time of a chunk at the usual pace. */
  readonly chunkSeconds: number;
  readonly pause: (ms: number) => Promise<void>;
}

export class Leader {
  readonly #work: EngineWork;
  readonly #options: LeaderOptions;
  readonly #sheet: SweepSheet;
  readonly #hash: string;
  /** Chunks without a stored result, by job id. */
  readonly #open = new Map<string, Chunk>();
  readonly #tries = new Map<string, number>();

  constructor(work: EngineWork, options: LeaderOptions) {
    this.#work = work;
    this.#options = options;
    this.#sheet = makeSheet(work);
    this.#hash = sheetHash(this.#sheet);
    for (const chunk of makeChunks(work.facts, options.chunkSeconds)) {
      const isOpen = tasksIn(chunk, this.#sheet).some((task) => work.known(task) === undefined);
      if (isOpen) this.#open.set(chunkId(this.#hash, chunk), chunk);
    }
  }

  /** False when it was stopped: waiting chunks are removed, busy workers finish, and `--resume` finds their results. */
  async run(): Promise<boolean> {
    const { queue, pause } = this.#options;
    // Requests wait while the server is away; a stop waits 5 s at most.
    const stopped = this.#work.watcher.stopAsked.then(() => false as const);
    const isComplete = await Promise.race([this.#lead(), stopped]);
    if (!isComplete) await Promise.race([queue.remove([...this.#open.keys()]), pause(5_000)]);
    return isComplete;
  }

  async #lead(): Promise<boolean> {
    if (this.#open.size === 0) return true;
    const { queue, pause } = this.#options;
    const { say } = this.#work.watcher;
    const { ended: earlier } = await queue.look([...this.#open.keys()]);
    // A resumed sweep retries failed jobs.
    await queue.remove(earlier.flatMap(({ id, kind }) => (kind === 'done' ? [] : [id])));
    await this.#send([...this.#open.keys()]);
    say(`${this.#open.size} chunks are in the queue; \`twinbook sweep worker\` runs them, on any machine.`);
    while (this.#open.size > 0) {
      const { ended, absent } = await queue.look([...this.#open.keys()]);
      if (absent.length > 0) say(`The queue has lost ${absent.length} chunks: they are sent again.`);
      await this.#send(absent);
      for (const job of ended) await this.#take(job);
      if (ended.length === 0) await pause(LOOK_EVERY_MS);
    }
    return true;
  }

  async #send(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const { queue } = this.#options;
    await queue.keep(this.#hash, JSON.stringify(this.#sheet));
    await queue.add(ids.map((id) => ({ id, data: { sheet: this.#hash, chunk: this.#open.get(id) } })));
  }

  async #take({ id, kind, text }: EndedJob): Promise<void> {
    const chunk = this.#open.get(id);
    if (chunk === undefined) return;
    const read = kind === 'done' ? readOutcomes(text, chunk, this.#sheet) : null;
    if (kind === 'stalled') {
      const outcome = { kind: 'failed', error: `those who ran it vanished, again and again (${text})` } as const;
      const outcomes = tasksIn(chunk, this.#sheet).map((task) => ({ task, outcome }));
      keepOutcomes(outcomes, this.#work, 'a worker');
    } else if (read !== null) keepOutcomes(read.outcomes, this.#work, read.worker);
    else {
      const why = kind === 'done' ? 'it has not every backtest of its chunk' : text;
      return this.#retry(id, kind === 'failed' ? why : `a result was rejected: ${why}`);
    }
    this.#open.delete(id);
    await this.#options.queue.remove([id]);
  }

  async #retry(id: string, why: string): Promise<void> {
    const tries = (this.#tries.get(id) ?? 0) + 1;
    this.#tries.set(id, tries);
    if (tries >= MOST_TRIES)
      throw new TwinbookError('queue_unusable', why, 'Look at the workers, and for who else writes to this queue.');
    this.#work.watcher.say(`A chunk failed and is sent again: ${why}`);
    await this.#options.queue.remove([id]);
    await this.#send([id]);
  }
}

const job = z.object({
  sheet: z.string(),
  chunk: z.object({ fold: z.int().nonnegative(), first: z.int().positive(), last: z.int().positive() }),
});

/** @param takeTimeZone sets the time zone of this process */
export function openChunkWorker(
  place: RunnerPlace,
  takeTimeZone: (name: string) => void,
  say: (text: string) => void,
): { readonly handle: QueueWork['handle']; readonly close: () => Promise<void> } {
  let ready: { readonly hash: string; readonly runner: ChunkRunner } | null = null;
  const close = async () => {
    await ready?.runner.close();
    ready = null;
  };
  const open = async (hash: string, text: string | null): Promise<ChunkRunner> => {
    await close();
    const hint = 'The sweep has ended or its queue was emptied: start the sweep again.';
    if (text === null) throw new TwinbookError('queue_unusable', 'the sheet of its sweep is not there', hint);
    const sheet = readSheet(text, hash);
    takeTimeZone(sheet.timeZone);
    const runner = await ChunkRunner.open(sheet, place);
    ready = { hash, runner };
    return runner;
  };
  const handle: QueueWork['handle'] = async (data, document) => {
    const read = job.safeParse(data);
    if (!read.success) return { kind: 'foreign', why: 'it is no job of a sweep of this version' };
    const { sheet, chunk } = read.data;
    try {
      const runner = ready?.hash === sheet ? ready.runner : await open(sheet, await document(sheet));
      // A worker finishes its chunk before it stops.
      const outcomes = (await runner.run(chunk, new Promise(() => undefined))) ?? [];
      const failed = outcomes.filter(({ outcome }) => outcome.kind === 'failed').length;
      const what = `fold ${chunk.fold + 1}, configurations ${chunk.first} to ${chunk.last}`;
      say(`${what}: ${outcomes.length} backtests, ${failed} failed`);
      return { kind: 'done', text: outcomesText(outcomes) };
    } catch (error) {
      if (error instanceof OtherVersion) return { kind: 'foreign', why: error.message };
      if (error instanceof TwinbookError && error.code !== 'queue_unusable') return { kind: 'refused', error };
      throw error;
    }
  };
  return { handle, close };
}
