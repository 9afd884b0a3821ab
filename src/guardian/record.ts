/**
 * What the guardian writes: a record for people, what it does for the trader to see, and the mark that holds a woken
 * trader. All of it beside the ledger, on a disk that may be the very reason of the alarm: so nothing here is waited for
 * without end, and nothing throws.
 */

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { encode } from './beat-file.js';
import type { GuardianReport } from './contract.js';

/** The longest that a cancel waits for a disk, ms. */
const DISK_WITHIN_MS = 1_000;
/** Lines that wait for a disk which does not answer; later ones are lost. */
const MOST_WAITING = 1_000;

/** True when the work ended in time and well. */
export async function inTime(work: Promise<unknown>): Promise<boolean> {
  const done = work.then(
    () => true,
    () => false,
  );
  const timer = new AbortController();
  const late = pause(DISK_WITHIN_MS, false, { signal: timer.signal }).catch(() => false);
  try {
    return await Promise.race([done, late]);
  } finally {
    timer.abort();
  }
}

/** JSON lines, one for each thing that a person may want to know. */
export class GuardianLog {
  readonly #file: string;
  readonly #echo: (line: string) => void;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** @param echo where each line goes too, for who looks on */
  constructor(file: string, echo: (line: string) => void) {
    this.#file = file;
    this.#echo = echo;
  }

  write(severity: 'quiet' | 'loud', text: string): void {
    const time = new Date().toISOString();
    this.#echo(`${time} ${text}\n`);
    if (this.#waiting >= MOST_WAITING) return;
    this.#waiting += 1;
    const line = `${JSON.stringify({ time, severity, pid: process.pid, text })}\n`;
    this.#last = this.#last
      .then(() => append(this.#file, line))
      // The echo has it, and the report; there is nobody else to tell.
      .catch(() => undefined)
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  async close(): Promise<void> {
    await inTime(this.#last);
  }
}

async function append(path: string, line: string): Promise<void> {
  await withFile(path, 'a', (file) => file.appendFile(line));
}

/**
 * Leaves the mark, durably; one that is there already is left as it is, for its reason is older. Throws what the file
 * system throws.
 */
export async function leaveMark(path: string, reason: string): Promise<void> {
  try {
    await withFile(path, 'wx', async (file) => {
      await file.writeFile(`${reason}\n`);
      await file.sync();
    });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

async function withFile(path: string, flags: 'a' | 'wx', use: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, flags, 0o600);
  try {
    await use(file);
  } finally {
    await file.close();
  }
}

/** Our own beat. One that the disk is still busy with is not followed by another. */
export class Reporter {
  readonly #path: string;
  #last: Promise<unknown> | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  write(report: GuardianReport): void {
    if (this.#last !== null) return;
    this.#last = this.#put(report)
      // A trader that reads nothing new says so itself.
      .catch(() => undefined)
      .finally(() => {
        this.#last = null;
      });
  }

  /** The last words. */
  async close(report: GuardianReport): Promise<void> {
    await inTime((this.#last ?? Promise.resolve()).then(() => this.#put(report)));
  }

  async #put(report: GuardianReport): Promise<void> {
    // Made when it is missing, never cut: a reader must not find it empty.
    const file = await open(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      const bytes = encode(report);
      await file.write(bytes, 0, bytes.length, 0);
    } finally {
      await file.close();
    }
  }
}
