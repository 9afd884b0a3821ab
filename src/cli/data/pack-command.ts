/** `twinbook data pack`: days of recordings with many markets in a file. */

import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { PackReport } from '../../recording/packed/pack.js';
import { integerBetween } from '../arguments.js';
import { ProgressLine } from '../lab/progress.js';
import { EXIT } from '../output/exit.js';
import { addAction, addConfigOption, addJsonOption, type Session } from '../output/io.js';
import { json } from '../output/table.js';
import { formatBytes } from './paths.js';

interface PackFlags {
  readonly out?: string;
  readonly shards: number;
  readonly remove?: true;
  readonly config: string;
  readonly json?: true;
}

const MAX_SHARDS = 256;

export function addPack(data: Command, session: Session): void {
  const command = data
    .command('pack')
    .description('packs days that have ended: many markets in a file, for archives and object storage')
    .argument('[folder]', 'default: recording.dir of the configuration')
    .option('--out <dir>', 'folder to write to (default: the same)')
    .addOption(
      new Option('--shards <n>', 'files an hour, to which markets are dealt by their ids')
        .default(1)
        .argParser(integerBetween(1, MAX_SHARDS)),
    )
    .option('--remove', "then removes the markets' own folders of these days, once all checksums have held");
  addJsonOption(addConfigOption(command));
  addAction<PackFlags>(command, session, async (flags, [given]) => {
    const { io } = session;
    const { loadTraderConfig } = await import('../../shell/config/load.js');
    const { packRecordings } = await import('../../recording/packed/pack.js');
    const from = resolve(io.cwd, given ?? loadTraderConfig(flags.config, io).recording.dir);
    const out = flags.out === undefined ? from : resolve(io.cwd, flags.out);
    const line = new ProgressLine(io, flags.json === true);
    const onDay = (done: number, days: number) => line.show(done / days, `day ${done + 1} of ${days}`);
    const { shards, remove = false } = flags;
    const report = await packRecordings(from, out, { shards, remove, nowMs: Date.now(), onDay }).finally(() =>
      line.end(),
    );
    io.out(flags.json === true ? json(reportRow(report)) : reportText(report, out));
    return EXIT.ok;
  });
}

const reportRow = (report: PackReport) => ({
  days_packed: report.packed,
  days_added_to: report.addedTo,
  days_there: report.there,
  market_days: report.marketDays,
  files_before: report.filesBefore,
  bytes_before: report.bytesBefore,
  files_after: report.filesAfter,
  bytes_after: report.bytesAfter,
  files_kept: report.filesKept,
  market_days_removed: report.removed,
  left: report.left,
});

function reportText(report: PackReport, out: string): string {
  const { packed, addedTo, there, marketDays, filesBefore, filesAfter, bytesBefore, bytesAfter, filesKept, removed } =
    report;
  const before = `${filesBefore} files, ${formatBytes(bytesBefore)}`;
  const after = `${filesAfter} files, ${formatBytes(bytesAfter)}`;
  const parts = [
    `${packed} ${packed === 1 ? 'day' : 'days'} packed into ${out}`,
    ...(addedTo > 0 ? [`${addedTo} packed before got what came since`] : []),
    ...(packed + addedTo > 0 ? [`${marketDays} market-days, ${before}, are ${after}`] : []),
    ...(there > 0 ? [`${there} were packed before and nothing came since`] : []),
    ...(filesKept > 0 ? [`${filesKept} files were there from an earlier attempt`] : []),
    ...(removed > 0 ? [`${removed} folders of markets' days removed`] : []),
  ];
  return `${report.left.map((sentence) => `note  ${sentence}\n`).join('')}${parts.join('; ')}\n`;
}
