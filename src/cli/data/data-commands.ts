/** `twinbook data …`: recordings on the disk, imported, listed, measured, checked and queried. */

import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { ImportedMarket, ImportKind, ImportProgress } from '../../recording/import.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { ProgressLine } from '../lab/progress.js';
import { EXIT, type ExitCode } from '../output/exit.js';
import { addAction, addConfigOption, addJsonOption, type CliIo, type Session } from '../output/io.js';
import { type Column, json, short, table } from '../output/table.js';
import { addCalibrate } from './calibrate.js';
import { resolveData } from './paths.js';
import { parseMoment, runQuery } from './query.js';
import { disagreementRow, listing, listTable, statsTable } from './tables.js';

interface DataOptions {
  readonly config: string;
  readonly json?: true;
}

export function addDataCommands(program: Command, session: Session): void {
  const data = program.command('data').description('recordings: import, list, measure, check, query');
  addImport(data, session);
  addReader(data, session, 'list', 'recordings, with their spans, events and gaps', list);
  addReader(data, session, 'stats', 'reads recordings through: coverage, depth, spread, trades', stats);
  const verify = addReader(data, session, 'verify', 'checks recordings: files, order, prices, books', verifyPaths);
  verify.option('--repair', 'first turn what a writer that died left open into Parquet');
  addCalibrate(data, session);
  addQuery(data, session);
}

/** Paths as given, else the folder of recordings that the configuration names, for which alone it is loaded. */
async function pathsMeant(given: readonly string[], config: string, io: CliIo): Promise<readonly string[]> {
  if (given.length > 0) return given;
  const { loadTraderConfig } = await import('../../shell/config/load.js');
  return [loadTraderConfig(config, io).recording.dir];
}

const resolvePaths = async (given: readonly string[], config: string, io: CliIo): Promise<readonly string[]> =>
  resolveData(await pathsMeant(given, config, io), io);

function addReader<Options extends DataOptions>(
  data: Command,
  session: Session,
  name: string,
  summary: string,
  run: (paths: readonly string[], options: Options, io: CliIo) => Promise<ExitCode>,
): Command {
  const command = data.command(name).description(summary);
  addJsonOption(addConfigOption(command)).argument(
    '[paths...]',
    'folders or files (default: recording.dir of the configuration)',
  );
  addAction<Options>(command, session, async (options, args) => {
    const paths = await resolvePaths(args, options.config, session.io);
    return run(paths, options, session.io);
  });
  return command;
}

async function list(paths: readonly string[], options: DataOptions, io: CliIo): Promise<ExitCode> {
  const { openRecordings } = await import('../../recording/recording.js');
  const failures: TwinbookError[] = [];
  const rows = (await openRecordings(paths, { onFailure: (error) => failures.push(error) })).map(listing);
  io.out(options.json === true ? json(rows) : listTable(rows, io.columns));
  return tellFailures(failures, io);
}

async function stats(paths: readonly string[], options: DataOptions, io: CliIo): Promise<ExitCode> {
  const { openRecordings } = await import('../../recording/recording.js');
  const { computeStats } = await import('../../recording/inspect/stats.js');
  const { statsRow } = await import('./tables.js');
  const failures: TwinbookError[] = [];
  const recordings = await openRecordings(paths, { onFailure: (error) => failures.push(error) });
  const line = new ProgressLine(io, options.json === true);
  const rows = [];
  for (const [at, recording] of recordings.entries()) {
    line.show(at / recordings.length, recording.market.source.ticker);
    try {
      rows.push(statsRow(recording, await computeStats(recording)));
    } catch (error) {
      if (!(error instanceof TwinbookError)) throw error;
      failures.push(error);
    }
  }
  line.end();
  const [failure] = failures;
  if (rows.length === 0 && failure !== undefined) throw failure;
  io.out(options.json === true ? json(rows) : statsTable(rows, io.columns));
  return tellFailures(failures, io);
}

/** What was left out, beside the others' rows. */
function tellFailures(failures: readonly TwinbookError[], io: CliIo): ExitCode {
  for (const { message, hint } of failures) io.err(`LEFT OUT  ${message}${hint === '' ? '' : `\n  ${hint}`}\n`);
  return failures.length === 0 ? EXIT.ok : EXIT.failed;
}

async function verifyPaths(
  paths: readonly string[],
  options: DataOptions & { readonly repair?: true },
  io: CliIo,
): Promise<ExitCode> {
  const { verifyRecordings } = await import('../../recording/inspect/verify.js');
  const { repairFolder } = await import('../../recording/store/store.js');
  let repaired = 0;
  if (options.repair === true) {
    for (const path of paths) repaired += await repairFolder(path);
  }
  const { markets, events, findings } = await verifyRecordings(paths);
  const differences = findings.filter(({ severity }) => severity === 'difference').length;
  if (options.json === true) {
    io.out(json({ markets, events, repaired, differences, disagreement: disagreementRow(findings), findings }));
  } else {
    if (repaired > 0) io.out(`turned into Parquet: ${formatCount(repaired, 'open segment')}\n`);
    for (const { severity, path, message } of findings) {
      io.out(`${severity === 'difference' ? 'DIFFERENCE' : 'note'}  ${path}: ${message}\n`);
    }
    const verdict = differences === 0 ? 'nothing is wrong' : formatCount(differences, 'difference');
    io.out(`${formatCount(markets, 'market')}, ${formatCount(events, 'event')}: ${verdict}\n`);
  }
  return differences === 0 ? EXIT.ok : EXIT.difference;
}

const formatCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

interface ImportOptions {
  readonly out?: string;
  readonly config: string;
  readonly replace?: true;
  readonly market?: readonly string[];
  readonly json?: true;
  readonly verbose?: true;
}

