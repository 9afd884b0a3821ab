/** `twinbook data upload` and `data cache`: recordings on object storage, and the copies of them that lie here. */

import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { integerBetween } from '../arguments.js';
import { ProgressLine } from '../lab/progress.js';
import { EXIT } from '../output/exit.js';
import { addAction, addConfigOption, addJsonOption, type Session } from '../output/io.js';
import { json } from '../output/table.js';
import { formatBytes, requireFolders } from './paths.js';

interface UploadFlags {
  readonly to: string;
  readonly removeAfter?: number;
  readonly config: string;
  readonly json?: true;
}

export function addUpload(data: Command, session: Session): void {
  const command = data
    .command('upload')
    .description('puts a folder of recordings into a bucket; what is there already is not sent again')
    .argument('[folder]', 'default: recording.dir of the configuration')
    .requiredOption('--to <url>', 's3://bucket/prefix')
    .addOption(
      new Option(
        '--remove-after <days>',
        'removes local days so long after they ended, once the bucket has all of them',
      ).argParser(integerBetween(1, 10_000)),
    );
  addJsonOption(addConfigOption(command));
  addAction<UploadFlags>(command, session, async (flags, [given]) => {
    const { io } = session;
    const { loadTraderConfig } = await import('../../shell/config/load.js');
    const { Uploader } = await import('../../recording/objects/upload.js');
    const folder = resolve(io.cwd, given ?? loadTraderConfig(flags.config, io).recording.dir);
    requireFolders(given === undefined ? [] : [given], 'data upload');
    const uploader = new Uploader(folder, flags.to, io.env);
    const line = new ProgressLine(io, flags.json === true);
    const report = await uploader
      .upload((done, days) => line.show(done / days, `day ${done + 1} of ${days}`))
      .finally(() => line.end());
    const removed = flags.removeAfter === undefined ? 0 : await uploader.removeUploaded(flags.removeAfter, Date.now());
    const { lists, reads, writes } = uploader.counts;
    if (flags.json === true) {
      const { days, sent, there, bytesSent, open } = report;
      io.out(
        json({
          days,
          files_sent: sent,
          files_there: there,
          bytes_sent: bytesSent,
          open_segments: open,
          days_removed: removed,
          reads: lists + reads,
          writes,
        }),
      );
      return EXIT.ok;
    }
    const parts = [
      `${report.days} days: ${report.sent} files sent (${formatBytes(report.bytesSent)}), ${report.there} were there`,
      ...(report.open > 0 ? [`${report.open} segments are still open: they follow once they are Parquet`] : []),
      ...(removed > 0 ? [`${removed} local days removed`] : []),
      `${writes} writes, ${lists + reads} reads`,
    ];
    io.out(`${parts.join('; ')}\n`);
    return EXIT.ok;
  });
}

interface CacheFlags {
  readonly size?: number;
  readonly clear?: true;
  readonly json?: true;
}

export function addCache(data: Command, session: Session): void {
  const command = data
    .command('cache')
    .description('copies of recordings on object storage that lie here: how many, how large they may become')
    .addOption(new Option('--size <size>', 'what they may take together, such as 50GB').argParser(readSize))
    .option('--clear', 'removes those that nobody reads now');
  addJsonOption(command);
  addAction<CacheFlags>(command, session, async (flags) => {
    const { io } = session;
    const { cacheFolder, openCache } = await import('../../recording/objects/cache.js');
    const cache = openCache(cacheFolder(io.env));
    if (flags.size !== undefined) cache.resize(flags.size);
    if (flags.clear === true) cache.clear();
    const { folder, files, bytes, heldFiles, maxBytes } = cache.figures();
    if (flags.json === true) io.out(json({ folder, files, bytes, held_files: heldFiles, max_bytes: maxBytes }));
    else {
      const held = heldFiles === 0 ? '' : `, ${heldFiles} being read`;
      io.out(`${folder}: ${files} files, ${formatBytes(bytes)} of at most ${formatBytes(maxBytes)}${held}\n`);
    }
    return EXIT.ok;
  });
}

const UNITS: Readonly<Record<string, number>> = { MB: 1e6, GB: 1e9, TB: 1e12 };

function readSize(text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)(MB|GB|TB)$/.exec(text) ?? [];
  const bytes = Math.round(Number(number) * (UNITS[unit] ?? Number.NaN));
  if (!Number.isSafeInteger(bytes) || number === '')
    throw new InvalidArgumentError('Wanted a number with MB, GB or TB, such as 50GB.');
  return bytes;
}
