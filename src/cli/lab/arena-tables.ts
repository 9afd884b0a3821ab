/** What the arena says on a terminal: one row a strategy and world, then the differences on common seeds. */

import type { ArenaResult } from '../../lab/arena/arena.js';
import { conditionsText } from '../../lab/arena/conditions.js';
import { type ArenaColumn, DIFFERENCE_COLUMNS, listCautions, listStandingColumns } from '../../lab/arena/describe.js';
import { type Column, prose, table } from '../output/table.js';

/** @param width of the terminal; left out for a file */
export function arenaTables(result: ArenaResult, width?: number): string {
  const { worlds, conditions, standings, differences, firstSeed, seeds } = result;
  const say = (text: string) => prose(text, width, '  ');
  const seedLine = `seeds ${firstSeed} to ${firstSeed + seeds - 1}; mean a simulation ± standard error, edge against the true probability\n`;
  const conditionLines = worlds.flatMap(({ name, conditions: taken }) => {
    const text = conditionsText(taken, conditions);
    return text === '' ? [] : [`${name}: ${text}\n`];
  });
  const differenceTable = table(differences, DIFFERENCE_COLUMNS.map(onTerminal), width);
  return [
    ...[seedLine, ...conditionLines].map(say),
    '\n',
    table(standings, listStandingColumns(result).map(onTerminal), width),
    differences.length === 0 ? '' : `\nDifferences on the same seeds\n${differenceTable}`,
    ...listCautions(result).map((text) => say(`\n${text}\n`)),
  ].join('');
}

const onTerminal = <Row>({ title, text, value, keep }: ArenaColumn<Row>): Column<Row> => ({
  title: title.toUpperCase(),
  cell: text,
  ...(value === undefined ? { gives: 'cut' } : { right: true }),
  ...(keep === undefined ? {} : { keep }),
});
