/** Reads the journal of a run while it is written: each step once, in order, as soon as it is on disk. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { RunJournal, Step } from './contract.js';
import { END_FILE } from './journal.js';
import { invalidRun, readStep } from './read-run.js';
import { listEntries } from './runs.js';
import { segmentName } from './segments.js';

const READ_BYTES = 1 << 20;
const NEWLINE = 0x0a;

/**
 * Whether to look again once everything that is there has been read: resolves when it may have grown, with false when nobody
 * waits any longer.
 */
export type WaitForMore = () => Promise<boolean>;

/**
 * Ends where the journal was closed, or where `more` gives up; a last line that is cut by then is left out. Throws TwinbookError
 * `recording_invalid` for a step that is missing or no step.
 */
export async function* followSteps({ folder }: Pick<RunJournal, 'folder'>, more: WaitForMore): AsyncGenerator<Step> {
  const tail = new SegmentTail(folder);
  let index = 0;
  for (;;) {
    // Asked first: what is written before it is there to be read after.
    const isClosed = existsSync(join(folder, END_FILE));
    let hasGrown = false;
    for await (const line of tail.lines()) {
      hasGrown = true;
      const step = readStep(line);
      if (step === null) throw invalidRun(tail.file, `has a line that is no step after step ${index - 1}`);
      if (step.index !== index) throw invalidRun(tail.file, `has step ${step.index} where step ${index} is missing`);
      index += 1;
      yield step;
    }
    if (!hasGrown && (isClosed || !(await more()))) return;
  }
}

/** When something was last written to a journal, our clock, ms; null before the first step. */
export function lastWrittenMs(folder: string): number | null {
  const times = listEntries(folder)
    .filter(({ name }) => /^observations-\d+\.ndjson(\.gz)?$/.test(name))
    .map(({ name }) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return times.length === 0 ? null : Math.max(...times);
}

/** Where reading stands: a segment, and bytes of its plain text, which it has packed too. */
class SegmentTail {
  readonly #folder: string;
  #number = 1;
  #offset = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get file(): string {
    return join(this.#folder, segmentName(this.#number));
  }

  /** Every whole line that is there and was not given yet. */
  async *lines(): AsyncGenerator<string> {
    for (;;) {
      if (existsSync(`${this.file}.gz`)) {
        yield* this.#take(gunzipSync(readFileSync(`${this.file}.gz`)).subarray(this.#offset));
        this.#number += 1;
        this.#offset = 0;
        continue;
      }
      const bytes = await this.#readPlain();
      // Packed meanwhile, or nothing new.
      if (bytes === null && existsSync(`${this.file}.gz`)) continue;
      if (bytes === null) return;
      const before = this.#offset;
      yield* this.#take(bytes);
      // Less than a line: the rest is still to come.
      if (this.#offset === before && !existsSync(`${this.file}.gz`)) return;
    }
  }

  *#take(bytes: Buffer): Generator<string> {
    let from = 0;
    for (let to = bytes.indexOf(NEWLINE); to >= 0; to = bytes.indexOf(NEWLINE, from)) {
      const line = bytes.toString('utf8', from, to);
      this.#offset += to + 1 - from;
      from = to + 1;
      yield line;
    }
  }

  /** From where it stands, at most so many bytes; a longer line is read whole. Null when there is nothing. */
  async #readPlain(): Promise<Buffer | null> {
    let file: FileHandle;
    try {
      file = await open(this.file, 'r');
    } catch {
      return null;
    }
    try {
      const parts: Buffer[] = [];
      let at = this.#offset;
      for (;;) {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, at);
        if (bytesRead === 0) break;
        const part = buffer.subarray(0, bytesRead);
        parts.push(part);
        at += bytesRead;
        if (part.includes(NEWLINE)) break;
      }
      return parts.length === 0 ? null : Buffer.concat(parts);
    } finally {
      await file.close();
    }
  }
}
