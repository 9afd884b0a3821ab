/** `twinbook ledger query SELECT`: SQL over the ledger, which it cannot change. */

import { type Command, Option } from 'commander';
import { loadTraderConfig } from '../../shell/config/load.js';
import type { Selected } from '../../trader/ledger/select.js';
import { integerBetween } from '../arguments.js';
import { writeAnswer } from '../data/query.js';
import { EXIT } from '../output/exit.js';
import { addAction, addConfigOption, addJsonOption, type Session } from '../output/io.js';

interface QueryOptions {
  readonly config: string;
  readonly json?: true;
  readonly csv?: true;
  readonly rows: number;
  readonly timeout: number;
}

export function addQueryCommand(group: Command, session: Session): void {
  const command = group
    .command('query')
    .description('SQL over the tables of the ledger, beside a running trader too; reads and never writes')
    .argument('<select>', "one SELECT, such as 'select strategy, count(*) from intents group by strategy'");
  addJsonOption(addConfigOption(command))
    .addOption(new Option('--csv', 'print CSV in place of a table').conflicts('json'))
    .addOption(
      new Option('--rows <n>', 'maximum number of rows').default(10_000).argParser(integerBetween(1, 10_000_000)),
    )
    .addOption(new Option('--timeout <s>', 'ended after so long, s').default(10).argParser(integerBetween(1, 3600)));
  addAction<QueryOptions>(command, session, async (options, [sql = '']) => {
    const { io } = session;
    const { ledger: place } = loadTraderConfig(options.config, io);
    const { queryLedger } = await import('../../shell/daemon/ledger-query.js');
    const question = { path: place.path, sql, most: options.rows };
    const selected = await queryLedger(question, options.timeout * 1000);
    const format = options.json === true ? 'json' : options.csv === true ? 'csv' : 'table';
    await writeAnswer(makeAnswer(selected), format, io);
    if (selected.isCut) io.err(`There are more than ${options.rows} rows: --rows N gives more.\n`);
    return EXIT.ok;
  });
}

const makeAnswer = ({ columns, rows }: Selected) => ({
  columns,
  async *rows() {
    yield rows;
  },
  close: () => undefined,
});
