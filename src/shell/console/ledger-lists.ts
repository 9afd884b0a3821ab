/** The console's read-only connection to the ledger, and the page's lists of ledger rows as formatted text. */

import { complement, formatDecimal, type Micros, maxMicros } from '../../shared/base/micros.js';
import type { MarketStatus } from '../../shared/protocol/trader-status.js';
import type { BookedFill, LedgerReader, OrderRecord } from '../../trader/ledger/contract.js';
import { readIdentity } from '../../trader/ledger/database.js';
import { openReadOnly } from '../../trader/ledger/ledger.js';
import type { ViewQuery } from '../dashboard/contract.js';
import type { ShownState } from './trader-state.js';

export const moneyText = (value: number | null): string => (value === null ? '' : formatDecimal(value as Micros)); // whole millionths

export const outcomeName = (isYes: boolean): string => (isYes ? 'YES' : 'NO');

export const sideText = ({ side, isYes }: Terms): string => `${side} ${outcomeName(isYes)}`;

type Terms = Pick<BookedFill, 'side' | 'isYes'>;

/** Returns an order's filled shares: the larger of the ledger's and the exchange's figure, since one may be old. */
export const filledOf = ({ filledMicros, bookedMicros }: Pick<OrderRecord, 'filledMicros' | 'bookedMicros'>): Micros =>
  maxMicros(filledMicros, bookedMicros);

export const formatEach = <Name extends string>(figures: Readonly<Record<Name, Micros>>) =>
  // The cast is safe, because the result has the same keys as `figures`.
  Object.fromEntries(Object.entries<Micros>(figures).map(([name, value]) => [name, formatDecimal(value)])) as Readonly<
    Record<Name, string>
  >;

export const yesPrice = (isYes: boolean, price: Micros): Micros => (isYes ? price : complement(price));

/** Describes an order as the equivalent order in the other outcome: buy NO at 0.62 becomes `sell YES 0.38`. */
export const otherSpace = ({ side, isYes }: Terms, price: Micros): string =>
  `${side === 'buy' ? 'sell' : 'buy'} ${outcomeName(!isYes)} ${formatDecimal(complement(price))}`;

const PAGE_ROWS = 50;

/** Returns one page of the rows that contain every searched word, and the number of all such rows. */
export function findPage<Row extends object>(rows: readonly Row[], { words, page }: Pick<ViewQuery, 'words' | 'page'>) {
  const wanted = words.toLowerCase().split(/\s+/);
  const isFound = (row: Row): boolean => {
    const text = Object.values(row).join(' ').toLowerCase();
    return wanted.every((word) => text.includes(word));
  };
  const found = words === '' ? rows : rows.filter(isFound);
  return { rows: found.slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS), count: found.length, page, size: PAGE_ROWS };
}

/** Returns the used fraction of a limit; null for an unknown limit or a limit of 0. */
export const computePart = (used: number, limit: number | null): number | null =>
  limit !== null && limit > 0 ? used / limit : null;

/** Returns a function that finds a market's title: the trader's, else the ledger's, else the start of its id. */
export function makeTitleLookup(trader: ShownState, ledger: LedgerReader | null): (id: string) => string {
  const known = new Map<string, string>();
  return (id) => {
    const title = known.get(id) ?? trader.markets.get(id)?.title ?? ledger?.market(id)?.title ?? id.slice(0, SHORT_ID);
    known.set(id, title);
    return title;
  };
}

const SHORT_ID = 12;

/** Groups refused orders by the risk control that refused them, the most frequent first, with the newest reason. */
export function groupRefusals(refusals: MarketStatus['refusals']) {
  const groups = new Map<string, { readonly control: string; readonly count: number; readonly text: string }>();
  for (const { name, count, text } of refusals)
    groups.set(name, { control: name, count: count + (groups.get(name)?.count ?? 0), text });
  return [...groups.values()].sort((a, b) => b.count - a.count);
}

export const orderRow = (order: OrderRecord) => ({
  id: order.pubkey,
  market: order.marketConditionId,
  side: sideText(order),
  ...formatEach({ price: order.priceMicros, amount: order.amountMicros, filled: filledOf(order) }),
  status: order.status,
  time: order.createdMs,
  closed: order.closedMs,
});

export const fillRow = (fill: BookedFill) => ({
  id: fill.pubkey,
  order: fill.orderPubkey,
  market: fill.marketConditionId,
  side: sideText(fill),
  ...formatEach({ price: fill.priceMicros, amount: fill.amountMicros }),
  fee: fill.feeMicros === null ? '' : formatDecimal(fill.feeMicros),
  role: fill.isMaker === null ? '' : fill.isMaker ? 'maker' : 'taker',
  time: fill.timestampS * 1000,
});

/** Maximum number of rows in a list on the page; the list fills one or two screens. */
const ROWS = 20;
const MOST_ORDERS = 100;

type PageLists = ReturnType<typeof readLists>;

/** Read-only connection to the ledger. The ledger is opened at its first use, and again after a failure or restore. */
export class LedgerConnection {
  readonly #path: string;
  #ledger: LedgerReader | null = null;
  #file: string | null = null;
  #lists: PageLists = { resting_orders: 0, orders: [], fills: [], events: [] };
  /** Number of times the ledger was opened. After a change, earlier data may be of another file. */
  opened = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the result of `work` on the ledger; null while the ledger cannot be read. */
  read<T>(work: (ledger: LedgerReader) => T): T | null {
    try {
      const file = readIdentity(this.#path);
      if (file !== this.#file) this.close();
      if (this.#ledger === null) {
        this.#ledger = openReadOnly(this.#path);
        this.#file = file;
        this.opened++;
      }
      return work(this.#ledger);
    } catch {
      // The ledger's file may be damaged, or may not exist yet.
      this.close();
      return null;
    }
  }

  /** Returns the ledger's newest rows; while the ledger cannot be read, the last known rows. */
  lists(): PageLists {
    this.#lists = this.read(readLists) ?? this.#lists;
    return this.#lists;
  }

  close(): void {
    this.#ledger?.close();
    this.#ledger = null;
  }
}

function readLists(ledger: LedgerReader) {
  const resting = ledger.restingOrders();
  return {
    resting_orders: resting.length,
    orders: resting.slice(-MOST_ORDERS).map(orderRow),
    fills: ledger.fills({ limit: ROWS }).map(fillRow),
    events: ledger.events(ROWS),
  };
}

export interface ViewSources {
  readonly trader: ShownState;
  readonly ledger: Pick<LedgerConnection, 'read' | 'opened'>;
}
