/** `twinbook config explain`: every setting of a trader's file and of a strategy file, a line each. */

import type { Command } from 'commander';
import { TwinbookError } from '../shared/base/errors.js';
import { describeKind } from '../shell/config/explain-issues.js';
import { strategyFileSchema, traderSchema } from '../shell/config/schema.js';
import { jsonSchema, listSettings, type SchemaNode } from '../shell/config/schema-tree.js';
import { EXIT } from './output/exit.js';
import { addAction, addJsonOption, type Session } from './output/io.js';
import { type Column, json, table } from './output/table.js';

export function addConfigExplainCommand(config: Command, session: Session): void {
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
    const blocks = files.map(({ file, rows }) => `In a ${file} file:\n\n${table(rows, COLUMNS, session.io.columns)}`);
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

const COLUMNS: readonly Column<SettingRow>[] = [
  { title: 'SETTING', cell: (row) => row.setting },
  { title: 'WANTS', cell: (row) => row.kind, gives: 'fold' },
  { title: 'DEFAULT', cell: (row) => row.default, gives: 'fold' },
  { title: 'MEANING', cell: (row) => row.meaning, gives: 'fold' },
];
