/** `twinbook data …`: imports, lists, measures, checks and queries recordings on disk. */

import type { Recording } from '../recording/contract.js';
import type { ImportProgress, importRecordings } from '../recording/import.js';
import type { computeStats } from '../recording/inspect/stats.js';
import { TwinbookError } from '../shared/base/errors.js';
import { formatDecimal, micros } from '../shared/base/micros.js';
import { cutText, utcText } from '../shared/base/text.js';
import { outcomeText } from '../shared/protocol/outcome.js';
import { command, resolveData } from './command.js';
import { type CliIo, EXIT, type ExitCode, ProgressLine } from './io.js';
import * as option from './options.js';
import { formatOf, linesText, short, type TableCell, type TableColumn, table, writeAnswer } from './table.js';

type ImportedMarket = Awaited<ReturnType<typeof importRecordings>>[number];

/** Returns the given paths. Without paths, loads the configuration and returns its recording folder. */
async function pathsMeant(given: readonly string[], config: string, io: CliIo): Promise<readonly string[]> {
  if (given.length > 0) return resolveData(given, io);
  const { loadTraderConfig } = await import('../shell/config/load.js');
  return [loadTraderConfig(config, io).recording.dir];
}

const PATHS = ['[paths...]', 'folders or files of recordings (default: recording.dir of the configuration)'] as const;

const listCommand = command({
  name: 'list',
  help: 'lists recordings with their spans, events and gaps',
  args: [PATHS],
  config: 'file',
  answer: async ({ args, file, io }) => {
    const { recordings, failures } = await openThose(args, file, io);
    const rows = recordings.map(listing);
    const hint = rows.every((row) => row.events !== null)
      ? ''
      : 'events of raw recordings are not counted here: `twinbook data stats` reads and counts them\n';
    const text = (width: number | undefined) => `${table(rows, LIST_COLUMNS, width)}${hint}`;
    return { data: rows, text, code: tellFailures(failures, io) };
  },
});

const statsCommand = command({
  name: 'stats',
  help: 'reads whole recordings and measures their coverage, depth, spread and trades',
  args: [PATHS],
  config: 'file',
  answer: async ({ args, file, isJson, io }) => {
    const { computeStats } = await import('../recording/inspect/stats.js');
    const { recordings, failures } = await openThose(args, file, io);
    const line = new ProgressLine(io, isJson);
    const rows: StatsRow[] = [];
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
    const notes = rows.flatMap((row) =>
      row.warnings.map((message) => `note  ${short(row.condition_id)}: ${message}\n`),
    );
    const text = (width: number | undefined) => `${table(rows, STATS_COLUMNS, width)}${notes.join('')}`;
    return { data: rows, text, code: tellFailures(failures, io) };
  },
});

/** Opens recordings. Unreadable recordings are skipped; `failures` has one error for each of them. */
async function openThose(given: readonly string[], config: string, io: CliIo) {
  const { openRecordings } = await import('../recording/recording.js');
  const failures: TwinbookError[] = [];
  const onFailure = (error: TwinbookError) => failures.push(error);
  return { recordings: await openRecordings(await pathsMeant(given, config, io), { onFailure }), failures };
}

function tellFailures(failures: readonly TwinbookError[], io: CliIo): ExitCode {
  for (const { message, hint } of failures) io.err(`LEFT OUT  ${message}${hint === '' ? '' : `\n  ${hint}`}\n`);
  return failures.length === 0 ? EXIT.ok : EXIT.failed;
}

const verifyCommand = command({
  name: 'verify',
  help: 'checks files, order of events, prices and books of recordings',
  args: [PATHS],
  config: 'file',
  options: { repair: option.flag('--repair', 'first convert unfinished files of a killed recorder to Parquet') },
  answer: async ({ options: { repair }, args, file, io }) => {
    const { verifyRecordings } = await import('../recording/inspect/verify.js');
    const { repairFolder } = await import('../recording/store/store.js');
    const paths = await pathsMeant(args, file, io);
    let repaired = 0;
    if (repair === true) for (const path of paths) repaired += await repairFolder(path);
    const { markets, events, findings } = await verifyRecordings(paths);
    const differences = findings.filter(({ severity }) => severity === 'difference').length;
    const verdict = differences === 0 ? 'nothing is wrong' : formatCount(differences, 'difference');
    const lines = [
      ...(repaired > 0 ? [`converted to Parquet: ${formatCount(repaired, 'open segment')}`] : []),
      ...findings.map((one) => `${one.severity === 'difference' ? 'DIFFERENCE' : 'note'}  ${one.path}: ${one.message}`),
      `${formatCount(markets, 'market')}, ${formatCount(events, 'event')}: ${verdict}`,
    ];
    return {
      data: { markets, events, repaired, differences, findings },
      text: linesText(lines),
      code: differences === 0 ? EXIT.ok : EXIT.difference,
    };
  },
});

const formatCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const importCommand = command({
  name: 'import',
  help: 'converts recordings of other venues to Twinbook’s format; broken lines are counted and left out',
  args: [
    ['<kind>', 'venue of the recordings: kalshi or polymarket'],
    ['<paths...>', 'folders or files to import'],
  ],
  config: 'file',
  options: {
    out: option.text('--out <dir>', 'folder to write to (default: recording.dir of the configuration)'),
    replace: option.flag('--replace', 'overwrite markets that the folder already has'),
    verbose: option.flag('-v, --verbose', 'print every note on the quality of the recordings'),
    market: option.read(
      '--market <names>',
      "import only these markets: the venue's ids or tickers, or their beginnings, separated by commas",
      (names) => names.split(','),
    ),
  },
  answer: async ({ options, file, args: [kind = '', ...paths], isJson, io }) => {
    if (kind !== 'kalshi' && kind !== 'polymarket')
      throw new TwinbookError('usage', `cannot import recordings of ${kind}`, 'Give kalshi or polymarket.');
    const [out = ''] = await pathsMeant(options.out === undefined ? [] : [options.out], file, io);
    const { importRecordings } = await import('../recording/import.js');
    const line = new ProgressLine(io, isJson);
    const progress = ({ share, market, markets, ticker, events }: ImportProgress): void =>
      line.show(share, `market ${market + 1} of ${markets} (${short(ticker)}), ${events} events`);
    const asked = { markets: options.market ?? [], progress, replace: options.replace === true };
    const markets = await importRecordings(kind, resolveData(paths, io), out, asked).finally(() => line.end());
    return {
      data: markets,
      text: (width) => importText(markets, out, options.verbose === true, width),
      code: markets.some(({ status }) => status === 'failed') ? EXIT.failed : EXIT.ok,
    };
  },
});

