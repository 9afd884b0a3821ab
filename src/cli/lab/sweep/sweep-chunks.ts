/** `twinbook sweep plan` and `collect`, and the chunks between them: a sweep as a job array of a batch engine. */

import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { count } from '../../../lab/report/figures.js';
import type { RunnerPlace } from '../../../lab/sweep/chunks.js';
import { TwinbookError } from '../../../shared/base/errors.js';
import {
  type Answer,
  type Call,
  command,
  integerBetween,
  type OptionRow,
  read,
  required,
  resolveData,
  text,
  usual,
} from '../../command.js';
import { type CliIo, EXIT, type ExitCode } from '../../output/io.js';
import { record } from '../../output/table.js';
import { memoryBytes, planFrom, QUESTION_OPTIONS, requireData } from './sweep-question.js';
import { reportOption, resultAnswer } from './sweep-tables.js';

/** Size of a job array's chunk: long enough to make a job's start cheap, short enough to be repeated. */
const USUAL_CHUNK_SECONDS = 300;

/** Index variables of Slurm, of a Kubernetes indexed Job and of AWS Batch; all count from 0 as submitted here. */
const INDEX_VARIABLES = ['SLURM_ARRAY_TASK_ID', 'JOB_COMPLETION_INDEX', 'AWS_BATCH_JOB_ARRAY_INDEX'];

export const chunkSecondsOption = (seconds: number): OptionRow<number> =>
  usual('--chunk-seconds <n>', 'duration of a chunk on one core at the usual pace', seconds, integerBetween(1, 86_400));

const PLAN_OPTIONS = {
  ...QUESTION_OPTIONS,
  dir: required('--dir <dir>', 'folder for the chunks, which all machines of the sweep can reach'),
  chunkSeconds: chunkSecondsOption(USUAL_CHUNK_SECONDS),
};

export const planCommand = command({
  name: 'plan',
  help: 'writes a sweep over recordings as chunks, for a job array; runs nothing',
  config: 'file',
  options: PLAN_OPTIONS,
  answer: writeChunks,
});

export const indexOption = read(
  '--index <chunks>',
  `of --dir: from 0, as in 3 or 3,17-19 (default: ${INDEX_VARIABLES.join(', ')})`,
  chunkList,
);

const COLLECT_OPTIONS = {
  dir: required('--dir <dir>', 'the folder of `sweep plan`'),
  out: text('--out <dir>', 'where results are kept and trials counted (default: as it was planned)'),
  giveUp: read('--give-up <chunks>', 'store these as failed where nothing has come of them, as in 3,17-19', chunkList),
  report: reportOption,
};

export const collectCommand = command({
  name: 'collect',
  help: 'stores the arrived results of a planned sweep and prints the missing ones',
  options: COLLECT_OPTIONS,
  answer: collectFolder,
});

