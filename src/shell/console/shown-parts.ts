/** The console's data of one trader: each view, list and metric takes the parts that it shows. */

import type { TraderConfig } from '../config/config.js';
import type { LedgerConnection, LedgerLists } from './ledger-lists.js';
import type { MarketReplay } from './market-replay.js';
import type { Reports } from './reports.js';
import type { AlertStore } from './store/alert-store.js';
import type { History } from './store/history.js';
import type { TraderState } from './trader-state.js';
import type { ResultBook } from './views/result-book.js';
import type { Watch } from './watch.js';

/** State of the guardian, read from its file. */
export interface GuardianWatch {
  /** For a person. */
  status(): string;
  /** Null when no guardian is needed. */
  isGuarded(): boolean | null;
}

export interface ShownParts {
  /** Unique within a console. */
  readonly name: string;
  readonly config: TraderConfig;
  readonly guardian: GuardianWatch;
  readonly trader: TraderState;
  readonly ledger: LedgerConnection;
  readonly lists: LedgerLists;
  readonly history: History;
  readonly book: ResultBook;
  readonly past: MarketReplay;
  readonly watch: Watch;
  readonly alerts: AlertStore;
  readonly reports: Reports;
}
