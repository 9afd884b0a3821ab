/** `twinbook ledger`: the file itself, its backups, whether it is whole, and how one of them takes its place. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { TwinbookError } from '../../shared/base/errors.js';
import { utcText } from '../../shared/base/utc-text.js';
import type { MadeBackup } from '../../shell/backup/backups.js';
import type { BackupFile } from '../../shell/backup/retention.js';
import { loadTraderConfig } from '../../shell/config/load.js';
import { nowMs } from '../../shell/runtime/clock.js';
import {
  addAnswer,
  addTimeoutOption,
  type ControlOptions,
  linesText,
  modeText,
  type ReadOptions,
  SLOW_S,
} from '../answer.js';
import { nonEmpty } from '../arguments.js';
import { askThere } from '../control/reach.js';
import { EXIT } from '../output/exit.js';
import { addAction, addConfigOption, type Session } from '../output/io.js';
import { type Column, table } from '../output/table.js';
import { addQueryCommand } from './ledger-query.js';
import { addPruneCommand } from './prune.js';

const BYTES_PER_MB = 1_000_000;

interface RestoreOptions extends ReadOptions {
  readonly reason: string;
}

export function addLedgerFileCommands(program: Command, session: Session): void {
  const group = program
    .command('ledger')
    .description('the ledger as a file: SQL over it, backups, checks, pruning, and going back to a backup');
  addQueryCommand(group, session);
  addBackups(group, session);
  addBackup(group, session);
  addVerify(group, session);
  addPruneCommand(group, session);
  addRestore(group, session);
  addAdopt(group, session);
}

const COLUMNS: readonly Column<BackupFile>[] = [
  { title: 'made', cell: ({ atMs }) => utcText(atMs) },
  { title: 'MB', cell: ({ bytes }) => (bytes / BYTES_PER_MB).toFixed(1), right: true },
  { title: 'file', cell: ({ name }) => name, gives: 'fold' },
];

function addBackups(group: Command, session: Session): void {
  const command = group.command('backups').description('every backup there is, oldest first');
  addAnswer(command, session, async (_, { ledger }) => {
    const { locateBackupFolder, listBackups } = await import('../../shell/backup/backups.js');
    const folder = locateBackupFolder(ledger.path);
    const files = listBackups(ledger.path);
    return {
      data: files.map(({ name, atMs, bytes }) => ({ path: join(folder, name), made: atMs, bytes })),
      text: `${table(files, COLUMNS, session.io.columns)}${files.length === 0 ? '' : `in ${folder}\n`}`,
    };
  });
}

function addBackup(group: Command, session: Session): void {
  const command = group
    .command('backup')
    .description('makes a backup now, beside a running trader or without one, and checks that it is whole');
  addAnswer(command, session, async (_, { ledger }) => {
    if (!existsSync(ledger.path)) throw noLedger(ledger.path);
    const { makeBackup } = await import('../../shell/backup/backups.js');
    const made = await makeBackup(ledger, nowMs());
    return { data: made, text: formatBackup(made) };
  });
}

function formatBackup({ path, bytes, sha256, gone }: MadeBackup): string {
  const older = gone.length === 0 ? '' : `; ${gone.length} older gone`;
  return `${path}: ${(bytes / BYTES_PER_MB).toFixed(1)} MB, whole, sha256 ${sha256}${older}\n`;
}

function addVerify(group: Command, session: Session): void {
  const command = group
    .command('verify')
    .description('reads a whole ledger, pages and sums; exit code 6 when something is wrong with it')
    .argument('[file]', 'a backup, as a path or as `ledger backups` names it; the ledger itself without it');
  addAnswer(command, session, async (_, { ledger }, [given]) => {
    const { findBackup } = await import('../../shell/backup/backups.js');
    const file = given === undefined ? ledger.path : findBackup(ledger.path, session.io.cwd, given);
    if (!existsSync(file)) throw noLedger(file);
    const { verifyLedger } = await import('./verify-ledger.js');
    const data = verifyLedger(file, ledger.path);
    const { problems } = data;
    if (problems.length === 0) return { data, text: `${file} is whole\n` };
    return { data, text: linesText(problems.map((text) => `${file}: ${text}`)), code: EXIT.difference };
  });
}

/** The running trader books what the exchange holds. */
function addAdopt(group: Command, session: Session): void {
  const command = group
    .command('adopt')
    .description('books what the exchange holds, through the running trader: the way back after a restore')
    .requiredOption('--reason <text>', 'why; kept with the booking', nonEmpty);
  addTimeoutOption(command, SLOW_S);
  addAnswer<ControlOptions & { reason: string }>(command, session, async ({ reason, timeout }, config) => {
    const data = await askThere({ command: 'adopt', reason }, config, { timeoutMs: timeout * 1000 });
    const { booked } = data;
    const lines = booked.length === 0 ? ['the ledger holds what the exchange holds: nothing had to be booked'] : booked;
    return { data, text: linesText([...lines, modeText(data)]) };
  });
}

function addRestore(group: Command, session: Session): void {
  const command = group
    .command('restore')
    .description('puts a backup in the place of the ledger; the next start is killed until a person has looked')
    .argument('<file>', 'the backup, which stays: a path, or its name in `ledger backups`')
    .requiredOption('--reason <text>', 'why; the next start says it', nonEmpty);
  addConfigOption(command);
  addAction<RestoreOptions>(command, session, async ({ config, reason }, [given = '']) => {
    const { io } = session;
    const { ledger } = loadTraderConfig(config, io);
    const { restoreLedger } = await import('./restore-ledger.js');
    const { findBackup, findOwnName } = await import('../../shell/backup/backups.js');
    const holder = { pid: process.pid, startedMs: nowMs() };
    const backup = findOwnName(findBackup(ledger.path, io.cwd, given));
    const aside = restoreLedger({ ledgerPath: ledger.path, backup, reason, holder });
    io.out(`${ledger.path} is now ${backup}\n`);
    if (aside !== null) io.out(`the ledger until now is ${aside}\n`);
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
  'twinbook ledger adopt --reason …  books what the exchange holds; `resume` only leaves differences out',
] as const;

const noLedger = (path: string): TwinbookError =>
  new TwinbookError('file_unreadable', `there is no ledger at ${path}`, 'The first start creates it.');
