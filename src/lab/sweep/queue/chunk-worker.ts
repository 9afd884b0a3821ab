/** What a worker behind the queue does with a job: it runs the chunk, or refuses it because this machine has something else. */

import { z } from 'zod';
import { TwinbookError } from '../../../shared/base/errors.js';
import { VERSION } from '../../../shell/config/version.js';
import type { Handled } from '../../../shell/queue/contract.js';
import { chunkId } from '../chunks/chunk.js';
import { outcomesText } from '../chunks/outcomes-file.js';
import { ChunkRunner, type RunnerPlace } from '../chunks/runner.js';
import { OtherVersion, readSheet, type SweepSheet } from '../chunks/sheet.js';

/** Maximum number of candidates of a chunk. A chunk is cut by time long before. */
const MOST_CANDIDATES = 100_000;

const job = z.object({
  sheet: z.string(),
  chunk: z.object({
    fold: z.int().nonnegative(),
    candidates: z
      .array(
        z.object({
          number: z.int(),
          values: z.array(z.union([z.number(), z.boolean(), z.string()])),
          hash: z.string(),
        }),
      )
      .min(1)
      .max(MOST_CANDIDATES),
  }),
});

export interface ChunkWorkerOptions {
  readonly place: RunnerPlace;
  /** Makes it the time zone of this process. */
  readonly takeTimeZone: (name: string) => void;
  readonly say: (text: string) => void;
}

export class ChunkWorker {
  readonly #options: ChunkWorkerOptions;
  /** Of the sweep whose chunk was run last. */
  #ready: { readonly hash: string; readonly sheet: SweepSheet; readonly runner: ChunkRunner } | null = null;

  constructor(options: ChunkWorkerOptions) {
    this.#options = options;
  }

  /** Throws where the job itself cannot be run anywhere. */
  async handle(data: unknown, document: (key: string) => Promise<string | null>): Promise<Handled> {
    const read = job.safeParse(data);
    if (!read.success) return { kind: 'foreign', why: `it is no job of a sweep of Twinbook ${VERSION}` };
    const { sheet: hash, chunk } = read.data;
    try {
      const { runner } = await this.#open(hash, document);
      const outcomes = await runner.run(chunk, NEVER);
      const failed = outcomes?.filter(({ outcome }) => outcome.kind === 'failed').length ?? 0;
      const numbers = `${chunk.candidates[0]?.number} to ${chunk.candidates.at(-1)?.number}`;
      this.#options.say(
        `fold ${chunk.fold + 1}, configurations ${numbers}: ${outcomes?.length} backtests, ${failed} failed`,
      );
      return { kind: 'done', text: outcomesText(chunkId(hash, chunk), outcomes ?? []) };
    } catch (error) {
      if (error instanceof OtherVersion) return { kind: 'foreign', why: error.message };
      if (error instanceof TwinbookError && error.code !== 'queue_unusable') return { kind: 'refused', error };
      throw error;
    }
  }

  /** Ends its threads. */
  async close(): Promise<void> {
    const runner = this.#ready?.runner;
    this.#ready = null;
    await runner?.close();
  }

  async #open(hash: string, document: (key: string) => Promise<string | null>) {
    if (this.#ready?.hash === hash) return this.#ready;
    await this.close();
    const text = await document(hash);
    if (text === null)
      throw new TwinbookError(
        'queue_unusable',
        'the sheet of its sweep is not there',
        'The sweep has ended or its queue was emptied: start the sweep again.',
      );
    const sheet = readSheet(text, hash);
    this.#options.takeTimeZone(sheet.timeZone);
    const runner = await ChunkRunner.open(sheet, this.#options.place);
    this.#ready = { hash, sheet, runner };
    return this.#ready;
  }
}

/** A chunk that was taken is run to its end. */
const NEVER = new Promise<void>(() => undefined);
