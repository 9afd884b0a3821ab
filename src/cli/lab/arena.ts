/** `twinbook arena`: strategies in worlds with a known truth. */

import { availableParallelism } from 'node:os';
import { type Command, Option } from 'commander';
import { count, formatDuration } from '../../lab/report/figures.js';
import { integerBetween } from '../arguments.js';
import { EXIT, type ExitCode } from '../output/exit.js';
import { addAction, addJsonOption, type CliIo, DEFAULT_CONFIG, type Session } from '../output/io.js';
import { json } from '../output/table.js';
import { ProgressLine } from './progress.js';
import {
  type ConditionFlags,
  findWorlds,
  HIGHEST_SEED,
  MOST_SEEDS,
  readConditions,
  withConditions,
} from './world-options.js';

interface ArenaFlags extends ConditionFlags {
  readonly config: string | readonly string[];
  readonly world: readonly string[];
  readonly seeds: number;
  readonly first: number;
  readonly workers: number;
  readonly json?: true;
}

const USUAL_WORLD = 'challenge';
const USUAL_SEEDS = 20;

export function addArenaCommand(program: Command, session: Session): void {
  const command = program
    .command('arena')
    .description('lets strategies make markets in worlds of which the truth is known')
    .option('-c, --config <file...>', 'strategy files, or traders’ files with several', DEFAULT_CONFIG)
    .option('--world <name...>', 'worlds, or all', [USUAL_WORLD])
    .addOption(
      new Option('--seeds <n>', 'simulations of each strategy in each world')
        .default(USUAL_SEEDS)
        .argParser(integerBetween(1, MOST_SEEDS)),
    )
    .addOption(new Option('--first <seed>', 'the first seed').default(0).argParser(integerBetween(0, HIGHEST_SEED)))
    .addOption(
      new Option('--workers <n>', 'threads')
        .default(availableParallelism(), 'as many as there are cores')
        .argParser(integerBetween(1, 256)),
    );
  withConditions(addJsonOption(command));
  addAction<ArenaFlags>(command, session, (options) => runWorlds(options, session.io));
}

async function runWorlds(options: ArenaFlags, io: CliIo): Promise<ExitCode> {
  const { runArena } = await import('../../lab/arena/arena.js');
  const worlds = await findWorlds(options.world);
  const conditions = await readConditions(options, worlds);
  const line = new ProgressLine(io, options.json === true);
  const startMs = performance.now();
  const result = await runArena({
    worlds,
    files: [options.config].flat(),
    // A copy: the process's own environment cannot be passed to a thread.
    env: { ...io.env },
    cwd: io.cwd,
    firstSeed: options.first,
    seeds: options.seeds,
    conditions,
    workers: options.workers,
    progress: (done, all) => line.show(done / all, progressText(done, all, performance.now() - startMs)),
  }).finally(() => line.end());
  const { arenaTables } = await import('./arena-tables.js');
  io.out(options.json === true ? json(result) : arenaTables(result, io.columns));
  return result.standings.some(({ failed }) => failed > 0) ? EXIT.failed : EXIT.ok;
}

const progressText = (done: number, all: number, ms: number): string =>
  `simulations ${count(done)}/${count(all)}, ${formatDuration((ms / done) * (all - done))} left`;
