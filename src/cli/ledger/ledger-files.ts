/** `twinbook ledger`: the file itself, its backups, whether it is whole, and how one of them takes its place. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { TwinbookError } from '../../shared/base/errors.js';
import type { NeededArchive } from '../../shell/backup/archive/needed.js';
import type { MadeBackup } from '../../shell/backup/backups.js';
import type { BackupFile } from '../../shell/backup/retention.js';
import { loadTraderConfig } from '../../shell/config/load.js';
import { nowMs } from '../../shell/runtime/clock.js';
import { nonEmpty } from '../arguments.js';
import { EXIT } from '../output/exit.js';
import { addAction, addConfigOption, addJsonOption, type Session } from '../output/io.js';
import { type Column, json, table, when } from '../output/table.js';
import { addArchiveCommands } from './archive-ledger.js';
import { addQueryCommand } from './ledger-query.js';
import type { ReadOptions } from './ledger-reading.js';

const BYTES_PER_MB = 1_000_000;

interface RestoreOptions extends ReadOptions {
  readonly reason: string;
  readonly withoutArchives?: true;
}

export function addLedgerFileCommands(program: Command, session: Session): void {
  const group = program
    .command('ledger')
    .description('the ledger as a file: SQL over it, backups, checks, archives, and going back to a backup');
  addQueryCommand(group, session);
  addBackups(group, session);
  addBackup(group, session);
  addVerify(group, session);
  addRestore(group, session);
  addArchiveCommands(group, session);
}

interface ListedBackup extends BackupFile {
  readonly path: string;
  /** Months; null where no list is kept of them. */
  readonly archives: readonly string[] | null;
}

const COLUMNS: readonly Column<ListedBackup>[] = [
  { title: 'made', cell: ({ atMs }) => when(atMs) },
  { title: 'MB', cell: ({ bytes }) => (bytes / BYTES_PER_MB).toFixed(1), right: true },
  { title: 'archives', cell: ({ archives }) => (archives === null ? '-' : formatMonths(archives)) },
  { title: 'file', cell: ({ name }) => name, gives: 'fold' },
];

const formatMonths = (months: readonly string[]): string => {
  const [first = 'none'] = months;
  return months.length < 2 ? first : `${first} … ${months.at(-1)} (${months.length})`;
};

function addBackups(group: Command, session: Session): void {
  const command = group.command('backups').description('every backup there is, oldest first');
  addJsonOption(addConfigOption(command));
  addAction<ReadOptions>(command, session, async (options) => {
    const { ledger } = loadTraderConfig(options.config, session.io);
    const { locateBackupFolder, listBackups } = await import('../../shell/backup/backups.js');
    const { readNeeded } = await import('../../shell/backup/archive/needed.js');
    const folder = locateBackupFolder(ledger.path);
    const rows = listBackups(ledger.path).map((file) => {
      const path = join(folder, file.name);
      return { ...file, path, archives: readNeeded(path)?.map(({ month }) => month) ?? null };
    });
    const forPrograms = rows.map(({ path, atMs, bytes, archives }) => ({ path, made: atMs, bytes, archives }));
    if (options.json === true) session.io.out(json(forPrograms));
    else session.io.out(`${table(rows, COLUMNS, session.io.columns)}${rows.length === 0 ? '' : `in ${folder}\n`}`);
    return EXIT.ok;
  });
}

function addBackup(group: Command, session: Session): void {
  const command = group
    .command('backup')
    .description('makes a backup now, beside a running trader or without one, and checks that it is whole');
  addJsonOption(addConfigOption(command));
  addAction<ReadOptions>(command, session, async (options) => {
    const { ledger } = loadTraderConfig(options.config, session.io);
    if (!existsSync(ledger.path)) throw noLedger(ledger.path);
    const { makeBackup } = await import('../../shell/backup/backups.js');
    const made = await makeBackup(ledger, nowMs());
    session.io.out(options.json === true ? json(made) : formatBackup(made));
    return made.problems.length === 0 ? EXIT.ok : EXIT.difference;
  });
}

