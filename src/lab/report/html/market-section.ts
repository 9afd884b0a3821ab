/** The table of markets. Rows that do not fit are summed in one line, so that the column still sums to the result. */

import { outcomeText } from '../../../shared/protocol/outcome.js';
import type { Analysis } from '../analysis/analyse.js';
import type { MarketAnalysis } from '../analysis/markets.js';
import type { Valuation } from '../analysis/split.js';
import { type ResultSplit, sumSplits } from '../analysis/total.js';
import { count, formatGain, formatPercent, formatQuantity, formatShares, signedCents } from '../figures.js';
import { html, type Markup, shorten } from './markup.js';
import { type Cell, dataTable, note, perSession, type Row, type Shown, section, tone } from './parts.js';

/** Rows of all sessions: about a kilobyte each. */
const MAX_ROWS = 1_500;

export function marketSection(sessions: readonly Shown[]): Markup {
  const rows = Math.floor(MAX_ROWS / Math.max(1, sessions.length));
  return section(
    'markets',
    'Markets',
    'Currency and shares. A heading sorts; a title shows the market in the chart above.',
    html`<div class="tools" data-needs-script><label>Find <input type="search" id="find" autocomplete="off" placeholder="title or event"></label></div>${perSession(sessions, ({ analysis }) => marketTable(analysis, rows))}`,
  );
}

const HEADS = [
  { title: 'Market', isText: true },
  { title: 'Result' },
  { title: 'Spread' },
  { title: 'Drift' },
  { title: 'Fees' },
  { title: 'Settlement', explains: 'from the last middle to the outcome' },
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

/** The largest gains and losses, and the largest turnovers. */
function selectMarkets(markets: readonly MarketAnalysis[], limit: number): ReadonlySet<MarketAnalysis> {
  if (markets.length <= limit) return new Set(markets);
  const size = ({ result, turnoverMicros }: MarketAnalysis): number =>
    Math.abs(result.resultMicros) + turnoverMicros / 1_000;
  return new Set([...markets].sort((a, b) => size(b) - size(a)).slice(0, limit));
}

/** Result of one or several markets: total, parts, fills. */
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
      { text: html`<span class="title">${title}</span>` },
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

function makeRestRow(left: readonly MarketAnalysis[]): Row {
  const fills = left.reduce((total, market) => total + market.fills, 0);
  const cells = resultCells(sumSplits(left.map((market) => market.result)), fills);
  const none = HEADS.slice(1 + cells.length).map(() => ({ text: '' }));
  return { cells: [{ text: formatQuantity(left.length, 'other market') }, ...cells, ...none] };
}
