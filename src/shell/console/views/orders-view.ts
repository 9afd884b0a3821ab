/** Lists orders, fills and round trips for the page, for a market's chart and for spreadsheet files. */

import { complement, formatDecimal, type Micros, ONE } from '../../../shared/base/micros.js';
import { type CsvValue, csvLine } from '../../../shared/base/text.js';
import type { BookedFill, LedgerReader, OrderRecord } from '../../../trader/ledger/contract.js';
import type { TraderHost, ViewQuery } from '../../dashboard/contract.js';
import { nowMs } from '../../runtime/clock.js';
import {
  filledOf,
  fillRow,
  findPage,
  makeTitleLookup,
  orderRow,
  outcomeName,
  type ViewSources,
  yesPrice,
} from '../ledger-lists.js';
import type { ShownParts } from '../page-state.js';
import { READING } from './money-view.js';

/** Maximum rows of a spreadsheet file, which has the newest rows; `twinbook ledger query` has no such limit. */
const MOST_CSV_ROWS = 20_000;

type CsvColumn<Row> = readonly [name: string, cell: (row: Row) => CsvValue];

const join = <Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string =>
  [columns.map(([name]) => name), ...rows.map((row) => columns.map(([, cell]) => cell(row)))].map(csvLine).join('');

type Title = (market: string) => string;

export const makeCsv = (name: Parameters<TraderHost['csv']>[0], ledger: LedgerReader, title: Title): string =>
  name === 'fills'
    ? join(fillColumns(title), ledger.fills({ limit: MOST_CSV_ROWS }))
    : join(orderColumns(title), ledger.orders({ limit: MOST_CSV_ROWS }));

const termColumns = (title: Title): readonly CsvColumn<BookedFill | OrderRecord>[] => [
  ['market', (row) => row.marketConditionId],
  ['title', (row) => title(row.marketConditionId)],
  ['side', (row) => row.side],
  ['outcome', (row) => outcomeName(row.isYes)],
  ['price', (row) => formatDecimal(row.priceMicros)],
  ['amount', (row) => formatDecimal(row.amountMicros)],
];

const fillColumns = (title: Title): readonly CsvColumn<BookedFill>[] => [
  ['time', (fill) => isoTime(fill.timestampS * 1000)],
  ['fill', (fill) => fill.pubkey],
  ['order', (fill) => fill.orderPubkey],
  ...termColumns(title),
  ['fee', (fill) => (fill.feeMicros === null ? null : formatDecimal(fill.feeMicros))],
  ['role', (fill) => (fill.isMaker === null ? null : fill.isMaker ? 'maker' : 'taker')],
  ['seen', (fill) => isoTime(fill.seenMs)],
];

const orderColumns = (title: Title): readonly CsvColumn<OrderRecord>[] => [
  ['created', (order) => isoTime(order.createdMs)],
  ['order', (order) => order.pubkey],
  ...termColumns(title),
  ['filled', (order) => formatDecimal(filledOf(order))],
  ['status', (order) => order.status],
  ['closed', (order) => (order.closedMs === null ? null : isoTime(order.closedMs))],
];

const isoTime = (ms: number): string => new Date(ms).toISOString();

const DEFAULT_MS = 600_000;
/** Maximum number of fill markers in a chart, because more markers would overlap. */
const MOST_FILLS = 500;

export function chartView({ ledger, history }: Pick<ShownParts, 'ledger' | 'history'>, { market, spanMs }: ViewQuery) {
  if (market === null) return null;
  const toMs = nowMs();
  const fromMs = toMs - (spanMs || DEFAULT_MS);
  const points = history.market(market, { fromMs, toMs });
  const fills = ledger.read((open) => open.fills({ marketConditionId: market, limit: MOST_FILLS })) ?? [];
  return {
    time: points.map(({ timeMs }) => timeMs),
    best_bid: points.map(({ bestBidMicros }) => bestBidMicros),
    best_ask: points.map(({ bestAskMicros }) => bestAskMicros),
    fair: points.map(({ fairMicros }) => fairMicros),
    bid: points.map(({ bidMicros }) => bidMicros),
    ask: points.map(({ askMicros }) => askMicros),
    net: points.map(({ netMicros }) => netMicros),
    fills: fills
      .filter(({ timestampS }) => timestampS * 1000 >= fromMs)
      .map(({ pubkey, timestampS, isYes, side, priceMicros, amountMicros }) => ({
        id: pubkey,
        time: timestampS * 1000,
        price: yesPrice(isYes, priceMicros),
        amount: amountMicros,
        raises: (side === 'buy') === isYes,
      }))
      .sort((a, b) => a.time - b.time),
  };
}

/** Maximum number of round trips; older trips are dropped. */
const MOST_TRIPS = 2_000;

/** Shares of one fill that no later fill has closed yet. */
interface Lot {
  readonly timeMs: number;
  readonly price: number;
  /** Shares of the lot; negative for sold YES or bought NO. */
  shares: number;
  readonly feePerShare: number;
}

type Closing = Readonly<Lot & { id: string; market: string }>;

const round = (micros: number): Micros => Math.round(micros) as Micros;
const times = (price: number, shares: number): number => (price * shares) / ONE;

