/** `twinbook strategies` and `twinbook config check|schema|explain|show`. */

import { TwinbookError } from '../shared/base/errors.js';
import { describeKind } from '../shell/config/explain-issues.js';
import { liveClass, strategyFileSchema, traderSchema } from '../shell/config/schema.js';
import { jsonSchema, listSettings, type SchemaNode } from '../shell/config/schema-tree.js';
import { shippedStrategies } from '../shell/config/shipped.js';
import { shownConfig } from '../shell/config/shown.js';
import { loadShipped } from '../shell/config/strategy-module.js';
import { describeStretch } from '../trader/reconcile/round.js';
import { objectSchema, type ParamRow, paramTable } from '../trader/strategy/read-params.js';
import { all, command, group } from './command.js';
import { configLiveCommands } from './config-live.js';
import { strategyNewCommand } from './lab/strategy-new.js';
import { strategyTestCommand } from './lab/strategy-test.js';
import { type Column, json, table } from './output/table.js';

const strategiesCommand = command({
  name: 'strategies',
  help: 'the shipped strategies and their parameters',
  answer: async () => {
    const loaded = await Promise.all(shippedStrategies().map(loadShipped));
    const rows = loaded.map(({ strategy }) => ({
      name: strategy.name,
      summary: strategy.summary,
      params: paramTable(strategy),
    }));
    const block = ({ name, summary, params }: (typeof rows)[number], width: number | undefined) =>
      `${name}: ${summary}\n\n${table(params, PARAM_COLUMNS, width)}`;
    const own = 'A strategy file may also name your own .ts or .js module by its path.';
    return { data: rows, text: (width) => `${rows.map((row) => block(row, width)).join('\n')}\n${own}\n` };
  },
  below: [strategyNewCommand, strategyTestCommand],
});

const checkCommand = command({
  name: 'check',
  help: 'reads the configuration with all its strategy files',
  config: 'whole',
  run: ({ config: { file, strategies, configHash, polling, venue }, io }) => {
    const stretch = describeStretch(polling, venue.profile);
    if (stretch !== null) io.err(`warning: ${stretch}\n`);
    const files = `${strategies.length} strategy file${strategies.length === 1 ? '' : 's'}`;
    io.out(`${file}: ok, ${files}, hash ${configHash.slice(0, 12)}\n`);
  },
});

const schemaCommand = command({
  name: 'schema',
  help: 'prints the JSON Schema of trader files and strategy files',
  run: async ({ io }) => {
    const loaded = await Promise.all(shippedStrategies().map(loadShipped));
    const params = Object.fromEntries(loaded.map(({ strategy }) => [strategy.name, objectSchema(strategy.params)]));
    const live = { trader: liveClasses(traderSchema), strategy: liveClasses(strategyFileSchema) };
    io.out(json({ trader: jsonSchema(traderSchema), strategy: jsonSchema(strategyFileSchema), params, live }));
  },
});

const showCommand = command({
  name: 'show',
  help: 'prints the resolved configuration, secrets masked',
  config: 'whole',
  answer: ({ config }) => {
    const data = shownConfig(config);
    return { data, text: json(data) };
  },
});

/** How a running trader applies each setting. */
const liveClasses = (schema: typeof traderSchema | typeof strategyFileSchema) =>
  Object.fromEntries(listSettings(jsonSchema(schema)).map(({ name }) => [name, liveClass(schema, name)]));

const PARAM_COLUMNS: readonly Column<ParamRow>[] = [
  { title: 'PARAMETER', cell: (row) => row.name },
  { title: 'UNIT', cell: (row) => row.unit, keep: 2 },
  { title: 'RANGE', cell: (row) => row.range },
  { title: 'DEFAULT', cell: (row) => (row.default.length > 24 ? 'see --json' : row.default) },
  { title: 'LIVE', cell: (row) => row.live, keep: 1 },
  { title: 'MEANING', cell: (row) => row.help, gives: 'fold' },
];

const explainCommand = command({
  name: 'explain',
  help: 'lists every setting with its range, default and meaning',
  args: [['[setting]', 'only this setting or group, such as risk or risk.max_loss_day']],
  answer: ({ args: [wanted] }) => {
    const files = [
      { file: 'trader', rows: listSettingRows(jsonSchema(traderSchema)).filter(isWanted(wanted)) },
      { file: 'strategy', rows: listSettingRows(jsonSchema(strategyFileSchema)).filter(isWanted(wanted)) },
    ].filter(({ rows }) => rows.length > 0);
    if (files.length === 0) {
      const hint = '`twinbook config explain` lists all; parameters of strategies are in `twinbook strategies`.';
      throw new TwinbookError('usage', `there is no setting ${wanted}`, hint);
    }
    return {
      data: files.flatMap(({ file, rows }) => rows.map((row) => ({ file, ...row }))),
      text: (width) =>
        files.map(({ file, rows }) => `In a ${file} file:\n\n${table(rows, SETTING_COLUMNS, width)}`).join('\n'),
    };
  },
});

interface SettingRow {
  readonly setting: string;
  readonly kind: string;
  readonly default: string | null;
  readonly meaning: string;
}

const listSettingRows = (schema: SchemaNode): readonly SettingRow[] =>
  listSettings(schema).map(({ name, node, isRequired }) => ({
    setting: name,
    kind: describeKind(node),
    default: isRequired ? 'must be given' : node.default === undefined ? null : JSON.stringify(node.default),
    meaning: node.description ?? '',
  }));

/** A setting by its full name, its group or its last part. */
const isWanted =
  (wanted: string | undefined) =>
  ({ setting }: SettingRow): boolean =>
    wanted === undefined || setting === wanted || setting.startsWith(`${wanted}.`) || setting.endsWith(`.${wanted}`);

const SETTING_COLUMNS: readonly Column<SettingRow>[] = [
  { title: 'SETTING', cell: (row) => row.setting },
  { title: 'WANTS', cell: (row) => row.kind, gives: 'fold' },
  { title: 'DEFAULT', cell: (row) => row.default, gives: 'fold' },
  { title: 'MEANING', cell: (row) => row.meaning, gives: 'fold' },
];

export const addConfigCommands = all(
  strategiesCommand,
  group(
    'config',
    'checks, explains and prints configurations',
    checkCommand,
    schemaCommand,
    explainCommand,
    ...configLiveCommands,
    showCommand,
  ),
);
