/** `twinbook strategies` and `twinbook config check|schema|explain|show`. */

import type { Command } from 'commander';
import { TwinbookError } from '../shared/base/errors.js';
import { describeKind } from '../shell/config/explain-issues.js';
import { loadConfig } from '../shell/config/load.js';
import { liveClass, strategyFileSchema, traderSchema } from '../shell/config/schema.js';
import { jsonSchema, listSettings, type SchemaNode } from '../shell/config/schema-tree.js';
import { shippedStrategies } from '../shell/config/shipped.js';
import { shownConfig } from '../shell/config/shown.js';
import { loadShipped } from '../shell/config/strategy-module.js';
import { describeStretch } from '../trader/reconcile/stretched-rounds.js';
import { objectSchema, type ParamRow, paramTable } from '../trader/strategy/read-params.js';
import { addConfigLiveCommands } from './config-live.js';
import { addStrategyNewCommand } from './lab/strategy-new.js';
import { addStrategyTestCommand } from './lab/strategy-test.js';
import { EXIT } from './output/exit.js';
import { addAction, addConfigOption, addJsonOption, type Session } from './output/io.js';
import { type Column, json, table } from './output/table.js';

export function addConfigCommands(program: Command, session: Session): void {
  const { io } = session;
  const strategies = addJsonOption(
    program.command('strategies').description('the shipped strategies and their parameters'),
  );
  addAction<{ json?: true }>(strategies, session, async (options) => {
    const loaded = await Promise.all(shippedStrategies().map(loadShipped));
    if (options.json === true) {
      io.out(
        json(
          loaded.map(({ strategy }) => ({
            name: strategy.name,
            summary: strategy.summary,
            params: paramTable(strategy),
          })),
        ),
      );
      return EXIT.ok;
    }
    const blocks = loaded.map(
      ({ strategy }) =>
        `${strategy.name}: ${strategy.summary}\n\n${table(paramTable(strategy), PARAM_COLUMNS, io.columns)}`,
    );
    io.out(`${blocks.join('\n')}\nA strategy file may also name your own .ts or .js module by its path.\n`);
    return EXIT.ok;
  });
  addStrategyNewCommand(strategies, session);
  addStrategyTestCommand(strategies, session);

  const config = program.command('config').description('checks, explains and prints configurations');
  const check = addConfigOption(
    config.command('check').description('reads the configuration with all its strategy files'),
  );
  addAction<{ config: string }>(check, session, async (options) => {
    const config = await loadConfig(options.config, io);
    const { file, strategies: files, configHash } = config;
    const stretch = describeStretch(config.polling, config.venue.profile);
    if (stretch !== null) io.err(`warning: ${stretch}\n`);
    io.out(
      `${file}: ok, ${files.length} strategy file${files.length === 1 ? '' : 's'}, hash ${configHash.slice(0, 12)}\n`,
    );
    return EXIT.ok;
  });

  const schema = config.command('schema').description('prints the JSON Schema of trader files and strategy files');
  addAction(schema, session, async () => {
    const loaded = await Promise.all(shippedStrategies().map(loadShipped));
    const params = Object.fromEntries(loaded.map(({ strategy }) => [strategy.name, objectSchema(strategy.params)]));
    const live = { trader: liveClasses(traderSchema), strategy: liveClasses(strategyFileSchema) };
    io.out(json({ trader: jsonSchema(traderSchema), strategy: jsonSchema(strategyFileSchema), params, live }));
    return EXIT.ok;
  });

  addConfigExplainCommand(config, session);
  addConfigLiveCommands(config, session);

  const show = addConfigOption(config.command('show').description('prints the resolved configuration, secrets masked'));
  addJsonOption(show);
  addAction<{ config: string }>(show, session, async (options) => {
    io.out(json(shownConfig(await loadConfig(options.config, io))));
    return EXIT.ok;
  });
}

/** What each setting wants while the trader runs. */
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

function addConfigExplainCommand(config: Command, session: Session): void {
  const command = config
    .command('explain')
    .argument('[setting]', 'only this setting or group, such as risk or risk.max_loss_day')
    .description('lists every setting with its range, default and meaning');
  addAction<{ json?: true }>(addJsonOption(command), session, (options, [wanted]) => {
    const files = [
      { file: 'trader', rows: listSettingRows(jsonSchema(traderSchema)).filter(isWanted(wanted)) },
      { file: 'strategy', rows: listSettingRows(jsonSchema(strategyFileSchema)).filter(isWanted(wanted)) },
    ].filter(({ rows }) => rows.length > 0);
    if (files.length === 0) {
      const hint = '`twinbook config explain` lists all; parameters of strategies are in `twinbook strategies`.';
      throw new TwinbookError('usage', `there is no setting ${wanted}`, hint);
    }
    const blocks = files.map(
      ({ file, rows }) => `In a ${file} file:\n\n${table(rows, SETTING_COLUMNS, session.io.columns)}`,
    );
    session.io.out(
      options.json === true
        ? json(files.flatMap(({ file, rows }) => rows.map((row) => ({ file, ...row }))))
        : blocks.join('\n'),
    );
    return EXIT.ok;
  });
}

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

/** A setting by its whole name, or by its group, or by its last part. */
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
