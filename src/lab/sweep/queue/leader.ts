/**
 * The engine of a sweep whose chunks are run by workers behind a queue. Delivery is at least once, effect is once: what
 * counts is what this process has stored. The queue may be lost whole; what is missing then is sent again.
 */

import { TwinbookError } from '../../../shared/base/errors.js';
import type { EndedJob, JobQueue } from '../../../shell/queue/contract.js';
import { type Chunk, chunkId, makeChunks, tasksIn } from '../chunks/chunk.js';
import { keepOutcomes } from '../chunks/keeping.js';
import { readOutcomes } from '../chunks/outcomes-file.js';
import { makeSheet, type SweepSheet, sheetHash } from '../chunks/sheet.js';
import type { EngineWork, SweepEngine } from '../engine.js';

export interface LeaderOptions {
  readonly queue: JobQueue;
  /** What a chunk is to take of one core at the usual pace. */
  readonly chunkSeconds: number;
  /** Resolves after so long, ms. */
  readonly pause: (ms: number) => Promise<void>;
}

/** A queued job: which sheet, and what of it. */
export interface ChunkJob {
  readonly sheet: string;
  readonly chunk: Chunk;
}

const LOOK_EVERY_MS = 500;
/** Looks between two counts of what the queue still has. */
const LOOKS_PER_COUNT = 10;
/** A job that failed otherwise than by its backtests is tried so often. */
const MOST_TRIES = 3;

export const onQueue =
  (options: LeaderOptions): SweepEngine =>
  (work) => {
    options.queue.watch((text) => work.watcher.say(text));
    return new Leader(work, options).run();
  };

class Leader {
  readonly #work: EngineWork;
  readonly #options: LeaderOptions;
  readonly #sheet: SweepSheet;
  readonly #hash: string;
  /** Chunks that are not stored, by the ids of their jobs. */
  readonly #open = new Map<string, Chunk>();
  readonly #tries = new Map<string, number>();

  constructor(work: EngineWork, options: LeaderOptions) {
    this.#work = work;
    this.#options = options;
    this.#sheet = makeSheet(work.plan, work.planned);
    this.#hash = sheetHash(this.#sheet);
    for (const chunk of makeChunks(work.facts, options.chunkSeconds)) {
      const isOpen = tasksIn(chunk, this.#sheet.fillModels).some((task) => work.known(task) === undefined);
      if (isOpen) this.#open.set(chunkId(this.#hash, chunk), chunk);
    }
  }

  /** False when it was stopped: those who are busy finish, and what they bring is there when the sweep goes on. */
  async run(): Promise<boolean> {
    if (this.#open.size === 0) return true;
    const { watcher } = this.#work;
    // While the server is away a request waits: the user's wish to stop does not.
    const stopped = watcher.stopAsked.then(() => false as const);
    const isComplete = await Promise.race([this.#lead(), stopped]);
    if (!isComplete) await Promise.race([this.#withdraw(), this.#options.pause(5_000)]);
    return isComplete;
  }

  async #lead(): Promise<boolean> {
    const { queue, pause } = this.#options;
    await this.#forgetFailed();
    await this.#send([...this.#open.keys()]);
    for (let looks = 1; this.#open.size > 0; looks++) {
      const ended = await queue.listEnded(new Set(this.#open.keys()));
      for (const job of ended) await this.#take(job);
      if (ended.length > 0) continue;
      if (looks % LOOKS_PER_COUNT === 0) await this.#sendLost();
      if (looks === LOOKS_PER_COUNT) await this.#tellOfWorkers();
      await pause(LOOK_EVERY_MS);
    }
    return true;
  }

  /** Of an earlier time: a sweep that goes on tries them anew. */
  async #forgetFailed(): Promise<void> {
    const { queue } = this.#options;
    const ended = await queue.listEnded(new Set(this.#open.keys()));
    await queue.remove(ended.flatMap(({ id, kind }) => (kind === 'done' ? [] : [id])));
  }

  async #send(ids: readonly string[]): Promise<void> {
    const { queue } = this.#options;
    await queue.keep(this.#hash, JSON.stringify(this.#sheet));
    const makeJobs = (id: string) => {
      const chunk = this.#open.get(id);
      return chunk === undefined ? [] : [{ id, data: { sheet: this.#hash, chunk } satisfies ChunkJob }];
    };
    await queue.add(ids.flatMap(makeJobs));
  }

  async #sendLost(): Promise<void> {
    const lost = await this.#options.queue.listAbsent([...this.#open.keys()]);
    if (lost.length === 0) return;
    this.#work.watcher.say(`The queue has lost ${lost.length} chunks: they are sent again.`);
    await this.#send(lost);
  }

  async #tellOfWorkers(): Promise<void> {
    if ((await this.#options.queue.workers()) !== 0) return;
    this.#work.watcher.say('Nobody takes work from the queue yet: start some with `twinbook sweep worker`.');
  }

  async #take({ id, kind, text }: EndedJob): Promise<void> {
    const chunk = this.#open.get(id);
    if (chunk === undefined) return;
    const { queue } = this.#options;
    const read = kind === 'done' ? readOutcomes(text, id, chunk, this.#sheet) : null;
    if (read?.kind === 'whole') keepOutcomes(read.outcomes, this.#work, read.worker);
    else if (kind === 'stalled') this.#fail(chunk, `those who ran it vanished, again and again (${text})`);
    else {
      const isRejected = kind === 'forged' || read !== null;
      const why = isRejected ? `a result was rejected: ${read?.why ?? text}` : text;
      if (await this.#again(id, why)) return;
      if (isRejected) throw new TwinbookError('queue_unusable', why, 'Look for who else writes to this queue.');
      this.#fail(chunk, why);
    }
    this.#open.delete(id);
    // What is stored here is not needed there.
    await queue.remove([id]);
  }

  /** False when it was tried often enough. */
  async #again(id: string, why: string): Promise<boolean> {
    const tries = (this.#tries.get(id) ?? 0) + 1;
    this.#tries.set(id, tries);
    if (tries >= MOST_TRIES) return false;
    this.#work.watcher.say(`A chunk failed and is sent again: ${why}`);
    await this.#options.queue.remove([id]);
    await this.#send([id]);
    return true;
  }

  #fail(chunk: Chunk, error: string): void {
    const outcomes = tasksIn(chunk, this.#sheet.fillModels).map(
      (task) => ({ task, outcome: { kind: 'failed', error } }) as const,
    );
    keepOutcomes(outcomes, this.#work, 'a worker');
  }

  async #withdraw(): Promise<void> {
    const { queue } = this.#options;
    const ended = await queue.listEnded(new Set(this.#open.keys()));
    const done = new Set(ended.map(({ id }) => id));
    await queue.remove([...this.#open.keys()].filter((id) => !done.has(id)));
  }
}
