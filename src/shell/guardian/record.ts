/**
 * Files of the guardian: a record for people, its actions for the trader, and the mark that stops a woken trader. All
 * are on the ledger's disk, which may be the cause of the alarm: every wait is bounded, and nothing throws.
 */

import { constants } from 'node:fs';
import { type FileHandle, link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemCode } from '../../shared/base/errors.js';
import { plainJson, plainLine } from '../../shared/base/text.js';
import { secrets } from '../wallet/secrets.js';
import { encode } from './beat-file.js';
import type { GuardianReport } from './contract.js';

/** Longest time that a cancel waits for a disk, ms. */
const DISK_WITHIN_MS = 1_000;
/** Lines waiting for a hanging disk; later ones are lost. */
const MOST_WAITING = 1_000;

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

/**
 * A file that is opened once and kept open: a removed file stays removed, and a removed folder is not filled again. A
 * file that could not be opened is tried again at the next use.
 */
class KeptFile {
  readonly #path: string;
  readonly #flags: string | number;
  #file: FileHandle | null = null;

  constructor(path: string, flags: string | number) {
    this.#path = path;
    this.#flags = flags;
  }

  async open(): Promise<FileHandle> {
    this.#file ??= await open(this.#path, this.#flags, 0o600);
    return this.#file;
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}

export class GuardianLog {
  readonly #file: KeptFile;
  readonly #echo: (line: string) => void;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(path: string, echo: (line: string) => void) {
    this.#file = new KeptFile(path, 'a');
    this.#echo = echo;
  }

  write(severity: 'quiet' | 'loud', text: string): void {
    const time = new Date().toISOString();
    this.#echo(`${time} ${plainLine(text)}\n`);
    if (this.#waiting >= MOST_WAITING) return;
    this.#waiting += 1;
    const line = secrets.clean(`${plainJson(JSON.stringify({ time, severity, pid: process.pid, text }))}\n`);
    this.#last = this.#last
      .then(async () => (await this.#file.open()).appendFile(line))
      // The echo and the report have it; there is no other reader.
      .catch(() => undefined)
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  async close(): Promise<void> {
    await inTime(this.#last.then(() => this.#file.close()));
  }
}

/** Our own beat. While the disk is busy with one, no other is written. */
export class Reporter {
  readonly #file: KeptFile;
  #last: Promise<unknown> | null = null;

  constructor(path: string) {
    // Created if missing, never truncated: a reader must not find it empty.
    this.#file = new KeptFile(path, constants.O_RDWR | constants.O_CREAT);
  }

  write(report: GuardianReport): void {
    if (this.#last !== null) return;
    this.#last = this.#put(report)
      // A trader that reads no new content reports it itself.
      .catch(() => undefined)
      .finally(() => {
        this.#last = null;
      });
  }

  async close(report: GuardianReport): Promise<void> {
    const before = this.#last ?? Promise.resolve();
    await inTime(before.then(() => this.#put(report)).finally(() => this.#file.close()));
  }

  async #put(report: GuardianReport): Promise<void> {
    const bytes = encode({ ...report, text: secrets.clean(report.text) });
    await (await this.#file.open()).write(bytes, 0, bytes.length, 0);
  }
}

/**
 * Writes the mark durably; an existing one stays unchanged, because its reason is older. A trader that looks meanwhile finds none
 * or the whole reason. On a full disk it may be empty: its name alone stops. Throws the file system's errors.
 */
export async function leaveMark(path: string, reason: string): Promise<void> {
  const text = `${reason}\n`;
  try {
    if (!(await leaveWhole(path, text))) await leavePlain(path, text);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return;
    throw error;
  }
  const folder = await open(dirname(path), constants.O_RDONLY);
  await folder.sync().finally(() => folder.close());
}

/**
 * Written beside and then linked to its name. False if the name exists, the disk is full, or links are unsupported.
 * Throws the system's error when the name exists but may not last.
 */
async function leaveWhole(path: string, text: string): Promise<boolean> {
  const beside = `${path}.${process.pid}`;
  const file = await rm(beside, { force: true })
    .then(() => open(beside, 'wx', 0o600))
    .catch(() => null);
  if (file === null) return false;
  try {
    const isNamed = await file
      .writeFile(text)
      .then(() => link(beside, path))
      .then(
        () => true,
        () => false,
      );
    // The name alone stops a trader, however long the disk takes.
    if (isNamed) await file.sync();
    return isNamed;
  } finally {
    await file.close();
    await rm(beside, { force: true });
  }
}

/** Creates the file by its name first. Throws the system's error, EEXIST for an existing one. */
async function leavePlain(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOSPC' && error.code !== 'EDQUOT') throw error;
    });
    await file.sync();
  } finally {
    await file.close();
  }
}
