/** Creates ledgers in temporary folders, and rows for them. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TwinbookError } from '../../../src/shared/base/errors.js';
import type { Micros } from '../../../src/shared/base/micros.js';
import type {
  BookedConversion,
  BookedFill,
  IntentRow,
  Ledger,
  MarketRecord,
  OrderRecord,
} from '../../../src/trader/ledger/contract.js';
import { openLedger } from '../../../src/trader/ledger/ledger.js';

export const m = (value: number) => value as Micros;
export const ONE = 1_000_000;
export const HOLDER = { pid: process.pid, startedMs: 1_700_000_000_000 };

/** Returns the path of a new ledger in its own folder, and a function that removes the folder. */
export function newLedgerPath(): { readonly path: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-ledger-'));
  return { path: join(folder, 'ledger.sqlite'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Calls a function with the path of a new ledger, and removes the folder afterwards. */
export function inFolder<T>(work: (path: string) => T): T {
  const { path, remove } = newLedgerPath();
  try {
    return work(path);
  } finally {
    remove();
  }
}

/** Calls a function with an open ledger that has one run. */
export const withLedger = <T>(work: (ledger: Ledger, path: string) => T): T =>
  inFolder((path) => {
    const ledger = openLedger(path, HOLDER);
    try {
      ledger.transaction(() => ledger.startRun({ id: 'run', version: '0', configHash: 'hash', startedMs: 1 }));
      return work(ledger, path);
    } finally {
      ledger.close();
    }
  });

/** A purchase of ten shares of YES at 0.42. */
const BUY = { isYes: true, side: 'buy', priceMicros: m(420_000), amountMicros: m(10 * ONE) } as const;
const TERMS = { marketConditionId: 'a', ...BUY };

export const intentOf = (changes: Partial<IntentRow> = {}): IntentRow => ({
  id: 'run-a-1',
  runId: 'run',
  kind: 'place',
  ...TERMS,
  redeemYesMicros: null,
  redeemNoMicros: null,
  orderPubkey: null,
  feeRateMicros: m(10_000),
  strategy: 'maker',
  isProbe: false,
  reason: '{}',
  state: 'intended',
  draftPubkey: null,
  message: null,
  expiresAtS: null,
  signature: null,
  submitCount: 0,
  createdMs: 1,
  updatedMs: 1,
  lastReason: '',
  configHash: 'hash',
  ...changes,
});

export const orderOf = (changes: Partial<OrderRecord> = {}): OrderRecord => ({
  pubkey: 'order-1',
  intentId: 'run-a-1',
  ...TERMS,
  filledMicros: m(0),
  bookedMicros: m(0),
  failedMicros: m(0),
  status: 'open',
  createdMs: 1,
  closedMs: null,
  ...changes,
});

export const fillOf = (changes: Partial<BookedFill> = {}): BookedFill => ({
  pubkey: 'trade-1',
  orderPubkey: 'order-1',
  ...TERMS,
  feeMicros: m(42_000),
  isMaker: false,
  timestampS: 1_700_000_000,
  seenMs: 5,
  ...changes,
});

/** A conversion of this many sets, by an intent with the name of its kind. */
export const conversionOf = (
  kind: BookedConversion['kind'],
  sets: number,
  changes: Partial<BookedConversion> = {},
): BookedConversion => ({
  pubkey: kind,
  intentId: kind,
  kind,
  marketConditionId: 'a',
  yesMicros: m(sets),
  noMicros: m(sets),
  cashMicros: m(sets),
  yesCostMicros: null,
  seenMs: 1,
  ...changes,
});

/** Returns the error with which a call is refused. */
export function refusalOf(work: () => unknown): TwinbookError {
  try {
    work();
  } catch (error) {
    if (error instanceof TwinbookError) return error;
    throw error;
  }
  throw new Error('the call was not refused');
}

export const marketOf = (changes: Partial<MarketRecord> = {}): MarketRecord => ({
  conditionId: 'a',
  title: 'Will it?',
  state: 'open',
  eventConditionId: null,
  yesLabel: 'Yes',
  noLabel: null,
  makerFeeRateMicros: m(0),
  takerFeeRateMicros: m(10_000),
  resolutionS: null,
  seenMs: 1,
  ...changes,
});
