/** A ledger with history: a million rows of orders that were placed, filled and settled long ago, in closed markets. */

import { copyFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Micros, micros } from '../../src/shared/base/micros.js';
import type { IntentRow, Ledger } from '../../src/trader/ledger/contract.js';
import { openLedger } from '../../src/trader/ledger/ledger.js';
import { LEDGER_VERSION } from '../../src/trader/ledger/tables.js';
import { sized } from './bench.js';

/** Each order creates an intent, an order, a fill, a transaction and its postings. */
const ORDERS = sized(125_000, 2_000);
const MARKETS = 200;
const CAPITAL = micros(1_000_000_000);
const START_MS = Date.UTC(2025, 0, 1);
const PRICE = micros(500_000);
const AMOUNT = micros(5_000_000);

/** Puts a copy of that ledger at `path`. It is built once per version of the ledger, in a quarter of a minute. */
export function putLongHistory(path: string): void {
  const cache = join(tmpdir(), `twinbook-bench-history-${LEDGER_VERSION}-${ORDERS}.sqlite`);
  if (!existsSync(cache)) {
    const building = `${cache}.${process.pid}`;
    build(building);
    renameSync(building, cache);
    rmSync(`${building}.lock`, { force: true });
  }
  copyFileSync(cache, path);
}

/** Rows of the tables that grow. */
export function historyRows(count: (table: string) => number): number {
  return ['intents', 'orders', 'fills', 'transactions', 'postings'].reduce((sum, table) => sum + count(table), 0);
}

function build(path: string): void {
  const ledger = openLedger(path, { pid: process.pid, startedMs: START_MS });
  ledger.transaction(() => {
    ledger.startRun({ id: 'past', version: '0', configHash: 'past', startedMs: START_MS });
    ledger.setCapital(CAPITAL, START_MS);
    // The wallet started empty, so that all its holdings are this ledger's.
    ledger.setNote('trades_baseline', '-');
    ledger.setNote('opening_shares', '[]');
    for (let n = 0; n < ORDERS; n++) addOrder(ledger, n);
    ledger.stopRun('past', START_MS + ORDERS * 1000, 'stopped, nothing rests');
  });
  ledger.close();
  if (statSync(path).size < ORDERS * 1000) throw new Error(`${path} is too small to be a long history`);
}

/** Buys, and sells at the same price with the next order: only rows are left. */
function addOrder(ledger: Ledger, n: number): void {
  const nowMs = START_MS + n * 1000;
  const market = `past-${Math.floor(n / 2) % MARKETS}`;
  const side = n % 2 === 0 ? 'buy' : 'sell';
  const number = String(n).padStart(33, '0');
  const orderPubkey = `past-order-${number}`;
  const terms = { marketConditionId: market, isYes: true, side, priceMicros: PRICE, amountMicros: AMOUNT } as const;
  const intent = { ...INTENT, ...terms, id: `past.${n}`, createdMs: nowMs, updatedMs: nowMs };
  ledger.addIntent({ ...intent, draftPubkey: orderPubkey, state: 'done' });
  const filled = { filledMicros: AMOUNT, status: 'filled', bookedMicros: NONE, failedMicros: NONE } as const;
  const times = { createdMs: nowMs, closedMs: nowMs + 500 };
  ledger.addOrder({ ...terms, ...filled, ...times, pubkey: orderPubkey, intentId: intent.id });
  const seen = { timestampS: Math.floor(nowMs / 1000), seenMs: nowMs + 500 };
  ledger.bookFill({ ...terms, ...seen, pubkey: `past-trade-${number}`, orderPubkey, feeMicros: NONE, isMaker: true });
}

const NONE = 0 as Micros;

const INTENT: IntentRow = {
  ...{ id: '', runId: 'past', kind: 'place', marketConditionId: '', isYes: true, side: 'buy' },
  ...{ priceMicros: PRICE, amountMicros: AMOUNT, redeemYesMicros: null, redeemNoMicros: null, orderPubkey: null },
  ...{ feeRateMicros: NONE, strategy: 'ladder', isProbe: false },
  reason: '{"note":"ladder","fair":"0.5","best_bid":"0.49","best_ask":"0.51"}',
  ...{ state: 'done', draftPubkey: null, message: 'x'.repeat(300), expiresAtS: 0, signature: 'f'.repeat(128) },
  ...{ submitCount: 1, createdMs: 0, updatedMs: 0 },
  lastReason: 'the exchange shows it filled',
  configHash: 'f'.repeat(64),
};