function addImport(data: Command, session: Session): void {
  const command = data
    .command('import')
    .description('turns recordings of other venues into our format; a line that is broken is counted and left out')
    .argument('<kind>', 'kalshi or polymarket')
    .argument('<paths...>', 'folders or files');
  addJsonOption(addConfigOption(command))
    .option('--out <dir>', 'folder to write to (default: recording.dir of the configuration)')
    .option('--replace', 'write markets anew that the folder has already')
    .option('-v, --verbose', 'print every note on the recordings')
    .addOption(
      new Option(
        '--market <names>',
        "only these markets, separated by commas: the venue's ids or tickers, or beginnings of them",
      ).argParser((text) => text.split(',')),
    );
  addAction<ImportOptions>(command, session, async (options, [kind = '', ...paths]) => {
    const { io } = session;
    if (kind !== 'kalshi' && kind !== 'polymarket') {
      throw new TwinbookError('usage', `cannot import ${kind}`, 'wanted kalshi or polymarket');
    }
    const [given = ''] = await pathsMeant(options.out === undefined ? [] : [options.out], options.config, io);
    const [out, from] = [resolve(io.cwd, given), paths.map((path) => resolve(io.cwd, path))];
    const markets = await runImport(kind, from, out, options, io);
    const failed = markets.filter(({ status }) => status === 'failed').length;
    if (options.json === true) io.out(json(markets));
    else io.out(importText(markets, out, options.verbose === true, io.columns));
    return failed === 0 ? EXIT.ok : EXIT.failed;
  });
}

async function runImport(
  kind: ImportKind,
  paths: readonly string[],
  out: string,
  options: ImportOptions,
  io: CliIo,
): Promise<readonly ImportedMarket[]> {
  const { importRecordings } = await import('../../recording/import.js');
  const line = new ProgressLine(io, options.json === true);
  const progress = ({ share, market, markets, ticker, events }: ImportProgress): void =>
    line.show(share, `market ${market + 1} of ${markets} (${short(ticker)}), ${events} events`);
  const { market: markets = [], replace = false } = options;
  try {
    return await importRecordings(kind, paths, out, { markets, progress, replace });
  } finally {
    line.end();
  }
}

function importText(markets: readonly ImportedMarket[], out: string, verbose: boolean, width?: number): string {
  const columns: readonly Column<ImportedMarket>[] = [
    { title: 'MARKET', cell: (row) => short(row.conditionId) },
    { title: 'TICKER', cell: (row) => (row.ticker.length > 32 ? short(row.ticker) : row.ticker), gives: 'cut' },
    { title: 'EVENTS', cell: (row) => row.events, right: true },
    { title: 'STATUS', cell: (row) => (row.status === 'present' ? 'there already' : row.status) },
  ];
  const told = markets.flatMap(({ failure, status, warnings, ticker }) => [
    ...(failure === null ? [] : [`${status.toUpperCase()}  ${ticker === '' ? '' : `${ticker}: `}${failure}\n`]),
    ...(verbose ? warnings.map(({ path, message }) => `note  ${path}: ${message}\n`) : []),
  ]);
  const noteCount = markets.reduce((sum, { warnings }) => sum + warnings.length, 0);
  if (!verbose && noteCount > 0)
    told.push(`warning: ${noteCount} notes on the quality of the recordings: -v prints them\n`);
  const count = (status: ImportedMarket['status']) => markets.filter((market) => market.status === status).length;
  const events = markets.reduce((sum, market) => sum + market.events, 0);
  const present = count('present') > 0 ? [`${count('present')} there already (--replace writes them again)`] : [];
  const failed = count('failed') > 0 ? [`${count('failed')} FAILED`] : [];
  const written = `${formatCount(count('imported'), 'market')} with ${formatCount(events, 'event')} imported`;
  const last = count('imported') > 0 || failed.length === 0 ? [`to ${out}: ${written}`] : [`nothing written to ${out}`];
  const shown = markets.filter(({ conditionId }) => conditionId !== '');
  return `${table(shown, columns, width)}${told.join('')}${[...failed, ...present, ...last].join(', ')}\n`;
}

interface QueryFlags extends DataOptions {
  readonly csv?: true;
  readonly market?: readonly string[];
  /** Unix ms. */
  readonly from?: number;
  readonly to?: number;
}

function addQuery(data: Command, session: Session): void {
  const command = data
    .command('query')
    .description('SQL over the views events, polls, own and markets; reads and never writes')
    .argument('<select>', "one SELECT, such as 'select kind, count(*) from events group by kind'")
    .argument('[paths...]', 'folders (default: recording.dir of the configuration)')
    .addOption(
      new Option(
        '--market <names>',
        'only these markets, separated by commas: ids, tickers, or beginnings of them',
      ).argParser((text) => text.split(',')),
    )
    .addOption(new Option('--from <moment>', 'only rows from this day or moment on, UTC').argParser(parseMoment))
    .addOption(new Option('--to <moment>', 'only rows before this day or moment, UTC').argParser(parseMoment));
  addJsonOption(addConfigOption(command)).addOption(
    new Option('--csv', 'print CSV in place of a table').conflicts('json'),
  );
  addAction<QueryFlags>(command, session, async (options, [sql = '', ...paths]) => {
    const format = options.json === true ? 'json' : options.csv === true ? 'csv' : 'table';
    const { io } = session;
    const folders = await resolvePaths(paths, options.config, io);
    const { market: markets = [], from: fromMs = null, to: toMs = null } = options;
    await runQuery(sql, folders, format, io, { markets, fromMs, toMs });
    return EXIT.ok;
  });
}
