/** Tells when files have changed and then stayed as they are for a while. Reads no contents. */

import { statSync } from 'node:fs';

/** An editor or a copy may still be at work, ms. */
const QUIET_MS = 2_000;

export class FileWatch {
  #files: readonly string[];
  #seen: string;
  #changedMs: number | null = null;

  /** As they are now is as they are known. */
  constructor(files: readonly string[]) {
    this.#files = files;
    this.#seen = marks(files);
  }

  /** Once a second or so: whether they have changed since they were known, and not for a while. Once for each change. */
  hasSettled(nowMs: number): boolean {
    const now = marks(this.#files);
    if (now !== this.#seen) {
      this.#seen = now;
      this.#changedMs = nowMs;
      return false;
    }
    if (this.#changedMs === null || nowMs < this.#changedMs + QUIET_MS) return false;
    this.#changedMs = null;
    return true;
  }

  /** Other files from now on; what is new of them is known as it is. */
  follow(files: readonly string[]): void {
    this.#files = files;
    this.#seen = marks(files);
  }
}

/** Differs when one of them was written, replaced or removed. */
const marks = (files: readonly string[]): string =>
  files
    .map((file) => {
      const found = statSync(file, { throwIfNoEntry: false });
      return found === undefined ? '-' : `${found.ino}:${found.mtimeMs}:${found.size}`;
    })
    .join(' ');
