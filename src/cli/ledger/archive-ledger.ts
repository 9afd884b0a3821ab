/** `twinbook ledger archive` and `archives`: what left the ledger, and what may. */

import { existsSync, statSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { TwinbookError } from '../../shared/base/errors.js';
import { loadTraderConfig, type TraderConfig } from '../../shell/config/load.js';
import { nowMs } from '../../shell/runtime/clock.js';
import { integerBetween } from '../arguments.js';
import { EXIT } from '../output/exit.js';
import { addAction, addConfigOption, addJsonOption, type Session } from '../output/io.js';
import { type Column, json, table, when } from '../output/table.js';
import type { ReadOptions } from './ledger-reading.js';

const DAY_MS = 86_400_000;
const BYTES_PER_MB = 1_000_000;
/** Rows that are copied and removed at a time. */
const ROWS = 500;

interface ArchiveOptions extends ReadOptions {
  readonly dryRun?: true;
  readonly olderThan?: number;
}

export function addArchiveCommands(group: Command, session: Session): void {
  addArchive(group, session);
  addArchives(group, session);
}

function addArchive(group: Command, session: Session): void {
  const command = group
    .command('archive')
    .description('moves what is over for long, and moved no money, into archives; a running trader does so by itself')
    .option('--dry-run', 'only says what would go; works beside a running trader too')
    .addOption(
      new Option('--older-than <days>', 'days since its end; default ledger.archive.after_days').argParser(
        integerBetween(1, 3650),
      ),
    );
  addJsonOption(addConfigOption(command));
  addAction<ArchiveOptions>(command, session, async (options) => {
    const config = loadTraderConfig(options.config, session.io);
    if (!existsSync(config.ledger.path))
      throw new TwinbookError(
        'file_unreadable',
        `there is no ledger at ${config.ledger.path}`,
        'The first start creates it.',
      );
    const beforeMs = requireBeforeMs(config, options);
    const found = options.dryRun === true ? await look(config, beforeMs) : await archive(config, beforeMs);
    session.io.out(options.json === true ? json(found) : `${formatLines(found, config).join('\n')}\n`);
    return EXIT.ok;
  });
}

function requireBeforeMs({ ledger }: TraderConfig, { olderThan }: ArchiveOptions): number {
  const afterMs = olderThan === undefined ? ledger.archive.afterMs : olderThan * DAY_MS;
  if (afterMs !== null) return nowMs() - afterMs;
  throw new TwinbookError(
    'usage',
    'nothing leaves this ledger: ledger.archive.after_days is null',
    'Say how old: --older-than DAYS.',
  );
}

/** What went, or would. */
interface Archived {
  readonly dry_run: boolean;
  /** Our clock, Unix ms. */
  readonly before: number;
  readonly intents: number;
  /** Of which nothing was filled. */
  readonly orders: number;
  /** Intents that stay without the texts that were signed. */
  readonly texts: number;
  readonly oldest: number | null;
  readonly bytes_before: number;
  /** Null for a dry run. */
  readonly bytes_after: number | null;
  /** Months beyond the room of archives. */
  readonly archives_removed: readonly string[];
  /** Folders of runs that go at the next start for their age. */
  readonly runs_to_go: readonly string[];
}

async function look(config: TraderConfig, beforeMs: number): Promise<Archived> {
  const { ledger, journal } = config;
  const { ArchiveCopier } = await import('../../trader/ledger/archive/copier.js');
  const { archivesBeyond } = await import('../../shell/backup/archive/archiving.js');
  const { runsEndedBefore } = await import('../../shell/journal/disk-quota.js');
  const copier = new ArchiveCopier(ledger.path, beforeMs);
  try {
    const { intents, orders, texts, oldestMs } = copier.count();
    const old = journal.keptMs === null ? [] : runsEndedBefore(journal.dir, ledger.path, nowMs() - journal.keptMs);
    return {
      dry_run: true,
      before: beforeMs,
      intents,
      orders,
      texts,
      oldest: oldestMs,
      bytes_before: statSync(ledger.path).size,
      bytes_after: null,
      archives_removed: archivesBeyond(ledger.path, ledger.archive.maxBytes).map(({ month }) => month),
      runs_to_go: old.map(({ folder }) => folder),
    };
  } finally {
    copier.close();
  }
}

async function archive(config: TraderConfig, beforeMs: number): Promise<Archived> {
  const { ledger: place } = config;
  const { openLedger } = await import('../../trader/ledger/ledger.js');
  const { ArchiveCopier } = await import('../../trader/ledger/archive/copier.js');
  const { compactLedger } = await import('../../trader/ledger/archive/compact.js');
  const { removeOldest } = await import('../../shell/backup/archive/archiving.js');
  // Its lock keeps a trader away until the end.
  const ledger = openLedger(place.path, { pid: process.pid, startedMs: nowMs() });
  try {
    const found = await look(config, beforeMs);
    const copier = new ArchiveCopier(place.path, beforeMs);
    try {
      for (let next: number | null = 0; next !== null; ) {
        const copied = copier.copy(next, ROWS);
        ledger.transaction(() => ledger.putAway(copied.archived));
        next = copied.next;
      }
    } finally {
      copier.close();
    }
    compactLedger(place.path);
    const archives_removed = removeOldest(place.path, place.archive.maxBytes);
    return { ...found, dry_run: false, archives_removed, bytes_after: statSync(place.path).size };
  } finally {
    ledger.close();
  }
}

function formatLines(found: Archived, { ledger }: TraderConfig): readonly string[] {
  const { dry_run, before, intents, orders, texts, oldest, bytes_before, bytes_after, archives_removed, runs_to_go } =
    found;
  const mb = (bytes: number) => `${(bytes / BYTES_PER_MB).toFixed(1)} MB`;
  const verb = dry_run ? 'would go' : 'went';
  const since = oldest === null ? '' : `, the oldest of ${when(oldest)}`;
  return [
    `over before ${when(before)}: ${intents} intents with ${orders} orders ${verb} into ${ledger.path}.archive${since}`,
    `${texts} intents of orders that were filled stay, without the texts that were signed`,
    bytes_after === null
      ? `the ledger has ${mb(bytes_before)}`
      : `the ledger had ${mb(bytes_before)}, and has ${mb(bytes_after)}`,
    ...archives_removed.map((month) => `the archive of ${month} ${verb} for good: ledger.archive.max_mb`),
    ...runs_to_go.map((folder) => `the run ${folder} goes at the next start: journal.days`),
  ];
}

interface ListedArchive {
  readonly path: string;
  readonly month: string;
  readonly bytes: number;
  readonly intents: number;
  readonly orders: number;
}

const COLUMNS: readonly Column<ListedArchive>[] = [
  { title: 'month', cell: ({ month }) => month },
  { title: 'MB', cell: ({ bytes }) => (bytes / BYTES_PER_MB).toFixed(1), right: true },
  { title: 'intents', cell: ({ intents }) => String(intents), right: true },
  { title: 'orders', cell: ({ orders }) => String(orders), right: true },
  { title: 'file', cell: ({ path }) => path, gives: 'fold' },
];

function addArchives(group: Command, session: Session): void {
  const command = group.command('archives').description('what left the ledger, by months, oldest first');
  addJsonOption(addConfigOption(command));
  addAction<ReadOptions>(command, session, async (options) => {
    const { ledger } = loadTraderConfig(options.config, session.io);
    const { ArchiveReader, listArchives } = await import('../../trader/ledger/archive/archive-file.js');
    const rows = listArchives(ledger.path).map(({ path, month, bytes }): ListedArchive => {
      const reader = new ArchiveReader(path);
      try {
        return { path, month, bytes, intents: reader.count('intents'), orders: reader.count('orders') };
      } finally {
        reader.close();
      }
    });
    session.io.out(options.json === true ? json(rows) : table(rows, COLUMNS, session.io.columns));
    return EXIT.ok;
  });
}
