/**
 * A journal contains all observations and requests of a run, so that the same core on the same ledger can repeat each
 * decision. The journal of a run is a folder `<journal.dir>/<run id>/`: `run.json` (`RunDescription`), `ledger.sqlite`
 * (the state before the `Trader` was made), `observations-000001.ndjson.gz` … (one `RunStep` a line; the newest is
 * `.ndjson`), and `end.json` (`RunEnd`).
 */

import { createReadStream, type Dirent, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { messageOf, TwinbookError, unreadable } from '../../shared/base/errors.js';
import { parseJson } from '../../shared/base/text.js';
import type { Observation, Request } from '../../shared/protocol/seam.js';
import type { FeedSettings, StrategySettings, TraderSettings } from '../../trader/engine/settings.js';
import type { IntentSigner } from '../../trader/executor/contract.js';

export const RUN_FILE = 'run.json';
export const LEDGER_COPY = 'ledger.sqlite';
export const END_FILE = 'end.json';

export const JOURNAL_FORMAT = 1;

type CoreInputs = 'runId' | 'version' | 'configHash' | 'profile' | 'capitalMicros';
type CoreRules = 'risk' | 'polling' | 'merge' | 'economics' | 'events';

/** The core's inputs at the start of a run, without any key, secret or passphrase. */
export interface RunDescription extends Pick<TraderSettings, CoreInputs | CoreRules> {
  readonly format: typeof JOURNAL_FORMAT;
  readonly configFile: string;
  readonly ledgerPath: string;
  /** Time when the run's `Trader` was made, our clock, Unix ms. */
  readonly startedMs: number;
  readonly feeds: readonly FeedSettings[];
  readonly strategyLimitMs: number;
  readonly strategies: readonly JournaledStrategy[];
  /** Reason why `ledger.sqlite` is missing; null if it exists. Without `ledger.sqlite`, the run cannot be replayed. */
  readonly ledgerMissing: string | null;
}

/** Settings of a strategy, and the key of its code. The journal does not contain the code itself. */
interface JournaledStrategy extends Omit<StrategySettings, 'module' | 'moduleKey'> {
  readonly moduleKey: string;
  readonly file: string;
  /** The strategy file's `strategy` setting: the name of a shipped module, or a path. */
  readonly moduleName: string;
}

/** Inputs and results of one call of `Trader.handle`. */
export interface RunStep {
  /** Number of the step in the run, consecutive from 0. */
  readonly index: number;
  readonly observation: Observation;
  /** Requests of the step in order; empty if the step threw an error. */
  readonly requests: readonly Request[];
  /** Numbers of the strategy calls that timed out in this step; the step's calls are numbered from 0. */
  readonly timedOut: readonly number[];
  /** Answers of the signer during this step, in order. */
  readonly signed: readonly { readonly intentId: string; readonly answer: ReturnType<IntentSigner['sign']> }[];
  /** Error of the core that ended the run at this step; null if the step had no error. */
  readonly failure: string | null;
}

/** A run's journal on disk. While the run continues, the newest steps may be missing. */
export type RunJournal = ReturnType<typeof readRun>;

const description = z.looseObject({
  format: z.literal(JOURNAL_FORMAT),
  runId: z.string().min(1),
  startedMs: z.number(),
  strategies: z.array(z.looseObject({ name: z.string() })),
  ledgerMissing: z.string().nullable(),
});
const runEnd = z.object({
  /** Number of steps passed to the journal. If the journal ended early, its last steps may be missing on disk. */
  steps: z.number().int(),
  endedMs: z.number(),
  /** Reason why the journal ended before the run, such as a full disk; null for a complete journal. */
  stoppedEarly: z.string().nullable(),
});
export type RunEnd = Readonly<z.infer<typeof runEnd>>;

/** Schema of a step's outer fields. Inner fields are not checked, because this program wrote them from its types. */
const step = z.object({
  index: z.number().int(),
  observation: z.looseObject({ kind: z.enum(['time', 'outcome', 'command', 'feed']), nowMs: z.number() }),
  requests: z.array(z.looseObject({ id: z.number().int() })).default([]),
  timedOut: z.array(z.number().int()).default([]),
  signed: z.array(z.looseObject({ intentId: z.string() })).default([]),
  failure: z.string().nullable().default(null),
});

/** Opens a run's journal. Throws `file_unreadable` if `run.json` is missing, `recording_invalid` if it is invalid. */
export function readRun(folder: string) {
  const file = join(folder, RUN_FILE);
  let told: unknown;
  try {
    told = parseJson(readFileSync(file, 'utf8'));
  } catch (cause) {
    const hint = 'A run is a folder in journal.dir of the configuration, named by the id of the run.';
    throw unreadable(`cannot read the run`, cause, hint);
  }
  const parsed = description.safeParse(told);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
    throw invalidRun(file, `does not describe a run (${wrong})`);
  }
  const ledger = join(folder, LEDGER_COPY);
  const end = join(folder, END_FILE);
  const warnings: string[] = [];
  return {
    folder,
    // The cast is safe: this program wrote the description from its own types, and the outer fields were checked.
    description: told as RunDescription,
    // Path of the copy of the ledger at the run's start; null if there is none. Never open it directly: copy it first.
    ledgerFile: existsSync(ledger) && parsed.data.ledgerMissing === null ? ledger : null,
    // Content of `end.json`; null if the run continues, its process was killed, or a full disk left the file empty.
    end: existsSync(end) ? (runEnd.safeParse(parseJson(readFileSync(end, 'utf8'))).data ?? null) : null,
    /** Warnings about the journal; complete once all of `steps()` was read. */
    warnings,
    /** Reads the steps from the first. A truncated last line adds a warning. Throws `recording_invalid`. */
    steps: () => readSteps(folder, warnings),
  };
}

