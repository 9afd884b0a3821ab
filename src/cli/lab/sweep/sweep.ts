/** `twinbook sweep`: many configurations over the same recordings, on all cores. */

import type { SweepWatcher } from '../../../lab/sweep/contract.js';
import { TwinbookError } from '../../../shared/base/errors.js';
import { type Answer, type Call, command, flag, integerBetween, list, read, type Values } from '../../command.js';
import { type CliIo, EXIT } from '../../output/io.js';
import { ProgressLine } from '../progress.js';
import { CONDITION_OPTIONS, findWorlds, HIGHEST_SEED, MOST_SEEDS, readConditions } from '../world-options.js';
import { collectCommand, planCommand } from './sweep-chunks.js';
import { planFrom, QUESTION_OPTIONS, type Question, questionFrom, threadsOption } from './sweep-question.js';
import { ENGINE_OPTIONS, openEngine, workerCommand } from './sweep-queue.js';
import { type ProgressWords, reportOption, resultAnswer, watcher } from './sweep-tables.js';

const OF_RECORDINGS = [
  ...['data', 'fillModel', 'latency', 'failures', 'fees', 'makerFee', 'takerFee', 'landingMs', 'allMarkets'],
  ...['feed', 'feedDelay', 'repeat', 'folds', 'embargo', 'memory', 'engine', 'queue', 'chunkSeconds'],
];
const OF_WORLDS = {
  seeds: '--seeds',
  first: '--first',
  fresh: '--fresh',
  freshFirst: '--fresh-first',
  markets: '--markets',
  public: '--public',
  signed: '--signed',
  delay: '--delay',
} as const;
const USUAL_SEEDS = 40;

const WORLD_OPTIONS = {
  world: list('--world <name...>', 'worlds of the arena in place of recordings, or all', ...OF_RECORDINGS),
  seeds: read(
    '--seeds <n>',
    `of worlds: seeds that are chosen on (default: ${USUAL_SEEDS})`,
    integerBetween(1, MOST_SEEDS),
  ),
  first: read('--first <seed>', 'of worlds: the first of them (default: 0)', integerBetween(0, HIGHEST_SEED)),
  fresh: read(
    '--fresh <n>',
    'of worlds: other seeds, on which the best is shown (default: as many)',
    integerBetween(1, MOST_SEEDS),
  ),
  freshFirst: read(
    '--fresh-first <seed>',
    'of worlds: the first of those (default: right after the others)',
    integerBetween(0, 2 * HIGHEST_SEED),
  ),
  ...CONDITION_OPTIONS,
};

const OPTIONS = {
  ...QUESTION_OPTIONS,
  ...WORLD_OPTIONS,
  workers: threadsOption,
  ...ENGINE_OPTIONS,
  resume: flag('--resume', 'continue the unfinished sweep there'),
  report: reportOption,
};

type SweepFlags = Values<typeof OPTIONS> & Pick<Question, 'file'>;

export const addSweepCommand = command({
  name: 'sweep',
  help: 'backtests many configurations and says how far the best of them may be believed',
  config: 'file',
  options: OPTIONS,
  answer: sweep,
  below: [planCommand, collectCommand, workerCommand],
});

async function sweep({ options, file, isJson, io }: Call<typeof OPTIONS, 'file'>): Promise<Answer> {
  const flags = { ...options, file };
  const run = flags.world === undefined ? await overRecordings(flags, io) : await overWorlds(flags, io);
  const line = new ProgressLine(io, isJson);
  const { result, isComplete } = await run.play(watcher(line, io, run.progress)).finally(() => line.end());
  const answer = await resultAnswer(result, run.outDir, options.report, io);
  if (isComplete) return answer;
  io.err('Stopped. What is done is kept: the same command with --resume goes on.\n');
  return { ...answer, code: EXIT.failed };
}

async function overRecordings(options: SweepFlags, io: CliIo) {
  for (const [name, option] of Object.entries(OF_WORLDS)) {
    if (options[name as keyof typeof OF_WORLDS] === undefined) continue;
    throw new TwinbookError(
      'usage',
      `${option} is of a sweep over worlds`,
      'Name a world with --world, or leave it out.',
    );
  }
  const plan = await planFrom(options, io);
  const { runSweep } = await import('../../../lab/sweep/sweep.js');
  const engine = await openEngine(options, io);
  const play = (told: SweepWatcher) => runSweep(plan, told, engine);
  return { outDir: plan.outDir, play, progress: ['backtests', 'events'] satisfies ProgressWords };
}

async function overWorlds(options: SweepFlags, io: CliIo) {
  const { runWorldSweep } = await import('../../../lab/arena/world-sweep.js');
  const worlds = await findWorlds(options.world ?? []);
  const conditions = await readConditions(options, worlds);
  const question = await questionFrom(options, io);
  const { seeds: count = USUAL_SEEDS, first = 0, fresh = count, freshFirst = first + count } = options;
  const plan = {
    ...question,
    worlds,
    conditions,
    seeds: { first, count },
    fresh: { first: freshFirst, count: fresh },
  };
  return {
    outDir: plan.outDir,
    play: (told: SweepWatcher) => runWorldSweep(plan, told),
    progress: ['configurations and worlds', 'simulations'] satisfies ProgressWords,
  };
}
