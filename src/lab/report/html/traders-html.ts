/** The page over several traders: what each came to, and the sums of those that trade in one currency. No script, no network. */

import { count, exactGain, UNKNOWN } from '../figures.js';
import type { BreakdownRow } from '../live/breakdown.js';
import { pageDocument } from './document.js';
import { html, type Markup, shorten } from './markup.js';
import { type Cell, dataTable, section, tone } from './parts.js';
import { styleFor } from './style.js';

export interface TraderFigures {
  readonly capitalMicros: number;
  readonly cashMicros: number;
  readonly realisedMicros: number;
  readonly feesMicros: number;
  readonly unrealisedMicros: number;
  readonly totalMicros: number;
}

export interface ReportedTrader {
  readonly name: string;
  /** Figures of two traders add up where this is the same: one venue, one currency. */
  readonly venue: string;
  readonly figures: TraderFigures;
  readonly days: readonly BreakdownRow[];
  readonly markets: readonly BreakdownRow[];
  /** What a reader must know of it. */
  readonly remarks: readonly string[];
}

export interface VenueSum {
  readonly venue: string;
  readonly traders: number;
  readonly figures: TraderFigures;
}

export interface TradersPage {
  readonly version: string;
  readonly traders: readonly ReportedTrader[];
  readonly sums: readonly VenueSum[];
}

/** Rows of a table of markets or days; a page stays readable, and `--by` has them all. */
const MOST_ROWS = 1000;

/** The same traders give the same page, to the byte. */
export function tradersHtml({ version, traders, sums }: TradersPage): string {
  const title = `${traders.length} traders: live results`;
  const body = html`<div class="page"><main><h1>${title}</h1>${sumSection(sums)}${traderSection(traders)}${daySection(traders)}${marketSection(traders)}${remarkSection(traders)}</main><footer>Twinbook ${version}. Times are UTC. A dash means not known or not defined, never zero.</footer></div>`;
  return pageDocument({ title: `${title} – Twinbook report`, style: styleFor(1), body });
}

const MONEY = ['Capital', 'Cash', 'Realised', 'Fees', 'Unrealised', 'Total'].map((title) => ({ title }));

const gain = (micros: number | null): Cell =>
  micros === null ? { text: UNKNOWN } : { text: exactGain(micros), class: tone(micros) };
const amount = (micros: number): Cell => ({ text: exactGain(micros) });

const moneyCells = (figures: TraderFigures): Cell[] => [
  amount(figures.capitalMicros),
  amount(figures.cashMicros),
  gain(figures.realisedMicros),
  amount(figures.feesMicros),
  gain(figures.unrealisedMicros),
  gain(figures.totalMicros),
];

const sumSection = (sums: readonly VenueSum[]): Markup =>
  section(
    'sums',
    'Sums by venue',
    'Each venue has a currency of its own: what is earned at one is never added to what is earned at another.',
    dataTable(
      [{ title: 'Venue', isText: true }, { title: 'Traders' }, ...MONEY],
      sums.map(({ venue, traders, figures }) => ({
        cells: [{ text: venue }, { text: count(traders) }, ...moneyCells(figures)],
      })),
      { caption: 'What all traders of a venue came to, in its currency' },
    ),
  );

const traderSection = (traders: readonly ReportedTrader[]): Markup =>
  section(
    'traders',
    'Traders',
    '',
    dataTable(
      [{ title: 'Trader', isText: true }, { title: 'Venue', isText: true }, ...MONEY],
      traders.map(({ name, venue, figures }) => ({ cells: [{ text: name }, { text: venue }, ...moneyCells(figures)] })),
      { caption: 'Each from its own ledger, in the currency of its venue' },
    ),
  );

const TRADED = ['Fills', 'Bought', 'Sold', 'Fees', 'Result'].map((title) => ({ title }));
const tradedCells = (row: BreakdownRow): Cell[] => [
  { text: count(row.fills) },
  amount(row.boughtMicros),
  amount(row.soldMicros),
  amount(row.feesMicros),
  gain(row.resultMicros),
];

interface TraderRow {
  readonly trader: ReportedTrader;
  readonly row: BreakdownRow;
}

const daySection = (traders: readonly ReportedTrader[]): Markup =>
  rowSection(
    ['days', 'Days', 'Day', 'By UTC day, the newest first'],
    traders.flatMap((trader) => trader.days.map((row) => ({ trader, row }))),
    (a, b) => (a.row.key < b.row.key ? 1 : -1),
  );

const marketSection = (traders: readonly ReportedTrader[]): Markup =>
  rowSection(
    ['markets', 'Markets', 'Market', 'The worst first'],
    traders.flatMap((trader) => trader.markets.map((row) => ({ trader, row }))),
    (a, b) => a.row.resultMicros - b.row.resultMicros,
  );

function rowSection(
  [id, title, what, caption]: readonly [id: string, title: string, what: string, caption: string],
  rows: readonly TraderRow[],
  order: (a: TraderRow, b: TraderRow) => number,
): Markup {
  const heads = [what, 'Trader', 'Venue'].map((name) => ({ title: name, isText: true }));
  const cut =
    rows.length <= MOST_ROWS ? '' : `${count(MOST_ROWS)} of ${count(rows.length)} rows; --by with --csv has them all.`;
  const shown = [...rows]
    .sort(order)
    .slice(0, MOST_ROWS)
    .map(({ trader, row }) => ({
      cells: [
        { text: shorten(row.title === '' ? row.key : row.title, 80) },
        { text: trader.name },
        { text: trader.venue },
        ...tradedCells(row),
      ],
    }));
  return section(id, title, cut, dataTable([...heads, ...TRADED], shown, { caption }));
}

function remarkSection(traders: readonly ReportedTrader[]): Markup | null {
  const remarks = traders.flatMap(({ name, remarks }) => remarks.map((text) => html`<li>${name}: ${text}</li>`));
  return remarks.length === 0 ? null : section('remarks', 'To know', '', html`<ul>${remarks}</ul>`);
}
