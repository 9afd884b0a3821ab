/** Divides a sweep into chunks that any machine can run. The sheet (the plan for all machines) has no code or paths. */

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { openRecordings } from '../../recording/recording.js';
import { must, TwinbookError } from '../../shared/base/errors.js';
import { makeFolder, SHARED_FOLDER } from '../../shared/base/files.js';
import { loadConfig } from '../../shell/config/load.js';
import { VERSION } from '../../shell/config/shipped.js';
import type { JobQueue, QueueWork } from '../../shell/queue/job-queue.js';
import { openSeal, seal } from '../../shell/queue/seal.js';
import type { SweepWatcher, SweptEvent, Task, TaskFigures, TaskOutcome } from './contract.js';
import { type EngineWork, eventsIn, foldCount, planData, type SweepFacts, type TaskWork } from './facts.js';
import { hashValue, timeZone } from './search.js';
import { guardFiles, openStore } from './store.js';
import { makeSweep } from './sweep.js';
import { makeSettings, openThreads, type ThreadPlace } from './threads/threads.js';

type SweepSheet = ReturnType<typeof makeSheet>;

export function makeSheet({ plan, data, facts }: Pick<EngineWork, 'plan' | 'data' | 'facts'>) {
  return {
    version: VERSION,
    /** Major version of Node; another version may round a logarithm differently. */
    node: nodeMajor(),
    timeZone: timeZone(),
    configHash: plan.config.configHash,
    candidates: plan.search.candidates,
    fillModels: plan.fillModels,
    settings: makeSettings(plan, facts.events),
    markets: data.markets.map(({ market: { conditionId, title }, hash }) => ({ conditionId, title, hash })),
  };
}

export const sheetHash = (sheet: SweepSheet): string => hashValue(sheet);

class OtherVersion extends TwinbookError {}

/** Parses a sheet. Throws TwinbookError `usage` if the checksum, Twinbook version or Node version differs. */
export function readSheet(text: string, hash: string): SweepSheet {
  // This cast is safe, because the checks of version and hash prove that this version of Twinbook wrote the sheet.
  const sheet = JSON.parse(text) as SweepSheet;
  if (sheet.version !== VERSION || sheet.node !== nodeMajor()) {
    const what = `the sweep was planned by Twinbook ${sheet.version} on Node ${sheet.node}, this machine runs ${VERSION} on Node ${nodeMajor()}`;
    throw new OtherVersion('usage', what, 'Install the same versions on all machines of a sweep.');
  }
  if (sheetHash(sheet) === hash) return sheet;
  throw new TwinbookError('usage', `the checksum of the sweep's plan is not ${hash}`, 'Plan the sweep again.');
}

/** Throws TwinbookError `recording_invalid` unless this machine has all recordings of the sweep. */
export function requireSameData(sheet: SweepSheet, found: EngineWork['data']['markets']): void {
  const hashes = new Map(found.map(({ market, hash }) => [market.conditionId, hash]));
  const other = sheet.markets.filter(({ conditionId, hash }) => hashes.get(conditionId) !== hash);
  if (other.length === 0) return;
  const what = `${other.length} of ${sheet.markets.length} markets are missing or have different content`;
  const hint = 'Copy the recordings again; `twinbook data verify` checks all files.';
  const text = `these are not the recordings of the sweep: ${what} (first: “${other[0]?.title}”)`;
  throw new TwinbookError('recording_invalid', text, hint);
}

const nodeMajor = (): number => Number(process.versions.node.split('.')[0]);

/** Backtests of the configurations `first` to `last` in one fold (index from 0), under all fill models. */
const chunkSchema = z.object({ fold: z.int().nonnegative(), first: z.int().positive(), last: z.int().positive() });

type Chunk = Readonly<z.infer<typeof chunkSchema>>;

/** Processor time of one backtest, per recorded second and per event; measured with recordings of three venues. */
const PLAY_COST = { msASecond: 0.27, microsecondsAnEvent: 0.3 } as const;

