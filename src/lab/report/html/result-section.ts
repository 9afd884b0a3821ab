/** Sections of the result with its waterfall chart, of the markets, and of the markouts. */

import { outcomeText } from '../../../shared/protocol/outcome.js';
import type { Analysis } from '../analysis/analyse.js';
import { type MarketAnalysis, shownInterval } from '../analysis/markets.js';
import { type ResultSplit, sumSplits, type Valuation } from '../analysis/split.js';
import type { Markout, MarkoutSide } from '../analysis/trading.js';
import {
  cents,
  count,
  exactGain,
  formatGain,
  formatInterval,
  formatMoney,
  formatPercent,
  formatQuantity,
  formatShares,
  signedCents,
} from '../figures.js';
import {
  bar,
  barCell,
  type Cell,
  type Column,
  columnTable,
  dataTable,
  html,
  type Markup,
  note,
  perSession,
  type Row,
  resultTone,
  type Shown,
  SPACE,
  section,
  shorten,
  tiles,
  tone,
} from './parts.js';

/** Maximum market rows of all sessions together; a row takes about one kilobyte. */
const MAX_ROWS = 1_500;

export function marketSection(sessions: readonly Shown[]): Markup {
  const rows = Math.floor(MAX_ROWS / Math.max(1, sessions.length));
  return section(
    'markets',
    'Markets',
    'Currency and shares. A heading sorts.',
    perSession(sessions, ({ analysis }) => marketTable(analysis, rows)),
  );
}

const HEADS = [
  { title: 'Market', isText: true },
  { title: 'Result' },
  { title: 'Spread' },
  { title: 'Drift' },
  { title: 'Fees' },
  { title: 'Settlement', explains: 'from the last mid price to the outcome' },
  { title: 'Fills' },
  { title: 'Filled', explains: 'shares filled of shares posted' },
  { title: '60 s, ¢', explains: 'markout after 60 s, cents a share' },
  { title: 'Two-sided', explains: 'of the time that the market was open' },
  { title: 'Peak', explains: 'largest position, shares' },
  { title: 'Outcome', isText: true },
  { title: 'Recorded', explains: 'recorded time without gaps' },
  { title: 'Event', isText: true },
];

function marketTable({ markets }: Analysis, limit: number): Markup {
  if (markets.length === 0) return note('There is no market.');
  const kept = selectMarkets(markets, limit);
  const left = markets.filter((market) => !kept.has(market));
  const shown = markets.filter((market) => kept.has(market));
  const rows = shown.map(makeRow);
  if (left.length > 0) rows.push(makeRestRow(left));
  const cut =
    left.length === 0
      ? null
      : html`<p class="note">The table shows the ${count(shown.length)} markets with the largest gains and losses; ${formatQuantity(left.length, 'other')} stand in the last line. All are in --json.</p>`;
  return html`${dataTable(HEADS, rows, { caption: 'Markets', sorts: true, class: 'markets' })}${cut}`;
}

/** Returns the markets with the largest gains, losses and turnovers. */
function selectMarkets(markets: readonly MarketAnalysis[], limit: number): ReadonlySet<MarketAnalysis> {
  if (markets.length <= limit) return new Set(markets);
  const size = ({ result, turnoverMicros }: MarketAnalysis): number =>
    Math.abs(result.resultMicros) + turnoverMicros / 1_000;
  return new Set([...markets].sort((a, b) => size(b) - size(a)).slice(0, limit));
}

/** Returns the cells of the result of one or several markets: total, parts, and number of fills. */
function resultCells(result: ResultSplit, fills: number): readonly Cell[] {
  const gain = (micros: number | null): Cell => ({ text: formatGain(micros), value: micros });
  return [
    { ...gain(result.resultMicros), class: tone(result.resultMicros) },
    gain(result.spreadMicros),
    gain(result.driftMicros),
    gain(-result.feesMicros),
    gain(result.settlementMicros),
    { text: count(fills), value: fills },
  ];
}

