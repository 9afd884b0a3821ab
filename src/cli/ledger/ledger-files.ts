/** Command `twinbook ledger`: SQL queries, backups, verification, pruning and restore of the ledger. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { TwinbookError } from '../../shared/base/errors.js';
import { utcText } from '../../shared/base/text.js';
import type { TraderConfig } from '../../shell/config/config.js';
import { askOwner } from '../../shell/control/control-client.js';
import type { ControlData } from '../../shell/control/control-protocol.js';
import { nowMs, steadyMs } from '../../shell/runtime/clock.js';
import type { PruneBatch } from '../../trader/reconcile/prune.js';
import { command, modeText } from '../command.js';
import { EXIT } from '../io.js';
import * as option from '../options.js';
import { askThere, reachTrader } from '../reach.js';
import { formatOf, linesText, type TableColumn, table, writeAnswer } from '../table.js';

const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);

const queryCommand = command({
  name: 'query',
  help: 'runs a read-only SQL query over the tables of the ledger, with or without a running trader',
  args: [['<select>', "one SELECT, such as 'select strategy, count(*) from intents group by strategy'"]],
  config: 'trader',
  options: {
    csv: option.csv(),
    rows: option.integer('--rows <n>', 'maximum number of rows', [1, 10_000_000], 10_000),
    timeout: option.integer('--timeout <s>', 'time limit of the query, s', [1, 3600], 10),
  },
  hasJson: true,
  run: async ({ options, config: { ledger }, args: [sql = ''], isJson, io }) => {
    const { queryLedger } = await import('../../shell/daemon/ask-process.js');
    const question = { path: ledger.path, sql, most: options.rows };
    const { columns, rows, isCut } = await queryLedger(question, options.timeout * 1000);
    await writeAnswer({ columns, rows: () => [rows] }, formatOf(isJson, options.csv), io);
    if (isCut) io.err(`There are more than ${options.rows} rows: give a larger --rows N.\n`);
  },
});

const backupsCommand = command({
  name: 'backups',
  help: 'lists all backups, oldest first',
  config: 'trader',
  answer: async ({ config: { ledger } }) => {
    const { locateBackupFolder, listBackups } = await import('../../shell/backup/backups.js');
    const folder = locateBackupFolder(ledger.path);
    const files = listBackups(ledger.path);
    const columns: readonly TableColumn<(typeof files)[number]>[] = [
      { title: 'made', cell: ({ atMs }) => utcText(atMs) },
      { title: 'MB', cell: ({ bytes }) => megabytes(bytes), right: true },
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
  help: 'makes and verifies a backup, with or without a running trader',
  config: 'trader',
  answer: async ({ config: { ledger } }) => {
    if (!existsSync(ledger.path)) throw noLedger(ledger.path);
    const { makeBackup } = await import('../../shell/backup/backups.js');
    const data = await makeBackup(ledger, nowMs());
    const older = data.gone.length === 0 ? '' : `; ${data.gone.length} older backups deleted`;
    return { data, text: `${data.path}: ${megabytes(data.bytes)} MB, undamaged, sha256 ${data.sha256}${older}\n` };
  },
});

const verifyCommand = command({
  name: 'verify',
  help: 'checks all pages and sums of a ledger or a backup; exit code 6 if there is a problem',
  args: [['[file]', 'path of a backup, or its name in `ledger backups` (default: the ledger itself)']],
  config: 'trader',
  answer: async ({ config: { ledger }, args: [given], io }) => {
    const { findBackup } = await import('../../shell/backup/backups.js');
    const file = given === undefined ? ledger.path : findBackup(ledger.path, io.cwd, given);
    if (!existsSync(file)) throw noLedger(file);
    const { verifyLedger } = await import('./restore-ledger.js');
    const data = verifyLedger(file, ledger.path);
    if (data.problems.length === 0) return { data, text: `${file} is undamaged\n` };
    return { data, text: linesText(data.problems.map((text) => `${file}: ${text}`)), code: EXIT.difference };
  },
});

const adoptCommand = command({
  name: 'adopt',
  help: "books the exchange's holdings into the ledger through the running trader, after a backup was restored",
  config: 'trader',
  options: {
    reason: option.required('--reason <text>', 'reason, stored with the booking', option.nonEmpty),
    timeout: option.timeout(option.SLOW_S),
  },
  answer: async ({ options: { reason, timeout }, config }) => {
    const data = await askThere({ command: 'adopt', reason }, config, { timeoutMs: timeout * 1000 });
    const { booked } = data;
    const lines = booked.length === 0 ? ['nothing was booked: the ledger lacks no holding and no record'] : booked;
    return { data, text: linesText([...lines, modeText(data)]) };
  },
});

const restoreCommand = command({
  name: 'restore',
  help: 'replaces the ledger by a backup; the next trader starts killed, until an operator resumes it',
  args: [['<file>', 'path of the backup, which is kept, or its name in `ledger backups`']],
  config: 'trader',
  options: { reason: option.required('--reason <text>', 'reason, which the next start prints', option.nonEmpty) },
  run: async ({ options: { reason }, config: { ledger }, args: [given = ''], io }) => {
    const { restoreLedger } = await import('./restore-ledger.js');
    const { findBackup, findOwnName } = await import('../../shell/backup/backups.js');
    const backup = findOwnName(findBackup(ledger.path, io.cwd, given));
    const aside = restoreLedger(ledger.path, backup, reason, { pid: process.pid, startedMs: nowMs() });
    io.out(`${ledger.path} is now a copy of ${backup}\n`);
    if (aside !== null) io.out(`the previous ledger is kept as ${aside}\n`);
    io.out(NEXT_STEPS);
  },
});

const NEXT_STEPS = `  This ledger lacks every order, fill, kill, pause and halt after the backup. Next steps:
  twinbook cancel-all --verify      cancels also orders that the backup lacks
  twinbook reconcile                shows what the ledger lacks; the next start books missing fills
  twinbook start                    starts killed; then \`twinbook unkill --reason TEXT\`
  twinbook ledger adopt --reason …  books the exchange's holdings; \`resume\` only accepts the differences
`;

const noLedger = (path: string): TwinbookError =>
  new TwinbookError('file_unreadable', `there is no ledger at ${path}`, 'The first start creates the ledger.');

const pruneCommand = command({
  name: 'prune',
  help: 'deletes finished intents and orders without fills if a verified backup contains them, with or without a running trader',
  config: 'trader',
  options: {
    before: option.required(
      '--before <date>',
      "delete rows that ended before this time, UTC: '2026-11-25' or '2026-11-25 21:03:10'",
      option.momentIn,
    ),
    timeout: option.timeout(option.QUICK_S),
  },
  answer: async ({ options: { before, timeout }, config }) => {
    if (before > nowMs()) {
      const text = `--before ${utcText(before)} UTC lies in the future`;
      throw new TwinbookError('usage', text, 'Give a date in the past.');
    }
    const backup = await findBackup(config, before);
    const askToPrune = async (batch: PruneBatch) => {
      const { beforeMs: _, ...rest } = batch;
      const answer = await askOwner({ command: 'prune', before, ...rest }, config, { timeoutMs: timeout * 1000 });
      // The pause lets the trader work between two batches.
      await pause(2 * answer.tookMs);
      return answer;
    };
    const isRunning = (await reachTrader(config)) === 'answers';
    const pruned = isRunning ? await pruneAll(before, askToPrune) : await pruneStopped(config, before);
    const { rows, bytes, until } = pruned;
    const kept =
      until === null
        ? 'nothing was deleted: no orders have been compared with the exchange yet'
        : `orders that ended after ${utcText(until)} UTC were kept: they are too recent, or the exchange still lists them`;
    const lines = [
      `deleted ${rows} rows that ended before ${utcText(before)} UTC; the file is ${megabytes(bytes)} MB smaller`,
      ...(until === null || until < before ? [kept] : []),
    ];
    return { data: { before, backup, ...pruned }, text: linesText(lines) };
  },
});

/** Returns the newest intact backup made after `beforeMs`; it has every row that ended before `beforeMs`. */
async function findBackup({ ledger }: TraderConfig, beforeMs: number): Promise<string> {
  if (!existsSync(ledger.path)) throw noLedger(ledger.path);
  const { listBackups, locateBackupFolder } = await import('../../shell/backup/backups.js');
  const { verifyLedger } = await import('./restore-ledger.js');
  const folder = locateBackupFolder(ledger.path);
  const made = listBackups(ledger.path).filter(({ atMs }) => atMs >= beforeMs);
  for (const { name } of made.reverse()) {
    const path = join(folder, name);
    if (verifyLedger(path, ledger.path).problems.length === 0) return path;
  }
  const what = made.length === 0 ? 'no backup' : 'no undamaged backup';
  const text = `${what} in ${folder} was made after ${utcText(beforeMs)} UTC: nothing was deleted`;
  const hint = 'Make a backup with `twinbook ledger backup`, with or without a running trader. Then prune again.';
  throw new TwinbookError('file_unreadable', text, hint);
}

