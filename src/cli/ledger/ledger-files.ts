/** `twinbook ledger`: SQL, backups, verification and restore. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import { utcText } from '../../shared/base/utc-text.js';
import { nowMs } from '../../shell/runtime/clock.js';
import { integerBetween, nonEmpty } from '../arguments.js';
import { command, csvFlag, group, linesText, modeText, required, SLOW_S, timeoutOption, usual } from '../command.js';
import { askThere } from '../control/reach.js';
import { formatOf, writeAnswer } from '../data/query.js';
import { EXIT } from '../output/exit.js';
import { type Column, table } from '../output/table.js';
import { pruneCommand } from './prune.js';

const BYTES_PER_MB = 1_000_000;

const queryCommand = command({
  name: 'query',
  help: 'SQL over the tables of the ledger, beside a running trader too; reads and never writes',
  args: [['<select>', "one SELECT, such as 'select strategy, count(*) from intents group by strategy'"]],
  config: 'trader',
  options: {
    csv: csvFlag(),
    rows: usual('--rows <n>', 'maximum number of rows', 10_000, integerBetween(1, 10_000_000)),
    timeout: usual('--timeout <s>', 'ended after this time, s', 10, integerBetween(1, 3600)),
  },
  hasJson: true,
  run: async ({ options, config: { ledger }, args: [sql = ''], isJson, io }) => {
    const { queryLedger } = await import('../../shell/daemon/ledger-query.js');
    const question = { path: ledger.path, sql, most: options.rows };
    const { columns, rows, isCut } = await queryLedger(question, options.timeout * 1000);
    const answer = {
      columns,
      async *rows() {
        yield rows;
      },
      close: () => undefined,
    };
    await writeAnswer(answer, formatOf(isJson, options.csv), io);
    if (isCut) io.err(`There are more than ${options.rows} rows: --rows N gives more.\n`);
  },
});

const backupsCommand = command({
  name: 'backups',
  help: 'every backup there is, oldest first',
  config: 'trader',
  answer: async ({ config: { ledger } }) => {
    const { locateBackupFolder, listBackups } = await import('../../shell/backup/backups.js');
    const folder = locateBackupFolder(ledger.path);
    const files = listBackups(ledger.path);
    const columns: readonly Column<(typeof files)[number]>[] = [
      { title: 'made', cell: ({ atMs }) => utcText(atMs) },
      { title: 'MB', cell: ({ bytes }) => (bytes / BYTES_PER_MB).toFixed(1), right: true },
      { title: 'file', cell: ({ name }) => name, gives: 'fold' },
    ];
    return {
      data: files.map(({ name, atMs, bytes }) => ({ path: join(folder, name), made: atMs, bytes })),
      text: (width) => `${table(files, columns, width)}${files.length === 0 ? '' : `in ${folder}\n`}`,
    };
  },
});

const backupCommand = command({
  name: 'backup',
  help: 'makes a backup now, beside a running trader or without one, and checks that it is whole',
  config: 'trader',
  answer: async ({ config: { ledger } }) => {
    if (!existsSync(ledger.path)) throw noLedger(ledger.path);
    const { makeBackup } = await import('../../shell/backup/backups.js');
    const data = await makeBackup(ledger, nowMs());
    const older = data.gone.length === 0 ? '' : `; ${data.gone.length} older gone`;
    const size = `${(data.bytes / BYTES_PER_MB).toFixed(1)} MB`;
    return { data, text: `${data.path}: ${size}, whole, sha256 ${data.sha256}${older}\n` };
  },
});

const verifyCommand = command({
  name: 'verify',
  help: 'reads a whole ledger, pages and sums; exit code 6 when something is wrong with it',
  args: [['[file]', 'a backup, as a path or as `ledger backups` names it; the ledger itself without it']],
  config: 'trader',
  answer: async ({ config: { ledger }, args: [given], io }) => {
    const { findBackup } = await import('../../shell/backup/backups.js');
    const file = given === undefined ? ledger.path : findBackup(ledger.path, io.cwd, given);
    if (!existsSync(file)) throw noLedger(file);
    const { verifyLedger } = await import('./restore-ledger.js');
    const data = verifyLedger(file, ledger.path);
    if (data.problems.length === 0) return { data, text: `${file} is whole\n` };
    return { data, text: linesText(data.problems.map((text) => `${file}: ${text}`)), code: EXIT.difference };
  },
});

/** The running trader books the exchange's holdings. */
const adoptCommand = command({
  name: 'adopt',
  help: "books the exchange's holdings, through the running trader: after a restored backup",
  config: 'trader',
  options: {
    reason: required('--reason <text>', 'why; kept with the booking', nonEmpty),
    timeout: timeoutOption(SLOW_S),
  },
  answer: async ({ options: { reason, timeout }, config }) => {
    const data = await askThere({ command: 'adopt', reason }, config, { timeoutMs: timeout * 1000 });
    const { booked } = data;
    const lines = booked.length === 0 ? ['the ledger holds what the exchange holds: nothing had to be booked'] : booked;
    return { data, text: linesText([...lines, modeText(data)]) };
  },
});

const restoreCommand = command({
  name: 'restore',
  help: 'puts a backup in the place of the ledger; the next start is killed until a person has looked',
  args: [['<file>', 'the backup, which stays: a path, or its name in `ledger backups`']],
  config: 'trader',
  options: { reason: required('--reason <text>', 'why; the next start says it', nonEmpty) },
  run: async ({ options: { reason }, config: { ledger }, args: [given = ''], io }) => {
    const { restoreLedger } = await import('./restore-ledger.js');
    const { findBackup, findOwnName } = await import('../../shell/backup/backups.js');
    const holder = { pid: process.pid, startedMs: nowMs() };
    const backup = findOwnName(findBackup(ledger.path, io.cwd, given));
    const aside = restoreLedger({ ledgerPath: ledger.path, backup, reason, holder });
    io.out(`${ledger.path} is now ${backup}\n`);
    if (aside !== null) io.out(`the ledger until now is ${aside}\n`);
    io.out(linesText(NEXT_STEPS.map((text) => `  ${text}`)));
  },
});

/** A backup lacks everything after it. */
const NEXT_STEPS = [
  'It does not know of orders, fills, a kill, a pause or a halt since that backup. Next:',
  'twinbook cancel-all --verify      nothing of what it forgot rests any more',
  'twinbook reconcile                shows what it lacks; books of fills come back with the next start',
  'twinbook start                    starts killed; then `twinbook unkill --reason TEXT`',
  'twinbook ledger adopt --reason …  books what the exchange holds; `resume` only leaves differences out',
] as const;

const noLedger = (path: string): TwinbookError =>
  new TwinbookError('file_unreadable', `there is no ledger at ${path}`, 'The first start creates it.');

export const ledgerFileCommands = group(
  'ledger',
  'the ledger as a file: SQL over it, backups, checks, pruning, and going back to a backup',
  queryCommand,
  backupsCommand,
  backupCommand,
  verifyCommand,
  pruneCommand,
  restoreCommand,
  adoptCommand,
);
