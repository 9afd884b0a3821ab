/** What the page offers as files for spreadsheets. Every row has its own names of things, times are UTC. */

import { type CsvValue, csvLine } from '../../shared/base/csv.js';
import { formatDecimal } from '../../shared/base/decimal.js';
import type { BookedFill, LedgerReader, OrderRecord } from '../../trader/ledger/contract.js';
import type { CsvName, MoneyRow, MoneyView } from '../dashboard/views.js';
import { filledOf, outcomeName } from './views/texts.js';

/** Newest rows of a file: more are `twinbook ledger query`'s business. */
export const MOST_CSV_ROWS = 20_000;

export interface CsvSources {
  readonly ledger: LedgerReader;
  readonly title: (market: string) => string;
  readonly money: () => Pick<MoneyView, 'days' | 'markets' | 'strategies'>;
}

export function makeCsv(name: CsvName, { ledger, title, money }: CsvSources): string {
  switch (name) {
    case 'fills':
      return join(FILL_COLUMNS, ledger.fills({ limit: MOST_CSV_ROWS }), (fill) => fillCells(fill, title));
    case 'orders':
      return join(ORDER_COLUMNS, ledger.orders({ limit: MOST_CSV_ROWS }), (order) => orderCells(order, title));
    case 'days':
      return join(['day', ...BOOKED_COLUMNS], money().days, bookedCells);
    case 'strategies':
      return join(['strategy', ...BOOKED_COLUMNS], money().strategies, bookedCells);
    case 'markets': {
      const columns = ['market', ...BOOKED_COLUMNS, 'title', 'yes', 'no', 'sets', 'cost', 'unrealised', 'result'];
      return join(columns, money().markets, (row) => [
        ...bookedCells(row),
        ...[row.title, row.yes, row.no, row.sets, row.cost, row.unrealised, row.result],
      ]);
    }
  }
}

const join = <Row>(columns: readonly string[], all: readonly Row[], cells: (row: Row) => readonly CsvValue[]): string =>
  [csvLine(columns), ...all.map((row) => csvLine(cells(row)))].join('');

const FILL_COLUMNS = [
  ...['time', 'fill', 'order', 'market', 'title', 'side', 'outcome'],
  ...['price', 'amount', 'fee', 'role', 'seen'],
];

const fillCells = (fill: BookedFill, title: (market: string) => string): readonly CsvValue[] => [
  isoTime(fill.timestampS * 1000),
  fill.pubkey,
  fill.orderPubkey,
  fill.marketConditionId,
  title(fill.marketConditionId),
  fill.side,
  outcomeName(fill.isYes),
  formatDecimal(fill.priceMicros),
  formatDecimal(fill.amountMicros),
  fill.feeMicros === null ? null : formatDecimal(fill.feeMicros),
  fill.isMaker === null ? null : fill.isMaker ? 'maker' : 'taker',
  isoTime(fill.seenMs),
];

const ORDER_COLUMNS = [
  ...['created', 'order', 'market', 'title', 'side', 'outcome'],
  ...['price', 'amount', 'filled', 'status', 'closed'],
];

const orderCells = (order: OrderRecord, title: (market: string) => string): readonly CsvValue[] => [
  isoTime(order.createdMs),
  order.pubkey,
  order.marketConditionId,
  title(order.marketConditionId),
  order.side,
  outcomeName(order.isYes),
  formatDecimal(order.priceMicros),
  formatDecimal(order.amountMicros),
  formatDecimal(filledOf(order)),
  order.status,
  order.closedMs === null ? null : isoTime(order.closedMs),
];

const BOOKED_COLUMNS = ['fills', 'turnover', 'realised', 'fees', 'net'];

const bookedCells = ({ key, fills, turnover, realised, fees, net }: MoneyRow): readonly CsvValue[] => [
  key,
  fills,
  turnover,
  realised,
  fees,
  net,
];

const isoTime = (ms: number): string => new Date(ms).toISOString();