export function playSeconds(events: readonly Pick<SweptEvent, 'fromMs' | 'toMs' | 'played'>[]): number {
  let recordedMs = 0;
  let played = 0;
  let untilMs = Number.NEGATIVE_INFINITY;
  for (const event of events) {
    recordedMs += Math.max(0, event.toMs - Math.max(event.fromMs, untilMs));
    untilMs = Math.max(untilMs, event.toMs);
    played += event.played;
  }
  return (recordedMs / 1000) * (PLAY_COST.msASecond / 1000) + (played * PLAY_COST.microsecondsAnEvent) / 1_000_000;
}

/** Returns all chunks of a sweep, fold by fold; each takes about `seconds`, but has at least one configuration. */
export function makeChunks({ search, events, assumptions }: SweepFacts, seconds: number): readonly Chunk[] {
  const { candidates } = search;
  return Array.from({ length: foldCount(events) }, (_, fold) => {
    const eachSeconds = playSeconds(eventsIn(events, fold)) * assumptions.fillModels.length;
    const size = Math.max(1, Math.floor(seconds / eachSeconds));
    return Array.from({ length: Math.ceil(candidates.length / size) }, (_part, part) => ({
      fold,
      first: part * size + 1,
      last: Math.min((part + 1) * size, candidates.length),
    }));
  }).flat();
}

export const tasksIn = (
  { fold, first, last }: Chunk,
  { candidates, fillModels }: Pick<SweepSheet, 'candidates' | 'fillModels'>,
): readonly Task[] =>
  candidates
    .slice(first - 1, last)
    .flatMap((candidate) => fillModels.map((fillModel) => ({ candidate, fold, fillModel })));

const chunkId = (sheetHash: string, chunk: Chunk): string => hashValue({ sheetHash, chunk });

type ChunkOutcome = Readonly<{ task: Task; outcome: TaskOutcome }>;

/** Checked fields of a backtest's result. Other fields need no check: the seal proves that Twinbook wrote them. */
const figures = z.looseObject({ resultMicros: z.int(), traceHash: z.string().min(1), eventResults: z.array(z.int()) });
const outcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('done'), figures: figures.transform((all) => all as unknown as TaskFigures) }),
  z.object({ kind: z.literal('failed'), error: z.string() }),
]);
const content = z.object({ worker: z.string().min(1).max(300), outcomes: z.array(outcome) });

const outcomesText = (all: readonly ChunkOutcome[]): string =>
  JSON.stringify({ worker: `${hostname()}, process ${process.pid}`, outcomes: all.map((one) => one.outcome) });

/** Parses a chunk's result: one outcome per task; null if outcomes or results of events are missing. */
function readOutcomes(text: string, chunk: Chunk, sheet: SweepSheet) {
  const read = content.safeParse(JSON.parse(text));
  const tasks = tasksIn(chunk, sheet);
  const events = eventsIn(sheet.settings.events, chunk.fold).length;
  if (!read.success || read.data.outcomes.length !== tasks.length) return null;
  const { worker, outcomes: found } = read.data;
  if (found.some((one) => one.kind === 'done' && one.figures.eventResults.length !== events)) return null;
  return { worker, outcomes: tasks.map((task, at) => ({ task, outcome: must(found[at], 'an outcome per task') })) };
}

/** Stores new outcomes; returns their number. Throws `results_differ` if a known backtest has another trace hash. */
function keepOutcomes(outcomes: readonly ChunkOutcome[], { known, done }: Omit<TaskWork, 'tasks'>, from: string) {
  let kept = 0;
  for (const { task, outcome } of outcomes) {
    const before = known(task);
    if (before === undefined || before.kind === 'failed') {
      if (outcome.kind === 'failed' && before?.error === outcome.error) continue;
      done(task, outcome);
      kept++;
    } else if (outcome.kind === 'done' && outcome.figures.traceHash !== before.figures.traceHash) {
      const { candidate, fold, fillModel } = task;
      throw new TwinbookError(
        'results_differ',
        `${from}: configuration ${candidate.number}, fold ${fold + 1}, ${fillModel} gave another result than before`,
        'A machine is broken, or a strategy is not deterministic: `twinbook strategies test` checks the strategy.',
      );
    }
  }
  return kept;
}

/** Paths of the sweep's files on this machine. The recordings of this machine may have more markets than the sweep. */
type RunnerPlace = Omit<ThreadPlace, 'recordings'>;

