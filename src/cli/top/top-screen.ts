/** What `twinbook top` shows: a head of two or three lines, and a table of markets that fits the terminal. Pure. */

import { formatDecimal } from '../../shared/base/decimal.js';
import { type FittedColumn, fitTable, GAP } from '../../shared/base/fitted-table.js';
import { micros } from '../../shared/base/micros.js';
import { cutText } from '../../shared/base/text-width.js';
import type { TraderState } from '../../shell/console/trader-state.js';
import type { TopRow } from './top-rows.js';

/** What rows can be sorted by, with the key that does. */
export const SORTS = {
  result: 'r',
  spread: 's',
  position: 'p',
  orders: 'o',
  age: 'a',
  fills: 'f',
  title: 't',
} as const;

export type SortBy = keyof typeof SORTS;

/** How it is shown, as keys change it. */
export interface TopLook {
  readonly sort: SortBy;
  readonly isReversed: boolean;
  /** Rows passed over at the top. */
  readonly from: number;
}

export interface TopSize {
  readonly columns: number;
  readonly rows: number;
}

/** The largest first, what is not known last; the least first where it is reversed. */
export function sortRows(rows: readonly TopRow[], { sort, isReversed }: TopLook): readonly TopRow[] {
  const sign = isReversed ? -1 : 1;
  return [...rows].sort((a, b) => {
    if (sort === 'title') return sign * a.title.localeCompare(b.title, 'en');
    const [one, two] = [measure(a, sort), measure(b, sort)];
    if (one === null || two === null) return Number(one === null) - Number(two === null) || (a.id < b.id ? -1 : 1);
    return sign * (two - one) || a.title.localeCompare(b.title, 'en');
  });
}

function measure(row: TopRow, sort: Exclude<SortBy, 'title'>): number | null {
  switch (sort) {
    case 'result':
      return row.resultMicros;
    case 'spread':
      return measureSpread(row);
    case 'position':
      return Math.abs(row.netMicros);
    case 'orders':
      return row.orders;
    case 'age':
      return row.ageMs;
    case 'fills':
      return row.fills;
  }
}

/** Of the others; null where a side is empty. */
export const measureSpread = ({ bidMicros: bid, askMicros: ask }: TopRow): number | null =>
  bid === null || ask === null ? null : ask - bid;

/** To two decimals towards zero: it is read, not booked. */
function money(value: number | null): string {
  if (value === null) return '?';
  const [whole = '0', fraction = ''] = formatDecimal(micros(Math.trunc(value / 10_000) * 10_000)).split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}

const signed = (value: number | null): string => (value !== null && value > 0 ? `+${money(value)}` : money(value));
const price = (value: number | null): string => (value === null ? '-' : formatDecimal(micros(value)));
const age = (ms: number | null): string => (ms === null ? '-' : `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)}s`);

const COLUMNS: readonly FittedColumn<TopRow>[] = [
  { name: 'market', cell: ({ title }) => title, isText: true, gives: 'cut', most: 42, keep: 10 },
  { name: 'result', cell: ({ resultMicros }) => signed(resultMicros), keep: 9 },
  { name: 'net', cell: ({ netMicros }) => money(netMicros), keep: 8 },
  { name: 'orders', cell: ({ orders }) => String(orders), keep: 7 },
  { name: 'spread', cell: (row) => price(measureSpread(row)), keep: 6 },
  { name: 'age', cell: ({ ageMs }) => age(ageMs), keep: 5 },
  { name: 'bid', cell: ({ ourBidMicros }) => price(ourBidMicros), keep: 3 },
  { name: 'ask', cell: ({ ourAskMicros }) => price(ourAskMicros), keep: 3 },
  { name: 'fills', cell: ({ fills }) => String(fills), keep: 2 },
  { name: '', cell: ({ state }) => (state === 'quoting' ? '' : state), isText: true, gives: 'cut', least: 16, keep: 4 },
];

const SORTED: Readonly<Record<SortBy, string>> = {
  result: 'result',
  spread: 'spread',
  position: 'net',
  orders: 'orders',
  age: 'age',
  fills: 'fills',
  title: 'market',
};

/** Marks a text: whether it is a head, a gain or a loss. */
export type Paint = (text: string, as: 'head' | 'sorted' | 'gain' | 'loss') => string;

