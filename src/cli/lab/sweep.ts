/**
 * Command `twinbook sweep`: backtests many configurations on this machine, as a job array or on workers of a queue.
 * This file has the tables of a result, the options that describe a plan, and the commands.
 */

import { dirname, join, resolve } from 'node:path';
import querystring from 'node:querystring';
import { InvalidArgumentError } from 'commander';
import { feeCurve } from '../../lab/backtest/fees.js';
import { latencyChoice } from '../../lab/backtest/latency.js';
import { count, formatDuration, formatQuantity } from '../../lab/report/figures.js';
import type { openRunner } from '../../lab/sweep/chunks.js';
import { MAX_CONFIGURATIONS, type SweepPlan, type SweepProgress, type SweepWatcher } from '../../lab/sweep/contract.js';
import {
  configurationColumns,
  placeConfigurations,
  REMARK,
  type SharedColumn,
  sharedSections,
  TERMS,
} from '../../lab/sweep/describe.js';
import type { SweepEngine } from '../../lab/sweep/facts.js';
import type { SweepResult } from '../../lab/sweep/result.js';
import { gridSearch, randomSearch, readAxis } from '../../lab/sweep/search.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { isLoopback } from '../../shell/client/message.js';
import { loadConfig } from '../../shell/config/load.js';
import type { JobQueue } from '../../shell/queue/job-queue.js';
import { readPrivateFile, secrets } from '../../shell/wallet/secrets.js';
import { command, resolveData } from '../command.js';
import { type CliIo, EXIT, type ExitCode, ProgressLine, writeWhole } from '../io.js';
import * as option from '../options.js';
import { prose, record, type TableColumn, table } from '../table.js';
import { chooseWorlds, HIGHEST_SEED, MOST_SEEDS, marketsOption, threadsOption } from './arena.js';
import { DATA, fillModelOption, PLAY_OPTIONS, planOptions, resolveFeedChoices } from './backtest.js';

const MAX_FOLDS = 50;

/** Default fill models: the three with the fewest fills. Users should reject results that differ in sign. */
const USUAL_FILL_MODELS = ['trade-through', 'posts-only', 'risk-averse'] as const;

export function sweepTables(result: SweepResult, width?: number): string {
  const { configurations, counts, subject, assumptions } = result;
  // The database and `--json` have all rows; the HTML report has at most 2,000.
  const shown = placeConfigurations(result).slice(0, 20);
  const more = configurations.length - shown.length;
  const say = (text: string) => prose(text, width, '  ');
  const sections = sharedSections(result, (columns, rows) => sharedTable(rows, columns, width));
  const events =
    subject === 'worlds'
      ? `seeds of ${assumptions.fillModels.join(', ')} (results are sums of edge)`
      : `${TERMS[subject].event}s in ${formatQuantity(assumptions.folds, 'fold')}`;
  const head = `${result.title}: ${formatQuantity(counts.configurations, 'configuration')}, ${count(counts.events)} ${events}, ${count(counts.tried)} configurations tried so far in this folder\n`;
  return [
    say(head),
    sharedTable(shown, [...configurationColumns(result), REMARK], width),
    more > 0 ? `… and ${count(more)} more\n` : '',
    ...sections.map(
      ({ title, lead, table: text, notes }) =>
        `\n${say(`${title}: ${lead}`)}\n${text}${say(notes.map((line) => `${line}\n`).join(''))}`,
    ),
    say(`\n${result.notes.map(({ text }) => `- ${text}\n`).join('')}`),
  ].join('');
}

function sharedTable<Row>(rows: readonly Row[], shared: readonly SharedColumn<Row>[], width?: number): string {
  const columns = shared.map(({ title, short = title, isText, ...column }): TableColumn<Row> => {
    return { ...column, title: short.toUpperCase(), right: isText !== true };
  });
  return table(rows, columns, width);
}

const reportOption = option.text('--report <file>', 'path of a report with the tables, a single HTML file');

