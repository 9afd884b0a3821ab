/** Commands `twinbook strategies` and `twinbook config`. */

import { TwinbookError } from '../shared/base/errors.js';
import { utcText } from '../shared/base/text.js';
import type { TraderConfig } from '../shell/config/config.js';
import { readConfig } from '../shell/config/load.js';
import { describeKind, jsonSchema, listSettings } from '../shell/config/problems.js';
import { liveClass, strategyFileSchema, traderSchema } from '../shell/config/schema.js';
import { shippedStrategies } from '../shell/config/shipped.js';
import { shownConfig } from '../shell/config/shown.js';
import { loadShipped } from '../shell/config/strategy-module.js';
import type { ConfigData, ControlQuestion } from '../shell/control/control-protocol.js';
import { configHistory, HISTORY_NOTE } from '../trader/engine/control/commands.js';
import { objectSchema, paramTable } from '../trader/strategy/read-params.js';
import { all, type CommandOutput, command } from './command.js';
import type { CliIo } from './io.js';
import * as option from './options.js';
import { askThere, readLedger, valueOn } from './reach.js';
import { strategyNewCommand, strategyTestCommand } from './strategy-commands.js';
import { json, linesText, type TableColumn, table } from './table.js';

const strategiesCommand = command({
  name: 'strategies',
  help: 'lists the shipped strategies and their parameters',
  answer: async () => {
    const data = (await loadAllShipped()).map((strategy) => {
      return { name: strategy.name, summary: strategy.summary, params: paramTable(strategy) };
    });
    const text = (width: number | undefined) => {
      const blocks = data.map(
        ({ name, summary, params }) => `${name}: ${summary}\n\n${table(params, PARAM_COLUMNS, width)}\n`,
      );
      return `${blocks.join('')}A strategy file can also give the path of your own .ts or .js module.\n`;
    };
    return { data, text };
  },
  below: [strategyNewCommand, strategyTestCommand],
});

const loadAllShipped = () => Promise.all(shippedStrategies().map(async (name) => (await loadShipped(name)).strategy));

const checkCommand = command({
  name: 'check',
  help: 'checks the configuration file and all its strategy files for errors',
  config: 'whole',
  run: ({ config: { file, strategies, configHash }, io }) => {
    const files = `${strategies.length} strategy file${strategies.length === 1 ? '' : 's'}`;
    io.out(`${file}: ok, ${files}, hash ${configHash.slice(0, 12)}\n`);
  },
});

const schemaCommand = command({
  name: 'schema',
  help: 'prints the JSON Schema of trader files and strategy files',
  run: async ({ io }) => {
    const strategies = await loadAllShipped();
    const params = Object.fromEntries(strategies.map((strategy) => [strategy.name, objectSchema(strategy.params)]));
    const live = { trader: liveClasses(traderSchema), strategy: liveClasses(strategyFileSchema) };
    io.out(json({ trader: jsonSchema(traderSchema), strategy: jsonSchema(strategyFileSchema), params, live }));
  },
});

const showCommand = command({
  name: 'show',
  help: 'prints the resolved configuration with masked secrets',
  config: 'whole',
  answer: ({ config }) => {
    const data = shownConfig(config);
    return { data, text: json(data) };
  },
});

type FileSchema = typeof traderSchema | typeof strategyFileSchema;

const liveClasses = (schema: FileSchema) =>
  Object.fromEntries(listSettings(jsonSchema(schema)).map(({ name }) => [name, liveClass(schema, name)]));

const PARAM_COLUMNS: readonly TableColumn<ReturnType<typeof paramTable>[number]>[] = [
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
  args: [['[setting]', 'setting or group to list, such as risk.max_loss_day or risk (default: all settings)']],
  answer: ({ args: [wanted] }) => {
    const files = Object.entries({ trader: traderSchema, strategy: strategyFileSchema })
      .map(([file, schema]) => ({ file, rows: listSettingRows(schema, wanted) }))
      .filter(({ rows }) => rows.length > 0);
    if (files.length === 0) {
      const hint =
        '`twinbook config explain` lists all settings; `twinbook strategies` lists the parameters of strategies.';
      throw new TwinbookError('usage', `there is no setting ${wanted}`, hint);
    }
    return {
      data: files.flatMap(({ file, rows }) => rows.map((row) => ({ file, ...row }))),
      text: (width) =>
        files.map(({ file, rows }) => `In a ${file} file:\n\n${table(rows, SETTING_COLUMNS, width)}`).join('\n'),
    };
  },
});

