/** `twinbook data …`: imports, lists, measures, checks and queries recordings on disk. */

import { resolve } from 'node:path';
import type { ImportedMarket, ImportKind, ImportProgress } from '../../recording/import.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { dayOrMomentIn, resolveData } from '../arguments.js';
import { command, csvFlag, flag, group, linesText, read, text } from '../command.js';
import { ProgressLine } from '../lab/progress.js';
import { EXIT, type ExitCode } from '../output/exit.js';
import type { CliIo } from '../output/io.js';
import { type Column, json, short, table } from '../output/table.js';
import { calibrateCommand } from './calibrate.js';
import { formatOf, writeAnswer } from './query.js';
import { disagreementRow, listing, listTable, statsTable } from './tables.js';

/** Given paths, else the configuration's recording folder; the configuration is loaded only for that. */
async function pathsMeant(given: readonly string[], config: string, io: CliIo): Promise<readonly string[]> {
  if (given.length > 0) return resolveData(given, io);
  const { loadTraderConfig } = await import('../../shell/config/load.js');
  return [loadTraderConfig(config, io).recording.dir];
}

const PATHS = ['[paths...]', 'folders or files (default: recording.dir of the configuration)'] as const;

const listCommand = command({
  name: 'list',
  help: 'recordings, with their spans, events and gaps',
  args: [PATHS],
  config: 'file',
  hasJson: true,
  run: async ({ args, file, isJson, io }) => {
    const { openRecordings } = await import('../../recording/recording.js');
    const failures: TwinbookError[] = [];
    const paths = await pathsMeant(args, file, io);
    const rows = (await openRecordings(paths, { onFailure: (error) => failures.push(error) })).map(listing);
    io.out(isJson ? json(rows) : listTable(rows, io.columns));
    return tellFailures(failures, io);
  },
});

const statsCommand = command({
  name: 'stats',
  help: 'reads recordings through: coverage, depth, spread, trades',
  args: [PATHS],
  config: 'file',
  hasJson: true,
  run: async ({ args, file, isJson, io }) => {
    const { openRecordings } = await import('../../recording/recording.js');
    const { computeStats } = await import('../../recording/inspect/stats.js');
    const { statsRow } = await import('./tables.js');
    const failures: TwinbookError[] = [];
    const paths = await pathsMeant(args, file, io);
    const recordings = await openRecordings(paths, { onFailure: (error) => failures.push(error) });
    const line = new ProgressLine(io, isJson);
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
    io.out(isJson ? json(rows) : statsTable(rows, io.columns));
    return tellFailures(failures, io);
  },
});

/** Left-out recordings, beside the others' rows. */
function tellFailures(failures: readonly TwinbookError[], io: CliIo): ExitCode {
  for (const { message, hint } of failures) io.err(`LEFT OUT  ${message}${hint === '' ? '' : `\n  ${hint}`}\n`);
  return failures.length === 0 ? EXIT.ok : EXIT.failed;
}

const verifyCommand = command({
  name: 'verify',
  help: 'checks recordings: files, order, prices, books',
  args: [PATHS],
  config: 'file',
  options: { repair: flag('--repair', 'first convert files that a killed writer left open to Parquet') },
  answer: async ({ options: { repair }, args, file, io }) => {
    const { verifyRecordings } = await import('../../recording/inspect/verify.js');
    const { repairFolder } = await import('../../recording/store/store.js');
    const paths = await pathsMeant(args, file, io);
    let repaired = 0;
    if (repair === true) for (const path of paths) repaired += await repairFolder(path);
    const { markets, events, findings } = await verifyRecordings(paths);
    const differences = findings.filter(({ severity }) => severity === 'difference').length;
    const verdict = differences === 0 ? 'nothing is wrong' : formatCount(differences, 'difference');
    const lines = [
      ...(repaired > 0 ? [`turned into Parquet: ${formatCount(repaired, 'open segment')}`] : []),
      ...findings.map(
        ({ severity, path, message }) => `${severity === 'difference' ? 'DIFFERENCE' : 'note'}  ${path}: ${message}`,
      ),
      `${formatCount(markets, 'market')}, ${formatCount(events, 'event')}: ${verdict}`,
    ];
    return {
      data: { markets, events, repaired, differences, disagreement: disagreementRow(findings), findings },
      text: linesText(lines),
      code: differences === 0 ? EXIT.ok : EXIT.difference,
    };
  },
});

const formatCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const splitNames = (names: string): readonly string[] => names.split(',');

const importCommand = command({
  name: 'import',
  help: 'turns recordings of other venues into our format; a line that is broken is counted and left out',
  args: [
    ['<kind>', 'kalshi or polymarket'],
    ['<paths...>', 'folders or files'],
  ],
  config: 'file',
  options: {
    out: text('--out <dir>', 'folder to write to (default: recording.dir of the configuration)'),
    replace: flag('--replace', 'overwrite markets that the folder already has'),
    verbose: flag('-v, --verbose', 'print every note on the recordings'),
    market: read(
      '--market <names>',
      "only these markets, separated by commas: the venue's ids or tickers, or beginnings of them",
      splitNames,
    ),
  },
  answer: async ({ options, file, args: [kind = '', ...paths], isJson, io }) => {
    if (kind !== 'kalshi' && kind !== 'polymarket') {
      throw new TwinbookError('usage', `cannot import ${kind}`, 'wanted kalshi or polymarket');
    }
    const [out = ''] = await pathsMeant(options.out === undefined ? [] : [options.out], file, io);
    const from = paths.map((path) => resolve(io.cwd, path));
    const asked = { market: options.market, replace: options.replace === true };
    const markets = await runImport(kind, from, out, asked, isJson, io);
    return {
      data: markets,
      text: (width) => importText(markets, out, options.verbose === true, width),
      code: markets.some(({ status }) => status === 'failed') ? EXIT.failed : EXIT.ok,
    };
  },
});

async function runImport(
  kind: ImportKind,
  paths: readonly string[],
  out: string,
  { market: markets = [], replace }: { readonly market: readonly string[] | undefined; readonly replace: boolean },
  isJson: boolean,
  io: CliIo,
): Promise<readonly ImportedMarket[]> {
  const { importRecordings } = await import('../../recording/import.js');
  const line = new ProgressLine(io, isJson);
  const progress = ({ share, market, markets, ticker, events }: ImportProgress): void =>
    line.show(share, `market ${market + 1} of ${markets} (${short(ticker)}), ${events} events`);
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

const queryCommand = command({
  name: 'query',
  help: 'SQL over the views events, polls, own and markets; reads and never writes',
  args: [
    ['<select>', "one SELECT, such as 'select kind, count(*) from events group by kind'"],
    ['[paths...]', 'folders (default: recording.dir of the configuration)'],
  ],
  config: 'file',
  options: {
    market: read(
      '--market <names>',
      'only these markets, separated by commas: ids, tickers, or beginnings of them',
      splitNames,
    ),
    from: read('--from <moment>', 'only rows from this day or moment on, UTC', dayOrMomentIn),
    to: read('--to <moment>', 'only rows before this day or moment, UTC', dayOrMomentIn),
    csv: csvFlag(),
  },
  hasJson: true,
  run: async ({ options, file, args: [sql = '', ...paths], isJson, io }) => {
    const { market: markets = [], from: fromMs = null, to: toMs = null } = options;
    const folders = await pathsMeant(paths, file, io);
    const { queryRecordings } = await import('../../recording/inspect/query.js');
    const answer = await queryRecordings(sql, folders, { markets, fromMs, toMs });
    await writeAnswer(answer, formatOf(isJson, options.csv), io);
  },
});

export const addDataCommands = group(
  'data',
  'recordings: import, list, measure, check, query',
  importCommand,
  listCommand,
  statsCommand,
  verifyCommand,
  calibrateCommand,
  queryCommand,
);
