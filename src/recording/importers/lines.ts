/** Reads gzipped text line by line in bounded memory, as far as it can be read. */

import { type FileHandle, open } from 'node:fs/promises';
import { TwinbookError } from '../../shared/base/errors.js';
import { type Lines, ROOM_BYTES, TextRing } from './text-ring.js';
import { Unpacker } from './unpacker.js';

/**
 * Gzip of messages unpacks some twentyfold: a quarter of a megabyte, which has room in the ring. What a damage is found in is lost with
 * what was unpacked before it of the same bytes, so they are few.
 */
const PACKED_BYTES = 12 * 1024;
const READ_BYTES = 5 * PACKED_BYTES;

export interface LineReport {
  /** Why reading stopped before the end of the file; null when it did not. */
  cut: string | null;
  /** Lines dropped because of their length. */
  tooLong: number;
}

/**
 * The lines of a gzip file, unpacked into the ring. A file that is cut or damaged gives every line before the damage, then
 * `report.cut` says so. Throws TwinbookError `file_unreadable` when the file cannot be opened or read. So many bytes are
 * unpacked at once, and before anything is given.
 */
export async function* gunzipLines(
  path: string,
  report: LineReport,
  ring: TextRing,
  packedBytes = PACKED_BYTES,
): AsyncGenerator<Lines> {
  const unpacker = new Unpacker();
  try {
    for await (const packed of readBytes(path, packedBytes)) {
      const room = ring.makeRoom();
      const unpacked = await unpacker.unpack(packed, ring.bytes.subarray(room, room + ROOM_BYTES));
      yield* putIn(ring, unpacked, report);
      report.cut = unpacker.failure;
      if (report.cut !== null) return;
    }
    yield* putIn(ring, await unpacker.end(), report);
    report.cut = unpacker.failure;
    const last = ring.finish();
    if (report.cut === null && last !== null) yield last;
  } finally {
    unpacker.destroy();
    // The last line of a cut file is half a message.
    ring.finish();
  }
}

/** The same as texts. */
export async function* gunzipTexts(path: string, report: LineReport, packedBytes: number): AsyncGenerator<string[]> {
  const ring = new TextRing();
  try {
    for await (const { bytes, from, end } of gunzipLines(path, report, ring, packedBytes)) {
      const lines = bytes.toString('utf8', from, end).split('\n');
      if (lines.at(-1) === '') lines.pop();
      yield lines;
    }
  } finally {
    ring.end();
  }
}

/** What was unpacked into the room that the ring made stands there; what had no room in it is put after it. */
function* putIn(ring: TextRing, unpacked: readonly Buffer[], report: LineReport): Generator<Lines> {
  for (const bytes of unpacked) {
    for (let from = 0; from < bytes.length; from += ROOM_BYTES) {
      const part = bytes.subarray(from, from + ROOM_BYTES);
      const at = ring.makeRoom();
      if (part.buffer !== ring.bytes.buffer || part.byteOffset !== at) ring.bytes.set(part, at);
      const lines = ring.take(part.length);
      if (lines !== null) yield lines;
      if (ring.dropLong()) report.tooLong++;
    }
  }
}

/** Of a file, in memory that is used again. */
async function* readBytes(path: string, atOnce: number): AsyncGenerator<Buffer> {
  let file: FileHandle | null = null;
  try {
    file = await open(path);
    const memory = Buffer.allocUnsafe(READ_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(memory, 0, READ_BYTES);
      if (bytesRead === 0) return;
      for (let from = 0; from < bytesRead; from += atOnce) {
        yield memory.subarray(from, Math.min(bytesRead, from + atOnce));
      }
    }
  } catch (error) {
    throw new TwinbookError(
      'file_unreadable',
      `cannot read ${path}: ${(error as Error).message}`,
      'The line named in it is damaged, or the file is of another kind: `twinbook data import --help` lists the kinds.',
      {
        cause: error,
      },
    );
  } finally {
    await file?.close();
  }
}
