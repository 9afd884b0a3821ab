/**
 * Writes the journal of a run, for replay. The journal never stops or slows the trader: if the disk fails, the journal
 * reports this once and ends. A journal contains no key, secret or passphrase.
 */

import { createReadStream, createWriteStream, renameSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { messageOf } from '../../shared/base/errors.js';
import { makeFolder } from '../../shared/base/files.js';
import { startWorker } from '../../shared/base/processes.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { Observation, Request } from '../../shared/protocol/seam.js';
import type { BoundedCall } from '../../trader/engine/settings.js';
import type { IntentSigner } from '../../trader/executor/contract.js';
import type { Ledger } from '../../trader/ledger/contract.js';
import type { Config } from '../config/config.js';
import { nowMs } from '../runtime/clock.js';
import { endsWithin, KEPT_FREE_BYTES, measureLedger, megabytes, noRoom, spareBytes } from '../runtime/disk.js';
import { CallTimedOut } from '../runtime/loop.js';
import {
  DiskQuota,
  END_FILE,
  JOURNAL_FORMAT,
  LEDGER_COPY,
  RUN_FILE,
  type RunDescription,
  type RunEnd,
  type RunStep,
} from './runs.js';

const FLUSH_EVERY_MS = 1_000;
/** Maximum time for closing a journal, ms: the last lines must be written, and the last segment compressed. */
const CLOSE_WITHIN_MS = 10_000;
/** Maximum size of a ledger that is copied into a journal, bytes; each run's journal has its own copy. */
const LARGEST_LEDGER_BYTES = 500_000_000;
/** Maximum size of a ledger that is copied during the start, bytes. A larger ledger is copied later, in a thread. */
const COPIED_AT_ONCE_BYTES = 20_000_000;
/** Reason for the missing copy of the ledger, stored in the run's description until the copy is complete. */
const NOT_COPIED_YET = 'the run ended before its ledger was copied';
/** Interface of a run's journal. If journals are off or failed, the object records nothing. */
type KeptJournal = Pick<RunJournalWriter, 'boundedCall' | 'signer' | 'step' | 'ended' | 'close'>;

interface RunFacts {
  readonly config: Config;
  readonly runId: string;
  readonly version: string;
  readonly startedMs: number;
  /** Venue profile with the base URL in use. */
  readonly profile: VenueProfile;
  readonly strategyLimitMs: number;
}

interface JournalOptions extends RunFacts {
  readonly ledger: Ledger;
  /** Called once with a message if the journal cannot continue or the run cannot be replayed. */
  readonly loud: (text: string) => void;
  /** Number of bytes that must stay free on the journal's disk; absent: the default. */
  readonly keptFreeBytes?: number;
  /** Maximum wait of `close`, ms; absent: the default. */
  readonly closeWithinMs?: number;
  /** Begins the copy of a large ledger; absent: `beginLedgerCopy`. */
  readonly beginCopy?: typeof beginLedgerCopy;
}

const NO_JOURNAL: KeptJournal = {
  boundedCall: (inner) => inner,
  signer: (inner) => inner,
  step: () => undefined,
  ended: null,
  close: () => Promise.resolve(),
};

/** Opens the journal. Call after the ledger is open, before the `Trader` is made. Reports problems, never throws. */
export async function openJournal(options: JournalOptions): Promise<KeptJournal> {
  const { config, runId, loud } = options;
  if (!config.journal.enabled) return NO_JOURNAL;
  const { dir } = config.journal;
  const folder = join(dir, runId);
  try {
    makeFolder(folder);
    const room = new DiskQuota(dir, folder, config.ledger.path);
    const { missing, copy, bytes } = await copyLedger(options, folder, room);
    if (missing !== null) loud(`this run cannot be replayed: ${missing}`);
    if (copy === null) writeDescription(folder, describeRun(options, missing));
    const copied = copy && { ...copy, done: finishCopy(copy, folder, options) };
    return new RunJournalWriter(folder, room, options, bytes, copied);
  } catch (error) {
    // Removing the run's folder may fail too; this error is ignored.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    loud(`this run has no journal and cannot be replayed: ${messageOf(error)}`);
    return { ...NO_JOURNAL, ended: messageOf(error) };
  }
}

/** Updates the run's description once the ledger's copy is complete. Reports a failure and never rejects. */
async function finishCopy({ done }: LedgerCopy, folder: string, options: JournalOptions): Promise<void> {
  try {
    await done;
    writeDescription(folder, describeRun(options, null));
  } catch (error) {
    options.loud(`this run cannot be replayed: ${messageOf(error)}`);
  }
}

/** Writes the run's description. Even if the process ends meanwhile, `run.json` is never incomplete. */
function writeDescription(folder: string, description: RunDescription): void {
  const path = join(folder, RUN_FILE);
  writeFileSync(`${path}.part`, `${JSON.stringify(description, null, 2)}\n`);
  renameSync(`${path}.part`, path);
}

export function describeRun(facts: RunFacts, ledgerMissing: string | null): RunDescription {
  const { config, runId, version, startedMs, profile, strategyLimitMs } = facts;
  const { configHash, capitalMicros, risk, polling, merge, economics, events } = config;
  const run = { runId, version, startedMs, profile, strategyLimitMs, ledgerMissing };
  const rules = { configHash, capitalMicros, risk, polling, merge, economics, events };
  return {
    format: JOURNAL_FORMAT,
    ...run,
    ...rules,
    configFile: config.file,
    ledgerPath: config.ledger.path,
    feeds: config.feeds.map(({ name, maxAgeMs }) => ({ name, maxAgeMs })),
    strategies: config.strategies.map(({ module, writtenParams, ...strategy }) => strategy),
  };
}

/** Copies the ledger through SQLite: a direct read would release SQLite's locks. `missing`: reason for no copy. */
async function copyLedger(options: JournalOptions, folder: string, room: DiskQuota) {
  const { ledger, config, beginCopy = beginLedgerCopy } = options;
  const { path } = config.ledger;
  const size = measureLedger(path);
  const isTooLarge = size > Math.min(LARGEST_LEDGER_BYTES, config.journal.maxBytes / 2);
  const bytes = isTooLarge ? 0 : size;
  await makeRoom(room, bytes, bytes, options);
  // The description is written before the copy. After a crash, a later start therefore finds and deletes the run.
  writeDescription(folder, describeRun(options, NOT_COPIED_YET));
  const target = join(folder, LEDGER_COPY);
  const copy = bytes > COPIED_AT_ONCE_BYTES ? await beginCopy(path, target) : null;
  if (!isTooLarge && copy === null) await ledger.backupSource.backup(target);
  const missing = isTooLarge ? `the ledger (${megabytes(size)}) is too large for a copy at the trader’s start` : null;
  return { missing, copy, bytes };
}

/** Makes room for this run by deleting old runs, or throws. `ownBytes`: the run's size; `unwritten`: bytes to write. */
async function makeRoom(room: DiskQuota, ownBytes: number, unwritten: number, options: JournalOptions): Promise<void> {
  const { config, keptFreeBytes = KEPT_FREE_BYTES } = options;
  const { dir, maxBytes } = config.journal;
  const spare = await spareBytes(dir, keptFreeBytes);
  if (!room.make(ownBytes, maxBytes, spare - unwritten)) throw noRoom(dir, keptFreeBytes);
}

/** Records inputs of a step besides its observation: which strategy calls timed out, and the signer's answers. */
export class StepInputRecorder {
  #calls = 0;
  #timedOut: number[] = [];
  #signed: RunStep['signed'][number][] = [];

  boundedCall(inner: BoundedCall): BoundedCall {
    return (call) => {
      const number = this.#calls++;
      try {
        return inner(call);
      } catch (error) {
        if (error instanceof CallTimedOut) this.#timedOut.push(number);
        throw error;
      }
    };
  }

  signer(inner: IntentSigner): IntentSigner {
    return {
      sign: (intentId) => {
        const answer = inner.sign(intentId);
        this.#signed.push({ intentId, answer });
        return answer;
      },
    };
  }

  take(): Pick<RunStep, 'timedOut' | 'signed'> {
    const heard = { timedOut: this.#timedOut, signed: this.#signed };
    this.#calls = 0;
    if (heard.timedOut.length > 0) this.#timedOut = [];
    if (heard.signed.length > 0) this.#signed = [];
    return heard;
  }
}

class RunJournalWriter extends StepInputRecorder {
  readonly #folder: string;
  readonly #room: DiskQuota;
  readonly #options: JournalOptions;
  readonly #copy: LedgerCopy | null;
  readonly #segments: Segments;
  readonly #fixedBytes: number;
  readonly #timer: NodeJS.Timeout;
  #flushing: Promise<void> = Promise.resolve();
  #ending: Promise<void> = Promise.resolve();
  #isFlushing = false;
  #steps = 0;
  /** Reason why the journal ended before the run; null while the journal is written. */
  ended: string | null = null;

  constructor(folder: string, room: DiskQuota, options: JournalOptions, ledgerBytes: number, copy: LedgerCopy | null) {
    super();
    this.#folder = folder;
    this.#room = room;
    this.#options = options;
    this.#copy = copy;
    this.#segments = new Segments(folder);
    this.#fixedBytes = ledgerBytes + statSync(join(folder, RUN_FILE)).size;
    this.#timer = setInterval(() => this.#flush(), FLUSH_EVERY_MS).unref();
  }

  /** Records a step after `Trader.handle`; `failure` is the error of `Trader.handle`. */
  step(observation: Observation, requests: readonly Request[], failure: unknown): void {
    const { timedOut, signed } = this.take();
    if (this.ended !== null) return;
    try {
      // Empty fields are omitted, because most steps contain only an observation of the time.
      const line = JSON.stringify({
        index: this.#steps,
        observation,
        ...(requests.length === 0 ? {} : { requests }),
        ...(timedOut.length === 0 ? {} : { timedOut }),
        ...(signed.length === 0 ? {} : { signed }),
        ...(failure === null ? {} : { failure: messageOf(failure) }),
      });
      if (!this.#segments.add(line)) return this.#stop('the disk is too slow for the journal');
      this.#steps += 1;
    } catch (error) {
      this.#stop(messageOf(error));
    }
  }

  /** Writes the waiting lines and ends the journal, or reports that the disk does not answer. Never throws. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    if (await endsWithin(this.#finish(), this.#options.closeWithinMs ?? CLOSE_WITHIN_MS)) return;
    this.#stop('the disk does not answer');
  }

  async #finish(): Promise<void> {
    this.#copy?.hurry();
    await this.#flushing;
    try {
      if (this.ended === null) await this.#segments.close();
      if (this.ended === null) await this.#writeEnd(null);
    } catch (error) {
      this.#stop(messageOf(error));
    }
    await this.#ending;
    await this.#copy?.done;
  }

  /** Starts a write unless a write is running, so that a slow disk gets fewer and larger writes. */
  #flush(): void {
    if (this.#isFlushing || this.ended !== null) return;
    this.#isFlushing = true;
    this.#flushing = this.#write()
      .catch((error: unknown) => this.#stop(messageOf(error)))
      .finally(() => {
        this.#isFlushing = false;
      });
  }

  async #write(): Promise<void> {
    await this.#segments.flush();
    const { maxBytes } = this.#options.config.journal;
    const bytes = this.#fixedBytes + this.#segments.bytes;
    if (bytes > maxBytes) throw new Error(`this run alone has reached journal.max_mb (${megabytes(maxBytes)})`);
    await makeRoom(this.#room, bytes, 0, this.#options);
  }

  #stop(why: string): void {
    if (this.ended !== null) return;
    this.ended = why;
    clearInterval(this.#timer);
    this.#options.loud(`the journal of this run ends here, but trading continues: ${why}`);
    void this.#segments.abandon();
    // If writing the end file fails too, the run looks as if its process was killed.
    this.#ending = this.#writeEnd(why).catch(() => undefined);
  }

  async #writeEnd(stoppedEarly: string | null): Promise<void> {
    const end: RunEnd = { steps: this.#steps, endedMs: nowMs(), stoppedEarly };
    await writeFile(join(this.#folder, END_FILE), `${JSON.stringify(end)}\n`);
  }
}

/** Size at which a segment of the journal is compressed in another thread, bytes; compression saves about 90 %. */
const SEGMENT_BYTES = 16_000_000;
/** Maximum number of characters that wait to be written; reached only if the disk does not answer for minutes. */
const MAX_WAITING_CHARS = 64_000_000;
const READ_BYTES = 1 << 18;

const segmentName = (number: number): string => `observations-${String(number).padStart(6, '0')}.ndjson`;

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

  get bytes(): number {
    return this.#packedBytes + this.#openBytes;
  }

  /** Adds a line. Returns false if the line was dropped because too many lines wait. */
  add(line: string): boolean {
    if (this.#waitingChars > MAX_WAITING_CHARS) return false;
    this.#waiting.push(line);
    this.#waitingChars += line.length + 1;
    return true;
  }

  /** Writes waiting lines, and compresses a full segment. Calls must not overlap. Throws the file system's errors. */
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

  /** Writes all waiting lines and compresses the last segment. Throws the errors of `flush`. */
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
    // The compressed segment is synced to disk before it is renamed, because the plain file is then removed.
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

/** Delay of the ledger's copy, ms, so that the copy does not compete with the trader's start for the disk. */
const BEGIN_AFTER_MS = 3_000;

export interface CopyOrder {
  readonly source: string;
  /** Path of the complete copy of the ledger. */
  readonly target: string;
  readonly beginAfterMs: number;
}

export type CopyNews = 'begun' | 'done';

type LedgerCopy = Awaited<ReturnType<typeof beginLedgerCopy>>;

/** Copies a large ledger in a thread. Resolves once later writes to the ledger no longer change the copy. */
async function beginLedgerCopy(source: string, target: string, beginAfterMs = BEGIN_AFTER_MS) {
  const order: CopyOrder = { source, target, beginAfterMs };
  const thread = startWorker({ name: 'ledger-copy-thread', data: order }, import.meta.url);
  const awaitNews = (wanted: CopyNews) =>
    new Promise<void>((resolve, reject) => {
      thread.on('message', (news: CopyNews) => news === wanted && resolve());
      thread.once('error', reject);
      thread.once('exit', () => reject(new Error('the copy of the ledger was interrupted')));
    });
  // Resolves when the ledger's copy is complete; rejects with the reason of a failure.
  const done = awaitNews('done');
  // The empty handler prevents an unhandled rejection; a caller that waits for `done` still gets the error.
  done.catch(() => undefined);
  await awaitNews('begun');
  // `hurry` begins the delayed copy at once. Call it when the process is about to end.
  return { done, hurry: () => thread.postMessage('now') };
}
