/**
 * A small file that one process writes over and over and another one reads.
 *
 * Written in place and always of one length, so that a beat needs no new space: a full disk does not stop it. It is
 * synced only on request, when its content must survive the machine; a beat need not. A reader in
 * the middle of a write sees a wrong check sum, and looks again.
 */

import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { systemCode } from '../../shared/base/errors.js';

const LENGTH = 1024;
const CHECK_LENGTH = 16;
/** One blank before the check sum, one line break after it. */
const MAX_TEXT_BYTES = LENGTH - CHECK_LENGTH - 2;

export class BeatWriter {
  readonly #descriptor: number;

  /** Throws like `openSync`. The folder must exist. */
  constructor(path: string) {
    // Not truncated: the old content stays until the first beat overwrites it.
    this.#descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    if (fstatSync(this.#descriptor).size !== LENGTH) ftruncateSync(this.#descriptor);
  }

  /** Throws like `writeSync` and `fsyncSync`, and for a value that is too long. */
  write(value: object, durable = false): void {
    const bytes = encode(value);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at, bytes.length - at, at);
    if (durable) fsyncSync(this.#descriptor);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/** Content of the file; null without one, `unreadable` for foreign or partly written content. */
export async function readBeat<T>(path: string, schema: z.ZodType<T>): Promise<T | 'unreadable' | null> {
  try {
    return decode(await readFile(path), schema);
  } catch (error) {
    return isMissing(error) ? null : 'unreadable';
  }
}

/** The same, synchronous, for callers that may wait for a disk. */
export function readBeatNow<T>(path: string, schema: z.ZodType<T>): T | 'unreadable' | null {
  try {
    return decode(readFileSync(path), schema);
  } catch (error) {
    return isMissing(error) ? null : 'unreadable';
  }
}

const isMissing = (error: unknown): boolean => systemCode(error) === 'ENOENT';

export function encode(value: object): Buffer {
  const text = Buffer.from(JSON.stringify(value));
  if (text.length > MAX_TEXT_BYTES)
    throw new RangeError(`a beat has at most ${MAX_TEXT_BYTES} bytes, not ${text.length}`);
  const padded = Buffer.alloc(LENGTH, ' ');
  text.copy(padded);
  padded.write(`${computeCheck(padded)}\n`, LENGTH - CHECK_LENGTH - 1);
  return padded;
}

export function decode<T>(bytes: Buffer, schema: z.ZodType<T>): T | 'unreadable' {
  if (bytes.length !== LENGTH) return 'unreadable';
  if (bytes.toString('latin1', LENGTH - CHECK_LENGTH - 1, LENGTH - 1) !== computeCheck(bytes)) return 'unreadable';
  try {
    const parsed = schema.safeParse(JSON.parse(bytes.toString('utf8', 0, MAX_TEXT_BYTES)));
    return parsed.success ? parsed.data : 'unreadable';
  } catch {
    return 'unreadable'; // of another version, with its own check sum
  }
}

const computeCheck = (bytes: Buffer): string =>
  createHash('sha256').update(bytes.subarray(0, MAX_TEXT_BYTES)).digest('hex').slice(0, CHECK_LENGTH);
