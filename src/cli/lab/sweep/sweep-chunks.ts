/** `twinbook sweep plan`, `run-chunk` and `collect`: a sweep as a job array of a batch engine. */

import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { count } from '../../../lab/report/figures.js';
import type { RunnerPlace } from '../../../lab/sweep/chunks/chunk.js';
import { TwinbookError } from '../../../shared/base/errors.js';
import { integerBetween } from '../../arguments.js';
import { resolveData } from '../../data/paths.js';
import { EXIT, type ExitCode } from '../../output/exit.js';
import { addAction, addConfigOption, addJsonOption, type CliIo, type Session } from '../../output/io.js';
import { json, record } from '../../output/table.js';
import {
  memoryBytes,
  planFrom,
  type QuestionFlags,
  requireData,
  threadsOption,
  withMemory,
  withQuestion,
} from './sweep-question.js';
import { type TellFlags, tellResult } from './sweep-tell.js';

type PlanFlags = QuestionFlags & { readonly dir: string; readonly chunkSeconds: number };
type ChunkFlags = RunnerFlags & { readonly dir: string; readonly index?: readonly number[] };
type CollectFlags = TellFlags & { readonly dir: string; readonly out?: string; readonly giveUp?: readonly number[] };

/** Options of a machine that runs chunks. */
export type RunnerFlags = Pick<QuestionFlags, 'config' | 'workers' | 'memory'> & { readonly data: readonly string[] };

/** Size of a job array's chunk: long enough to make a job's start cheap, short enough to be repeated. */
const USUAL_CHUNK_SECONDS = 300;

/** Index variables of Slurm, of a Kubernetes indexed Job and of AWS Batch; all count from 0 as submitted here. */
const INDEX_VARIABLES = ['SLURM_ARRAY_TASK_ID', 'JOB_COMPLETION_INDEX', 'AWS_BATCH_JOB_ARRAY_INDEX'];

export function addChunkCommands(sweep: Command, session: Session): void {
  const plan = sweep.command('plan');
  withQuestion(plan.description('writes a sweep over recordings as chunks, for a job array; runs nothing'))
    .requiredOption('--dir <dir>', 'folder for the chunks, which all machines of the sweep can reach')
    .addOption(chunkSecondsOption(USUAL_CHUNK_SECONDS));
  addAction<PlanFlags>(plan, session, (options) => writeChunks(options, session.io));

  const runChunk = sweep.command('run-chunk');
  withRunner(runChunk.description('runs a chunk of a planned sweep, or some; ends at once if it is done'))
    .requiredOption('--dir <dir>', 'the folder of `sweep plan`')
    .option('--index <chunks>', `from 0, as in 3 or 3,17-19 (default: ${INDEX_VARIABLES.join(', ')})`, chunkList);
  addAction<ChunkFlags>(runChunk, session, (options) => runChunks(options, session.io));

  const collect = sweep.command('collect');
  addJsonOption(collect.description('stores the arrived results of a planned sweep and prints the missing ones'))
    .requiredOption('--dir <dir>', 'the folder of `sweep plan`')
    .option('--out <dir>', 'where results are kept and trials counted (default: as it was planned)')
    .option('--give-up <chunks>', 'store these as failed where nothing has come of them, as in 3,17-19', chunkList)
    .option('--report <file>', 'write a page with table, parameters and walk-forward, one HTML file');
  addAction<CollectFlags>(collect, session, (options) => collectFolder(options, session.io));
}

export const chunkSecondsOption = (usual: number): Option =>
  new Option('--chunk-seconds <n>', 'duration of a chunk on one core at the usual pace')
    .default(usual)
    .argParser(integerBetween(1, 86_400));

/** Options of commands that run chunks with their own copy of configuration and recordings. */
export const withRunner = (command: Command): Command =>
  withMemory(addConfigOption(command))
    .requiredOption('--data <path...>', 'this machine’s copy of the recordings: folders or files')
    .addOption(threadsOption());