function makeRow(market: MarketAnalysis): Row {
  const { result, coverage } = market;
  const title = shorten(market.title, 80);
  return {
    id: market.conditionId,
    cells: [
      { text: title },
      ...resultCells(result, market.fills),
      { text: formatPercent(market.fillRatioShare), value: market.fillRatioShare },
      { text: signedCents(market.markout60sMicros), value: market.markout60sMicros },
      { text: formatPercent(market.twoSidedShare, 0), value: market.twoSidedShare },
      { text: formatShares(market.peakInventoryMicros), value: market.peakInventoryMicros },
      makeOutcomeCell(market),
      {
        text:
          coverage === null
            ? '–'
            : formatPercent(coverage.spanMs === 0 ? null : 1 - coverage.gapMs / coverage.spanMs, 2),
        value: coverage === null ? null : coverage.gapMs,
      },
      { text: shorten(market.eventTitle, 50) },
    ],
  };
}

const HELD: Readonly<Record<Valuation, string>> = {
  'nothing held': '',
  outcome: '',
  mark: ', held at the middle',
  cost: ', held at cost',
};

function makeOutcomeCell({ outcome, valuedAt }: MarketAnalysis): Cell {
  const name = outcomeText(outcome);
  return { text: `${name}${HELD[valuedAt]}`, value: name };
}

/** Returns one row for all markets that are not shown, so that the columns still add up to the result. */
function makeRestRow(left: readonly MarketAnalysis[]): Row {
  const fills = left.reduce((total, market) => total + market.fills, 0);
  const cells = resultCells(sumSplits(left.map((market) => market.result)), fills);
  const none = HEADS.slice(1 + cells.length).map(() => ({ text: '' }));
  return { cells: [{ text: formatQuantity(left.length, 'other market') }, ...cells, ...none] };
}

export const markoutSection = (sessions: readonly Shown[]): Markup =>
  section(
    'markouts',
    'Markouts',
    'Cents a share, weighted by shares: the middle some time after a fill against its price. The effective half-spread was earned at the fill; adverse selection was lost to those who knew more.',
    perSession(sessions, ({ analysis: { markouts } }) =>
      markouts.every(({ fills }) => fills === 0)
        ? note('No fill has a middle after it: there is no markout.')
        : columnTable(MARKOUT_COLUMNS, markouts, { caption: 'Markouts by horizon and side' }),
    ),
  );

const NAMES: Readonly<Record<string, string>> = {
  1000: '1 s',
  5000: '5 s',
  30000: '30 s',
  60000: '60 s',
  300000: '5 min',
  settlement: 'settlement',
};

const SIDE_NAMES: Readonly<Record<MarkoutSide, string>> = {
  all: 'all',
  bid: 'our bids',
  ask: 'our asks',
  late: 'orders that arrived late and took',
};

const MARKOUT_COLUMNS: readonly Column<Markout>[] = [
  { title: 'After', isText: true, cell: ({ horizon }) => ({ text: NAMES[horizon] ?? `${horizon} ms` }) },
  { title: 'Side', isText: true, cell: ({ side }) => ({ text: SIDE_NAMES[side] }) },
  { title: 'Fills', cell: ({ fills }) => ({ text: count(fills) }) },
  { title: 'Shares', cell: ({ sharesMicros }) => ({ text: formatShares(sharesMicros) }) },
  { title: 'Markets', cell: ({ markets }) => ({ text: count(markets) }) },
  { title: 'Effective half-spread, ¢', cell: ({ effectiveMicros }) => ({ text: signedCents(effectiveMicros) }) },
  { title: 'Adverse selection, ¢', cell: ({ adverseMicros }) => ({ text: signedCents(adverseMicros) }) },
  { title: 'Markout, ¢', cell: ({ markoutMicros }) => ({ text: signedCents(markoutMicros) }) },
  {
    title: 'Standard error, ¢',
    explains: 'clustered by market',
    cell: ({ standardErrorMicros }) => ({ text: cents(standardErrorMicros) }),
  },
];

