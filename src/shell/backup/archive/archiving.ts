/**
 * What is over for long leaves the ledger of a running trader: a thread finds and copies it, the trader removes a few rows between two
 * steps, and rests. Begun some while after a start, and again a few times a day.
 */

import { rmSync } from 'node:fs';
import { startWorker } from '../../../shared/base/worker-start.js';
import { type ArchiveListing, listArchives } from '../../../trader/ledger/archive/archive-file.js';
import type { ArchivedIntents } from '../../../trader/ledger/archive/contract.js';
import type { CopiedRows } from '../../../trader/ledger/archive/copier.js';

/** By then a trader has agreed with the exchange and quotes, ms. */
const FIRST_AFTER_MS = 120_000;
const AGAIN_MS = 6 * 3_600_000;
/** Rows that the trader removes at a time, some 2 ms of its loop, and the rest after that, ms: some 200,000 an hour. */
const ROWS = 25;
const REST_MS = 400;

/** What leaves a ledger, and how much of it is kept. */
export interface ArchivePolicy {
  /** Since the end of an order, ms; null when nothing leaves. */
  readonly afterMs: number | null;
  /** Room for all archives together. */
  readonly maxBytes: number;
}

/** What the thread is told at its start. */
export interface ArchiveTask {
  readonly ledgerPath: string;
  readonly beforeMs: number;
  /** So many of the newest intents stay; the usual number when left out. */
  readonly newest?: number | undefined;
}

/** What it is asked for each time. */
export interface ArchiveQuestion {
  readonly after: number;
  readonly most: number;
}

export interface ArchivingOptions {
  readonly ledgerPath: string;
  readonly policy: ArchivePolicy;
  /** Takes out of the ledger what is in the archive. What it throws ends the archiving, and is its caller's to tell. */
  readonly putAway: (archived: ArchivedIntents) => void;
  /** What was done. */
  readonly note: (text: string) => void;
  /** What was lost, or why nothing will be done. */
  readonly warn: (text: string) => void;
  readonly nowMs: () => number;
  /** Times and numbers of a test; the usual ones when left out. */
  readonly pace?: {
    readonly firstAfterMs: number;
    readonly rows: number;
    readonly restMs: number;
    readonly newest: number;
  };
}

/** Archives by its own timer until it is closed. */
export class Archiving {
  readonly #options: ArchivingOptions;
  #timer: NodeJS.Timeout | null = null;
  #thread: ReturnType<typeof startWorker> | null = null;
  #isClosed = false;

  constructor(options: ArchivingOptions) {
    this.#options = options;
    if (options.policy.afterMs !== null) this.#wait(options.pace?.firstAfterMs ?? FIRST_AFTER_MS, () => this.#begin());
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    // What it writes this moment is taken back as after a kill.
    void this.#thread?.terminate();
  }

  #begin(): void {
    const { ledgerPath, policy, nowMs, pace, note, warn } = this.#options;
    const task: ArchiveTask = { ledgerPath, beforeMs: nowMs() - (policy.afterMs ?? 0), newest: pace?.newest };
    const thread = startWorker({ name: 'archive-thread', data: task }, import.meta.url);
    this.#thread = thread;
    let count = 0;
    thread.on('error', (error) => {
      warn(`nothing more goes into the archive for now: ${error.message}`);
      this.#end(thread);
    });
    thread.on('message', ({ archived, next }: CopiedRows) => {
      if (this.#isClosed) return;
      const { whole, texts } = archived;
      if (whole.length + texts.length > 0) this.#options.putAway(archived);
      count += whole.length;
      if (next !== null) return this.#wait(pace?.restMs ?? REST_MS, () => this.#ask(thread, next));
      const gone = removeOldest(ledgerPath, policy.maxBytes);
      if (count > 0) note(`${count} intents that are over for long went into the archive`);
      if (gone.length > 0) warn(`archives beyond ledger.archive.max_mb were removed: ${gone.join(', ')}`);
      this.#end(thread);
    });
    this.#ask(thread, 0);
  }

  #ask(thread: ReturnType<typeof startWorker>, after: number): void {
    const question: ArchiveQuestion = { after, most: this.#options.pace?.rows ?? ROWS };
    thread.postMessage(question);
  }

  #end(thread: ReturnType<typeof startWorker>): void {
    void thread.terminate();
    this.#thread = null;
    if (!this.#isClosed) this.#wait(AGAIN_MS, () => this.#begin());
  }

  #wait(ms: number, then: () => void): void {
    this.#timer = setTimeout(then, ms);
    this.#timer.unref();
  }
}

/** Archives that go because there is no room, oldest last; the newest stays, whatever it takes. */
const findBeyond = (archives: readonly ArchiveListing[], maxBytes: number): readonly ArchiveListing[] => {
  let bytes = 0;
  return [...archives].reverse().filter((archive, rank) => {
    bytes += archive.bytes;
    return rank > 0 && bytes > maxBytes;
  });
};

/** Months whose archives go because there is no room. */
export const archivesBeyond = (ledgerPath: string, maxBytes: number): readonly ArchiveListing[] =>
  findBeyond(listArchives(ledgerPath), maxBytes);

/** Returns their months. */
export const removeOldest = (ledgerPath: string, maxBytes: number): readonly string[] =>
  removeBeyond(listArchives(ledgerPath), maxBytes);

/** Removes of these, oldest first, what has no room. Returns the months. */
export function removeBeyond(archives: readonly ArchiveListing[], maxBytes: number): readonly string[] {
  const beyond = findBeyond(archives, maxBytes);
  for (const { path } of beyond) rmSync(path, { force: true });
  return beyond.map(({ month }) => month);
}
