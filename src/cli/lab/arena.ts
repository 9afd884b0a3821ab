/** `twinbook arena`: strategies in worlds of which the truth is known. */

import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { ArenaResult } from '../../lab/arena/contract.js';
import { count, duration } from '../../lab/report/figures.js';
import { integerBetween } from '../arguments.js';
import { EXIT, type ExitCode } from '../output/exit.js';
import { action, type CliIo, DEFAULT_CONFIG, type Session, withJson } from '../output/io.js';
import { json } from '../output/table.js';
import { ProgressLine } from './progress.js';

interface ArenaFlags {
  readonly config: string | readonly string[];
  readonly world: readonly string[];
  readonly seeds: number;
  readonly first: number;
  readonly workers: number;
  readonly json?: true;
}

const HIGHEST_SEED = 2 ** 31;
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
        .argParser(integerBetween(1, 1_000_000)),
    )
    .addOption(new Option('--first <seed>', 'the first seed').default(0).argParser(integerBetween(0, HIGHEST_SEED)))
    .addOption(
      new Option('--workers <n>', 'threads')
        .default(availableParallelism(), 'as many as there are cores')
        .argParser(integerBetween(1, 256)),
    );
  withJson(command);
  action<ArenaFlags>(command, session, (options) => runWorlds(options, session.io));
}

async function runWorlds(options: ArenaFlags, io: CliIo): Promise<ExitCode> {
  const { entrantsOf } = await import('../../lab/arena/entrants.js');
  const { runArena } = await import('../../lab/arena/arena.js');
  const worlds = await worldsOf(options.world);
  const files = [options.config].flat().map((file) => resolve(io.cwd, file));
  // A copy: the environment of the process itself cannot be handed to a thread.
  const source = { files, env: { ...io.env }, cwd: io.cwd };
  const entrants = await entrantsOf(source);
  const line = new ProgressLine(io, options.json === true);
  const startMs = performance.now();
  const result = await runArena({
    worlds,
    strategies: entrants.map(({ name }) => name),
    source,
    firstSeed: options.first,
    seeds: options.seeds,
    workers: options.workers,
    progress: (done, all) => line.show(done / all, progressText(done, all, performance.now() - startMs)),
  }).finally(() => line.end());
  return tell(result, options, io);
}

async function worldsOf(names: readonly string[]): Promise<readonly string[]> {
  const { WORLDS, worldNamed } = await import('../../lab/arena/worlds.js');
  if (names.includes('all')) return WORLDS.map(({ name }) => name);
  return [...new Set(names)].map((name) => worldNamed(name).name);
}

const progressText = (done: number, all: number, ms: number): string =>
  `simulations ${count(done)}/${count(all)}, ${duration((ms / done) * (all - done))} left`;

async function tell(result: ArenaResult, options: ArenaFlags, io: CliIo): Promise<ExitCode> {
  if (options.json === true) io.out(json(result));
  else {
    const { arenaTables } = await import('./arena-tables.js');
    io.out(arenaTables(result));
  }
  return result.standings.some(({ failed }) => failed > 0) ? EXIT.failed : EXIT.ok;
}
