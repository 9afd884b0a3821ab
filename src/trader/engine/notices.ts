/** What the operator should read, until the shell takes it. */

import type { Ledger, OperatorEvent } from '../ledger/contract.js';

/** Something the operator should read; the shell logs it. `loud` ones are in the ledger too. */
export type Notice = OperatorEvent;

export class Notices {
  readonly #ledger: Pick<Ledger, 'addEvent'>;
  #waiting: Notice[] = [];

  constructor(ledger: Pick<Ledger, 'addEvent'>) {
    this.#ledger = ledger;
  }

  notify(timeMs: number, kind: string, text: string): void {
    this.#waiting.push({ timeMs, severity: 'info', kind, text });
  }

  /** Also kept in the ledger. `subject`: the pubkey or intent id that it is about; it goes with that order or intent. */
  alert(timeMs: number, kind: string, text: string, subject: string | null = null): void {
    const notice: Notice = { timeMs, severity: 'loud', kind, text };
    this.#waiting.push(notice);
    this.#ledger.addEvent(notice, subject);
  }

  /** What has been worth saying since the last call. */
  take(): readonly Notice[] {
    const notices = this.#waiting;
    this.#waiting = [];
    return notices;
  }
}
