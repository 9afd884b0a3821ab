/** A file of fixed length, writable on a full disk. A checksum shows the reader whether a write was complete. */

import { createHash, randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { systemCode, unreadable } from '../../shared/base/errors.js';
import { readMark } from '../../shared/base/processes.js';
import { parseJson } from '../../shared/base/text.js';
import { type Heartbeat, heartbeatSchema, locateHeartbeatFile } from './decide.js';

const LENGTH = 1024;
const CHECK_LENGTH = 16;
/** Maximum size of the file's text, bytes. A space, the checksum and a line break follow the text. */
const MAX_TEXT_BYTES = LENGTH - CHECK_LENGTH - 2;

/** Writes a value; `durable` syncs the file to disk. Throws for a failed write and for a value that is too long. */
export function writeBeat(path: string, value: object, durable = false): void {
  const bytes = encode(value);
  // Each write opens the path, because a file that was removed or replaced has no reader.
  const descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    if (fstatSync(descriptor).size !== LENGTH) ftruncateSync(descriptor);
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at, bytes.length - at, at);
    if (durable) fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Reads a file of this format; null if it does not exist, `unreadable` for invalid or partly written content. */
export const readBeat = <T>(path: string, schema: z.ZodType<T>): Promise<T | 'unreadable' | null> =>
  readFile(path).then((bytes) => decode(bytes, schema), whyUnread);

export function readBeatNow<T>(path: string, schema: z.ZodType<T>): T | 'unreadable' | null {
  try {
    return decode(readFileSync(path), schema);
  } catch (error) {
    return whyUnread(error);
  }
}

const whyUnread = (error: unknown) => (systemCode(error) === 'ENOENT' ? null : 'unreadable');

export function encode(value: object): Buffer {
  const text = Buffer.from(JSON.stringify(value));
  if (text.length > MAX_TEXT_BYTES)
    throw new RangeError(`the text may have at most ${MAX_TEXT_BYTES} bytes, not ${text.length}`);
  const padded = Buffer.alloc(LENGTH, ' ');
  text.copy(padded);
  padded.write(`${computeCheck(padded)}\n`, LENGTH - CHECK_LENGTH - 1);
  return padded;
}

export function decode<T>(bytes: Buffer, schema: z.ZodType<T>): T | 'unreadable' {
  if (bytes.length !== LENGTH) return 'unreadable';
  if (bytes.toString('latin1', LENGTH - CHECK_LENGTH - 1, LENGTH - 1) !== computeCheck(bytes)) return 'unreadable';
  // A file of another program version has a valid checksum, but its content may not match the schema.
  return schema.safeParse(parseJson(bytes.toString('utf8', 0, MAX_TEXT_BYTES))).data ?? 'unreadable';
}

const computeCheck = (bytes: Buffer): string =>
  createHash('sha256').update(bytes.subarray(0, MAX_TEXT_BYTES)).digest('hex').slice(0, CHECK_LENGTH);

/** Minimum interval of heartbeats, ms: far shorter than any time-out, and far longer than a write takes. */
const BEAT_EVERY_MS = 200;

export class Heart {
  readonly #path: string;
  readonly #identity = { run: randomBytes(8).toString('hex'), process: readMark(process.pid) };
  readonly #cannotBeat: (error: unknown) => void;
  readonly #oursForMs: () => number | null;
  /** Whether orders of an earlier run or owner may rest; used until this run trades. */
  #mayHaveRested: boolean;
  readonly #starting: NodeJS.Timeout;
  #count = 0;
  #steppedMs: number | null = null;
  #beatenMs = Number.NEGATIVE_INFINITY;
  #phase: Heartbeat['phase'] = 'starting';
  #nothingMayRest = false;
  #syncedPhase: Heartbeat['phase'] | null = null;
  #failed = false;

  /**
   * Writes heartbeats on a timer until the first step. `cannotBeat` gets write errors. `takesOver`: orders of the
   * wallet's previous owner may rest, which this file cannot show. Throws `file_unreadable`.
   */
  constructor(
    ledgerPath: string,
    knowsOrders: boolean,
    cannotBeat: (error: unknown) => void,
    oursForMs: () => number | null = () => null,
    takesOver = false,
  ) {
    this.#path = locateHeartbeatFile(ledgerPath);
    this.#cannotBeat = cannotBeat;
    this.#oursForMs = oursForMs;
    const last = readBeatNow(this.#path, heartbeatSchema);
    this.#mayHaveRested =
      takesOver || (last === null ? knowsOrders : last === 'unreadable' || (last.phase !== 'ended' && last.mayRest));
    try {
      this.#put();
    } catch (cause) {
      const hint =
        'The heartbeat file lies beside the ledger. Without this file the guardian assumes that the trader has stopped.';
      throw unreadable(`the heartbeat file ${this.#path} cannot be written`, cause, hint);
    }
    this.#starting = setInterval(() => this.#write(), BEAT_EVERY_MS).unref();
  }

  /** Writes a heartbeat after a step of the core. Returns the time since the previous step, ms; 0 if there is none. */
  beat(nothingMayRest = false): number {
    this.#nothingMayRest = nothingMayRest;
    const nowMs = performance.now();
    const sinceMs = this.#steppedMs === null ? 0 : nowMs - this.#steppedMs;
    this.#steppedMs = nowMs;
    if (this.#phase === 'ended' || nowMs - this.#beatenMs < BEAT_EVERY_MS) return sinceMs;
    this.#beatenMs = nowMs;
    this.#enter('trading');
    return sinceMs;
  }

  /** Records the proof, before this run trades, that no order of an earlier run or owner rests. */
  settle(): void {
    this.#mayHaveRested = false;
    this.#write();
  }

  /** Records that the trader ends. Call this after the proof that no order rests, when no order will follow. */
  end(): void {
    this.#enter('ended');
  }

  get hasEnded(): boolean {
    return this.#phase === 'ended';
  }

  /** Ends the heartbeats of a start. If `end` was not called before, the guardian assumes a crash. */
  close(): void {
    clearInterval(this.#starting);
  }

  #enter(phase: Heartbeat['phase']): void {
    this.close();
    this.#phase = phase;
    this.#write();
  }

  #write(): void {
    try {
      this.#put();
      this.#failed = false;
    } catch (error) {
      if (!this.#failed) this.#cannotBeat(error);
      this.#failed = true;
    }
  }

  #put(): void {
    const phase = this.#phase;
    const mayRest = phase === 'trading' || (phase === 'starting' && this.#mayHaveRested);
    this.#count += 1;
    const nothingMayRest = phase === 'trading' && this.#nothingMayRest;
    const state = { phase, mayRest, nothingMayRest, oursForMs: this.#oursForMs() };
    const beat: Heartbeat = { ...this.#identity, count: this.#count, ...state };
    // The first heartbeat of a phase is synced to disk: a guardian needs the phase even after a power cut.
    writeBeat(this.#path, beat, phase !== this.#syncedPhase);
    this.#syncedPhase = phase;
  }
}
