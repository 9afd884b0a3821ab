/** A ledger with orders that are over for long, and what is old in it. */

import { openWithArchives } from '../../../../src/trader/ledger/archive/joined-reader.js';
import type { Ledger, LedgerReader } from '../../../../src/trader/ledger/contract.js';
import { openLedger } from '../../../../src/trader/ledger/ledger.js';
import { fillOf, HOLDER, inFolder, intentOf, m, newLedgerPath, ONE, orderOf } from '../books.js';

const DAY_MS = 86_400_000;
export const START_MS = Date.UTC(2026, 0, 30);
/** So many stay for being new. */
export const RECENT = 20;
export const OLD = 40;

/** Old orders, every tenth of them filled or none, with their cancels; and as many new intents as always stay. */
export function fillLedger(ledger: Ledger, recent = RECENT, startMs = START_MS, isFilled = true): void {
  ledger.transaction(() => {
    ledger.startRun({ id: 'run', version: '0', configHash: 'hash', startedMs: 1 });
    ledger.setCapital(m(1000 * ONE), 1);
    for (let i = 0; i < OLD; i++) {
      const createdMs = startMs + i * (DAY_MS / 8);
      const closedMs = createdMs + 1_000;
      const times = { createdMs, updatedMs: closedMs };
      const pubkey = `order-${i}`;
      const texts = { draftPubkey: pubkey, message: `message ${i}`, signature: `signature ${i}` };
      const id = `run-p-${i}`;
      ledger.addIntent(intentOf({ id, state: 'done', submitCount: 1, ...times, ...texts, reason: `{"i":${i}}` }));
      ledger.addOrder(orderOf({ pubkey, intentId: id, createdMs, closedMs, status: 'canceled' }));
      const cancel = { kind: 'cancel', isYes: null, side: null, priceMicros: null, amountMicros: null } as const;
      ledger.addIntent(intentOf({ id: `run-c-${i}`, ...cancel, state: 'done', orderPubkey: pubkey, ...times }));
      if (!isFilled || i % 10 !== 0) continue;
      ledger.changeOrder(pubkey, { status: 'canceled', filledMicros: m(ONE), closedMs });
      ledger.bookFill(fillOf({ pubkey: `trade-${i}`, orderPubkey: pubkey, amountMicros: m(ONE), seenMs: closedMs }));
    }
    const newMs = startMs + 300 * DAY_MS;
    for (let i = 0; i < recent; i++)
      ledger.addIntent(intentOf({ id: `run-n-${i}`, state: 'refused', createdMs: newMs, updatedMs: newMs }));
    ledger.addIntent(intentOf({ id: 'run-n-order', state: 'done', createdMs: newMs, updatedMs: newMs }));
    ledger.addOrder(
      orderOf({ pubkey: 'newest', intentId: 'run-n-order', createdMs: newMs, closedMs: newMs, status: 'canceled' }),
    );
  });
}

export const BEFORE_MS = START_MS + 299 * DAY_MS;

export const withOld = <T>(work: (ledger: Ledger, path: string) => T): T =>
  inFolder((path) => {
    const ledger = openLedger(path, HOLDER);
    try {
      fillLedger(ledger);
      return work(ledger, path);
    } finally {
      ledger.close();
    }
  });

export async function withOldAsync(work: (ledger: Ledger, path: string) => Promise<void>): Promise<void> {
  const { path, remove } = newLedgerPath();
  const ledger = openLedger(path, HOLDER);
  try {
    fillLedger(ledger);
    await work(ledger, path);
  } finally {
    ledger.close();
    remove();
  }
}

/** What anybody may ask of a ledger. */
const contentOf = (reader: LedgerReader) => ({
  intents: reader.intents({ limit: 1e6 }),
  orders: reader.orders({ limit: 1e6 }),
  fills: reader.fills({ limit: 1e6 }),
  pnl: reader.pnl(new Map()),
  order: reader.order('order-7'),
  intent: reader.intent('run-p-7'),
  filled: reader.intent('run-p-10'),
  problems: reader.verify(),
});

/** Sorted: rows of one moment have no order among them. */
function sorted(content: ReturnType<typeof contentOf>) {
  return {
    ...content,
    intents: content.intents.toSorted((a, b) => a.id.localeCompare(b.id)),
    orders: content.orders.toSorted((a, b) => a.pubkey.localeCompare(b.pubkey)),
  };
}

/** What a ledger and its archives say together. */
export const readAll = (path: string) => {
  const reader = openWithArchives(path);
  try {
    return sorted(contentOf(reader));
  } finally {
    reader.close();
  }
};