async function* readSteps(folder: string, warnings: string[]): AsyncGenerator<RunStep> {
  warnings.length = 0;
  const files = segmentFiles(folder);
  let index = 0;
  for (const file of files) {
    let number = 0;
    let broken: number | null = null;
    for await (const line of readLines(file)) {
      number += 1;
      if (broken !== null) throw invalidRun(file, `line ${broken} is not a valid step`);
      const { success, data } = step.safeParse(parseJson(line));
      if (!success) {
        broken = number;
        continue;
      }
      // The cast is needed, because the schema describes only the outer fields.
      const read = data as unknown as RunStep;
      if (read.index !== index)
        throw invalidRun(file, `line ${number} has step ${read.index}, but step ${index} is missing before it`);
      index += 1;
      yield read;
    }
    if (broken === null) continue;
    if (file !== files.at(-1)) throw invalidRun(file, `line ${broken} is not a valid step`);
    // The process has ended during a write, or is writing now, so the last line is incomplete.
    warnings.push(`${file}: the last line is truncated and was omitted`);
  }
}

/** Lists a journal's segments in order. If a segment exists plain and compressed, the compressed file is complete. */
function segmentFiles(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => /^observations-\d+\.ndjson(\.gz)?$/.test(name));
  return names
    .filter((name) => name.endsWith('.gz') || !names.includes(`${name}.gz`))
    .sort()
    .map((name) => join(folder, name));
}

