/** Command `twinbook arena`: runs strategies in simulated worlds whose true probabilities are known. */

import { availableParallelism } from 'node:os';
import { Option } from 'commander';
import type { ArenaResult, computeDifference, computeStanding } from '../../lab/arena/arena.js';
import { conditionsText, USUAL_CONDITIONS } from '../../lab/arena/contract.js';
import { count, decimal, formatDuration } from '../../lab/report/figures.js';
import type { FreshMean } from '../../lab/sweep/result.js';
import { command } from '../command.js';
import { DEFAULT_CONFIG, EXIT, ProgressLine } from '../io.js';
import * as option from '../options.js';
import { prose, type TableColumn, table } from '../table.js';

type ArenaStanding = Readonly<ReturnType<typeof computeStanding>>;
type EdgeDifference = Readonly<ReturnType<typeof computeDifference>>;

export const HIGHEST_SEED = 2 ** 31;
export const MOST_SEEDS = 1_000_000;

export const marketsOption = option.integer('--markets <n>', 'markets in the world `rationed` (default: 1)', [1, 40]);

/** Finds the named worlds and their conditions. Throws `usage` if no world supports the requested number of markets. */
export async function chooseWorlds(names: readonly string[], markets: number | undefined) {
  const { WORLDS, withMarkets, worldNamed } = await import('../../lab/arena/worlds.js');
  const others = names.filter((name) => name !== 'all').map(worldNamed);
  const worlds = names.includes('all') ? WORLDS : [...new Set(others)];
  return { worlds, conditions: markets === undefined ? USUAL_CONDITIONS : withMarkets(markets, worlds) };
}

const cores = availableParallelism();
export const threadsOption = option.integer('--workers <n>', 'number of threads', [1, 256], cores, 'number of cores');

const FILES: option.OptionRow<string | readonly string[]> = new Option(
  '-c, --config <file...>',
  'strategy files, or traders’ files',
).default(DEFAULT_CONFIG);
const WORLD: option.OptionRow<readonly string[]> = new Option(
  '--world <name...>',
  'names of the worlds, or all',
).default(['challenge']);

export const addArenaCommand = command({
  name: 'arena',
  help: 'simulates strategies in markets whose true probabilities are known',
  options: {
    config: FILES,
    world: WORLD,
    seeds: option.integer('--seeds <n>', 'number of simulations per strategy and world', [1, MOST_SEEDS], 20),
    first: option.integer('--first <seed>', 'first seed of the simulations', [0, HIGHEST_SEED], 0),
    workers: threadsOption,
    markets: marketsOption,
  },
  answer: async ({ options, isJson, io }) => {
    const { runArena } = await import('../../lab/arena/arena.js');
    const chosen = await chooseWorlds(options.world, options.markets);
    const line = new ProgressLine(io, isJson);
    const startMs = performance.now();
    const progress = (done: number, all: number) => {
      const left = formatDuration(((performance.now() - startMs) / done) * (all - done));
      line.show(done / all, `simulations ${count(done)}/${count(all)}, ${left} left`);
    };
    const { seeds, first: firstSeed, workers } = options;
    // The environment is copied, because the process's own environment cannot be passed to a thread.
    const place = { paths: [options.config].flat(), env: { ...io.env }, cwd: io.cwd };
    const asked = { ...place, ...chosen, firstSeed, seeds, workers, progress };
    const result = await runArena(asked).finally(() => line.end());
    const hasFailed = result.standings.some(({ failed }) => failed > 0);
    return { data: result, text: (width) => arenaTables(result, width), code: hasFailed ? EXIT.failed : EXIT.ok };
  },
});

