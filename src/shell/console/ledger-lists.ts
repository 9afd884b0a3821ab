/** Lists of the page from the ledger, by a separate read-only connection: one statement each, cached briefly. */

import { RESTING_STATUSES } from '../../shared/protocol/states.js';
import type { LedgerReader } from '../../trader/ledger/contract.js';
import type { LedgerConnection } from './ledger-connection.js';
import { listEvents } from './views/log-view.js';
import { fillRow, orderRow } from './views/orders-view.js';

/** Rows per list: one or two screens. */
const ROWS = 20;
const MOST_ORDERS = 100;
/** Minimum interval of ledger reads for any number of pages, ms. */
const KEPT_MS = 500;

export type PageLists = ReturnType<typeof readLists>;

const NOTHING: PageLists = { orders: [], fills: [], events: [] };

export class LedgerLists {
  readonly #ledger: LedgerConnection;
  readonly #steadyMs: () => number;
  #lists = NOTHING;
  #readMs = Number.NEGATIVE_INFINITY;

  constructor(ledger: LedgerConnection, steadyMs: () => number = () => performance.now()) {
    this.#ledger = ledger;
    this.#steadyMs = steadyMs;
  }

  /** The last rows when the ledger cannot be read now. */
  read(): PageLists {
    const steadyMs = this.#steadyMs();
    if (steadyMs - this.#readMs < KEPT_MS) return this.#lists;
    this.#readMs = steadyMs;
    this.#lists = this.#ledger.read(readLists) ?? this.#lists;
    return this.#lists;
  }

  /** Null when the ledger cannot be read now. */
  eventCount(kind: string): number | null {
    return this.#ledger.read((ledger) => ledger.eventCount(kind));
  }
}

const readLists = (ledger: LedgerReader) => ({
  orders: ledger
    .unsettledOrders()
    .filter(({ status }) => RESTING_STATUSES.includes(status))
    .slice(-MOST_ORDERS)
    .map(orderRow),
  fills: ledger.fills({ limit: ROWS }).map(fillRow),
  events: listEvents(ledger, ROWS),
});
