/** Creates a ledger with finished orders. */

import type { Ledger } from '../../../src/trader/ledger/contract.js';
import { fillOf, m, ONE } from './books.js';
import { addCanceled } from './canceled-orders.js';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 0, 30);
const ORDERS = 40;

/** Adds canceled orders with their cancels. Every tenth order had a fill. */
export function fillLedger(ledger: Ledger): void {
  ledger.transaction(() => {
    ledger.startRun({ id: 'run', version: '0', configHash: 'hash', startedMs: 1 });
    ledger.setCapital(m(1000 * ONE), 1);
    for (let i = 0; i < ORDERS; i++) {
      const atMs = START_MS + i * (DAY_MS / 8);
      const order = `order-${i}`;
      addCanceled(ledger, order, atMs);
      if (i % 10 !== 0) continue;
      ledger.changeOrder(order, { status: 'canceled', filledMicros: m(ONE), closedMs: atMs + 10 });
      ledger.bookFill(fillOf({ pubkey: `trade-${i}`, orderPubkey: order, amountMicros: m(ONE), seenMs: atMs + 10 }));
    }
  });
}
