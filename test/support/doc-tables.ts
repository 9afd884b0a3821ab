/** `npm run lab -- docs`: writes the tables of the documents that follow from declarations. */

import { Command } from 'commander';
import { COMMAND_GROUPS } from '../../src/cli/cli.js';
import type { CommandSession } from '../../src/cli/io.js';
import { jsonSchema, listSettings, type SchemaNode } from '../../src/shell/config/problems.js';
import { strategyFileSchema, traderSchema } from '../../src/shell/config/schema.js';
import { METRICS } from '../../src/shell/console/metrics.js';
import { riskOverrideSchema } from '../../src/trader/risk/limits.js';
import { writeFigures } from './doc-figures.js';

type Cells = readonly string[];
type Setting = ReturnType<typeof listSettings>[number];
const line = (cells: Cells): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
const table = (head: Cells, rows: readonly Cells[]): string =>
  [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
const code = (text: string): string => `\`${text}\``;

async function commands(): Promise<string> {
  const program = new Command();
  // Only the action of a command reads its session.
  for (const { load } of COMMAND_GROUPS) (await load())(program, {} as CommandSession);
  const rowsBelow = (parent: Command, before: string): readonly Cells[] =>
    parent.commands.flatMap((command) => {
      const args = command.registeredArguments.map((arg) => (arg.required ? ` <${arg.name()}>` : ` [${arg.name()}]`));
      const name = `${before}${command.name()}`;
      return [[code(name + args.join('')), command.description()], ...rowsBelow(command, `${name} `)];
    });
  return table(['Command', 'Effect'], rowsBelow(program, ''));
}

function valuesOf(node: SchemaNode): string {
  const { anyOf, enum: words, type = '', minimum: low, maximum: high = Number.MAX_SAFE_INTEGER } = node;
  if (anyOf !== undefined) return anyOf.map(valuesOf).join(', ');
  if (words !== undefined) return words.join(', ');
  if (low !== undefined) return high === Number.MAX_SAFE_INTEGER ? `≥${low}` : `${low}–${high}`;
  return node['x-path'] === true ? 'path' : ({ string: 'text', array: 'list', object: 'mapping' }[type] ?? type);
}

const defaultOf = ({ node, isRequired }: Setting): string =>
  isRequired ? '*required*' : node.default === undefined ? '–' : code(JSON.stringify(node.default));

/** The form of a decimal or a cron expression, which the description names last, goes into the column of values. */
function rowOf(setting: Setting): Cells {
  const { name, node } = setting;
  const [, meaning = '', low, high, cron] =
    /^(.*?)(?: Decimal string from "(.*)" to "(.*)"\.| (Cron) with .*)?$/.exec(node.description ?? '') ?? [];
  const values = low === undefined ? (cron === undefined ? valuesOf(node) : 'cron, null') : `"${low}"–"${high}"`;
  return [code(name), values, defaultOf(setting), meaning];
}

function limitRow(setting: Setting): Cells {
  const name = setting.name.replace('risk.', '');
  const [, number = '', meaning = ''] = /^(\d+): (.*)$/.exec(setting.node.description ?? '') ?? [];
  return [number, code(name) + (name in riskOverrideSchema.shape ? ' S' : ''), defaultOf(setting), meaning];
}

const settingsTable = (settings: readonly Setting[]): string =>
  table(['Setting', 'Values', 'Default', 'Meaning'], settings.map(rowOf));
const trader = listSettings(jsonSchema(traderSchema));
const isLimit = ({ name }: Setting): boolean => name.startsWith('risk.');
const metrics = Object.entries(METRICS).map(([name, { kind, labels, help }]) => {
  return [code(name), kind, labels.map(code).join(', ') || '–', help];
});

/** Page, name and text of each table. */
export const DOC_TABLES: readonly (readonly [page: string, name: string, markdown: string])[] = [
  ['docs/reference.md', 'commands', await commands()],
  ['docs/reference.md', 'settings', settingsTable(trader.filter((setting) => !isLimit(setting)))],
  ['docs/reference.md', 'strategy settings', settingsTable(listSettings(jsonSchema(strategyFileSchema)))],
  ['docs/reference.md', 'limits', table(['No.', 'Setting', 'Default', 'Limits'], trader.filter(isLimit).map(limitRow))],
  ['docs/monitoring.md', 'metrics', table(['Name', 'Kind', 'Labels', 'Meaning'], metrics)],
];

if (process.argv[1] === import.meta.filename)
  for (const [page, name, markdown] of DOC_TABLES) writeFigures(name, markdown, page);
