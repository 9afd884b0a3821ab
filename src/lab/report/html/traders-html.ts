/** The page over several traders: what each came to, and the sums of those that trade in one currency. No script, no network. */

import { count, exactGain, UNKNOWN } from '../figures.js';
import type { BreakdownRow } from '../live/breakdown.js';
import { html, type Markup, shorten } from './markup.js';
import { type Cell, dataTable, section, tone } from './parts.js';
import { policy } from './report-html.js';
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
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy([])}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer"><title>${title} – Twinbook report</title><style>${styleFor(1)}</style></head><body>${body}</body></html>
`.text;
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

const ofTraders = (traders: readonly ReportedTrader[], rowsOf: (trader: ReportedTrader) => readonly BreakdownRow[]) =>
  traders.flatMap((trader) => rowsOf(trader).map((row) => ({ trader, row })));

function daySection(traders: readonly ReportedTrader[]): Markup {
  const rows = ofTraders(traders, ({ days }) => days).sort((a, b) => (a.row.key < b.row.key ? 1 : -1));
  return section('days', 'Days', describeCut(rows.length), [
    dataTable(
      [{ title: 'Day', isText: true }, { title: 'Trader', isText: true }, { title: 'Venue', isText: true }, ...TRADED],
      rows.slice(0, MOST_ROWS).map(({ trader, row }) => ({
        cells: [{ text: row.key }, { text: trader.name }, { text: trader.venue }, ...tradedCells(row)],
      })),
      { caption: 'By UTC day, the newest first' },
    ),
  ]);
}

function marketSection(traders: readonly ReportedTrader[]): Markup {
  const rows = ofTraders(traders, ({ markets }) => markets).sort((a, b) => a.row.resultMicros - b.row.resultMicros);
  return section('markets', 'Markets', describeCut(rows.length), [
    dataTable(
      [
        { title: 'Market', isText: true },
        { title: 'Trader', isText: true },
        { title: 'Venue', isText: true },
        ...TRADED,
      ],
      rows.slice(0, MOST_ROWS).map(({ trader, row }) => ({
        cells: [
          { text: shorten(row.title === '' ? row.key : row.title, 80) },
          { text: trader.name },
          { text: trader.venue },
          ...tradedCells(row),
        ],
      })),
      { caption: 'The worst first' },
    ),
  ]);
}

const describeCut = (rows: number): string =>
  rows <= MOST_ROWS ? '' : `${count(MOST_ROWS)} of ${count(rows)} rows; --by with --csv has them all.`;

function remarkSection(traders: readonly ReportedTrader[]): Markup | null {
  const remarks = traders.flatMap(({ name, remarks }) => remarks.map((text) => html`<li>${name}: ${text}</li>`));
  return remarks.length === 0 ? null : section('remarks', 'To know', '', html`<ul>${remarks}</ul>`);
}
