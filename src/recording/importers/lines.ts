/** Reads gzipped text line by line in bounded memory, as far as it can be read. */

import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { TwinbookError } from '../../shared/base/errors.js';

/** A longer line is no message of any venue; it is dropped and counted instead of filling the memory. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** Gzip of messages unpacks thirtyfold: some two megabytes of text at a time. */
const READ_BYTES = 64 * 1024;

/** Bytes that are unpacked at once: each such piece costs a call. */
const UNPACKED_BYTES = 256 * 1024;

const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);

export interface LineReport {
  /** Why reading stopped before the end of the file; null when it did not. */
  cut: string | null;
  /** Lines dropped because of their length. */
  tooLong: number;
}

/**
 * The lines of a gzip file, in pieces of whole lines: each line ends with a newline, but for the last one of a file that
 * does not. A file that is cut or damaged gives every line before the damage, then `report.cut` says so. Throws
 * TwinbookError `file_unreadable` when the file cannot be opened or read. `readBytes` are unpacked before anything is given.
 */
export async function* gunzipPieces(path: string, report: LineReport, readBytes = READ_BYTES): AsyncGenerator<Buffer> {
  let rest: Buffer = NOTHING;
  for await (const bytes of inflate(path, report, readBytes)) {
    // The line that two reads divide is a piece of its own: with all others it would be copied, and what is copied is garbage.
    const begin = rest.length === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (begin > 0) yield Buffer.concat([rest, bytes.subarray(0, begin)]);
    if (end > begin) yield bytes.subarray(begin, end);
    rest = end > 0 ? Buffer.from(bytes.subarray(end)) : Buffer.concat([rest, bytes]);
    if (rest.length > MAX_LINE_BYTES) {
      rest = NOTHING;
      report.tooLong++;
    }
  }
  // The last line of a cut file is half a message.
  if (report.cut === null && rest.length > 0) yield rest;
}

/** The same as texts. */
export async function* gunzipLines(path: string, report: LineReport): AsyncGenerator<string[]> {
  for await (const piece of gunzipPieces(path, report)) {
    const lines = piece.toString('utf8').split('\n');
    if (lines.at(-1) === '') lines.pop();
    yield lines;
  }
}

/** Feeds the file through gunzip piece by piece, so that everything before a damage arrives before its error. */
async function* inflate(path: string, report: LineReport, readBytes: number): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: UNPACKED_BYTES });
  let ready: Buffer[] = [];
  gunzip.on('data', (bytes: Buffer) => ready.push(bytes));
  gunzip.on('error', (error) => {
    report.cut = error.message;
  });
  const closed = new Promise<void>((resolve) => gunzip.once('close', resolve));
  const writeBytes = (bytes: Buffer) => new Promise<void>((resolve) => gunzip.write(bytes, () => resolve()));
  const drain = () => {
    const bytes = ready;
    ready = [];
    return bytes;
  };
  try {
    for await (const bytes of createReadStream(path, { highWaterMark: readBytes })) {
      await Promise.race([writeBytes(bytes as Buffer), closed]);
      yield* drain();
      if (report.cut !== null) return;
    }
    gunzip.end();
    await closed;
    yield* drain();
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
    gunzip.destroy();
  }
}
