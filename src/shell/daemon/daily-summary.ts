/** The daily summary: waits until the exchange's clock has ended the day, then writes its text. */

import type { AccountSnapshot } from '../../trader/engine/snapshot.js';
import { agreementText } from '../../trader/reconcile/differences.js';
import { formatSigned, money } from './status-text.js';

const DAY_MS = 86_400_000;
/**
 * After a start or a sleep the exchange's clock begins a day five minutes later, and the account must be valued first.
 */
const PATIENCE_MS = 15 * 60_000;
const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' });

/** A due summary, until the result of its day is known. */
export class DailySummary {
  /** The UTC day to wait for, with the monotonic time of the request, ms; null while none is due. */
  #due: { readonly day: string; readonly sinceMs: number } | null = null;

  /** A summary is due: of the day before that of `nowMs`. */
  request(nowMs: number, steadyMs: number): void {
    this.#due = { day: new Date(nowMs - DAY_MS).toISOString().slice(0, 10), sinceMs: steadyMs };
  }

  get isDue(): boolean {
    return this.#due !== null;
  }

  /** True once: when the day has ended by the exchange's clock, or the wait is over. */
  take(days: AccountSnapshot['days'], steadyMs: number): boolean {
    if (this.#due === null) return false;
    const hasEnded = days !== null && days.current.day > this.#due.day;
    if (!hasEnded && steadyMs - this.#due.sinceMs < PATIENCE_MS) return false;
    this.#due = null;
    return true;
  }
}

/** `1 December (UTC): +17.82` for the newest ended day, or for the day so far without one. */
function dayText(days: AccountSnapshot['days']): string {
  if (days === null) return 'no valuation yet';
  const { day, resultMicros } = days.ended ?? days.current;
  return `${DATE.format(Date.parse(day))} (UTC)${days.ended === null ? ' so far' : ''}: ${formatSigned(resultMicros)}`;
}

/** The result of the newest day that has ended, and the state of the account. */
export function summaryText(account: AccountSnapshot): string {
  const { mode, resultMicros, days, cashMicros, equityMicros, fills, openOrders, reconciled, accepted } = account;
  return [
    dayText(days),
    `result ${formatSigned(resultMicros)} in all`,
    `cash ${money(cashMicros)}, worth ${money(equityMicros)}`,
    `${fills} fills of this run, ${openOrders} orders open, ${mode}`,
    agreementText(reconciled?.differences.length ?? 0, accepted),
  ].join('; ');
}
