/** `twinbook ledger prune`: deletes finished intents and orders without fills, once a backup has them. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { TwinbookError } from '../../shared/base/errors.js';
import { utcText } from '../../shared/base/utc-text.js';
import type { TraderConfig } from '../../shell/config/load.js';
import { askTrader } from '../../shell/control/control-client.js';
import type { PruneData } from '../../shell/control/control-protocol.js';
import { nowMs, steadyMs } from '../../shell/runtime/clock.js';
import type { PruneBatch } from '../../trader/reconcile/prune.js';
import { dayOrMomentIn } from '../arguments.js';
import { command, linesText, QUICK_S, required, timeoutOption } from '../command.js';
import { reachTrader } from '../control/reach.js';

export const pruneCommand = command({
  name: 'prune',
  help: 'deletes finished intents and orders without fills, once a whole backup has them; beside a trader too',
  config: 'trader',
  options: {
    before: required(
      '--before <date>',
      "what ended before it, UTC: '2026-11-25' or '2026-11-25 21:03:10'",
      dayOrMomentIn,
    ),
    timeout: timeoutOption(QUICK_S),
  },
  answer: async ({ options: { before, timeout }, config }) => {
    if (before > nowMs())
      throw new TwinbookError(
        'usage',
        `--before ${utcText(before)} UTC lies in the future`,
        'Give a date in the past.',
      );
    const backup = await findBackup(config, before);
    const isRunning = (await reachTrader(config)) === 'answers';
    const pruned = isRunning
      ? await pruneAll(before, askingTrader(config, timeout * 1000))
      : await pruneStopped(config, before);
    return { data: { before, backup, ...pruned }, text: linesText(prunedLines(before, pruned)) };
  },
});

/** The newest complete backup with every row that ended before then. */
async function findBackup({ ledger }: TraderConfig, beforeMs: number): Promise<string> {
  if (!existsSync(ledger.path))
    throw new TwinbookError('file_unreadable', `there is no ledger at ${ledger.path}`, 'The first start creates it.');
  const { listBackups, locateBackupFolder } = await import('../../shell/backup/backups.js');
  const { verifyLedger } = await import('./restore-ledger.js');
  const folder = locateBackupFolder(ledger.path);
  const made = listBackups(ledger.path).filter(({ atMs }) => atMs >= beforeMs);
  for (const { name } of made.reverse()) {
    const path = join(folder, name);
    if (verifyLedger(path, ledger.path).problems.length === 0) return path;
  }
  const what = made.length === 0 ? 'no backup' : 'no whole backup';
  throw new TwinbookError(
    'file_unreadable',
    `${what} in ${folder} was made after ${utcText(beforeMs)} UTC: nothing was deleted`,
    '`twinbook ledger backup` makes one, beside a running trader too. Then prune again.',
  );
}

type Prune = (batch: PruneBatch) => Promise<PruneData>;

/** The trader works between two batches. */
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

/** Deletes first, then returns the unused pages. */
async function pruneAll(beforeMs: number, prune: Prune): Promise<Pruned> {
  const { adaptRows, adaptToCheckpoint, FIRST_PRUNED_AT_ONCE } = await import('../../trader/reconcile/prune.js');
  const pruned = { rows: 0, bytes: 0, until: null as number | null, batches: 0, longest_batch_ms: 0 };
  let [rows, after]: [number, number | null] = [FIRST_PRUNED_AT_ONCE, 0];
  for (let isDone = false; !isDone; ) {
    const batch: PruneData = await prune({ beforeMs, after, rows });
    pruned.rows += batch.rows;
    pruned.bytes += batch.bytes;
    pruned.until = batch.untilMs ?? pruned.until;
    pruned.batches += 1;
    pruned.longest_batch_ms = Math.max(pruned.longest_batch_ms, batch.tookMs);
    // Pages cost differently from rows.
    const isOtherWork = after !== null && batch.after === null;
    const isCheckpoint = !batch.isDone && batch.after === after && batch.bytes === 0;
    if (isOtherWork) rows = FIRST_PRUNED_AT_ONCE;
    else rows = isCheckpoint ? adaptToCheckpoint(rows, batch.tookMs) : adaptRows(rows, batch.tookMs);
    ({ after, isDone } = batch);
  }
  return pruned;
}

interface Pruned {
  readonly rows: number;
  readonly bytes: number;
  /** Unix ms: later ended rows stay; null when all stay. */
  readonly until: number | null;
  readonly batches: number;
  readonly longest_batch_ms: number;
}

const BYTES_PER_MB = 1_000_000;

function prunedLines(before: number, { rows, bytes, until }: Pruned): readonly string[] {
  const deleted = `deleted ${rows} rows that ended before ${utcText(before)} UTC; the file is ${(bytes / BYTES_PER_MB).toFixed(1)} MB smaller`;
  if (until === null) return [deleted, 'everything stays: no orders were compared with the exchange yet'];
  if (until >= before) return [deleted];
  return [
    deleted,
    `orders that ended after ${utcText(until)} UTC stay: they are young, or the exchange still lists them`,
  ];
}
