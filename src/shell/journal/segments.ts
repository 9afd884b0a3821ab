/**
 * Lines of a journal on disk: appended to a plain file, which is packed once it is large. Lines wait in memory for at
 * most one flush, so that the loop never waits for the disk.
 */

import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** A segment of this size packs to a tenth, in a fraction of a second in another thread. */
export const SEGMENT_BYTES = 16_000_000;
/** This much in memory means that the disk has taken nothing for minutes. */
const MAX_WAITING_CHARS = 64_000_000;
const READ_BYTES = 1 << 18;

export const segmentName = (number: number): string => `observations-${String(number).padStart(6, '0')}.ndjson`;

export class Segments {
  readonly #folder: string;
  readonly #segmentBytes: number;
  #waiting: string[] = [];
  #waitingChars = 0;
  #number = 1;
  #file: FileHandle | null = null;
  #openBytes = 0;
  #packedBytes = 0;

  constructor(folder: string, segmentBytes = SEGMENT_BYTES) {
    this.#folder = folder;
    this.#segmentBytes = segmentBytes;
  }

  /** Bytes on disk, as known to this writer. */
  get bytes(): number {
    return this.#packedBytes + this.#openBytes;
  }

  /** False when too much waits: the line was dropped. */
  add(line: string): boolean {
    if (this.#waitingChars > MAX_WAITING_CHARS) return false;
    this.#waiting.push(line);
    this.#waitingChars += line.length + 1;
    return true;
  }

  /** Writes waiting lines, and packs a large segment. One call at a time. Throws the disk's errors. */
  async flush(): Promise<void> {
    if (this.#waiting.length > 0) {
      const bytes = Buffer.from(`${this.#waiting.join('\n')}\n`);
      this.#waiting = [];
      this.#waitingChars = 0;
      this.#file ??= await open(join(this.#folder, segmentName(this.#number)), 'a');
      await this.#file.appendFile(bytes);
      this.#openBytes += bytes.length;
    }
    if (this.#openBytes >= this.#segmentBytes) await this.#pack();
  }

  /** Writes and packs everything. Throws as `flush` does. */
  async close(): Promise<void> {
    await this.flush();
    if (this.#openBytes > 0) await this.#pack();
  }

  async abandon(): Promise<void> {
    this.#waiting = [];
    this.#waitingChars = 0;
    await this.#file?.close().catch(() => undefined);
    this.#file = null;
  }

  async #pack(): Promise<void> {
    const plain = join(this.#folder, segmentName(this.#number));
    await this.#file?.close();
    this.#file = null;
    this.#number += 1;
    const temporary = `${plain}.gz.part`;
    // Synced before it gets the name: then the plain one is removed.
    const target = createWriteStream(temporary, { flush: true });
    try {
      await pipeline(createReadStream(plain, { highWaterMark: READ_BYTES }), createGzip(), target);
      await rename(temporary, `${plain}.gz`);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await rm(plain);
    this.#packedBytes += (await stat(`${plain}.gz`)).size;
    this.#openBytes = 0;
  }
}