async function resultAnswer(result: SweepResult, outDir: string, report: string | undefined, io: CliIo) {
  if (report !== undefined) {
    const { sweepHtml } = await import('../../lab/sweep/sweep-html.js');
    writeWhole(resolve(io.cwd, report), sweepHtml(result));
  }
  const places = `results: ${join(outDir, 'sweep.sqlite')}\n${report === undefined ? '' : `page: ${report}\n`}`;
  return { data: result, text: (width?: number) => `${sweepTables(result, width)}${places}` };
}

/** @param words two nouns for the progress line: what it counts, and the unit of the speed */
const watcher = (line: ProgressLine, io: CliIo, words: readonly [string, string]): SweepWatcher => ({
  now: () => performance.now(),
  progress: (progress) =>
    line.show(progress.all === 0 ? 1 : progress.done / progress.all, progressText(progress, words)),
  say: (text) => {
    line.end();
    io.err(`${text}\n`);
  },
  stopAsked: io.stopAsked(),
});

function progressText(progress: SweepProgress, [tasks, parts]: readonly [string, string]): string {
  const { phase, done, all, failed, eventsPerS, leftMs } = progress;
  if (phase === 'reading') return `reading recordings ${count(done)}/${count(all)}`;
  const speed = eventsPerS === null ? '' : `, ${count(eventsPerS)} ${parts}/s`;
  const left = leftMs === null ? '' : `, ${formatDuration(leftMs)} left`;
  return `${tasks} ${count(done)}/${count(all)}${failed > 0 ? `, ${count(failed)} failed` : ''}${speed}${left}`;
}

const QUESTION_OPTIONS = {
  data: option.list(...DATA),
  ...PLAY_OPTIONS,
  param: option.repeated(
    '--param <name=values>',
    'a parameter to vary, as STRATEGY.NAME=FROM:TO:STEP or =a,b,c; with --random also =FROM:TO or =log:FROM:TO',
    String,
  ),
  random: option.integer('--random <n>', 'number of random configurations to try (default: the whole grid)', [
    1,
    MAX_CONFIGURATIONS,
  ]),
  fillModel: fillModelOption(USUAL_FILL_MODELS),
  folds: option.integer(
    '--folds <n>',
    'number of folds of whole events, in order of time (default: 4, if there are enough events)',
    [1, MAX_FOLDS],
  ),
  embargo: option.number(
    '--embargo <minutes>',
    'minimum time between the end of a training event and the tested fold, minutes',
    [0, 525_600],
    0,
  ),
  out: option.text(
    '--out <dir>',
    'folder for the results and the trial count (default: sweep/ beside the ledger; for a lone strategy file data/sweep/NAME)',
  ),
};

type Question = option.OptionValues<typeof QUESTION_OPTIONS> & {
  readonly file: string;
  readonly workers: number;
  readonly world?: readonly string[] | undefined;
  readonly resume?: true | undefined;
};

function requireData({ data }: Pick<Question, 'data'>): readonly string[] {
  if (data !== undefined) return data;
  const hint = 'Give recordings with --data PATH, or worlds with --world NAME.';
  throw new TwinbookError('usage', 'neither recordings nor worlds are given', hint);
}

async function questionFrom(options: Question, io: CliIo) {
  // The environment is copied, because the process's own environment cannot be passed to a thread.
  const feeds = options.world === undefined ? options.feed.map(({ name }) => name) : ('any' as const);
  const source = { file: resolve(io.cwd, options.file), env: { ...io.env }, cwd: io.cwd, feeds };
  const config = await loadConfig(source.file, { ...source, strategyFileToo: true });
  const { param, random, seed, workers, out } = options;
  const axes = param.map((text) => readAxis(text, config.strategies, random !== undefined));
  const search = random === undefined ? gridSearch(config, axes) : randomSearch(config, axes, random, seed);
  // The default output folder is beside the ledger, or for a lone strategy file in the working folder.
  const lone = config.strategies.find(({ file }) => file === config.file);
  const usual = lone === undefined ? join(dirname(config.ledger.path), 'sweep') : join('data/sweep', lone.name);
  return { config, source, search, workers, outDir: resolve(io.cwd, out ?? usual), resume: options.resume === true };
}

