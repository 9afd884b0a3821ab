/** Notices for the operator. */

import type { Ledger, OperatorEvent } from '../ledger/contract.js';
import type { Markets } from './markets.js';

export class Notices {
  readonly #ledger: Pick<Ledger, 'addEvent'>;
  readonly #waiting: OperatorEvent[] = [];

  constructor(ledger: Pick<Ledger, 'addEvent'>) {
    this.#ledger = ledger;
  }

  /** Adds a notice that the shell logs. */
  notify(timeMs: number, kind: string, text: string): void {
    this.#waiting.push({ timeMs, severity: 'info', kind, text });
  }

  /**
   * Adds a notice that the ledger stores too. `subject`: its order's pubkey or intent id; the notice is pruned with it.
   */
  alert(timeMs: number, kind: string, text: string, subject: string | null = null): void {
    const notice = { timeMs, severity: 'loud', kind, text } as const;
    this.#waiting.push(notice);
    this.#ledger.addEvent(notice, subject);
  }

  /** Returns the notices since the last call. */
  take(): readonly OperatorEvent[] {
    return this.#waiting.splice(0);
  }
}

/**
 * Name of a market for log lines, without control characters and line breaks: titles come from the exchange and could
 * forge log lines.
 */
export const showTitle = (markets: Pick<Markets, 'get'>, conditionId: string): string =>
  (markets.get(conditionId)?.feed.facts?.title ?? conditionId).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
