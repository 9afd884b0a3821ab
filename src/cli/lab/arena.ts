/** `twinbook arena`: strategies in worlds with a known truth. */

import { availableParallelism } from 'node:os';
import { Option } from 'commander';
import { count, formatDuration } from '../../lab/report/figures.js';
import { type Answer, command, integerBetween, type OptionRow, usual, type Values } from '../command.js';
import { EXIT } from '../output/exit.js';
import { type CliIo, DEFAULT_CONFIG } from '../output/io.js';
import { ProgressLine } from './progress.js';
import { CONDITION_OPTIONS, findWorlds, HIGHEST_SEED, MOST_SEEDS, readConditions } from './world-options.js';

const OPTIONS = {
  config: {
    option: new Option('-c, --config <file...>', 'strategy files, or traders’ files with several').default(
      DEFAULT_CONFIG,
    ),
  } as OptionRow<string | readonly string[]>,
  world: { option: new Option('--world <name...>', 'worlds, or all').default(['challenge']) } as OptionRow<
    readonly string[]
  >,
  seeds: usual('--seeds <n>', 'simulations of each strategy in each world', 20, integerBetween(1, MOST_SEEDS)),
  first: usual('--first <seed>', 'the first seed', 0, integerBetween(0, HIGHEST_SEED)),
  workers: usual(
    '--workers <n>',
    'threads',
    availableParallelism(),
    integerBetween(1, 256),
    'as many as there are cores',
  ),
  ...CONDITION_OPTIONS,
};

export const addArenaCommand = command({
  name: 'arena',
  help: 'lets strategies make markets in worlds of which the truth is known',
  options: OPTIONS,
  answer: ({ options, isJson, io }) => runWorlds(options, isJson, io),
});

async function runWorlds(options: Values<typeof OPTIONS>, isJson: boolean, io: CliIo): Promise<Answer> {
  const { runArena } = await import('../../lab/arena/arena.js');
  const worlds = await findWorlds(options.world);
  const conditions = await readConditions(options, worlds);
  const line = new ProgressLine(io, isJson);
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
  const hasFailed = result.standings.some(({ failed }) => failed > 0);
  return { data: result, text: (width) => arenaTables(result, width), code: hasFailed ? EXIT.failed : EXIT.ok };
}

const progressText = (done: number, all: number, ms: number): string =>
  `simulations ${count(done)}/${count(all)}, ${formatDuration((ms / done) * (all - done))} left`;