/** Throws TwinbookError `config_invalid` or `recording_invalid` if this machine's files differ from the sheet. */
export async function openRunner(sheet: SweepSheet, place: RunnerPlace) {
  const { source, paths } = place;
  const { configHash } = await loadConfig(source.file, { ...source, strategyFileToo: true });
  if (configHash !== sheet.configHash) {
    const hint =
      'Copy the file, its strategies and their code again, set the same TWINBOOK__ variables, and run the same build.';
    const text = `${source.file} is not the configuration that the sweep was planned with`;
    throw new TwinbookError('config_invalid', text, hint);
  }
  const byId = new Map((await openRecordings(paths)).map((one) => [one.market.conditionId, one]));
  const recordings = sheet.markets.flatMap(({ conditionId }) => byId.get(conditionId) ?? []);
  requireSameData(sheet, recordings.length === 0 ? [] : (await planData(recordings)).markets);
  const threads = openThreads({ ...place, recordings }, sheet.configHash, sheet.settings);
  /** Runs a chunk. Returns one outcome per task, in order, even for backtests that throw; null if stopped. */
  const run = async (chunk: Chunk, stopAsked: Promise<void>): Promise<readonly ChunkOutcome[] | null> => {
    const tasks = tasksIn(chunk, sheet);
    const found = new Map<unknown, TaskOutcome>();
    const done = (task: unknown, outcome: TaskOutcome) => void found.set(task, outcome);
    if (!(await threads.run({ tasks, done, stopAsked }))) return null;
    return tasks.map((task) => ({ task, outcome: must(found.get(task), 'the outcome of a task') }));
  };
  return { run, close: threads.close };
}

const LOOK_EVERY_MS = 500;
const MOST_TRIES = 3;

/** Sweep engine that sends chunks to workers through a queue. Chunks that the queue loses are sent again. */
export class Leader {
  readonly #work: EngineWork;
  readonly #queue: JobQueue;
  readonly #pause: (ms: number) => Promise<void>;
  readonly #sheet: SweepSheet;
  readonly #hash: string;
  readonly #open = new Map<string, Chunk>();
  readonly #tries = new Map<string, number>();

