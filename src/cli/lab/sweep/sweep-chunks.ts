/** `twinbook sweep plan`, `run-chunk` and `collect`: a sweep as the job array of a batch engine. */

import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { count } from '../../../lab/report/figures.js';
import type { Collected } from '../../../lab/sweep/chunks/collect.js';
import type { FolderPlan } from '../../../lab/sweep/chunks/folder.js';
import type { ChunkRunner } from '../../../lab/sweep/chunks/runner.js';
import { TwinbookError } from '../../../shared/base/errors.js';
import { integerBetween } from '../../arguments.js';
import { resolveData } from '../../data/paths.js';
import { EXIT, type ExitCode } from '../../output/exit.js';
import { addAction, addConfigOption, addJsonOption, type CliIo, type Session } from '../../output/io.js';
import { json, record } from '../../output/table.js';
import { memoryBytes, planFrom, type QuestionFlags, requireData, withMemory, withQuestion } from './sweep-question.js';
import { type TellFlags, tellResult } from './sweep-tell.js';

interface PlanFlags extends QuestionFlags {
  readonly dir: string;
  readonly chunkSeconds: number;
}

/** What a machine that runs chunks is told of itself. */
export interface RunnerFlags {
  readonly config: string;
  readonly data: readonly string[];
  readonly workers: number;
  readonly memory: number;
}

interface ChunkFlags extends RunnerFlags {
  readonly dir: string;
  readonly index?: readonly number[];
  readonly chunksPerJob?: number;
}

interface CollectFlags extends TellFlags {
  readonly dir: string;
  readonly out?: string;
  readonly giveUp?: readonly number[];
}

/** A job array's chunk: long enough that starting a job costs little, short enough to be run again. */
const USUAL_CHUNK_SECONDS = 300;

/** Of Slurm, of an indexed Job of Kubernetes, of AWS Batch: each counts as its jobs were submitted, here from 0. */
const INDEX_VARIABLES = ['SLURM_ARRAY_TASK_ID', 'JOB_COMPLETION_INDEX', 'AWS_BATCH_JOB_ARRAY_INDEX'] as const;

export function addChunkCommands(sweep: Command, session: Session): void {
  const plan = sweep
    .command('plan')
    .description('writes a sweep over recordings as chunks, for a job array; runs nothing');
  withQuestion(plan)
    .requiredOption('--dir <dir>', 'folder for the chunks, which all machines of the sweep can reach')
    .addOption(chunkSecondsOption(USUAL_CHUNK_SECONDS));
  addAction<PlanFlags>(plan, session, (options) => writeChunks(options, session.io));

  const runChunk = sweep
    .command('run-chunk')
    .description('runs a chunk of a planned sweep, or some; ends at once if it is done');
  withRunner(runChunk)
    .requiredOption('--dir <dir>', 'the folder of `sweep plan`')
    .option('--index <chunks>', `from 0, as in 3 or 3,17-19 (default: ${INDEX_VARIABLES.join(', ')})`, chunkList)
    .option(
      '--chunks-per-job <n>',
      'job 0 of the array runs the first n chunks, job 1 the next, in one process that stays warm',
      integerBetween(1, 10_000),
    );
  addAction<ChunkFlags>(runChunk, session, (options) => runChunks(options, session.io));

  const collect = sweep
    .command('collect')
    .description('stores what has come of a planned sweep and prints what is missing');
  addJsonOption(collect)
    .requiredOption('--dir <dir>', 'the folder of `sweep plan`')
    .option('--out <dir>', 'where results are kept and trials counted (default: as it was planned)')
    .option('--give-up <chunks>', 'store these as failed where nothing has come of them, as in 3,17-19', chunkList)
    .option('--report <file>', 'write a page with table, parameters and walk-forward, one HTML file');
  addAction<CollectFlags>(collect, session, (options) => collectFolder(options, session.io));
}

export const threadsOption = (): Option =>
  new Option('--workers <n>', 'threads')
    .default(availableParallelism(), 'as many as there are cores')
    .argParser(integerBetween(1, 256));

export const chunkSecondsOption = (usual: number): Option =>
  new Option('--chunk-seconds <n>', 'what a chunk is to take of one core at the usual pace')
    .default(usual)
    .argParser(integerBetween(1, 86_400));

