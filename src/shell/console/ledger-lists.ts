/** The console's read-only connection to the ledger, and the page's lists from it: one statement each, cached briefly. */

import { RESTING_STATUSES } from '../../shared/protocol/states.js';
import type { LedgerReader } from '../../trader/ledger/contract.js';
import { listEvents } from './views/log-view.js';
import { fillRow, orderRow } from './views/orders-view.js';

/** Rows per list: one or two screens. */
const ROWS = 20;
const MOST_ORDERS = 100;
/** Minimum interval of ledger reads for any number of pages, ms. */
const KEPT_MS = 500;

export type PageLists = ReturnType<typeof readLists>;

const NOTHING: PageLists = { orders: [], fills: [], events: [] };

/** Opened at its first use, and reopened after a failure. */
export class LedgerConnection {
  readonly #open: () => LedgerReader;
  #ledger: LedgerReader | null = null;
  #opened = 0;

  /** @param open throws while no ledger exists */
  constructor(open: () => LedgerReader) {
    this.#open = open;
  }

  /** Number of openings: earlier reads may be of another file. */
  get opened(): number {
    return this.#opened;
  }

  /** Result of `work`; null while the ledger cannot be read. */
  read<T>(work: (ledger: LedgerReader) => T): T | null {
    try {
      if (this.#ledger === null) {
        this.#ledger = this.#open();
        this.#opened++;
      }
      return work(this.#ledger);
    } catch {
      // The file may have been replaced, or does not exist yet.
      this.close();
      return null;
    }
  }

  /** It is reopened at its next use. */
  close(): void {
    this.#ledger?.close();
    this.#ledger = null;
  }
}

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
