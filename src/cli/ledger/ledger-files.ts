/** Command `twinbook ledger`: SQL queries, backups, verification, pruning and restore of the ledger. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { TwinbookError } from '../../shared/base/errors.js';
import { utcText } from '../../shared/base/text.js';
import type { TraderConfig } from '../../shell/config/config.js';
import { askTrader } from '../../shell/control/control-client.js';
import type { PruneData } from '../../shell/control/control-protocol.js';
import { nowMs, steadyMs } from '../../shell/runtime/clock.js';
import type { PruneBatch } from '../../trader/reconcile/prune.js';
import { command, modeText } from '../command.js';
import { EXIT } from '../io.js';
import * as option from '../options.js';
import { askThere, reachTrader } from '../reach.js';
import { type Column, formatOf, linesText, table, writeAnswer } from '../table.js';

const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);

const queryCommand = command({
  name: 'query',
  help: 'SQL over the tables of the ledger, beside a running trader too; reads and never writes',
  args: [['<select>', "one SELECT, such as 'select strategy, count(*) from intents group by strategy'"]],
  config: 'trader',
  options: {
    csv: option.csv(),
    rows: option.integer('--rows <n>', 'maximum number of rows', [1, 10_000_000], 10_000),
    timeout: option.integer('--timeout <s>', 'ended after this time, s', [1, 3600], 10),
  },
  hasJson: true,
  run: async ({ options, config: { ledger }, args: [sql = ''], isJson, io }) => {
    const { queryLedger } = await import('../../shell/daemon/ask-process.js');
    const question = { path: ledger.path, sql, most: options.rows };
    const { columns, rows, isCut } = await queryLedger(question, options.timeout * 1000);
    await writeAnswer({ columns, rows: () => [rows] }, formatOf(isJson, options.csv), io);
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
  help: 'makes a backup now, beside a running trader or without one, and checks that it is whole',
  config: 'trader',
  answer: async ({ config: { ledger } }) => {
    if (!existsSync(ledger.path)) throw noLedger(ledger.path);
    const { makeBackup } = await import('../../shell/backup/backups.js');
    const data = await makeBackup(ledger, nowMs());
    const older = data.gone.length === 0 ? '' : `; ${data.gone.length} older gone`;
    return { data, text: `${data.path}: ${megabytes(data.bytes)} MB, whole, sha256 ${data.sha256}${older}\n` };
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

const adoptCommand = command({
  name: 'adopt',
  help: "books the exchange's holdings, through the running trader: after a restored backup",
  config: 'trader',
  options: {
    reason: option.required('--reason <text>', 'why; kept with the booking', option.nonEmpty),
    timeout: option.timeout(option.SLOW_S),
  },
  answer: async ({ options: { reason, timeout }, config }) => {
    const data = await askThere({ command: 'adopt', reason }, config, { timeoutMs: timeout * 1000 });
    const { booked } = data;
    const lines = booked.length === 0 ? ['ledger and exchange hold the same: nothing had to be booked'] : booked;
    return { data, text: linesText([...lines, modeText(data)]) };
  },
});

const restoreCommand = command({
  name: 'restore',
  help: 'puts a backup in the place of the ledger; the next start is killed until a person has looked',
  args: [['<file>', 'the backup, which stays: a path, or its name in `ledger backups`']],
  config: 'trader',
  options: { reason: option.required('--reason <text>', 'why; the next start says it', option.nonEmpty) },
  run: async ({ options: { reason }, config: { ledger }, args: [given = ''], io }) => {
    const { restoreLedger } = await import('./restore-ledger.js');
    const { findBackup, findOwnName } = await import('../../shell/backup/backups.js');
    const backup = findOwnName(findBackup(ledger.path, io.cwd, given));
    const aside = restoreLedger(ledger.path, backup, reason, { pid: process.pid, startedMs: nowMs() });
    io.out(`${ledger.path} is now ${backup}\n`);
    if (aside !== null) io.out(`the ledger until now is ${aside}\n`);
    io.out(NEXT_STEPS);
  },
});

/** Printed after a restore, because the backup lacks all later changes. */
const NEXT_STEPS = `  It does not know of orders, fills, a kill, a pause or a halt since that backup. Next:
  twinbook cancel-all --verify      nothing of what it forgot rests any more
  twinbook reconcile                shows what it lacks; books of fills come back with the next start
  twinbook start                    starts killed; then \`twinbook unkill --reason TEXT\`
  twinbook ledger adopt --reason …  books what the exchange holds; \`resume\` only leaves differences out
`;

