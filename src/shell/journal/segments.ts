/**
 * The lines of a journal on disk: appended to a plain file, which is packed once it is large. Lines wait in memory for at
 * most one flush, so that the loop never waits for the disk.
 */

import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** A segment of so many bytes packs to a tenth, in a fraction of a second of another thread. */
export const SEGMENT_BYTES = 16_000_000;
/** So much in memory means that the disk has not taken anything for minutes. */
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

  /** Bytes on disk, as far as this writer knows. */
  get bytes(): number {
    return this.#packedBytes + this.#openBytes;
  }

  /** False when so much waits already that this line was not taken. */
  add(line: string): boolean {
    if (this.#waitingChars > MAX_WAITING_CHARS) return false;
    this.#waiting.push(line);
    this.#waitingChars += line.length + 1;
    return true;
  }

  /** Writes what waits, and packs the segment when it is large enough. One call at a time. Throws what the disk says. */
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

  /** Lets go of what waits and of the file. */
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
    // Synced before it takes the name: the plain one is gone after that.
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