/** Of every command that runs chunks with its own copy of configuration and recordings. */
export const withRunner = (command: Command): Command =>
  withMemory(addConfigOption(command))
    .requiredOption('--data <path...>', 'this machine’s copy of the recordings: folders or files')
    .addOption(threadsOption());

function chunkList(text: string): readonly number[] {
  if (!/^\d{1,6}(-\d{1,6})?(,\d{1,6}(-\d{1,6})?)*$/.test(text)) {
    throw new InvalidArgumentError('Wanted numbers of chunks as in 3,17-19.');
  }
  return text.split(',').flatMap((part) => {
    const [from = 0, to = from] = part.split('-').map(Number);
    if (to < from) throw new InvalidArgumentError(`${part} ends before it begins; wanted ${to}-${from}.`);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}

async function writeChunks(options: PlanFlags, io: CliIo): Promise<ExitCode> {
  const { makeChunks } = await import('../../../lab/sweep/chunks/chunk.js');
  const { writePlan } = await import('../../../lab/sweep/chunks/folder.js');
  const { makeSheet } = await import('../../../lab/sweep/chunks/sheet.js');
  const { makeFacts } = await import('../../../lab/sweep/facts.js');
  const { planSweep } = await import('../../../lab/sweep/plan.js');
  const plan = await planFrom({ ...options, workers: 1, data: requireData(options) }, io);
  const planned = await planSweep(plan, () => undefined);
  // Whether threads share memory is for each machine to say.
  const known = makeFacts(plan, planned);
  const facts = { ...known, data: { ...known.data, isStreamed: false } };
  const chunks = makeChunks(facts, options.chunkSeconds).map(({ fold, candidates }) => ({
    fold,
    first: candidates[0]?.number ?? 1,
    last: candidates.at(-1)?.number ?? 0,
  }));
  const dir = resolve(io.cwd, options.dir);
  const written: FolderPlan = { sheet: makeSheet(plan, planned), facts, chunks, outDir: plan.outDir };
  writePlan(dir, written);
  if (options.json === true) io.out(json({ dir, chunks: chunks.length, timeZone: written.sheet.timeZone }));
  else io.out(planText(options, written));
  return EXIT.ok;
}

function planText({ dir, config, data = [] }: PlanFlags, { facts, chunks, sheet }: FolderPlan): string {
  const last = chunks.length - 1;
  const command = `twinbook sweep run-chunk --dir ${dir} -c ${config} --data ${data.join(' ')}`;
  return [
    record([
      ['configurations', count(facts.search.candidates.length)],
      ['events', `${count(facts.events.length)} in ${facts.assumptions.folds} folds`],
      ['chunks', `${count(chunks.length)}, from 0 to ${count(last)}`],
      ['time zone', `${sheet.timeZone}, on every machine`],
    ]),
    `\nEach is run by its number, for example in Slurm by\n  sbatch --array=0-${last} --wrap "${command}"\n`,
    `then\n  twinbook sweep collect --dir ${dir}\n`,
  ].join('');
}

async function runChunks(options: ChunkFlags, io: CliIo): Promise<ExitCode> {
  const { chunkAt, readChunk, readPlan } = await import('../../../lab/sweep/chunks/folder.js');
  const { ChunkRunner } = await import('../../../lab/sweep/chunks/runner.js');
  const dir = resolve(io.cwd, options.dir);
  const plan = readPlan(dir);
  const asked = readIndexes(options, plan.chunks.length, io);
  for (const index of asked) chunkAt(plan, index);
  const missing = asked.filter((index) => readChunk(dir, plan, index)?.kind !== 'whole');
  for (const index of asked) if (!missing.includes(index)) io.out(`chunk ${index} is done already\n`);
  if (missing.length === 0) return EXIT.ok;
  takeTimeZone(plan.sheet.timeZone);
  const stopAsked = io.stopAsked();
  const runner = await ChunkRunner.open(plan.sheet, await copyPlace(options, io));
  try {
    for (const index of missing) {
      if (await runChunk(runner, { dir, plan, index, stopAsked }, io)) continue;
      io.err(`Stopped. Nothing is kept of chunk ${index}: the same command runs it again.\n`);
      return EXIT.failed;
    }
  } finally {
    await runner.close();
  }
  return EXIT.ok;
}

interface ChunkOfFolder {
  readonly dir: string;
  readonly plan: FolderPlan;
  readonly index: number;
  readonly stopAsked: Promise<void>;
}

/** False when it was stopped. */
async function runChunk(
  runner: ChunkRunner,
  { dir, plan, index, stopAsked }: ChunkOfFolder,
  io: CliIo,
): Promise<boolean> {
  const { chunkAt, noteBegun, writeChunk } = await import('../../../lab/sweep/chunks/folder.js');
  noteBegun(dir, index);
  const outcomes = await runner.run(chunkAt(plan, index), stopAsked);
  if (outcomes === null) return false;
  writeChunk(dir, plan, index, outcomes);
  const failed = outcomes.filter(({ outcome }) => outcome.kind === 'failed').length;
  io.out(`chunk ${index}: ${count(outcomes.length)} backtests, ${count(failed)} failed\n`);
  return true;
}

/** A process has one time zone, and its threads take it: before any of them starts. */
export function takeTimeZone(name: string): void {
  process.env['TZ'] = name;
}

/** A copy of the environment: that of the process itself cannot be handed to a thread. */
export const copyPlace = async (options: RunnerFlags, io: CliIo) => ({
  source: { file: resolve(io.cwd, options.config), env: { ...io.env }, cwd: io.cwd, feeds: 'any' as const },
  paths: resolveData(options.data, io),
  workers: options.workers,
  memoryBytes: memoryBytes(options),
});

function readIndexes({ index, chunksPerJob }: ChunkFlags, chunks: number, io: CliIo): readonly number[] {
  if (index === undefined) {
    const size = chunksPerJob ?? 1;
    const first = readJobIndex(io) * size;
    // The last job may find fewer; one behind it is told that its first chunk is none.
    return Array.from({ length: Math.max(1, Math.min(size, chunks - first)) }, (_, at) => first + at);
  }
  if (chunksPerJob === undefined) return [...new Set(index)];
  const hint = 'Leave out one of them: --chunks-per-job is of jobs that an array counts.';
  throw new TwinbookError('usage', '--index and --chunks-per-job both say which chunks are to be run', hint);
}

function readJobIndex({ env }: CliIo): number {
  for (const name of INDEX_VARIABLES) {
    const text = env[name];
    if (text === undefined) continue;
    if (/^\d{1,7}$/.test(text)) return Number(text);
    throw new TwinbookError(
      'usage',
      `${name} is ${JSON.stringify(text)}, wanted a whole number from 0`,
      'Unset it, or set it to a whole number.',
    );
  }
  const hint = `Give --index N, or run it as an array job: ${INDEX_VARIABLES.join(', ')}.`;
  throw new TwinbookError('usage', 'nobody says which chunk is to be run', hint);
}

async function collectFolder(options: CollectFlags, io: CliIo): Promise<ExitCode> {
  const { readPlan } = await import('../../../lab/sweep/chunks/folder.js');
  const { collectChunks, listOfChunks } = await import('../../../lab/sweep/chunks/collect.js');
  const dir = resolve(io.cwd, options.dir);
  const plan = readPlan(dir);
  const outDir = options.out === undefined ? plan.outDir : resolve(io.cwd, options.out);
  const collected = collectChunks(dir, plan, outDir, new Set(options.giveUp));
  if (collected.missing.length === 0) {
    await tellResult(collected.result, outDir, options, io);
    return EXIT.ok;
  }
  const missing = listOfChunks(collected.missing.map(({ index }) => index));
  io.out(options.json === true ? json({ missing, chunks: collected.missing }) : `${missing}\n`);
  io.err(missingText(collected, plan.chunks.length));
  return EXIT.difference;
}

/** So often begun without a result, a chunk is probably what ends its machine. */
const OFTEN = 3;

function missingText({ missing, stored, result }: Collected, chunks: number): string {
  const { done, failed, unfinished } = result.counts;
  const broken = missing.filter(({ why }) => why !== '');
  const often = missing.filter(({ begun }) => begun >= OFTEN);
  return [
    `${count(missing.length)} of ${count(chunks)} chunks are missing; ${count(stored)} backtests were stored now.\n`,
    `Of the configurations ${count(done)} are done, ${count(failed)} failed, ${count(unfinished)} not wholly run.\n`,
    ...broken.map(({ index, why }) => `Chunk ${index} is not whole (${why}): run it again.\n`),
    ...often.map(
      ({ index, begun }) => `Chunk ${index} was begun ${begun} times: look at its jobs, or --give-up ${index}.\n`,
    ),
  ].join('');
}
