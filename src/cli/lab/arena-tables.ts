/** What the arena says on a terminal: one row a strategy and world, then the differences on common seeds. */

import type { ArenaResult, EdgeDifference, Standing } from '../../lab/arena/contract.js';
import { conditionsText, meanText } from '../../lab/arena/describe.js';
import { type Column, prose, table } from '../output/table.js';

/** @param width of the terminal; left out for a file */
export function arenaTables(result: ArenaResult, width?: number): string {
  const { standings, differences, firstSeed, seeds } = result;
  const failures = standings.filter(({ failed }) => failed > 0);
  const halted = standings.filter((standing) => standing.halted > 0);
  const hasRequests = standings.some(({ requests }) => requests !== null);
  const say = (text: string) => prose(text, width, '  ');
  return [
    say(
      `seeds ${firstSeed} to ${firstSeed + seeds - 1}; mean a simulation ± standard error, edge against the true probability\n`,
    ),
    ...conditionLines(result).map(say),
    '\n',
    table(standings, hasRequests ? [...COLUMNS, REQUESTS] : COLUMNS, width),
    differences.length === 0 ? '' : `\nDifferences on the same seeds\n${table(differences, DIFFERENCE_COLUMNS, width)}`,
    ...halted.map(({ strategy, world, halted: times, simulations }) =>
      say(`\nA limit of risk halted ${strategy} in ${times} of ${simulations} simulations of ${world}.\n`),
    ),
    ...failures.map(({ strategy, world, failed, simulations, firstFailure }) =>
      say(
        `\n${strategy} failed in ${failed} of ${simulations} simulations of ${world}, which count as far as they went; the first, ${firstFailure}\n`,
      ),
    ),
  ].join('');
}

const conditionLines = ({ worlds, conditions }: ArenaResult): readonly string[] =>
  worlds.flatMap((world) => {
    const text = conditionsText(world, conditions);
    return text === '' ? [] : [`${world.name}: ${text}\n`];
  });

/** Of a narrow terminal the edge and how sure it is are what is left. */
const COLUMNS: readonly Column<Standing>[] = [
  { title: 'WORLD', cell: ({ world }) => world, gives: 'cut' },
  { title: 'STRATEGY', cell: ({ strategy }) => strategy, gives: 'cut' },
  { title: 'EDGE', cell: ({ edge }) => meanText(edge), right: true },
  { title: 'BELOW 0', cell: ({ belowZero, simulations }) => `${belowZero} of ${simulations}`, right: true, keep: 90 },
  { title: 'UNINFORMED', cell: ({ uninformedEdge }) => meanText(uninformedEdge), right: true, keep: 70 },
  { title: 'INFORMED', cell: ({ informedEdge }) => meanText(informedEdge), right: true, keep: 70 },
  { title: 'FILLS', cell: ({ fills }) => fills.mean.toFixed(1), right: true, keep: 60 },
  { title: 'SHARES', cell: ({ shares }) => shares.mean.toFixed(0), right: true, keep: 20 },
  { title: 'ACTIONS', cell: ({ actions }) => actions.mean.toFixed(0), right: true, keep: 10 },
  { title: 'RESULT', cell: ({ result }) => meanText(result), right: true, keep: 80 },
  { title: 'DRAWDOWN', cell: ({ drawdown }) => drawdown.mean.toFixed(1), right: true, keep: 50 },
];

const REQUESTS: Column<Standing> = {
  title: 'REQUESTS',
  cell: ({ requests }) => requests?.mean.toFixed(0) ?? null,
  right: true,
  keep: 40,
};

const DIFFERENCE_COLUMNS: readonly Column<EdgeDifference>[] = [
  { title: 'WORLD', cell: ({ world }) => world, gives: 'cut' },
  { title: 'STRATEGY', cell: ({ strategy }) => strategy, gives: 'cut' },
  { title: 'AGAINST', cell: ({ against }) => against, gives: 'cut' },
  { title: 'EDGE MORE', cell: ({ edge }) => meanText(edge), right: true },
  { title: 'BETTER', cell: ({ better, simulations }) => `${better} of ${simulations}`, right: true },
];
