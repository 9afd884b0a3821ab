/** Gunzip that writes into memory that it is given, where Node's own takes new memory for all that it unpacks. */

import { createGunzip } from 'node:zlib';

/** Where Node's stream writes next. The fields are of its insides; a Node without them would write into memory of its own. */
interface Inside {
  _outBuffer: Buffer;
  _outOffset: number;
  _chunkSize: number;
}

/** Of Node's own memory, which it takes at first and would go on with. */
const OWN_BYTES = 64 * 1024;

export class Unpacker {
  /** Why it stopped; null while it did not. */
  failure: string | null = null;
  readonly #gunzip;
  readonly #inside: Inside;
  readonly #closed: Promise<void>;
  #unpacked: Buffer[] = [];

  constructor() {
    const gunzip = createGunzip({ chunkSize: OWN_BYTES });
    this.#gunzip = gunzip;
    // The cast adds the fields that the types of Node leave out.
    this.#inside = gunzip as unknown as Inside;
    const push = gunzip.push.bind(gunzip);
    // As a readable stream it would wait for a reader, and hand pieces on when their memory is used for others.
    gunzip.push = (bytes: Buffer | null) => {
      if (bytes === null) return push(null);
      this.#unpacked.push(bytes);
      return true;
    };
    gunzip.resume();
    gunzip.on('error', (error) => {
      this.failure = error.message;
    });
    this.#closed = new Promise((resolve) => gunzip.once('close', resolve));
  }

  /** What comes of these bytes: as far as it has room there in `room`, the rest in memory of its own. */
  async unpack(packed: Buffer, room: Buffer): Promise<readonly Buffer[]> {
    this.#inside._outBuffer = room;
    this.#inside._outOffset = 0;
    this.#inside._chunkSize = room.length;
    const written = new Promise<void>((resolve) => this.#gunzip.write(packed, () => resolve()));
    await Promise.race([written, this.#closed]);
    return this.#take();
  }

  /** What is left at the end of the file. */
  async end(): Promise<readonly Buffer[]> {
    this.#gunzip.end();
    await this.#closed;
    return this.#take();
  }

  destroy(): void {
    this.#gunzip.destroy();
  }

  #take(): readonly Buffer[] {
    const unpacked = this.#unpacked;
    this.#unpacked = [];
    return unpacked;
  }
}