function chunkList(text: string): readonly number[] {
  if (!/^\d{1,6}(-\d{1,6})?(,\d{1,6}(-\d{1,6})?)*$/.test(text))
    throw new InvalidArgumentError('Wanted numbers of chunks as in 3,17-19.');
  return text.split(',').flatMap((part) => {
    const [from = 0, to = from] = part.split('-').map(Number);
    if (to < from) throw new InvalidArgumentError(`${part} ends before it begins; wanted ${to}-${from}.`);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}

async function writeChunks({ options, file, io }: Call<typeof PLAN_OPTIONS, 'file'>): Promise<Answer> {
  const { makeChunks, makeSheet } = await import('../../../lab/sweep/chunks.js');
  const { writePlan } = await import('../../../lab/sweep/chunks.js');
  const { planSweep } = await import('../../../lab/sweep/facts.js');
  const data = requireData(options);
  const plan = await planFrom({ ...options, file, workers: 1 }, io);
  const planned = await planSweep(plan);
  // Each machine decides whether its threads share memory.
  const facts = { ...planned.facts, data: { ...planned.facts.data, isStreamed: false } };
  const chunks = makeChunks(facts, options.chunkSeconds);
  const dir = resolve(io.cwd, options.dir);
  const sheet = makeSheet(planned);
  writePlan(dir, { sheet, facts, chunks, outDir: plan.outDir });
  const last = chunks.length - 1;
  const run = `twinbook sweep worker --dir ${options.dir} -c ${file} --data ${data.join(' ')}`;
  const figures = record([
    ['configurations', count(sheet.candidates.length)],
    ['events', `${count(facts.events.length)} in ${facts.assumptions.folds} folds`],
    ['chunks', `${count(chunks.length)}, from 0 to ${count(last)}`],
    ['time zone', `${sheet.timeZone}, on every machine`],
  ]);
  const how = `Each is run by its number, for example in Slurm by\n  sbatch --array=0-${last} --wrap "${run}"\nthen\n  twinbook sweep collect --dir ${options.dir}\n`;
  return { data: { dir, chunks: chunks.length, timeZone: sheet.timeZone }, text: `${figures}\n${how}` };
}

/** This machine's means to run chunks: its own copy of configuration and recordings. */
export interface ChunkMachine {
  readonly file: string;
  readonly data: readonly string[];
  readonly workers: number;
  readonly memory: number;
}

export async function runChunks(
  folder: string,
  index: readonly number[] | undefined,
  machine: ChunkMachine,
  io: CliIo,
): Promise<ExitCode> {
  const { chunkAt, readChunk, readPlan, writeChunk } = await import('../../../lab/sweep/chunks.js');
  const { ChunkRunner } = await import('../../../lab/sweep/chunks.js');
  const dir = resolve(io.cwd, folder);
  const plan = readPlan(dir);
  const asked = [...new Set(index ?? [readJobIndex(io)])];
  for (const chunk of asked) chunkAt(plan, chunk);
  const missing = asked.filter((chunk) => readChunk(dir, plan, chunk) === null);
  for (const chunk of asked) if (!missing.includes(chunk)) io.out(`chunk ${chunk} is done already\n`);
  if (missing.length === 0) return EXIT.ok;
  takeTimeZone(plan.sheet.timeZone);
  const stopAsked = io.stopAsked();
  const runner = await ChunkRunner.open(plan.sheet, copyPlace(machine, io));
  try {
    for (const chunk of missing) {
      const outcomes = await runner.run(chunkAt(plan, chunk), stopAsked);
      if (outcomes === null) {
        io.err(`Stopped. Nothing is kept of chunk ${chunk}: the same command runs it again.\n`);
        return EXIT.failed;
      }
      writeChunk(dir, plan, chunk, outcomes);
      const failed = outcomes.filter(({ outcome }) => outcome.kind === 'failed').length;
      io.out(`chunk ${chunk}: ${count(outcomes.length)} backtests, ${count(failed)} failed\n`);
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
export const copyPlace = (options: ChunkMachine, io: CliIo): RunnerPlace => ({
  source: { file: resolve(io.cwd, options.file), env: { ...io.env }, cwd: io.cwd, feeds: 'any' as const },
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

async function collectFolder({ options, io }: Call<typeof COLLECT_OPTIONS, 'none'>): Promise<Answer> {
  const { collectChunks, listOfChunks, readPlan } = await import('../../../lab/sweep/chunks.js');
  const dir = resolve(io.cwd, options.dir);
  const plan = readPlan(dir);
  const outDir = options.out === undefined ? plan.outDir : resolve(io.cwd, options.out);
  const { result, stored, missing: chunks } = await collectChunks(dir, plan, outDir, new Set(options.giveUp));
  if (chunks.length === 0) return resultAnswer(result, outDir, options.report, io);
  const { done, failed, unfinished } = result.counts;
  io.err(
    `${count(chunks.length)} of ${count(plan.chunks.length)} chunks are missing; ${count(stored)} backtests were stored now.\n` +
      `Configurations: ${count(done)} done, ${count(failed)} failed, ${count(unfinished)} not wholly run.\n`,
  );
  const missing = listOfChunks(chunks);
  return { data: { missing, chunks }, text: `${missing}\n`, code: EXIT.difference };
}