/** Makes the plan of a sweep. Throws for every error of the input before any backtest runs. */
async function planFrom(options: Question, io: CliIo): Promise<SweepPlan> {
  const paths = resolveData(requireData(options), io);
  const question = await questionFrom(options, io);
  const { checkFillModels } = await import('../../lab/backtest/replay-driver.js');
  const fillModels = checkFillModels(options.fillModel ?? USUAL_FILL_MODELS);
  const { readFeedData } = await import('../../lab/backtest/plan.js');
  const { openRecordings } = await import('../../recording/recording.js');
  const recordings = await openRecordings(paths);
  return {
    ...question,
    paths,
    recordings,
    fillModels,
    latency: await latencyChoice(options.latency ?? null, recordings),
    ...planOptions(options, question.config),
    feedData: await readFeedData({
      config: question.config,
      recordings,
      choices: resolveFeedChoices(options, io.cwd),
      delayMs: options.feedDelay ?? null,
    }),
    feeCurve: options.fees === undefined ? null : feeCurve(options.fees),
    folds: options.folds ?? null,
    embargoMs: options.embargo * 60_000,
  };
}

const OF_RECORDINGS = [
  ...['data', 'fillModel', 'latency', 'fees', 'makerFee', 'takerFee', 'landingMs', 'allMarkets'],
  ...['feed', 'feedDelay', 'folds', 'embargo', 'engine', 'queue', 'chunkSeconds'],
];

const USUAL_SEEDS = 40;

const WORLD_OPTIONS = {
  world: option.list('--world <name...>', 'arena worlds to use instead of recordings, or all', ...OF_RECORDINGS),
  seeds: option.integer(
    '--seeds <n>',
    `with --world: number of seeds on which the best configuration is chosen (default: ${USUAL_SEEDS})`,
    [1, MOST_SEEDS],
  ),
  first: option.integer('--first <seed>', 'with --world: first seed (default: 0)', [0, HIGHEST_SEED]),
  fresh: option.integer(
    '--fresh <n>',
    'with --world: number of other seeds on which the best configuration is tested (default: value of --seeds)',
    [1, MOST_SEEDS],
  ),
  freshFirst: option.integer(
    '--fresh-first <seed>',
    'with --world: first of the other seeds (default: after the last seed of --seeds)',
    [0, 2 * HIGHEST_SEED],
  ),
  markets: marketsOption,
};

/** Default chunk durations, s, far above a job's start time. A `queued` chunk fits a spot machine's 2 min notice. */
const USUAL_SECONDS = { planned: 300, queued: 90 };

/** Environment variables of Slurm, Kubernetes and AWS Batch with a job's index; documented jobs begin at index 0. */
const INDEX_VARIABLES = ['SLURM_ARRAY_TASK_ID', 'JOB_COMPLETION_INDEX', 'AWS_BATCH_JOB_ARRAY_INDEX'];

const chunkSecondsOption = (seconds: number): option.OptionRow<number> =>
  option.integer('--chunk-seconds <n>', 'planned duration of a chunk on one core, s', [1, 86_400], seconds);

const planCommand = command({
  name: 'plan',
  help: 'divides a sweep over recordings into chunks for a job array, without running them',
  config: 'file',
  options: {
    ...QUESTION_OPTIONS,
    dir: option.required('--dir <dir>', 'folder for the chunks, which all machines of the sweep can reach'),
    chunkSeconds: chunkSecondsOption(USUAL_SECONDS.planned),
  },
  answer: async ({ options, file, io }) => {
    const { makeChunks, makeSheet, writePlan } = await import('../../lab/sweep/chunks.js');
    const { planSweep } = await import('../../lab/sweep/facts.js');
    const plan = await planFrom({ ...options, file, workers: 1 }, io);
    const planned = await planSweep(plan);
    const { facts } = planned;
    const chunks = makeChunks(facts, options.chunkSeconds);
    const dir = resolve(io.cwd, options.dir);
    const sheet = makeSheet(planned);
    writePlan(dir, { sheet, facts, chunks, outDir: plan.outDir });
    const last = chunks.length - 1;
    const run = `twinbook sweep worker --dir ${options.dir} -c ${file} --data ${requireData(options).join(' ')}`;
    const figures = record([
      ['configurations', count(sheet.candidates.length)],
      ['events', `${count(facts.events.length)} in ${formatQuantity(facts.assumptions.folds, 'fold')}`],
      ['chunks', `${count(chunks.length)}, numbered from 0 to ${count(last)}`],
      ['time zone', `${sheet.timeZone}; workers use this zone on every machine`],
    ]);
    const how = `Run each chunk by its number, for example with Slurm:\n  sbatch --array=0-${last} --wrap "${run}"\nThen store the results:\n  twinbook sweep collect --dir ${options.dir}\n`;
    return { data: { dir, chunks: chunks.length, timeZone: sheet.timeZone }, text: `${figures}\n${how}` };
  },
});

