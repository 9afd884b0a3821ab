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
export function makeReplayNotices(source: { notes(): ReplayNotes }, logger: NoticeLog): Driver {
  const logged = new Set<string>();
  let isSummarized = false;
  let dueMs = 0;
  /** A note's count grows while its recording is read: it is logged only once. */
  const once = (text: string, log: (text: string) => void): void => {
    const kind = text.replace(/\d+/g, '#');
    if (logged.has(kind)) return;
    logged.add(kind);
    log(text);
  };
  return {
    tick: (nowMs) => {
      dueMs = nowMs + LOOK_EVERY_MS;
      const found = source.notes();
      if (!isSummarized && found.notes.length + found.unresolved > 0) {
        isSummarized = true;
        logger.warn({}, summarize(found));
      }
      for (const { path, message } of found.notes) once(`${path}: ${message}`, (text) => logger.info({ path }, text));
      for (const { path, message } of found.failures)
        once(`${path}: ${message}`, (text) => logger.warn({ path }, text));
    },
    nextDueMs: () => dueMs,
  };
}

function summarize({ notes, markets, unresolved }: ReplayNotes): string {
  const parts = [
    unresolved === 0 ? '' : `${unresolved} of ${markets} recorded markets will end unresolved: the outcome is unknown`,
    notes.length === 0 ? '' : `${notes.length} notes on the quality of the recordings: -v prints them`,
  ];
  return parts.filter((part) => part !== '').join('; ');
}