function chunkList(text: string): readonly number[] {
  if (!/^\d{1,6}(-\d{1,6})?(,\d{1,6}(-\d{1,6})?)*$/.test(text))
    throw new InvalidArgumentError('Wanted numbers of chunks as in 3,17-19.');
  return text.split(',').flatMap((part) => {
    const [from = 0, to = from] = part.split('-').map(Number);
    if (to < from) throw new InvalidArgumentError(`${part} ends before it begins; wanted ${to}-${from}.`);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}

async function writeChunks(options: PlanFlags, io: CliIo): Promise<ExitCode> {
  const { makeChunks, makeSheet } = await import('../../../lab/sweep/chunks/chunk.js');
  const { writePlan } = await import('../../../lab/sweep/chunks/folder.js');
  const { planSweep } = await import('../../../lab/sweep/facts.js');
  const data = requireData(options);
  const plan = await planFrom({ ...options, workers: 1, data }, io);
  const planned = await planSweep(plan);
  // Each machine decides whether its threads share memory.
  const facts = { ...planned.facts, data: { ...planned.facts.data, isStreamed: false } };
  const chunks = makeChunks(facts, options.chunkSeconds);
  const dir = resolve(io.cwd, options.dir);
  const sheet = makeSheet(planned);
  writePlan(dir, { sheet, facts, chunks, outDir: plan.outDir });
  const last = chunks.length - 1;
  const run = `twinbook sweep run-chunk --dir ${options.dir} -c ${options.config} --data ${data.join(' ')}`;
  const figures = record([
    ['configurations', count(sheet.candidates.length)],
    ['events', `${count(facts.events.length)} in ${facts.assumptions.folds} folds`],
    ['chunks', `${count(chunks.length)}, from 0 to ${count(last)}`],
    ['time zone', `${sheet.timeZone}, on every machine`],
  ]);
  const how = `Each is run by its number, for example in Slurm by\n  sbatch --array=0-${last} --wrap "${run}"\nthen\n  twinbook sweep collect --dir ${options.dir}\n`;
  io.out(options.json === true ? json({ dir, chunks: chunks.length, timeZone: sheet.timeZone }) : `${figures}\n${how}`);
  return EXIT.ok;
}

async function runChunks(options: ChunkFlags, io: CliIo): Promise<ExitCode> {
  const { chunkAt, readChunk, readPlan, writeChunk } = await import('../../../lab/sweep/chunks/folder.js');
  const { ChunkRunner } = await import('../../../lab/sweep/chunks/chunk.js');
  const dir = resolve(io.cwd, options.dir);
  const plan = readPlan(dir);
  const asked = [...new Set(options.index ?? [readJobIndex(io)])];
  for (const index of asked) chunkAt(plan, index);
  const missing = asked.filter((index) => readChunk(dir, plan, index) === null);
  for (const index of asked) if (!missing.includes(index)) io.out(`chunk ${index} is done already\n`);
  if (missing.length === 0) return EXIT.ok;
  takeTimeZone(plan.sheet.timeZone);
  const stopAsked = io.stopAsked();
  const runner = await ChunkRunner.open(plan.sheet, await copyPlace(options, io));
  try {
    for (const index of missing) {
      const outcomes = await runner.run(chunkAt(plan, index), stopAsked);
      if (outcomes === null) {
        io.err(`Stopped. Nothing is kept of chunk ${index}: the same command runs it again.\n`);
        return EXIT.failed;
      }
      writeChunk(dir, plan, index, outcomes);
      const failed = outcomes.filter(({ outcome }) => outcome.kind === 'failed').length;
      io.out(`chunk ${index}: ${count(outcomes.length)} backtests, ${count(failed)} failed\n`);
    }
  } finally {
    await runner.close();
  }
  return EXIT.ok;
}

/** A process has one time zone, inherited by its threads: set before any of them starts. */
export function takeTimeZone(name: string): void {
  process.env['TZ'] = name;
}

/** With a copy of the environment: the process's own cannot be passed to a thread. */
export const copyPlace = async (options: RunnerFlags, io: CliIo): Promise<RunnerPlace> => ({
  source: { file: resolve(io.cwd, options.config), env: { ...io.env }, cwd: io.cwd, feeds: 'any' as const },
  paths: resolveData(options.data, io),
  workers: options.workers,
  memoryBytes: memoryBytes(options),
});

function readJobIndex({ env }: CliIo): number {
  const name = INDEX_VARIABLES.find((variable) => env[variable] !== undefined);
  if (name !== undefined && /^\d{1,7}$/.test(env[name] ?? '')) return Number(env[name]);
  const what = name === undefined ? 'no chunk is named' : `${name} is ${JSON.stringify(env[name])}`;
  const hint = `Give --index N, or run it as an array job: ${INDEX_VARIABLES.join(', ')}.`;
  throw new TwinbookError('usage', `${what}: wanted a whole number from 0`, hint);
}

async function collectFolder(options: CollectFlags, io: CliIo): Promise<ExitCode> {
  const { collectChunks, listOfChunks, readPlan } = await import('../../../lab/sweep/chunks/folder.js');
  const dir = resolve(io.cwd, options.dir);
  const plan = readPlan(dir);
  const outDir = options.out === undefined ? plan.outDir : resolve(io.cwd, options.out);
  const { result, stored, missing: chunks } = await collectChunks(dir, plan, outDir, new Set(options.giveUp));
  if (chunks.length === 0) {
    await tellResult(result, outDir, options, io);
    return EXIT.ok;
  }
  const { done, failed, unfinished } = result.counts;
  io.err(
    `${count(chunks.length)} of ${count(plan.chunks.length)} chunks are missing; ${count(stored)} backtests were stored now.\n` +
      `Configurations: ${count(done)} done, ${count(failed)} failed, ${count(unfinished)} not wholly run.\n`,
  );
  const missing = listOfChunks(chunks);
  io.out(options.json === true ? json({ missing, chunks }) : `${missing}\n`);
  return EXIT.difference;
}
