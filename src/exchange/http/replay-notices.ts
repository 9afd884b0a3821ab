/** Reports a replay's notes on its data: each once in the log, with one warning for all. */

import type { Driver, ReplayNotes } from '../crowd/contract.js';

/** Interval of the checks, ms. Some notes are known only after hours of reading. */
const LOOK_EVERY_MS = 5_000;

/** Logger methods that notices need. */
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

  /** A note's count grows while its recording is read: it is logged only once. */
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
