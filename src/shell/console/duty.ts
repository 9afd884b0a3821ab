/**
 * Decides which console of a trader sends its alerts and stores its chart history: the one that holds the lock beside
 * the store. Others only show their page, and take over when that one has ended. If the lock is unreadable, both send:
 * a duplicate alert is better than none.
 */

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import { utcText } from '../../shared/base/text.js';
import { findWriter, lockWriter, type WriterLock } from '../../trader/ledger/lock.js';

export interface DutyOptions {
  /** Path of the store. */
  readonly path: string;
  /** Unix ms. */
  readonly startedMs: number;
  /** Something for the log. */
  readonly note: (text: string) => void;
}

export class Duty {
  readonly #options: DutyOptions;
  #lock: WriterLock | null = null;
  #said = '';

  constructor(options: DutyOptions) {
    this.#options = options;
  }

  /** Whether this console has the duty; call every second. An obstacle is noted once. */
  take(): boolean {
    if (this.#lock !== null) return true;
    const { path, startedMs } = this.#options;
    const folder = dirname(path);
    if (!existsSync(folder)) {
      this.#say(`warning: there is no folder ${folder}: no trader has run by this file yet, or its disk is not there`);
      return true;
    }
    try {
      const other = findWriter(path);
      if (other !== null) return this.#leaveTo(`process ${other.pid}, started ${timeText(other.startedMs)},`);
      this.#lock = lockWriter(path, { pid: process.pid, startedMs });
      if (this.#said !== '') this.#say('this console tells the alerts and keeps the history now');
      return true;
    } catch (error) {
      if (!(error instanceof TwinbookError)) throw error;
      if (error.code === 'ledger_locked') return this.#leaveTo('another process');
      this.#say(`warning: ${error.message}; a second console would send each alert twice`);
      return true;
    }
  }

  close(): void {
    this.#lock?.release();
    this.#lock = null;
  }

  #leaveTo(who: string): false {
    const does = 'it tells the alerts and keeps the history, and this one does when that one has ended';
    this.#say(`warning: ${who} is a console of this trader too: ${does}`);
    return false;
  }

  #say(text: string): void {
    if (text === this.#said) return;
    this.#said = text;
    this.#options.note(text);
  }
}

const timeText = (ms: number): string => `${utcText(ms)} UTC`;