async function pruneStopped({ ledger: { path } }: TraderConfig, beforeMs: number): Promise<Pruned> {
  const { openLedger } = await import('../../trader/ledger/ledger.js');
  const { pruneBatch } = await import('../../trader/reconcile/prune.js');
  const ledger = openLedger(path, { pid: process.pid, startedMs: nowMs() });
  try {
    return await pruneAll(beforeMs, async (batch) => {
      const begunMs = steadyMs();
      const pruned = pruneBatch(ledger, batch, nowMs());
      return { ...pruned, tookMs: steadyMs() - begunMs };
    });
  } finally {
    ledger.close();
  }
}

/** Deletes rows in batches, then releases unused pages of the file. */
async function pruneAll(beforeMs: number, prune: (batch: PruneBatch) => Promise<ControlData['prune']>) {
  const { adaptRows, adaptToCheckpoint, FIRST_PRUNED_AT_ONCE } = await import('../../trader/reconcile/prune.js');
  // `until`: Unix ms; rows that ended after this time stay; null if all rows stay.
  const pruned = { rows: 0, bytes: 0, until: null as number | null, batches: 0, longest_batch_ms: 0 };
  let [rows, after]: [number, number | null] = [FIRST_PRUNED_AT_ONCE, 0];
  for (let isDone = false; !isDone; ) {
    const batch: ControlData['prune'] = await prune({ beforeMs, after, rows });
    pruned.rows += batch.rows;
    pruned.bytes += batch.bytes;
    pruned.until = batch.untilMs ?? pruned.until;
    pruned.batches += 1;
    pruned.longest_batch_ms = Math.max(pruned.longest_batch_ms, batch.tookMs);
    // Releasing pages is not as fast as deleting rows, so the batch size returns to its start value.
    const isOtherWork = after !== null && batch.after === null;
    const isCheckpoint = !batch.isDone && batch.after === after && batch.bytes === 0;
    if (isOtherWork) rows = FIRST_PRUNED_AT_ONCE;
    else rows = isCheckpoint ? adaptToCheckpoint(rows, batch.tookMs) : adaptRows(rows, batch.tookMs);
    ({ after, isDone } = batch);
  }
  return pruned;
}

type Pruned = Awaited<ReturnType<typeof pruneAll>>;

export const ledgerFileCommands = command({
  name: 'ledger',
  help: 'queries, backs up, verifies, prunes and restores the ledger',
  below: [queryCommand, backupsCommand, backupCommand, verifyCommand, pruneCommand, restoreCommand, adoptCommand],
});
