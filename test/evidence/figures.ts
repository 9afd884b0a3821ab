/** Results of a backtest over many windows, as one row of the table of evidence. */

import type { Analysis } from '../../src/lab/report/analysis/analyse.js';
import type { RepeatFigures } from '../../src/lab/report/analysis/session-figures.js';
import {
  count,
  decimal,
  formatGain,
  formatMoney,
  formatShares,
  signedCents,
  UNKNOWN,
} from '../../src/lab/report/figures.js';
import type { MarketSession } from '../../src/lab/session/contract.js';
import { computeMoments } from '../../src/shared/statistics/moments.js';

const ONE = 1_000_000;

export interface EvidenceRow {
  readonly strategy: string;
  readonly model: string;
  readonly resultMicros: number;
  /** Mean of the windows, and its standard error; null with fewer than two. */
  readonly windowMicros: number;
  readonly errorMicros: number | null;
  readonly spreadMicros: number | null;
  readonly driftMicros: number | null;
  readonly settlementMicros: number | null;
  readonly fills: number;
  readonly takerFills: number;
  readonly sharesMicros: number;
  readonly crossedMicros: number;
  readonly markout5sMicros: number | null;
  readonly markout60sMicros: number | null;
  /** Standard error of the markout after 60 s. */
  readonly markoutErrorMicros: number | null;
  readonly markout300sMicros: number | null;
  readonly missed: number;
}

export function rowOf(strategy: string, analysis: Analysis): EvidenceRow {
  const { result, trading, markouts, markets, coverage, assumptions } = analysis;
  const results = resultsByWindow(analysis);
  const { mean, standardDeviation } = computeMoments(results);
  const markoutAt = (ms: number) => markouts.find(({ horizon, side }) => horizon === ms && side === 'all') ?? null;
  const markout = markoutAt(60_000);
  return {
    strategy,
    model: assumptions.fillModel ?? UNKNOWN,
    resultMicros: result.resultMicros,
    windowMicros: mean ?? 0,
    errorMicros: standardDeviation === null ? null : standardDeviation / Math.sqrt(results.length),
    spreadMicros: result.spreadMicros,
    driftMicros: result.driftMicros,
    settlementMicros: result.settlementMicros,
    fills: trading.fills,
    takerFills: trading.takerFills,
    sharesMicros: trading.boughtMicros + trading.soldMicros,
    crossedMicros: trading.atCrossingMicros ?? 0,
    markout5sMicros: markoutAt(5000)?.markoutMicros ?? null,
    markout60sMicros: markout?.markoutMicros ?? null,
    markoutErrorMicros: markout?.standardErrorMicros ?? null,
    markout300sMicros: markoutAt(300_000)?.markoutMicros ?? null,
    missed: markets.length - coverage.marketsPlayed,
  };
}

/** Markets of one event resolve together and are one window. */
export const nameWindow = ({ eventTitle, conditionId }: Pick<MarketSession, 'eventTitle' | 'conditionId'>): string =>
  eventTitle === '' ? conditionId : eventTitle;

/** A market without a fill counts as 0. */
export function resultsByWindow({ markets }: Pick<Analysis, 'markets'>): readonly number[] {
  const results = new Map<string, number>();
  for (const market of markets) {
    const window = nameWindow(market);
    results.set(window, (results.get(window) ?? 0) + market.result.resultMicros);
  }
  return [...results.values()];
}

const HEAD = [
  '| strategy | fill model | result | a window (SE) | spread | drift | settlement | fills (taker) | shares | of them at crossings | 5 s ¢ | 60 s ¢ (SE) | 300 s ¢ |',
  '|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|',
];

export function tableOf(rows: readonly EvidenceRow[]): string {
  return [...HEAD, ...rows.map((row) => `| ${cellsOf(row).join(' | ')} |`)].join('\n');
}