/** Finds round trips: shares bought and later sold, or the reverse. Matches lots first in, first out, at YES prices. */
export class RoundTrips {
  readonly #lots = new Map<string, Lot[]>();
  #trips: ReturnType<typeof makeTrip>[] = [];
  #last = 0;
  /** Identifies the ledger file and its reversed trades; a change means that all fills must be read again. */
  #of = '';

  /** Reads more fills. Returns all known trips, newest first. @param opened number of times the ledger was opened */
  readOn(ledger: LedgerReader, opened: number, steadyMs = () => performance.now()) {
    const endMs = steadyMs() + READING.ms;
    const newest = ledger.newestSeq('fills');
    const of = `${opened} ${ledger.tradeTurns()}`;
    if (of !== this.#of || newest < this.#last) {
      [this.#of, this.#last, this.#trips] = [of, 0, []];
      this.#lots.clear();
    }
    while (this.#last < newest && steadyMs() < endMs)
      for (const { seq, row } of ledger.fillsAfter(this.#last, READING.rows)) {
        this.#take(row);
        this.#last = seq;
      }
    this.#trips = this.#trips.slice(-MOST_TRIPS);
    return { closed: this.#trips.toReversed(), read: newest === 0 ? 1 : this.#last / newest };
  }

  /** Closes the oldest lots of the opposite direction, then opens a lot with the remaining shares. */
  #take(fill: BookedFill): void {
    const closing = {
      id: fill.pubkey,
      market: fill.marketConditionId,
      timeMs: fill.timestampS * 1000,
      price: yesPrice(fill.isYes, fill.priceMicros),
      shares: ((fill.side === 'buy') === fill.isYes ? 1 : -1) * fill.amountMicros,
      feePerShare: ((fill.feeMicros ?? 0) / fill.amountMicros) * ONE,
    };
    const lots = this.#lots.get(closing.market) ?? [];
    this.#lots.set(closing.market, lots);
    let left = closing.shares;
    const closed: Lot[] = [];
    while (left !== 0 && lots[0] !== undefined && Math.sign(lots[0].shares) !== Math.sign(left)) {
      const [lot] = lots;
      const shares = Math.sign(lot.shares) * Math.min(Math.abs(left), Math.abs(lot.shares));
      closed.push({ ...lot, shares });
      lot.shares -= shares;
      left += shares;
      if (lot.shares === 0) lots.shift();
    }
    if (closed.length > 0) this.#trips.push(makeTrip(closing, closed));
    if (left !== 0) lots.push({ ...closing, shares: left });
  }
}

function makeTrip({ id, market, timeMs, price, feePerShare }: Closing, closed: readonly Lot[]) {
  const sum = (of: (lot: Lot) => number): number => closed.reduce((total, lot) => total + of(lot), 0);
  const shares = sum((lot) => lot.shares);
  const opened = sum((lot) => times(lot.price, lot.shares));
  const fees = sum((lot) => times(lot.feePerShare + feePerShare, Math.abs(lot.shares)));
  const openedAt = (opened / shares) * ONE;
  const isBuy = shares > 0;
  return {
    id,
    market,
    time: timeMs,
    lasted: timeMs - Math.min(...closed.map((lot) => lot.timeMs)),
    held: isBuy ? 'YES' : 'NO',
    shares: formatDecimal(round(Math.abs(shares))),
    bought: formatDecimal(isBuy ? round(openedAt) : complement(round(openedAt))),
    sold: formatDecimal(isBuy ? round(price) : complement(round(price))),
    profit: formatDecimal(round(times(price, shares) - opened - fees)),
  };
}

/** Number of newest rows among which the page's filters search. */
const MOST_ROWS = 2_000;

type OrdersQuery = Pick<ViewQuery, 'market' | 'side' | 'words' | 'page' | 'spanMs'>;

export const ordersView = (shown: ViewSources, trips: RoundTrips, query: OrdersQuery) =>
  shown.ledger.read((open) => listOrders(open, shown, trips, query));

function listOrders(open: LedgerReader, { trader, ledger }: ViewSources, trips: RoundTrips, query: OrdersQuery) {
  const { market, side, spanMs } = query;
  const newest = { limit: MOST_ROWS, ...(market === null ? {} : { marketConditionId: market }) };
  const find = makeTitleLookup(trader, open);
  const fromMs = spanMs === 0 ? 0 : nowMs() - spanMs;
  const { closed, read } = trips.readOn(open, ledger.opened);
  const ours = closed.filter((trip) => trip.time >= fromMs && (market === null || trip.market === market));
  const titled = <Row extends { readonly market: string }>(row: Row) => ({ ...row, title: find(row.market) });
  const pageOf = <Row extends { readonly time: number; readonly side: string }>(rows: readonly Row[]) =>
    findPage(
      rows.filter((row) => row.time >= fromMs && row.side.startsWith(side)),
      query,
    );
  return {
    orders: pageOf(open.orders(newest).map((order) => titled(orderRow(order)))),
    fills: pageOf(open.fills(newest).map((fill) => titled(fillRow(fill)))),
    trips: findPage(ours.map(titled), query),
    read,
  };
}
