/** Adds orders that were canceled without a fill, with the rows that a trader writes. */

import type { Ledger } from '../../../src/trader/ledger/contract.js';
import { intentOf, orderOf } from './books.js';

/** Adds an order that was placed and canceled at `atMs`: three rows with its cancel. */
export function addCanceled(ledger: Ledger, name: string, atMs: number, runId = 'run'): void {
  const times = { runId, createdMs: atMs, updatedMs: atMs + 10 };
  ledger.addIntent(intentOf({ id: `place-${name}`, state: 'done', draftPubkey: name, ...times }));
  const ended = { status: 'canceled', createdMs: atMs, closedMs: atMs + 10 } as const;
  ledger.addOrder(orderOf({ pubkey: name, intentId: `place-${name}`, ...ended }));
  const none = { isYes: null, side: null, priceMicros: null, amountMicros: null } as const;
  const cancel = { id: `cancel-${name}`, kind: 'cancel', orderPubkey: name, state: 'done' } as const;
  ledger.addIntent(intentOf({ ...cancel, ...none, ...times }));
}

/** Marks the list of own orders as compared up to this order. */
export const markComparedTo = (ledger: Ledger, pubkey: string): void =>
  ledger.setNote('history/orders', JSON.stringify({ older: [pubkey] }));