const collectCommand = command({
  name: 'collect',
  help: 'stores the finished results of a planned sweep, and prints the numbers of missing chunks',
  options: {
    dir: option.required('--dir <dir>', 'folder that `sweep plan` has written'),
    out: option.text('--out <dir>', 'folder for the results and the trial count (default: the folder of the plan)'),
    report: reportOption,
  },
  answer: async ({ options, io }) => {
    const { collectChunks, listOfChunks, readPlan } = await import('../../lab/sweep/chunks.js');
    const dir = resolve(io.cwd, options.dir);
    const plan = readPlan(dir);
    const outDir = options.out === undefined ? plan.outDir : resolve(io.cwd, options.out);
    const { result, stored, missing: chunks } = await collectChunks(dir, plan, outDir);
    if (chunks.length === 0) return resultAnswer(result, outDir, options.report, io);
    const { done, failed, unfinished } = result.counts;
    io.err(
      `${count(chunks.length)} of ${count(plan.chunks.length)} chunks are missing; ${count(stored)} backtests were stored now.\n` +
        `Configurations: ${count(done)} done, ${count(failed)} failed, ${count(unfinished)} incomplete.\n`,
    );
    const missing = listOfChunks(chunks);
    return { data: { missing, chunks }, text: `${missing}\n`, code: EXIT.difference };
  },
});

/** A machine that runs a sweep's chunks, with its own copy of configuration and recordings. */
type ChunkMachine = Pick<Question, 'file' | 'workers'> & { readonly data: readonly string[] };

async function runChunk(folder: string, index: number, machine: ChunkMachine, io: CliIo): Promise<ExitCode> {
  const { chunkAt, openRunner, readChunk, readPlan, writeChunk } = await import('../../lab/sweep/chunks.js');
  const dir = resolve(io.cwd, folder);
  const plan = readPlan(dir);
  const chunk = chunkAt(plan, index);
  if (readChunk(dir, plan, index) !== null) {
    io.out(`chunk ${index} is done already\n`);
    return EXIT.ok;
  }
  takeTimeZone(plan.sheet.timeZone);
  const stopAsked = io.stopAsked();
  const runner = await openRunner(plan.sheet, copyPlace(machine, io));
  const outcomes = await runner.run(chunk, stopAsked).finally(() => runner.close());
  if (outcomes === null) {
    io.err(`Stopped. Chunk ${index} was not stored: run the same command again.\n`);
    return EXIT.failed;
  }
  writeChunk(dir, plan, index, outcomes);
  const failed = outcomes.filter(({ outcome }) => outcome.kind === 'failed').length;
  io.out(`chunk ${index}: ${count(outcomes.length)} backtests, ${count(failed)} failed\n`);
  return EXIT.ok;
}

/** Sets the time zone of the process. Call it before any thread starts, because threads inherit the zone. */
function takeTimeZone(name: string): void {
  process.env['TZ'] = name;
}

/** The environment is copied, because the process's own environment cannot be passed to a thread. */
const copyPlace = (options: ChunkMachine, io: CliIo): Parameters<typeof openRunner>[1] => ({
  source: { file: resolve(io.cwd, options.file), env: { ...io.env }, cwd: io.cwd, feeds: 'any' as const },
  paths: resolveData(options.data, io),
  workers: options.workers,
});

