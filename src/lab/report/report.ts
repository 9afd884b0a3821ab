/**
 * The report (the package's `twinbook/report`): from the record of a session to every figure of it (`analysis/`), to one
 * HTML page (`html/`), to a table for the terminal (`summary.ts`); and from a live ledger to such a record
 * (`session-from-ledger.ts`).
 *
 *     const session = sessionOfLedger('data/twinbook.sqlite', { title: 'this week' });
 *     writeFileSync('report.html', reportHtml({ sessions: [session] }, [analyse(session)]));
 *
 * A figure stands in one place, `Analysis`; page, table and JSON only show it. The split of the result is exact.
 */

import { openReadOnly } from '../../trader/ledger/ledger.js';
import type { SessionRecord } from '../session/contract.js';
import { type LedgerSessionOptions, sessionFromLedger } from './session-from-ledger.js';

/** Defaults: holdings have no price, and the session ends with the ledger's last observation. */
export type LedgerReportOptions = Pick<LedgerSessionOptions, 'title'> &
  Partial<Pick<LedgerSessionOptions, 'nowMs' | 'fairMicros'>>;

/**
 * The session in a trader's ledger, read beside a running trader or after it. The ledger is not changed and has no
 * book: figures that need mids are null. Throws TwinbookError `file_unreadable` without such a ledger.
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