function formatBackup({ path, bytes, sha256, gone, archives, problems }: MadeBackup): string {
  const older = gone.length === 0 ? '' : `; ${gone.length} older gone`;
  const lines = [
    `${path}: ${(bytes / BYTES_PER_MB).toFixed(1)} MB, whole, sha256 ${sha256}${older}`,
    ...archives.map(formatArchive),
    ...problems,
  ];
  return `${lines.join('\n')}\n`;
}

const formatArchive = ({ month, intents, orders }: NeededArchive): string =>
  `with the archive of ${month}: ${intents} intents, ${orders} orders`;

function addVerify(group: Command, session: Session): void {
  const command = group
    .command('verify')
    .description('reads a whole ledger, pages, sums and archives; exit code 6 when something is wrong with it')
    .argument('[file]', 'a backup, as a path or as `ledger backups` names it; the ledger itself without it');
  addJsonOption(addConfigOption(command));
  addAction<ReadOptions>(command, session, async (options, [given]) => {
    const { io } = session;
    const { ledger } = loadTraderConfig(options.config, io);
    const { findBackup } = await import('../../shell/backup/backups.js');
    const file = given === undefined ? ledger.path : findBackup(ledger.path, io.cwd, given);
    if (!existsSync(file)) throw noLedger(file);
    const { verifyLedger } = await import('./verify-ledger.js');
    const found = verifyLedger(file, ledger.path);
    const { problems, archives, notes } = found;
    const lines = [
      ...(problems.length === 0 ? [`${file} is whole`] : problems.map((text) => `${file}: ${text}`)),
      ...archives.map(formatArchive),
      ...notes,
    ];
    io.out(options.json === true ? json(found) : `${lines.join('\n')}\n`);
    return problems.length === 0 ? EXIT.ok : EXIT.difference;
  });
}

function addRestore(group: Command, session: Session): void {
  const command = group
    .command('restore')
    .description('puts a backup in the place of the ledger; the next start is killed until a person has looked')
    .argument('<file>', 'the backup, which stays: a path, or its name in `ledger backups`')
    .requiredOption('--reason <text>', 'why; the next start says it', nonEmpty)
    .option('--without-archives', 'the ledger alone: its archives are lost, or stay as they are beside it');
  addConfigOption(command);
  addAction<RestoreOptions>(command, session, async ({ config, reason, withoutArchives = false }, [given = '']) => {
    const { io } = session;
    const { ledger } = loadTraderConfig(config, io);
    const { restoreLedger } = await import('./restore-ledger.js');
    const { findBackup, findOwnName } = await import('../../shell/backup/backups.js');
    const holder = { pid: process.pid, startedMs: nowMs() };
    const backup = findOwnName(findBackup(ledger.path, io.cwd, given));
    const asked = { ledgerPath: ledger.path, backup, reason, holder, withoutArchives };
    const { aside, archives, notes } = restoreLedger(asked);
    io.out(`${ledger.path} is now ${backup}\n`);
    if (aside !== null) io.out(`the ledger until now is ${aside}\n`);
    io.out(
      `${archives === null ? 'the archives beside it stay as they are' : `archives: ${formatMonths(archives)}`}\n`,
    );
    for (const note of notes) io.out(`${note}\n`);
    io.out(`${NEXT_STEPS.map((text) => `  ${text}`).join('\n')}\n`);
    return EXIT.ok;
  });
}

/** A backup knows nothing of what came after it. */
const NEXT_STEPS = [
  'It does not know of orders, fills, a kill, a pause or a halt since that backup. Next:',
  'twinbook cancel-all --verify      nothing of what it forgot rests any more',
  'twinbook reconcile                shows what it lacks; books of fills come back with the next start',
  'twinbook start                    starts killed; then `twinbook unkill --reason TEXT`',
] as const;

const noLedger = (path: string): TwinbookError =>
  new TwinbookError('file_unreadable', `there is no ledger at ${path}`, 'The first start creates it.');