function readJobIndex({ env }: CliIo): number {
  const name = INDEX_VARIABLES.find((variable) => env[variable] !== undefined);
  if (name !== undefined && /^\d{1,7}$/.test(env[name] ?? '')) return Number(env[name]);
  const what = name === undefined ? 'no chunk number is given' : `${name} is ${JSON.stringify(env[name])}`;
  const hint = `Give --index N, or run the command as an array job, which sets one of ${INDEX_VARIABLES.join(', ')}.`;
  throw new TwinbookError('usage', `${what}: wanted a whole number from 0`, hint);
}

/** Variable with the address of a Redis or Valkey queue; other users could read a password in an argument. */
const ADDRESS = 'TWINBOOK_QUEUE_URL';
/** Environment variable with the secret that signs results. A result without a valid signature is not stored. */
const SECRET = 'TWINBOOK_QUEUE_SECRET';
const LEAST_SECRET = 16;

const queueOption = option.usual('--queue <name>', 'name of the queue, unique for each user', 'sweep', queueName);

function queueName(text: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,63}$/.test(text)) return text;
  throw new InvalidArgumentError('Wanted lower-case letters, digits and dashes.');
}

const workerCommand = command({
  name: 'worker',
  help: 'runs chunks of sweeps that were started with --engine queue, or of a planned sweep',
  config: 'file',
  options: {
    data: option.requiredList('--data <path...>', 'this machine’s copy of the recordings: folders or files'),
    workers: threadsOption,
    dir: option.text('--dir <dir>', 'folder of `sweep plan`: run its chunks without a queue', 'queue', 'lockSeconds'),
    index: option.integer(
      '--index <n>',
      `number of the chunk of --dir, from 0 (default: from ${INDEX_VARIABLES.join(', ')})`,
      [0, 999_999],
    ),
    queue: queueOption,
    lockSeconds: option.integer('--lock-seconds <n>', 'time until a silent worker loses its chunk, s', [2, 3600], 30),
  },
  run: ({ options, file, io }) => {
    const { dir, index, queue, lockSeconds } = options;
    if (dir !== undefined) return runChunk(dir, index ?? readJobIndex(io), { ...options, file }, io);
    if (index === undefined) return work({ ...options, file }, queue, lockSeconds * 1000, io);
    throw new TwinbookError('usage', '--index requires --dir', 'Name the folder of `sweep plan` with --dir.');
  },
});

/** Returns the engine that runs a sweep over a queue; undefined for threads. Loads queue packages only for a queue. */
async function openEngine(options: SweepFlags, io: CliIo): Promise<SweepEngine | undefined> {
  if (options.engine === 'threads') return undefined;
  const { askServer, JobQueue, requireServer } = await import('../../shell/queue/job-queue.js');
  const { Leader } = await import('../../lab/sweep/chunks.js');
  const address = readAddress(options.queue, io);
  await requireServer(address.url);
  const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));
  return (work) => {
    const queue = new JobQueue(address, (text) => work.watcher.say(text));
    const leader = new Leader(work, queue, options.chunkSeconds, pause);
    return askServer(address.url, () => leader.run()).finally(() => queue.close());
  };
}

async function work(machine: ChunkMachine, queue: string, lockMs: number, io: CliIo): Promise<ExitCode> {
  const { workOn } = await import('../../shell/queue/job-queue.js');
  const { openChunkWorker } = await import('../../lab/sweep/chunks.js');
  const say = (text: string) => io.err(`${text}\n`);
  const worker = openChunkWorker(copyPlace(machine, io), takeTimeZone, say);
  const stopAsked = io.stopAsked().then(() => say('stopping: the worker finishes its chunk, then ends'));
  await workOn(readAddress(queue, io), { lockMs, handle: worker.handle, say, stopAsked }).finally(() => worker.close());
  return EXIT.ok;
}