  constructor(work: EngineWork, queue: JobQueue, chunkSeconds: number, pause: (ms: number) => Promise<void>) {
    this.#work = work;
    this.#queue = queue;
    this.#pause = pause;
    this.#sheet = makeSheet(work);
    this.#hash = sheetHash(this.#sheet);
    for (const chunk of makeChunks(work.facts, chunkSeconds)) {
      const isOpen = tasksIn(chunk, this.#sheet).some((task) => work.known(task) === undefined);
      if (isOpen) this.#open.set(chunkId(this.#hash, chunk), chunk);
    }
  }

  /** Returns false if stopped: busy workers then finish their chunks, and `--resume` collects the results. */
  async run(): Promise<boolean> {
    // Requests block while the queue's server is unreachable, so a stop waits for the queue for at most 5 s.
    const stopped = this.#work.watcher.stopAsked.then(() => false as const);
    const isComplete = await Promise.race([this.#lead(), stopped]);
    if (!isComplete) await Promise.race([this.#queue.remove([...this.#open.keys()]), this.#pause(5_000)]);
    return isComplete;
  }

  async #lead(): Promise<boolean> {
    if (this.#open.size === 0) return true;
    const queue = this.#queue;
    const { say } = this.#work.watcher;
    const { ended: earlier } = await queue.look([...this.#open.keys()]);
    // Failed jobs of an earlier run are removed, so that a resumed sweep retries them.
    await queue.remove(earlier.flatMap(({ id, kind }) => (kind === 'done' ? [] : [id])));
    await this.#send([...this.#open.keys()]);
    say(`${this.#open.size} chunks are in the queue; \`twinbook sweep worker\` runs them, on any machine.`);
    while (this.#open.size > 0) {
      const { ended, absent } = await queue.look([...this.#open.keys()]);
      if (absent.length > 0) say(`The queue has lost ${absent.length} chunks: these chunks are sent again.`);
      await this.#send(absent);
      for (const job of ended) await this.#take(job);
      if (ended.length === 0) await this.#pause(LOOK_EVERY_MS);
    }
    return true;
  }

  async #send(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#queue.keep(this.#hash, JSON.stringify(this.#sheet));
    await this.#queue.add(ids.map((id) => ({ id, data: { sheet: this.#hash, chunk: this.#open.get(id) } })));
  }

  async #take({ id, kind, text }: Awaited<ReturnType<JobQueue['look']>>['ended'][number]): Promise<void> {
    const chunk = this.#open.get(id);
    if (chunk === undefined) return;
    const read = kind === 'done' ? readOutcomes(text, chunk, this.#sheet) : null;
    if (kind === 'stalled') {
      const outcome = { kind: 'failed', error: `several workers ended without a result (${text})` } as const;
      const outcomes = tasksIn(chunk, this.#sheet).map((task) => ({ task, outcome }));
      keepOutcomes(outcomes, this.#work, 'a worker');
    } else if (read !== null) keepOutcomes(read.outcomes, this.#work, read.worker);
    else {
      const why = kind === 'done' ? 'backtests of the chunk are missing' : text;
      return this.#retry(id, kind === 'failed' ? why : `a result was rejected: ${why}`);
    }
    this.#open.delete(id);
    await this.#queue.remove([id]);
  }

  async #retry(id: string, why: string): Promise<void> {
    const tries = (this.#tries.get(id) ?? 0) + 1;
    this.#tries.set(id, tries);
    const hint = 'Check the workers, and whether another program writes to this queue.';
    if (tries >= MOST_TRIES) throw new TwinbookError('queue_unusable', why, hint);
    this.#work.watcher.say(`A chunk failed and is sent again: ${why}`);
    await this.#queue.remove([id]);
    await this.#send([id]);
  }
}

const job = z.object({ sheet: z.string(), chunk: chunkSchema });

/** @param takeTimeZone sets the time zone of this process to that of the sweep */
export function openChunkWorker(place: RunnerPlace, takeTimeZone: (name: string) => void, say: (text: string) => void) {
  let ready: { readonly hash: string; readonly runner: Awaited<ReturnType<typeof openRunner>> } | null = null;
  const close = async () => {
    await ready?.runner.close();
    ready = null;
  };
  const open = async (hash: string, text: string | null) => {
    await close();
    const hint = 'The sweep has ended or its queue was emptied: start the sweep again.';
    if (text === null) throw new TwinbookError('queue_unusable', 'the plan of the sweep is missing in the queue', hint);
    const sheet = readSheet(text, hash);
    takeTimeZone(sheet.timeZone);
    const runner = await openRunner(sheet, place);
    ready = { hash, runner };
    return runner;
  };
  const handle: QueueWork['handle'] = async (data, document) => {
    const read = job.safeParse(data);
    if (!read.success) return { kind: 'foreign', why: 'the job does not belong to a sweep of this version' };
    const { sheet, chunk } = read.data;
    try {
      const runner = ready?.hash === sheet ? ready.runner : await open(sheet, await document(sheet));
      const outcomes = (await runner.run(chunk, new Promise(() => undefined))) ?? [];
      const failed = outcomes.filter(({ outcome }) => outcome.kind === 'failed').length;
      const what = `fold ${chunk.fold + 1}, configurations ${chunk.first} to ${chunk.last}`;
      say(`${what}: ${outcomes.length} backtests, ${failed} failed`);
      return { kind: 'done', text: outcomesText(outcomes) };
    } catch (error) {
      if (error instanceof OtherVersion) return { kind: 'foreign', why: error.message };
      if (error instanceof TwinbookError && error.code !== 'queue_unusable') return { kind: 'refused', error };
      throw error;
    }
  };
  return { handle, close };
}

/** Plan file in the folder that all jobs of a job array share. Each finished chunk adds `results/chunk-N.json`. */
const PLAN = 'plan.json';
/** Key of the files' checksums (seals). It is public: the seals only detect truncated, changed or swapped files. */
const FOLDER = { name: 'folder', secret: '' };

type FolderPlan = Readonly<{ sheet: SweepSheet; facts: SweepFacts; chunks: readonly Chunk[]; outDir: string }>;

/** Throws TwinbookError `usage` if a plan already exists, `file_unreadable` if the folder is not writable. */
export function writePlan(dir: string, plan: FolderPlan): void {
  if (readText(join(dir, PLAN)) !== null)
    throw new TwinbookError('usage', `${dir} already has a plan`, 'Delete the folder, or give another --dir.');
  guardAccess(dir, () => makeFolder(join(dir, 'results'), SHARED_FOLDER));
  writeSynced(join(dir, PLAN), seal(FOLDER, 'plan', '', JSON.stringify(plan)));
}

/** Throws TwinbookError `usage` without a plan of this version, `file_unreadable` for a damaged plan. */
export function readPlan(dir: string): FolderPlan {
  const sealed = readText(join(dir, PLAN));
  if (sealed === null)
    throw new TwinbookError('usage', `${dir} has no plan of a sweep`, 'Make a plan with `twinbook sweep plan --dir`.');
  const text = openSeal(FOLDER, 'plan', '', sealed);
  if (text === null) {
    const hint = 'Copy the folder again, or plan the sweep again into another folder.';
    throw new TwinbookError('file_unreadable', `${join(dir, PLAN)} is incomplete or was changed`, hint);
  }
  // This cast is safe: the seal proves that Twinbook wrote the plan, and `readSheet` checks the version.
  const plan = JSON.parse(text) as FolderPlan;
  readSheet(JSON.stringify(plan.sheet), sheetHash(plan.sheet));
  return plan;
}

export function chunkAt({ chunks }: FolderPlan, index: number): Chunk {
  const chunk = chunks[index];
  if (chunk !== undefined) return chunk;
  throw new TwinbookError('usage', `there is no chunk ${index}`, `This plan has the chunks 0 to ${chunks.length - 1}.`);
}

export function readChunk(dir: string, plan: FolderPlan, index: number): ReturnType<typeof readOutcomes> {
  const text = openSeal(FOLDER, 'done', makeId(plan, index), readText(resultPath(dir, index)));
  return text === null ? null : readOutcomes(text, chunkAt(plan, index), plan.sheet);
}

export const writeChunk = (dir: string, plan: FolderPlan, index: number, outcomes: readonly ChunkOutcome[]): void =>
  writeSynced(resultPath(dir, index), seal(FOLDER, 'done', makeId(plan, index), outcomesText(outcomes)));

export const resultPath = (dir: string, index: number): string => join(dir, 'results', `chunk-${index}.json`);

const makeId = (plan: FolderPlan, index: number): string => chunkId(sheetHash(plan.sheet), chunkAt(plan, index));

/** Writes a file completely or not at all. Temporary names contain host and process, so no two writers share one. */
function writeSynced(path: string, text: string): void {
  const beside = `${path}.${hostname()}-${process.pid}.part`;
  guardAccess(path, () => {
    writeFileSync(beside, text, { flush: true });
    renameSync(beside, path);
  });
}

const readText = (path: string) => guardAccess(path, () => (existsSync(path) ? readFileSync(path, 'utf8') : null));

const guardAccess = <T>(path: string, act: () => T): T =>
  guardFiles(`cannot use ${path}`, 'Check the folder and the disk.', act);

const QUIET: SweepWatcher = {
  now: () => 0,
  progress: () => undefined,
  say: () => undefined,
  stopAsked: new Promise(() => undefined),
};

export async function collectChunks(dir: string, plan: FolderPlan, outDir: string) {
  const store = openStore(outDir);
  try {
    const sweep = makeSweep(plan.facts, QUIET, store);
    const missing: number[] = [];
    let stored = 0;
    await sweep.run('either', async (work) => {
      for (const index of plan.chunks.keys()) {
        const found = readChunk(dir, plan, index);
        if (found === null) missing.push(index);
        else stored += keepOutcomes(found.outcomes, work, resultPath(dir, index));
      }
      return missing.length === 0;
    });
    const result = sweep.result();
    if (result.counts.unfinished === 0) store.finish();
    return { result, stored, missing };
  } finally {
    store.close();
  }
}

/** Formats chunk indexes in the syntax of job arrays, for example `3,17-19`. */
export function listOfChunks(indexes: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const index of indexes) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === index - 1) last[1] = index;
    else runs.push([index, index]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}