const cellsOf = (row: EvidenceRow): readonly string[] => [
  row.strategy,
  `\`${row.model}\``,
  row.missed === 0 ? formatGain(row.resultMicros) : `${formatGain(row.resultMicros)}, ${row.missed} not played`,
  `${formatGain(row.windowMicros)} (${row.errorMicros === null ? UNKNOWN : decimal(row.errorMicros / ONE, 2)})`,
  formatGain(row.spreadMicros),
  formatGain(row.driftMicros),
  formatGain(row.settlementMicros),
  `${count(row.fills)} (${count(row.takerFills)})`,
  formatShares(Math.round(row.sharesMicros / ONE) * ONE),
  formatShares(Math.round(row.crossedMicros / ONE) * ONE),
  signedCents(row.markout5sMicros),
  `${signedCents(row.markout60sMicros)} (${row.markoutErrorMicros === null ? UNKNOWN : decimal(row.markoutErrorMicros / 10_000, 2)})`,
  signedCents(row.markout300sMicros),
];

/** Results of repeated runs of one strategy at one latency: their polls and call durations differ. */
export interface RepeatedRow {
  readonly strategy: string;
  readonly latency: string;
  readonly repeats: RepeatFigures;
}

const REPEATED_HEAD = [
  '| strategy | latency | result, mean ± between repeats | lowest | highest | fills | 5 s ¢ | 60 s ¢ |',
  '|---|---|---:|---:|---:|---:|---:|---:|',
];

export function repeatedTable(rows: readonly RepeatedRow[]): string {
  const lines = rows.map(({ strategy, latency, repeats }) => {
    const { resultMicros, fills, markout5sMicros, markout60sMicros } = repeats;
    const { mean, deviation, lowest, highest } = resultMicros;
    const spread = deviation === null ? UNKNOWN : formatMoney(deviation);
    const counts = [formatGain(lowest), formatGain(highest), count(Math.round(fills.mean ?? 0))];
    const markouts = [signedCents(markout5sMicros.mean), signedCents(markout60sMicros.mean)];
    return [strategy, latency, `${formatGain(mean)} ± ${spread}`, ...counts, ...markouts].join(' | ');
  });
  return [...REPEATED_HEAD, ...lines.map((line) => `| ${line} |`)].join('\n');
}

/** Sentences about the rows, generated with the table so that they always match it. */
export function wordsOf(rows: readonly EvidenceRow[]): string {
  const strategies = [...new Set(rows.map(({ strategy }) => strategy))];
  return [
    clearRows(rows),
    ...strategies.map((name) => signsText(rows.filter(({ strategy }) => strategy === name))),
  ].join(' ');
}

/** Chance rarely explains more standard errors from 0 in one row; in many rows some exceed it by chance. */
const CLEAR_ERRORS = 2;

function clearRows(rows: readonly EvidenceRow[]): string {
  const clear = rows.filter(
    ({ windowMicros, errorMicros }) =>
      errorMicros !== null && errorMicros > 0 && Math.abs(windowMicros) >= CLEAR_ERRORS * errorMicros,
  );
  if (clear.length === 0) return 'No mean of a window lies two standard errors or more from 0.';
  const named = clear.map(
    ({ strategy, model, windowMicros }) => `\`${strategy}\` under \`${model}\` (${formatGain(windowMicros)})`,
  );
  return `Of ${count(rows.length)} means of a window these lie two standard errors or more from 0: ${named.join(', ')}.`;
}

function signsText(rows: readonly EvidenceRow[]): string {
  const [first] = rows;
  if (first === undefined) return '';
  if (rows.every(({ fills }) => fills === 0)) return `\`${first.strategy}\` has no fill.`;
  const [posting, trading] = [true, false].map((wanted) =>
    rows.filter(({ model }) => model.startsWith('posts-only') === wanted),
  );
  return `\`${first.strategy}\` is ${signOf(trading ?? [])} where recorded makers trade, ${signOf(posting ?? [])} where they only post.`;
}

function signOf(rows: readonly EvidenceRow[]): string {
  if (rows.every(({ resultMicros }) => resultMicros > 0)) return 'above 0 under every queue';
  return rows.every(({ resultMicros }) => resultMicros < 0)
    ? 'below 0 under every queue'
    : 'above or below 0 with the queue';
}
