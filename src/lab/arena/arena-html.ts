/** The page of an arena: one self-contained HTML file in the report's style, whose figures need no script. */

import { formatQuantity, UNKNOWN } from '../report/figures.js';
import { html, type Markup, shorten } from '../report/html/markup.js';
import { dataTable, section, tone } from '../report/html/parts.js';
import { assumptionList, tablesPage } from '../sweep/html/sweep-html.js';
import type { ArenaResult } from './arena.js';
import { conditionsText } from './conditions.js';
import type { NamedSimulation } from './contract.js';
import {
  type ArenaColumn,
  DIFFERENCE_COLUMNS,
  listCautions,
  listStandingColumns,
  listWorstColumns,
} from './describe.js';

/** Of each strategy in each world. */
const WORST_SHOWN = 5;
/** Fewer say little of a mean whose simulations differ as these do. */
const FEW_SEEDS = 20;
const LONGEST_TEXT = 300;

/** The same result gives the same page, to the byte. */
export function arenaHtml(result: ArenaResult): string {
  const { version, worlds, strategies, standings, differences, firstSeed, seeds } = result;
  const few = `${formatQuantity(seeds, 'seed')}: too few for a mean whose simulations differ so much.`;
  const cautions = [...listCautions(result), ...(seeds < FEW_SEEDS ? [few] : [])];
  const rule =
    'The best of several that were tried on these seeds is good by luck in part: report it on seeds that nothing was chosen on.';
  const content = html`${section(
    'standings',
    'Standings',
    'Value of fills at the true probability of their moment, in currency, without the luck of the settlement.',
    makeTable('Strategies by world', listStandingColumns(result), standings),
  )}${
    differences.length === 0
      ? null
      : section(
          'differences',
          'Differences on the same seeds',
          'Every strategy meets the same luck in a seed: it cancels out in the difference.',
          makeTable('Paired differences', DIFFERENCE_COLUMNS, differences),
        )
  }${section(
    'worst',
    'Worst seeds',
    `The ${WORST_SHOWN} of each strategy with the least edge.`,
    makeTable('Worst seeds', listWorstColumns(result), findWorst(result)),
  )}${assumptionSection(result)}`;
  return tablesPage({
    kind: 'arena',
    title: strategies.map(({ name }) => name).join(', '),
    what: `Arena · ${worlds.map(({ name }) => name).join(', ')} · ${formatQuantity(seeds, 'seed')}, ${firstSeed} to ${firstSeed + seeds - 1}`,
    notes: [...cautions.map((text) => ({ level: 'caution', text }) as const), { level: 'note', text: rule }],
    content,
    foot: `Twinbook ${version}. A dash means not known or not defined, never zero.`,
  });
}

const makeTable = <Row>(caption: string, columns: readonly ArenaColumn<Row>[], rows: readonly Row[]): Markup =>
  dataTable(
    columns.map(({ title, explains = '', value }) => ({ title, explains, isText: value === undefined })),
    rows.map((row) => ({ cells: columns.map((column) => makeCell(column, row)) })),
    { caption, sorts: true },
  );

function makeCell<Row>({ text, value, isToned }: ArenaColumn<Row>, row: Row) {
  const shown = shorten(text(row) ?? UNKNOWN, LONGEST_TEXT);
  if (value === undefined) return { text: shown };
  return { text: shown, value: value(row), class: isToned === true ? tone(value(row)) : '' };
}

const findWorst = ({ standings, simulations }: ArenaResult): readonly NamedSimulation[] =>
  standings.flatMap(({ world, strategy }) =>
    simulations
      .filter((one) => one.world === world && one.strategy === strategy)
      .sort((a, b) => a.edge - b.edge || a.seed - b.seed)
      .slice(0, WORST_SHOWN),
  );

function assumptionSection({ worlds, strategies, conditions, firstSeed, seeds }: ArenaResult): Markup {
  const rows: readonly (readonly [string, string | Markup])[] = [
    ...worlds.map(({ name, summary, conditions: taken }): readonly [string, string] => {
      const text = conditionsText(taken, conditions);
      return [name, `${summary}${text === '' ? '' : `; ${text}`}`];
    }),
    ...strategies.map(({ name, file, module, params, configHash }): readonly [string, Markup] => [
      shorten(name, 60),
      html`${shorten(module, 200)} of ${shorten(file, 200)}, ${shorten(JSON.stringify(params), 1_000)}<br><code>${configHash}</code>`,
    ]),
    ['Seeds', `${firstSeed} to ${firstSeed + seeds - 1}, the same for every strategy`],
    ['Amounts', 'currency; prices and shares as in params are millionths'],
  ];
  return section('assumptions', 'What was run', 'The same command gives the same figures.', assumptionList(rows));
}
