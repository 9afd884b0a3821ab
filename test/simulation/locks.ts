/** Compares our locks at the exchange with the ledger's resting orders and conversions. Invariant 4. */

import type { ExchangeSide } from './exchange-side.js';
import type { TraderProcess } from './trader-process.js';

/** Differences in words; null while a request is in flight, because the two then have different times. */
export function wrongLocks(
  { core, account, fills }: ExchangeSide,
  { executor, ledger }: TraderProcess,
): string[] | null {
  if (ledger.activeIntents().some(({ kind, state }) => kind !== 'place' || state !== 'live')) return null;
  if (ledger.fills({ limit: 1e6 }).length < fills.size) return null;
  const found: string[] = [];
  const expect = (what: string, locked: number, wanted: number) => {
    if (locked !== wanted) found.push(`4: the exchange has locked ${locked} ${what}, the ledger says ${wanted}`);
  };
  const reserved = executor.reservations();
  const cash = reserved.reduce((sum, { cashMicros }) => sum + cashMicros, 0);
  expect('currency', core.funds.read(account).locked, cash);
  for (const { card, shares } of core.catalog.markets) {
    const { conditionId } = card;
    const { yesLocked, noLocked } = shares.read(account);
    const here = reserved.filter(({ marketConditionId }) => marketConditionId === conditionId);
    const sum = (of: 'yesMicros' | 'noMicros') => here.reduce((total, reservation) => total + reservation[of], 0);
    expect(`YES of ${conditionId}`, yesLocked, sum('yesMicros'));
    expect(`NO of ${conditionId}`, noLocked, sum('noMicros'));
  }
  return found;
}
