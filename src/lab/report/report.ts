/**
 * The package's `twinbook/report` computes all figures of a session record (`analysis/`), and shows them as an HTML
 * page (`html/`) or a terminal table (`summary.ts`). A live ledger can be read as a session record
 * (`session-from-ledger.ts`).
 *
 *     const session = sessionOfLedger('data/twinbook.sqlite', { title: 'this week' });
 *     writeFileSync('report.html', reportHtml({ sessions: [session] }, [analyse(session)]));
 *
 * All figures are in `Analysis`; page, table and JSON only show them. The parts of a result add up to the result.
 */

import { openReadOnly } from '../../trader/ledger/ledger.js';
import type { SessionRecord } from '../session/contract.js';
import { type LedgerSessionOptions, sessionFromLedger } from './session-from-ledger.js';

/** Options. By default, held shares have no price, and the session ends at the newest time in the ledger. */
export type LedgerReportOptions = Pick<LedgerSessionOptions, 'title'> &
  Partial<Pick<LedgerSessionOptions, 'nowMs' | 'fairMicros'>>;

/**
 * Reads a trader's ledger as a session record, even while the trader runs. The ledger file is not changed. A ledger has
 * no order book, so figures that need mids are null. Throws TwinbookError `file_unreadable` without a ledger file.
 */
export function sessionOfLedger(path: string, options: LedgerReportOptions): SessionRecord {
  const ledger = openReadOnly(path);
  try {
    return sessionFromLedger(ledger, {
      title: options.title,
      version: 'read by twinbook/report',
      nowMs: options.nowMs ?? null,
      fairMicros: options.fairMicros ?? new Map(),
      findPrices: () => null,
    });
  } finally {
    ledger.close();
  }
}

export type { Bracket, SessionRecord } from '../session/contract.js';
export { type Analysis, analyse } from './analysis/analyse.js';
export { reportHtml } from './html/report-html.js';
export { summaryTable } from './summary.js';
