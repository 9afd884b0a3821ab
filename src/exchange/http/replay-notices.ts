/** Reports what a replay knows about its data: each note once in the log, and one line of warning for all of them. */

import type { Driver, ReplayNotes } from '../crowd/contract.js';

/** Interval between two looks, ms. Some notes are known only after hours of reading. */
const LOOK_EVERY_MS = 5_000;

/** The part of the exchange's logger that notices need. */
interface NoticeLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** Notes go to `logger.info`; the summary and unreadable recordings go to `logger.warn`. */
export class ReplayNotices implements Driver {
  readonly #read: () => ReplayNotes;
  readonly #logger: NoticeLog;
  readonly #logged = new Set<string>();
  #isSummarized = false;
  #dueMs = 0;

  constructor(read: () => ReplayNotes, logger: NoticeLog) {
    this.#read = read;
    this.#logger = logger;
  }

  tick(nowMs: number): void {
    this.#dueMs = nowMs + LOOK_EVERY_MS;
    const found = this.#read();
    if (!this.#isSummarized && found.notes.length + found.unresolved > 0) {
      this.#isSummarized = true;
      this.#logger.warn({}, summarize(found));
    }
    for (const { path, message } of found.notes)
      this.#once(`${path}: ${message}`, (text) => this.#logger.info({ path }, text));
    for (const { path, message } of found.failures)
      this.#once(`${path}: ${message}`, (text) => this.#logger.warn({ path }, text));
  }

  nextDueMs(): number {
    return this.#dueMs;
  }

  /** A count in a note grows while its recording is read: the note is logged once all the same. */
  #once(text: string, log: (text: string) => void): void {
    const kind = text.replace(/\d+/g, '#');
    if (this.#logged.has(kind)) return;
    this.#logged.add(kind);
    log(text);
  }
}

function summarize({ notes, markets, unresolved }: ReplayNotes): string {
  const parts = [
    unresolved === 0 ? '' : `${unresolved} of ${markets} recorded markets will end unresolved: the outcome is unknown`,
    notes.length === 0 ? '' : `${notes.length} notes on the quality of the recordings: -v prints them`,
  ];
  return parts.filter((part) => part !== '').join('; ');
}