/** @param wanted full name of a setting, its group or the last part of its name; all settings if undefined */
const listSettingRows = (schema: FileSchema, wanted = '') =>
  listSettings(jsonSchema(schema))
    .filter(
      ({ name }) => wanted === '' || name === wanted || name.startsWith(`${wanted}.`) || name.endsWith(`.${wanted}`),
    )
    .map(({ name, node, isRequired }) => ({
      setting: name,
      kind: describeKind(node),
      default: isRequired ? 'must be given' : node.default === undefined ? null : JSON.stringify(node.default),
      meaning: node.description ?? '',
    }));

const SETTING_COLUMNS: readonly TableColumn<ReturnType<typeof listSettingRows>[number]>[] = [
  { title: 'SETTING', cell: (row) => row.setting },
  { title: 'WANTS', cell: (row) => row.kind, gives: 'fold' },
  { title: 'DEFAULT', cell: (row) => row.default, gives: 'fold' },
  { title: 'MEANING', cell: (row) => row.meaning, gives: 'fold' },
];

/** Time limit of a configuration change, s, including a test load of new code. The operator's page waits 1 s longer. */
const CHECKED_S = 24;

const diffCommand = command({
  name: 'diff',
  help: 'compares the configuration files with the running or last configuration; --history lists earlier versions',
  config: 'trader',
  options: {
    history: option.flag('--history', 'list the earlier configurations and their changes'),
    timeout: option.timeout(option.QUICK_S),
  },
  answer: async ({ options, config, file, io }) => {
    if (options.history === true) {
      const entries = await readLedger(config, configHistory);
      const lines = entries.flatMap(({ atMs, hash, by, reason, changes }) => [
        `${utcText(atMs)}  ${hash.slice(0, 12)}  ${by}${reason === '' ? '' : `: ${reason}`}`,
        ...changes.map((change) => `    ${change}`),
      ]);
      return { data: entries, text: linesText(lines) || 'no configuration is recorded yet\n' };
    }
    const data = await ask('diff', options, config).catch(valueOn(null, 'not_running'));
    return makeAnswer(data ?? (await diffToLast(file, io)));
  },
});

const applyCommand = command({
  name: 'apply',
  help: 'applies the configuration files to the running trader: all changes or none',
  config: 'trader',
  options: {
    dryRun: option.flag('--dry-run', 'only show the changes and their requirements, and apply nothing'),
    reason: option.read('--reason <text>', 'reason, recorded; required for looser limits or new code', option.nonEmpty),
    timeout: option.timeout(CHECKED_S),
  },
  answer: async ({ options, config }) => makeAnswer(await ask('apply', options, config)),
});

const rollbackCommand = command({
  name: 'rollback',
  help: 'restores the previous configuration; the files stay unchanged',
  args: [['[hash]', 'hash in `config diff --history`, or the hash’s beginning (default: the previous configuration)']],
  config: 'trader',
  options: {
    dryRun: option.flag('--dry-run', 'only show the changes, and apply nothing'),
    reason: option.required('--reason <text>', 'reason for the rollback, recorded in the ledger', option.nonEmpty),
    timeout: option.timeout(CHECKED_S),
  },
  answer: async ({ options, config, args: [hash = ''] }) => makeAnswer(await ask('rollback', options, config, hash)),
});

const makeAnswer = (data: ConfigData): CommandOutput => ({ data, text: linesText(data.lines) });

/** Does not read the strategy files, because a rollback must work even if these files are broken. */
const ask = (
  action: Extract<ControlQuestion, { command: 'config' }>['action'],
  { reason = '', dryRun, timeout }: { timeout: number; reason?: string | undefined; dryRun?: true | undefined },
  config: TraderConfig,
  hash = '',
): Promise<ConfigData> => {
  // A rollback does not use the files.
  const file = action === 'rollback' ? '' : config.file;
  const request = { command: 'config', action, reason, dryRun: dryRun === true, hash, file } as const;
  return askThere(request, config, { timeoutMs: timeout * 1000 });
};

/** Compares the configuration files with the stored copy of the last configuration, because no trader runs. */
async function diffToLast(file: string, io: CliIo): Promise<ConfigData> {
  const { changesSinceLast } = await import('../shell/daemon/live-config.js');
  const config = await readConfig(file, io);
  const history = await readLedger(config, (ledger) => ledger.note(HISTORY_NOTE));
  const changes = await changesSinceLast(config, { note: () => history }, io);
  const none = changes === null ? 'no trader has recorded its configuration' : 'no file changed since the last run';
  return { lines: changes?.length ? changes : [none], applied: false, hash: null };
}

export const addConfigCommands = all(
  strategiesCommand,
  command({
    name: 'config',
    help: 'checks, explains and prints configurations',
    below: [checkCommand, schemaCommand, explainCommand, diffCommand, applyCommand, rollbackCommand, showCommand],
  }),
);