function readAddress(name: string, { env }: CliIo): ConstructorParameters<typeof JobQueue>[0] {
  const url = readSecret(env, ADDRESS, 'the address of the queue', 'redis://HOST:PORT');
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed !== null) for (const text of [parsed.password, querystring.unescape(parsed.password)]) secrets.hide(text);
  const hasSecret = [SECRET, `${SECRET}_FILE`].some((variable) => env[variable] !== undefined);
  // A local queue is reachable only from this machine, so its address with password serves as the secret.
  if (!hasSecret && parsed !== null && isLoopback(parsed.hostname)) return { url, name, secret: url };
  const wanted = 'a random text, such as the output of `openssl rand -hex 32`';
  const secret = readSecret(env, SECRET, 'the secret of the queue', wanted);
  if (secret.length >= LEAST_SECRET) return { url, name, secret };
  const hint = `Set the variable to a text of at least ${LEAST_SECRET} characters, the same for the sweep and its workers.`;
  throw new TwinbookError('usage', `${SECRET} has ${secret.length} characters: it is too easy to guess`, hint);
}

/** Reads a secret from the environment variable, or from the private file that the variable plus `_FILE` names. */
function readSecret(env: CliIo['env'], variable: string, what: string, wanted: string): string {
  const [direct, file] = [env[variable], env[`${variable}_FILE`]];
  const found = direct ?? (file === undefined ? '' : readPrivateFile(file, what).trim());
  if (found === '') {
    const hint = `Set the variable to ${wanted}, or ${variable}_FILE to a file (mode 0600) with this text.`;
    throw new TwinbookError('usage', `${variable} is not set: ${what} is not known`, hint);
  }
  secrets.hide(found);
  return found;
}

const OPTIONS = {
  ...QUESTION_OPTIONS,
  ...WORLD_OPTIONS,
  workers: threadsOption,
  engine: option.choice(
    '--engine <name>',
    `where the backtests run: in threads of this process, or in workers that read the queue at ${ADDRESS}`,
    ['threads', 'queue'],
    'threads',
  ),
  queue: queueOption,
  chunkSeconds: chunkSecondsOption(USUAL_SECONDS.queued),
  resume: option.flag('--resume', 'continue the unfinished sweep in --out'),
  report: reportOption,
};

type SweepFlags = option.OptionValues<typeof OPTIONS> & Pick<Question, 'file'>;

export const addSweepCommand = command({
  name: 'sweep',
  help: 'backtests many configurations and measures how reliable the best result is',
  config: 'file',
  options: OPTIONS,
  answer: async ({ options, file, isJson, io }) => {
    const flags = { ...options, file };
    const line = new ProgressLine(io, isJson);
    const run = flags.world === undefined ? overRecordings : overWorlds;
    const { outDir, result, isComplete } = await run(flags, line, io).finally(() => line.end());
    const answer = await resultAnswer(result, outDir, options.report, io);
    if (isComplete) return answer;
    io.err('Stopped. The finished part is kept: repeat the command with --resume to continue.\n');
    return { ...answer, code: EXIT.failed };
  },
  below: [planCommand, collectCommand, workerCommand],
});

async function overRecordings(options: SweepFlags, line: ProgressLine, io: CliIo) {
  for (const [name, { long }] of Object.entries(WORLD_OPTIONS)) {
    if (options[name as keyof typeof WORLD_OPTIONS] === undefined) continue;
    const hint = `Name a world with --world, or leave ${long} out.`;
    throw new TwinbookError('usage', `${long} applies only to a sweep over worlds`, hint);
  }
  const plan = await planFrom(options, io);
  const { runSweep } = await import('../../lab/sweep/sweep.js');
  const engine = await openEngine(options, io);
  return { outDir: plan.outDir, ...(await runSweep(plan, watcher(line, io, ['backtests', 'events']), engine)) };
}

async function overWorlds(options: SweepFlags, line: ProgressLine, io: CliIo) {
  const { runWorldSweep } = await import('../../lab/arena/world-sweep.js');
  const chosen = await chooseWorlds(options.world ?? [], options.markets);
  const question = await questionFrom(options, io);
  const { seeds: count = USUAL_SEEDS, first = 0, fresh = count, freshFirst = first + count } = options;
  const plan = { ...question, ...chosen, seeds: { first, count }, fresh: { first: freshFirst, count: fresh } };
  const told = watcher(line, io, ['configurations and worlds', 'simulations']);
  return { outDir: plan.outDir, ...(await runWorldSweep(plan, told)) };
}