function importText(markets: readonly ImportedMarket[], out: string, verbose: boolean, width?: number): string {
  const columns: readonly TableColumn<ImportedMarket>[] = [
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
  const present = count('present') > 0 ? [`${count('present')} already in the folder (--replace overwrites them)`] : [];
  const failed = count('failed') > 0 ? [`${count('failed')} FAILED`] : [];
  const written = `${formatCount(count('imported'), 'market')} with ${formatCount(events, 'event')} imported`;
  const last = count('imported') > 0 || failed.length === 0 ? [`to ${out}: ${written}`] : [`nothing written to ${out}`];
  const shown = markets.filter(({ conditionId }) => conditionId !== '');
  return `${table(shown, columns, width)}${told.join('')}${[...failed, ...present, ...last].join(', ')}\n`;
}

const queryCommand = command({
  name: 'query',
  help: 'runs a read-only SQL query over the views events, polls, own, feeds and markets of recordings',
  args: [
    ['<select>', "one SELECT, such as 'select kind, count(*) from events group by kind'"],
    ['[paths...]', 'folders of recordings (default: recording.dir of the configuration)'],
  ],
  config: 'file',
  options: { csv: option.csv() },
  hasJson: true,
  run: async ({ options, file, args: [sql = '', ...paths], isJson, io }) => {
    const { queryRecordings } = await import('../recording/inspect/query.js');
    const answer = await queryRecordings(sql, await pathsMeant(paths, file, io));
    await writeAnswer(answer, formatOf(isJson, options.csv), io).finally(() => answer.close());
  },
});

/** Rows of `--json` are a public interface: times in Unix ms, amounts and prices as decimal strings. */
const listing = ({ market, summary, warnings }: Recording) => ({
  condition_id: market.conditionId,
  ticker: market.source.ticker,
  title: market.title,
  format: market.source.kind,
  origin: market.source.origin ?? market.source.kind,
  path: market.source.path,
  outcome: market.outcome,
  open_time: market.openTimeMs,
  close_time: market.closeTimeMs,
  first_event: summary?.firstMs ?? null,
  last_event: summary?.lastMs ?? null,
  events: summary === undefined ? null : Object.values(summary.events).reduce((sum, count) => sum + count, 0),
  trades: summary?.events.trade ?? null,
  gaps: summary?.gaps.length ?? null,
  bytes: summary?.bytes ?? null,
  warnings: warnings.map(({ message }) => message),
});

type ListRow = ReturnType<typeof listing>;

const LIST_COLUMNS: readonly TableColumn<ListRow>[] = [
  { title: 'MARKET', cell: (row) => short(row.condition_id) },
  { title: 'ORIGIN', cell: (row) => row.origin, keep: 2 },
  { title: 'FROM (UTC)', cell: (row) => utcText(row.first_event ?? row.open_time), keep: 3 },
  { title: 'SPAN', cell: (row) => formatSpan(row), right: true },
  { title: 'EVENTS', cell: (row) => row.events, right: true },
  { title: 'TRADES', cell: (row) => row.trades, right: true, keep: 4 },
  { title: 'GAPS', cell: (row) => row.gaps, right: true, keep: 1 },
  { title: 'OUTCOME', cell: (row) => outcomeText(row.outcome) },
  { title: 'TITLE', cell: (row) => cutText(row.title, 44), gives: 'cut' },
];

function formatSpan(row: ListRow): string {
  const seconds = Math.round(((row.last_event ?? row.close_time) - (row.first_event ?? row.open_time)) / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 2 * 3600 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

const decimalText = (value: number): string => formatDecimal(micros(Math.round(value)));
const sides = (pair: readonly [number, number] | null) =>
  pair === null ? null : { bid: decimalText(pair[0]), ask: decimalText(pair[1]) };

type RecordingStats = Awaited<ReturnType<typeof computeStats>>;

const statsRow = (recording: Recording, stats: RecordingStats) => ({
  ...listing(recording),
  first_event: stats.firstMs,
  last_event: stats.lastMs,
  events: stats.levels + stats.trades,
  levels: stats.levels,
  trades: stats.trades,
  volume: decimalText(stats.volumeMicros),
  gaps: stats.gaps.length,
  gap_ms: stats.gapMs,
  known: stats.known,
  coverage: stats.coverage,
  two_sided: stats.twoSided,
  mean_spread: stats.spreadMicros === null ? null : decimalText(stats.spreadMicros),
  mean_levels: stats.levelsBySide === null ? null : { bid: stats.levelsBySide[0], ask: stats.levelsBySide[1] },
  mean_depth: sides(stats.depthMicros),
  longest_crossed_ms: stats.longestCrossedMs,
});

type StatsRow = ReturnType<typeof statsRow>;

const percent = (share: number | null): TableCell => (share === null ? null : `${(share * 100).toFixed(1)} %`);
const whole = (amount: string | undefined): TableCell => (amount === undefined ? null : Math.round(Number(amount)));

const STATS_COLUMNS: readonly TableColumn<StatsRow>[] = [
  { title: 'MARKET', cell: (row) => short(row.condition_id) },
  { title: 'FROM (UTC)', cell: (row) => utcText(row.first_event), keep: 9 },
  { title: 'SPAN', cell: (row) => formatSpan(row), right: true },
  { title: 'KNOWN', cell: (row) => percent(row.known), right: true },
  { title: 'OF ITS LIFE', cell: (row) => percent(row.coverage), right: true, keep: 3 },
  { title: 'GAPS', cell: (row) => row.gaps, right: true, keep: 1 },
  { title: 'LEVELS', cell: (row) => row.levels, right: true, keep: 7 },
  { title: 'TRADES', cell: (row) => row.trades, right: true, keep: 4 },
  { title: 'VOLUME', cell: (row) => whole(row.volume), right: true, keep: 6 },
  { title: 'TWO-SIDED', cell: (row) => percent(row.two_sided), right: true, keep: 8 },
  { title: 'SPREAD', cell: (row) => row.mean_spread, right: true },
  { title: 'BID DEPTH', cell: (row) => whole(row.mean_depth?.bid), right: true, keep: 4 },
  { title: 'ASK DEPTH', cell: (row) => whole(row.mean_depth?.ask), right: true, keep: 4 },
  { title: 'OUTCOME', cell: (row) => outcomeText(row.outcome) },
];

export const addDataCommands = command({
  name: 'data',
  help: 'imports, lists, measures, checks and queries recordings',
  below: [importCommand, listCommand, statsCommand, verifyCommand, queryCommand],
});