export const resultSection = (sessions: readonly Shown[]): Markup =>
  section(
    'result',
    'Result',
    'Currency. The parts add up to the result to the last digit.',
    perSession(sessions, ({ analysis }) => html`${headline(analysis)}${SPACE}${waterfall(analysis.result)}`),
  );

function headline(analysis: Analysis): Markup {
  const { result, equity, capital, drawdown, trading, quoting, requests, byEvent, markouts } = analysis;
  const interval = shownInterval(byEvent);
  const row = markouts.find(({ horizon, side }) => horizon === 60_000 && side === 'all');
  const [effective, after60s] = [row?.effectiveMicros ?? null, row?.markoutMicros ?? null];
  const onCapital = `on ${formatMoney(equity.capitalMicros)} of capital`;
  const earned = effective === null ? 'a share' : `of ${signedCents(effective)} ¢ earned at the fill`;
  const fallen = drawdown.maxShare === null ? 'not known' : `${formatPercent(drawdown.maxShare, 2)} of capital`;
  const spent = requests === null ? 'of the time' : `${formatPercent(requests.publicShare)} of the public budget`;
  return tiles([
    [
      'Result',
      formatGain(result.resultMicros),
      interval === null ? onCapital : `95 %: ${formatInterval(interval)}`,
      resultTone(analysis),
    ],
    [
      'Return on capital at work',
      formatPercent(capital.returnOnLockedShare),
      `${formatMoney(capital.meanLockedMicros)} locked on average`,
    ],
    ['Deepest drawdown', formatMoney(drawdown.maxMicros), fallen],
    ['Filled of posted', formatPercent(trading.fillRatioShare), formatQuantity(trading.fills, 'fill')],
    ['Markout after 60 s, ¢', signedCents(after60s), earned, tone(after60s)],
    ['Two-sided quotes', formatPercent(quoting.twoSidedShare), spent],
  ]);
}

type Step = readonly [name: string, explains: string, micros: number | null];

function listSteps(result: ResultSplit): readonly Step[] {
  const steps: readonly Step[] = [
    ['Spread earned', 'price of a fill against the middle', result.spreadMicros],
    ['Inventory drift', 'held shares while the middle moved', result.driftMicros],
    ['Fees', 'paid to the exchange', -result.feesMicros],
    ['Merges', 'complete sets against their value', result.mergesMicros],
    ['Settlement', 'from the last mid price to the outcome', result.settlementMicros],
  ];
  if (result.undividedMicros === 0 && result.spreadMicros !== null) return steps;
  return [...steps, ['Cannot be divided', 'the middle is not known', result.undividedMicros]];
}

function waterfall(result: ResultSplit): Markup {
  const steps = listSteps(result);
  const ends: number[] = [0];
  for (const [, , micros] of steps) ends.push((ends.at(-1) ?? 0) + (micros ?? 0));
  const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const place = (value: number): number => (high === low ? 0 : (value - low) / (high - low));
  const zero = html`<i class="zero" style="left:${(place(0) * 100).toFixed(2)}%"></i>`;
  const drawn = (from: number, to: number, kind: string) =>
    barCell(zero, from === to ? null : bar(place(from), place(to), kind));
  const rows = steps.map(([name, explains, micros], index) => ({
    cells: [
      { text: html`${name} <span class="note wide">${explains}</span>` },
      { text: micros === null ? 'not known' : exact(micros), class: tone(micros) },
      drawn(ends[index] ?? 0, ends[index + 1] ?? 0, tone(micros)),
    ],
  }));
  const total = {
    class: 'total',
    cells: [{ text: 'Result' }, { text: exact(result.resultMicros) }, drawn(0, result.resultMicros, 'ink')],
  };
  const heads = [
    { title: 'Part', isText: true },
    { title: 'Amount' },
    { title: 'From zero to the result', isText: true },
  ];
  return dataTable(heads, [...rows, total], { caption: 'How the result is made up, in currency', class: 'split' });
}

/** Formats currency with all six places; the last four have a softer colour. */
function exact(micros: number): Markup {
  const text = exactGain(micros);
  return html`${text.slice(0, -4)}<span class="minor">${text.slice(-4)}</span>`;
}