export const paintNothing: Paint = (text) => text;

/** By SGR sequences of the terminal. */
export const paintColours: Paint = (text, as) => `\u001b[${SGR[as]}m${text}\u001b[0m`;

const SGR = { head: '7', sorted: '7;1', gain: '32', loss: '31' } as const;

/** The table with its names, sorted, each line at most so wide. */
export function drawTable(rows: readonly TopRow[], look: TopLook, width: number, paint: Paint): readonly string[] {
  const shown = sortRows(rows, look);
  const { columns, lines } = fitTable(COLUMNS, shown, width);
  return lines.map((cells, place) => {
    const row = shown[place - 1];
    const painted = cells.map((text, column) => {
      const name = columns[column]?.name ?? '';
      if (row === undefined) return paint(text, name === SORTED[look.sort] ? 'sorted' : 'head');
      if (name !== 'result' || row.resultMicros === null || row.resultMicros === 0) return text;
      return paint(text, row.resultMicros > 0 ? 'gain' : 'loss');
    });
    return painted.join(GAP).trimEnd();
  });
}

/** What is so of the whole trader. */
export interface TopHead {
  readonly trader: TraderState;
  readonly cashMicros: number;
  readonly rows: readonly TopRow[];
  /** Of the ledger's bookings, as a part of 1. */
  readonly read: number;
}

/** Lines above the table, each cut to the width; what counts most stands first. */
export function drawHead({ trader, cashMicros, rows, read }: TopHead, width: number): readonly string[] {
  const { account } = trader;
  const live = trader.isCurrent && account !== null;
  const known = rows.filter(({ resultMicros }) => resultMicros !== null);
  const sum = known.length < rows.length ? null : known.reduce((total, row) => total + (row.resultMicros ?? 0), 0);
  const mode = live
    ? `${account.mode}${account.reason === '' ? '' : `: ${account.reason}`}${account.silent ? ' (exchange silent)' : ''}`
    : `${whyNotLive(trader)}: figures of the ledger`;
  const spent = live
    ? account.budgets.map(({ scope, left, limit }) => `${scope} ${left} of ${limit} requests left`)
    : [];
  const worth = [`result ${signed(live ? account.result_micros : sum)}`, `cash ${money(cashMicros)}`];
  const reading = read < 1 ? [`reading the ledger: ${Math.floor(read * 100)} %`] : [];
  const counts = live
    ? [`orders ${account.open_orders}`, `fills ${account.fills}`, ...unknown(account.unknown_orders)]
    : [];
  return [mode, [...worth, ...counts, ...reading].join(GAP), ...(spent.length === 0 ? [] : [spent.join(GAP)])].map(
    (line) => cutText(line, width),
  );
}

const unknown = (orders: number): readonly string[] => (orders === 0 ? [] : [`${orders} UNKNOWN`]);

function whyNotLive({ lost, bye, silentMs }: TraderState): string {
  if (lost !== null) return lost;
  if (bye !== null) return bye.reason;
  return silentMs === null ? 'nothing heard yet' : `nothing heard for ${Math.round(silentMs / 1000)} s`;
}

const KEYS = `q leaves  ${Object.entries(SORTS)
  .map(([name, key]) => `${key} ${name}`)
  .join('  ')}  again: other way  j k rows`;

/** A whole screen: never more lines than the terminal has, nor wider ones. */
export function drawScreen(head: TopHead, look: TopLook, { columns, rows }: TopSize, paint: Paint): readonly string[] {
  const above = [...drawHead(head, columns), ''];
  const [names = '', ...lines] = drawTable(head.rows, look, columns, paint);
  const room = Math.max(1, rows - above.length - 3);
  const from = Math.min(look.from, Math.max(0, lines.length - room));
  const shown = lines.slice(from, from + room);
  const hidden = lines.length - shown.length;
  const rest = hidden > 0 ? cutText(`… ${from} above, ${hidden - from} below`, columns) : '';
  const empty = lines.length === 0 ? [cutText('no market yet', columns)] : [];
  return [...above, names, ...shown, ...empty, rest, cutText(KEYS, columns)].slice(0, Math.max(1, rows));
}