async function* readLines(file: string): AsyncGenerator<string> {
  const bytes = createReadStream(file);
  const input = file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  if (input !== bytes) bytes.on('error', (error) => input.destroy(error));
  try {
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (cause) {
    throw invalidRun(file, `cannot be read: ${messageOf(cause)}`, cause);
  } finally {
    bytes.destroy();
  }
}

const invalidRun = (file: string, why: string, cause?: unknown): TwinbookError =>
  new TwinbookError('recording_invalid', `${file} ${why}`, 'The run was written by another version, or is damaged.', {
    cause,
  });

/** Lists the runs under `dir`, oldest first by the start time in `run.json`, because a copy changes file times. */
export const runFolders = (dir: string): readonly string[] => listRuns(dir).map(({ folder }) => folder);

function listRuns(dir: string) {
  const runs = listEntries(dir).flatMap((entry) => {
    const folder = join(dir, entry.name);
    const startedMs = entry.isDirectory() ? runField(folder, 'startedMs') : null;
    return typeof startedMs === 'number' ? [{ folder, name: entry.name, startedMs }] : [];
  });
  return runs.sort((a, b) => a.startedMs - b.startedMs);
}

/** Maximum number of runs that the message for an unknown run lists. */
const MAX_NAMED = 10;

/** Finds a run by path, start of its id, or `last` for the newest. Throws TwinbookError `usage`, which lists runs. */
export function findRun(name: string, dir: string, cwd: string): string {
  const path = resolve(cwd, name);
  if (existsSync(join(path, RUN_FILE))) return path;
  const runs = listRuns(dir);
  const newest = runs.at(-1);
  if (name === 'last' && newest !== undefined) return newest.folder;
  const meant = runs.filter((run) => run.name.startsWith(name));
  const exact = meant.find((run) => run.name === name);
  const [only, another] = exact === undefined ? meant : [exact];
  if (only !== undefined && another === undefined) return only.folder;
  const what = only === undefined ? `there is no run '${name}'` : `the names of several runs begin with '${name}'`;
  throw new TwinbookError('usage', `${what} in ${dir}`, describeRuns(only === undefined ? runs : meant));
}

function describeRuns(runs: ReturnType<typeof listRuns>): string {
  if (runs.length === 0)
    return 'There are no runs: `twinbook start` begins a run at each start, unless journal.enabled is false.';
  const lines = runs
    .slice(-MAX_NAMED)
    .reverse()
    .map(({ name, startedMs }) => `${name}, started ${new Date(startedMs).toISOString()}`);
  const more = runs.length - lines.length;
  return `There ${runs.length === 1 ? 'is' : 'are'}: ${lines.join('; ')}${more > 0 ? `; and ${more} older` : ''}.`;
}

/** Returns one field of a run's description; undefined for a folder without a description. */
export function runField(folder: string, name: string): unknown {
  try {
    const parsed = parseJson(readFileSync(join(folder, RUN_FILE), 'utf8'));
    return Object.getOwnPropertyDescriptor(Object(parsed), name)?.value;
  } catch {
    return undefined;
  }
}

/** Lists a folder's entries; empty if the folder does not exist. */
function listEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Frees disk space for a run by deleting older runs. Reads their sizes only once, because old runs do not grow. */
export class DiskQuota {
  /** Earlier runs of the same ledger, oldest first. */
  readonly #others: { readonly folder: string; readonly bytes: number }[];
  #othersBytes: number;

  /** Ignores the runs of other ledgers, because another trader may be writing them. */
  constructor(dir: string, own: string, ledgerPath: string) {
    this.#others = runFolders(dir)
      .filter((folder) => folder !== own && runField(folder, 'ledgerPath') === ledgerPath)
      .map((folder) => ({ folder, bytes: sumBytes(folder) }));
    this.#othersBytes = this.#others.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Deletes the oldest runs until `ownBytes` fit into `maxBytes` and onto the disk; false if they cannot fit. */
  make(ownBytes: number, maxBytes: number, spareBytes: number): boolean {
    let over = Math.max(ownBytes + this.#othersBytes - maxBytes, -spareBytes);
    while (over > 0) {
      const oldest = this.#others.shift();
      if (oldest === undefined) return false;
      rmSync(oldest.folder, { recursive: true, force: true });
      this.#othersBytes -= oldest.bytes;
      over -= oldest.bytes;
    }
    return true;
  }
}

/** Sums the sizes of a run's files. A segment that was compressed and removed meanwhile counts as empty. */
const sumBytes = (folder: string): number =>
  listEntries(folder).reduce((sum, { name }) => sum + measure(join(folder, name)), 0);

const measure = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
