/** `twinbook strategies` and `twinbook config check|schema|explain|show`. */

import type { Command } from 'commander';
import { formatDecimal } from '../shared/base/decimal.js';
import { micros } from '../shared/base/micros.js';
import { loadConfig } from '../shell/config/load.js';
import { strategyFileSchema, traderSchema } from '../shell/config/schema.js';
import { jsonSchema } from '../shell/config/schema-tree.js';
import { shippedStrategies } from '../shell/config/shipped.js';
import { loadShipped } from '../shell/config/strategy-module.js';
import type { Config } from '../shell/config/types.js';
import type { ParamSpec, ParamValue } from '../trader/strategy/params.js';
import { type ParamRow, paramsSchema, paramTable } from '../trader/strategy/params-export.js';
import { addConfigExplainCommand } from './config-explain.js';
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
      ({ strategy }) => `${strategy.name}: ${strategy.summary}\n\n${table(paramTable(strategy), PARAM_COLUMNS)}`,
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
    const { file, strategies: files, configHash } = await loadConfig(options.config, io);
    io.out(
      `${file}: ok, ${files.length} strategy file${files.length === 1 ? '' : 's'}, hash ${configHash.slice(0, 12)}\n`,
    );
    return EXIT.ok;
  });

  const schema = config.command('schema').description('prints the JSON Schema of trader files and strategy files');
  addAction(schema, session, async () => {
    const loaded = await Promise.all(shippedStrategies().map(loadShipped));
    const params = Object.fromEntries(loaded.map(({ strategy }) => [strategy.name, paramsSchema(strategy)]));
    io.out(json({ trader: jsonSchema(traderSchema), strategy: jsonSchema(strategyFileSchema), params }));
    return EXIT.ok;
  });

  addConfigExplainCommand(config, session);

  const show = addConfigOption(config.command('show').description('prints the resolved configuration, secrets masked'));
  addJsonOption(show);
  addAction<{ config: string }>(show, session, async (options) => {
    io.out(json(shownConfig(await loadConfig(options.config, io))));
    return EXIT.ok;
  });
}

const PARAM_COLUMNS: readonly Column<ParamRow>[] = [
  { title: 'PARAMETER', cell: (row) => row.name },
  { title: 'UNIT', cell: (row) => row.unit },
  { title: 'RANGE', cell: (row) => row.range },
  { title: 'DEFAULT', cell: (row) => (row.default.length > 24 ? 'see --json' : row.default) },
  { title: 'MEANING', cell: (row) => row.help },
];

/** Setting names that would hold a secret if a file smuggled one in. */
const SECRET = /secret|passphrase|password|private|token/i;

/** The configuration as it is in force, spelled as in the files: money as decimal strings, secrets as stars. */
function shownConfig(config: Config): unknown {
  const strategies = config.strategies.map(({ module, moduleName, params, quoteHours, ...rest }) => ({
    ...rest,
    strategy: moduleName,
    quote_hours: quoteHours,
    params: Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, shownParam(module.params[name], value)]),
    ),
  }));
  return shownValue('', { ...config, strategies });
}

/** Share amounts as decimal strings again, in rows too. */
function shownParam(spec: ParamSpec | undefined, value: ParamValue): unknown {
  if (spec?.kind === 'shares' && typeof value === 'number') return formatDecimal(micros(value));
  if (spec?.kind !== 'rows' || typeof value !== 'object') return value;
  return value.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, inner]) => [name, shownParam(spec.fields[name], inner)])),
  );
}

function shownValue(name: string, value: unknown): unknown {
  if (SECRET.test(name) && value !== null) return '********';
  if (typeof value === 'number' && name.endsWith('Micros')) return formatDecimal(micros(value));
  if (typeof value === 'string') return withoutUserInfo(value);
  if (Array.isArray(value)) return value.map((item: unknown) => shownValue('', item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [settingName(key), shownValue(key, inner)]));
}

/** `maxLossDayMicros` is written `max_loss_day` in a file. */
const settingName = (key: string): string =>
  key.replace(/Micros$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** An address with a password in it is refused for the venue, but a path or a parameter may hold anything. */
const withoutUserInfo = (text: string): string => text.replace(/:\/\/[^/@\s]+@/, '://********@');
