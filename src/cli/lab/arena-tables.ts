/** What the arena says on a terminal: one row a strategy and world, then the differences on common seeds. */

import type { ArenaResult, EdgeDifference, Standing } from '../../lab/arena/contract.js';
import { conditionsText, meanText } from '../../lab/arena/describe.js';
import { type Column, table } from '../output/table.js';

export function arenaTables(result: ArenaResult): string {
  const { standings, differences, firstSeed, seeds } = result;
  const failures = standings.filter(({ failed }) => failed > 0);
  const halted = standings.filter((standing) => standing.halted > 0);
  const hasRequests = standings.some(({ requests }) => requests !== null);
  return [
    `seeds ${firstSeed} to ${firstSeed + seeds - 1}; mean a simulation ± standard error, edge against the true probability\n`,
    ...conditionLines(result),
    '\n',
    table(standings, hasRequests ? [...COLUMNS, REQUESTS] : COLUMNS),
    differences.length === 0 ? '' : `\nDifferences on the same seeds\n${table(differences, DIFFERENCE_COLUMNS)}`,
    ...halted.map(
      ({ strategy, world, halted: times, simulations }) =>
        `\nA limit of risk halted ${strategy} in ${times} of ${simulations} simulations of ${world}.\n`,
    ),
    ...failures.map(
      ({ strategy, world, failed, simulations, firstFailure }) =>
        `\n${strategy} failed in ${failed} of ${simulations} simulations of ${world}, which count as far as they went; the first, ${firstFailure}\n`,
    ),
  ].join('');
}

const conditionLines = ({ worlds, conditions }: ArenaResult): readonly string[] =>
  worlds.flatMap((world) => {
    const text = conditionsText(world, conditions);
    return text === '' ? [] : [`${world.name}: ${text}\n`];
  });

const COLUMNS: readonly Column<Standing>[] = [
  { title: 'WORLD', cell: ({ world }) => world },
  { title: 'STRATEGY', cell: ({ strategy }) => strategy },
  { title: 'EDGE', cell: ({ edge }) => meanText(edge), right: true },
  { title: 'BELOW 0', cell: ({ belowZero, simulations }) => `${belowZero} of ${simulations}`, right: true },
  { title: 'UNINFORMED', cell: ({ uninformedEdge }) => meanText(uninformedEdge), right: true },
  { title: 'INFORMED', cell: ({ informedEdge }) => meanText(informedEdge), right: true },
  { title: 'FILLS', cell: ({ fills }) => fills.mean.toFixed(1), right: true },
  { title: 'SHARES', cell: ({ shares }) => shares.mean.toFixed(0), right: true },
  { title: 'ACTIONS', cell: ({ actions }) => actions.mean.toFixed(0), right: true },
  { title: 'RESULT', cell: ({ result }) => meanText(result), right: true },
  { title: 'DRAWDOWN', cell: ({ drawdown }) => drawdown.mean.toFixed(1), right: true },
];

const REQUESTS: Column<Standing> = {
  title: 'REQUESTS',
  cell: ({ requests }) => requests?.mean.toFixed(0) ?? null,
  right: true,
};

const DIFFERENCE_COLUMNS: readonly Column<EdgeDifference>[] = [
  { title: 'WORLD', cell: ({ world }) => world },
  { title: 'STRATEGY', cell: ({ strategy }) => strategy },
  { title: 'AGAINST', cell: ({ against }) => against },
  { title: 'EDGE MORE', cell: ({ edge }) => meanText(edge), right: true },
  { title: 'BETTER', cell: ({ better, simulations }) => `${better} of ${simulations}`, right: true },
];
