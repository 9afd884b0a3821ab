/** Notices for the operator, and the texts in them. */

import type { Ledger, OperatorEvent } from '../ledger/contract.js';
import type { Markets } from './markets.js';

export class Notices {
  readonly #ledger: Pick<Ledger, 'addEvent'>;
  readonly #waiting: OperatorEvent[] = [];

  constructor(ledger: Pick<Ledger, 'addEvent'>) {
    this.#ledger = ledger;
  }

  /** A notice that the shell logs. */
  notify(timeMs: number, kind: string, text: string): void {
    this.#waiting.push({ timeMs, severity: 'info', kind, text });
  }

  /** A notice that the ledger stores too. `subject`: pubkey or intent id of its order or intent; pruned with it. */
  alert(timeMs: number, kind: string, text: string, subject: string | null = null): void {
    const notice = { timeMs, severity: 'loud', kind, text } as const;
    this.#waiting.push(notice);
    this.#ledger.addEvent(notice, subject);
  }

  /** Notices since the last call. */
  take(): readonly OperatorEvent[] {
    return this.#waiting.splice(0);
  }
}

/**
 * Name of a market for log lines. Titles come from the exchange: control characters could move the cursor of the
 * operator's terminal, and a line break could forge a log line.
 */
export const showTitle = (markets: Pick<Markets, 'get'>, conditionId: string): string =>
  (markets.get(conditionId)?.feed.facts?.title ?? conditionId).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
