/** Rows of the ledger that a step has written, so that the invariants only check these again. */

import type { Ledger } from '../../src/trader/ledger/contract.js';

export class Touched {
  readonly intents = new Set<string>();
  /** Money or shares were booked. */
  booked = false;

  get any(): boolean {
    return this.booked || this.intents.size > 0;
  }

  clear(): void {
    this.intents.clear();
    this.booked = false;
  }

  /** Observes the writes of this ledger without changing them. */
  listen(ledger: Ledger): void {
    const { addIntent, changeIntent, bookFill, noteFailedTrade, bookConversion } = ledger;
    ledger.addIntent = (intent) => {
      this.intents.add(intent.id);
      addIntent.call(ledger, intent);
    };
    ledger.changeIntent = (id, change) => {
      this.intents.add(id);
      return changeIntent.call(ledger, id, change);
    };
    ledger.bookFill = (fill) => {
      this.booked = true;
      return bookFill.call(ledger, fill);
    };
    ledger.noteFailedTrade = (...failure) => {
      this.booked = true;
      return noteFailedTrade.call(ledger, ...failure);
    };
    ledger.bookConversion = (conversion) => {
      this.booked = true;
      return bookConversion.call(ledger, conversion);
    };
  }
}
