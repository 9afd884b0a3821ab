/** Files for spreadsheets on the page. Every row names its market and strategy, times are UTC. */

import { formatDecimal } from '../../shared/base/micros.js';
import { type CsvValue, csvLine } from '../../shared/base/text.js';
import type { BookedFill, LedgerReader, OrderRecord } from '../../trader/ledger/contract.js';
import type { CsvName } from '../dashboard/contract.js';
import type { MoneyRow, MoneyView } from './views/money-view.js';
import { filledOf, outcomeName } from './views/texts.js';

/** Maximum rows of a file, the newest; `twinbook ledger query` has no limit. */
export const MOST_CSV_ROWS = 20_000;

export interface CsvSources {
  readonly ledger: LedgerReader;
  readonly title: (market: string) => string;
  readonly money: () => Pick<MoneyView, 'days' | 'markets' | 'strategies'>;
}

type Column<Row> = readonly [name: string, cell: (row: Row) => CsvValue];

const join = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string =>
  [columns.map(([name]) => name), ...rows.map((row) => columns.map(([, cell]) => cell(row)))].map(csvLine).join('');

export function makeCsv(name: CsvName, { ledger, title, money }: CsvSources): string {
  switch (name) {
    case 'fills':
      return join(fillColumns(title), ledger.fills({ limit: MOST_CSV_ROWS }));
    case 'orders':
      return join(orderColumns(title), ledger.orders({ limit: MOST_CSV_ROWS }));
    case 'days':
      return join(bookedColumns('day'), money().days);
    case 'strategies':
      return join(bookedColumns('strategy'), money().strategies);
    case 'markets':
      return join([...bookedColumns('market'), ...MARKET_COLUMNS], money().markets);
  }
}

const fillColumns = (title: CsvSources['title']): readonly Column<BookedFill>[] => [
  ['time', (fill) => isoTime(fill.timestampS * 1000)],
  ['fill', (fill) => fill.pubkey],
  ['order', (fill) => fill.orderPubkey],
  ['market', (fill) => fill.marketConditionId],
  ['title', (fill) => title(fill.marketConditionId)],
  ['side', (fill) => fill.side],
  ['outcome', (fill) => outcomeName(fill.isYes)],
  ['price', (fill) => formatDecimal(fill.priceMicros)],
  ['amount', (fill) => formatDecimal(fill.amountMicros)],
  ['fee', (fill) => (fill.feeMicros === null ? null : formatDecimal(fill.feeMicros))],
  ['role', (fill) => (fill.isMaker === null ? null : fill.isMaker ? 'maker' : 'taker')],
  ['seen', (fill) => isoTime(fill.seenMs)],
];

const orderColumns = (title: CsvSources['title']): readonly Column<OrderRecord>[] => [
  ['created', (order) => isoTime(order.createdMs)],
  ['order', (order) => order.pubkey],
  ['market', (order) => order.marketConditionId],
  ['title', (order) => title(order.marketConditionId)],
  ['side', (order) => order.side],
  ['outcome', (order) => outcomeName(order.isYes)],
  ['price', (order) => formatDecimal(order.priceMicros)],
  ['amount', (order) => formatDecimal(order.amountMicros)],
  ['filled', (order) => formatDecimal(filledOf(order))],
  ['status', (order) => order.status],
  ['closed', (order) => (order.closedMs === null ? null : isoTime(order.closedMs))],
];

const pick = <Name extends string>(...names: readonly Name[]): readonly Column<Readonly<Record<Name, CsvValue>>>[] =>
  names.map((name) => [name, (row) => row[name]]);

const BOOKED_COLUMNS = pick('fills', 'turnover', 'realised', 'fees', 'net');
const MARKET_COLUMNS = pick('title', 'yes', 'no', 'sets', 'cost', 'unrealised', 'result');
const bookedColumns = (key: string): readonly Column<MoneyRow>[] => [[key, (row) => row.key], ...BOOKED_COLUMNS];

const isoTime = (ms: number): string => new Date(ms).toISOString();
