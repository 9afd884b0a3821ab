/** Creates a ledger with finished orders. */

import type { Ledger } from '../../../src/trader/ledger/contract.js';
import { fillOf, intentOf, m, ONE, orderOf } from './books.js';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 0, 30);
const ORDERS = 40;

/** Adds canceled orders with their cancels. Every tenth order had a fill. */
export function fillLedger(ledger: Ledger): void {
  ledger.transaction(() => {
    ledger.startRun({ id: 'run', version: '0', configHash: 'hash', startedMs: 1 });
    ledger.setCapital(m(1000 * ONE), 1);
    for (let i = 0; i < ORDERS; i++) {
      const createdMs = START_MS + i * (DAY_MS / 8);
      const closedMs = createdMs + 1_000;
      const times = { createdMs, updatedMs: closedMs };
      const pubkey = `order-${i}`;
      const texts = { draftPubkey: pubkey, message: `message ${i}`, signature: `signature ${i}` };
      const id = `run-p-${i}`;
      ledger.addIntent(intentOf({ id, state: 'done', submitCount: 1, ...times, ...texts, reason: `{"i":${i}}` }));
      ledger.addOrder(orderOf({ pubkey, intentId: id, createdMs, closedMs, status: 'canceled' }));
      const cancel = { kind: 'cancel', isYes: null, side: null, priceMicros: null, amountMicros: null } as const;
      ledger.addIntent(intentOf({ id: `run-c-${i}`, ...cancel, state: 'done', orderPubkey: pubkey, ...times }));
      if (i % 10 !== 0) continue;
      ledger.changeOrder(pubkey, { status: 'canceled', filledMicros: m(ONE), closedMs });
      ledger.bookFill(fillOf({ pubkey: `trade-${i}`, orderPubkey: pubkey, amountMicros: m(ONE), seenMs: closedMs }));
    }
  });
}