export function arenaTables(result: ArenaResult, width?: number): string {
  const { worlds, conditions, standings, differences, firstSeed, seeds } = result;
  const say = (text: string) => prose(text, width, '  ');
  const seedLine = `seeds ${firstSeed} to ${firstSeed + seeds - 1}; figures are means per simulation ± standard error; edge is measured against the true probability\n`;
  const conditionLines = worlds.flatMap(({ name, conditions: taken }) => {
    const text = conditionsText(taken, conditions);
    return text === '' ? [] : [`${name}: ${text}\n`];
  });
  const hasRequests = standings.some(({ requests }) => requests !== null);
  const columns = STANDING_COLUMNS.filter(({ title }) => hasRequests || title !== 'REQUESTS');
  return [
    ...[seedLine, ...conditionLines].map(say),
    '\n',
    table(standings, columns, width),
    differences.length === 0 ? '' : `\nDifferences on the same seeds\n${table(differences, DIFFERENCE_COLUMNS, width)}`,
    ...listCautions(result).map((text) => say(`\n${text}\n`)),
  ].join('');
}

/** Formats a mean result and its error in currency, as in `+1.23 ± 0.45`. One simulation has no error. */
export function meanText({ mean, standardError }: FreshMean, places = 2): string {
  const sign = mean >= 0.5 * 10 ** -places ? '+' : '';
  const error = standardError === null ? '' : ` ± ${decimal(standardError, places)}`;
  return `${sign}${decimal(mean, places)}${error}`;
}

const NAMES: readonly TableColumn<Pick<ArenaStanding, 'world' | 'strategy'>>[] = [
  { title: 'WORLD', cell: ({ world }) => world, gives: 'cut' },
  { title: 'STRATEGY', cell: ({ strategy }) => strategy, gives: 'cut' },
];

const partText = (part: number, { simulations }: { readonly simulations: number }): string =>
  `${count(part)} of ${count(simulations)}`;

const STANDING_COLUMNS: readonly TableColumn<ArenaStanding>[] = [
  ...NAMES,
  { title: 'EDGE', cell: ({ edge }) => meanText(edge), right: true },
  { title: 'SD', cell: ({ edgeSd }) => (edgeSd === null ? null : decimal(edgeSd, 2)), right: true, keep: 45 },
  { title: 'WORST 5 %', cell: ({ edgeWorst }) => decimal(edgeWorst, 2), right: true, keep: 85 },
  { title: 'BELOW 0', cell: (row) => partText(row.belowZero, row), right: true, keep: 90 },
  { title: 'UNINFORMED', cell: ({ uninformedEdge }) => meanText(uninformedEdge), right: true, keep: 70 },
  { title: 'INFORMED', cell: ({ informedEdge }) => meanText(informedEdge), right: true, keep: 70 },
  { title: 'FILLS', cell: ({ fills }) => decimal(fills.mean, 1), right: true, keep: 60 },
  { title: 'SHARES', cell: ({ shares }) => decimal(shares.mean, 0), right: true, keep: 20 },
  { title: 'ACTIONS', cell: ({ actions }) => decimal(actions.mean, 0), right: true, keep: 10 },
  { title: 'RESULT', cell: ({ result }) => meanText(result), right: true, keep: 80 },
  { title: 'DRAWDOWN', cell: ({ drawdown }) => decimal(drawdown.mean, 1), right: true, keep: 50 },
  { title: 'REQUESTS', cell: ({ requests }) => requests && decimal(requests.mean, 0), right: true, keep: 40 },
];

const DIFFERENCE_COLUMNS: readonly TableColumn<EdgeDifference>[] = [
  ...NAMES,
  { title: 'AGAINST', cell: ({ against }) => against, gives: 'cut' },
  { title: 'EDGE MORE', cell: ({ edge }) => meanText(edge), right: true },
  { title: 'BETTER', cell: (row) => partText(row.better, row), right: true },
  { title: 'WORSE', cell: (row) => partText(row.worse, row), right: true, keep: 90 },
];

const listCautions = ({ standings }: ArenaResult): readonly string[] => {
  const halts = standings.filter(({ halted }) => halted > 0);
  const failures = standings.filter(({ failed }) => failed > 0);
  const simulations = (part: number, row: ArenaStanding) => `${part} of ${row.simulations} simulations of ${row.world}`;
  return [
    ...halts.map((row) => `A risk limit halted ${row.strategy} in ${simulations(row.halted, row)}.`),
    ...failures.map(
      (row) =>
        `${row.strategy} failed in ${simulations(row.failed, row)}; results before the failure are counted. First failure: ${row.firstFailure}`,
    ),
  ];
};