const noLedger = (path: string): TwinbookError =>
  new TwinbookError('file_unreadable', `there is no ledger at ${path}`, 'The first start creates it.');

const pruneCommand = command({
  name: 'prune',
  help: 'deletes finished intents and orders without fills, once a whole backup has them; beside a trader too',
  config: 'trader',
  options: {
    before: option.required(
      '--before <date>',
      "what ended before it, UTC: '2026-11-25' or '2026-11-25 21:03:10'",
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
    const isRunning = (await reachTrader(config)) === 'answers';
    const pruned = isRunning
      ? await pruneAll(before, askingTrader(config, timeout * 1000))
      : await pruneStopped(config, before);
    return { data: { before, backup, ...pruned }, text: linesText(prunedLines(before, pruned)) };
  },
});

/** Returns the newest intact backup made after this time, which has every row that ended before it. */
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
  const what = made.length === 0 ? 'no backup' : 'no whole backup';
  const text = `${what} in ${folder} was made after ${utcText(beforeMs)} UTC: nothing was deleted`;
  const hint = '`twinbook ledger backup` makes one, beside a running trader too. Then prune again.';
  throw new TwinbookError('file_unreadable', text, hint);
}

type Prune = (batch: PruneBatch) => Promise<PruneData>;

/** Prunes through the running trader, which works between two batches. */
const askingTrader =
  ({ control }: TraderConfig, timeoutMs: number): Prune =>
  async ({ beforeMs: before, ...batch }) => {
    const answer = await askTrader({ command: 'prune', before, ...batch }, { socket: control.socket, timeoutMs });
    await pause(2 * answer.tookMs);
    return answer;
  };

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
async function pruneAll(beforeMs: number, prune: Prune) {
  const { adaptRows, adaptToCheckpoint, FIRST_PRUNED_AT_ONCE } = await import('../../trader/reconcile/prune.js');
  // `until`: rows that ended later stay, Unix ms; null if all rows stay.
  const pruned = { rows: 0, bytes: 0, until: null as number | null, batches: 0, longest_batch_ms: 0 };
  let [rows, after]: [number, number | null] = [FIRST_PRUNED_AT_ONCE, 0];
  for (let isDone = false; !isDone; ) {
    const batch: PruneData = await prune({ beforeMs, after, rows });
    pruned.rows += batch.rows;
    pruned.bytes += batch.bytes;
    pruned.until = batch.untilMs ?? pruned.until;
    pruned.batches += 1;
    pruned.longest_batch_ms = Math.max(pruned.longest_batch_ms, batch.tookMs);
    // Releasing pages takes another time than deleting rows, so the batch size starts again.
    const isOtherWork = after !== null && batch.after === null;
    const isCheckpoint = !batch.isDone && batch.after === after && batch.bytes === 0;
    if (isOtherWork) rows = FIRST_PRUNED_AT_ONCE;
    else rows = isCheckpoint ? adaptToCheckpoint(rows, batch.tookMs) : adaptRows(rows, batch.tookMs);
    ({ after, isDone } = batch);
  }
  return pruned;
}

type Pruned = Awaited<ReturnType<typeof pruneAll>>;

function prunedLines(before: number, { rows, bytes, until }: Pruned): readonly string[] {
  const deleted = `deleted ${rows} rows that ended before ${utcText(before)} UTC; the file is ${megabytes(bytes)} MB smaller`;
  if (until === null) return [deleted, 'everything stays: no orders were compared with the exchange yet'];
  if (until >= before) return [deleted];
  return [
    deleted,
    `orders that ended after ${utcText(until)} UTC stay: they are young, or the exchange still lists them`,
  ];
}

export const ledgerFileCommands = command({
  name: 'ledger',
  help: 'the ledger as a file: SQL over it, backups, checks, pruning, and going back to a backup',
  below: [queryCommand, backupsCommand, backupCommand, verifyCommand, pruneCommand, restoreCommand, adoptCommand],
});
