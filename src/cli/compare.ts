/** Ledger and exchange side by side: pure, so that every kind of difference can be tested. */

import { formatDecimal } from '../base/decimal.js';
import { type Micros, ZERO } from '../base/micros.js';
import type { Difference } from '../daemon/control-protocol.js';
import type { FillRow, OrderRecord, PositionRow } from '../ledger/contract.js';
import type { AssetRow, OrderRow, OwnTradeRow } from '../protocol/records.js';

export interface LedgerSide {
  /** Orders that rest according to the ledger. */
  readonly resting: readonly OrderRecord[];
  readonly fills: readonly FillRow[];
  readonly positions: readonly PositionRow[];
}

export interface ExchangeSide {
  readonly resting: readonly OrderRow[];
  /** Null when the venue does not list own trades. */
  readonly trades: readonly OwnTradeRow[] | null;
  readonly assets: readonly AssetRow[];
}

const NOTHING = 'nothing';

/** Every disagreement: orders first, then fills, then positions. */
export function compare(ledger: LedgerSide, exchange: ExchangeSide): readonly Difference[] {
  return [...compareOrders(ledger, exchange), ...compareFills(ledger, exchange), ...comparePositions(ledger, exchange)];
}

function compareOrders({ resting: ours }: LedgerSide, { resting: theirs }: ExchangeSide): readonly Difference[] {
  const ourTexts = new Map(
    ours.map((row) => [
      row.pubkey,
      orderText(row.side, row.isYes, row.priceMicros, row.amountMicros, row.filledMicros),
    ]),
  );
  const theirTexts = new Map(
    theirs.map((row) => [
      row.pubkey ?? '(without pubkey)',
      orderText(row.side, row.outcome.is_yes, row.price, row.amount, row.filled_amount),
    ]),
  );
  return differing('order', ourTexts, theirTexts);
}

const orderText = (
  side: string,
  isYes: boolean,
  price: Micros | null,
  amount: Micros | null,
  filled: Micros | null,
): string => `${side} ${shown(amount)} ${isYes ? 'YES' : 'NO'} at ${shown(price)}, ${shown(filled)} filled`;

const shown = (value: Micros | null): string => (value === null ? '?' : formatDecimal(value));

function compareFills({ fills }: LedgerSide, { trades }: ExchangeSide): readonly Difference[] {
  if (trades === null) return [];
  const ours = new Map(fills.map((row) => [row.pubkey, fillText(row.amountMicros, row.priceMicros, row.feeMicros)]));
  // A failed trade moved nothing and must not be in the ledger; one that is not settled yet may be.
  const theirs = new Map(
    trades
      .filter(({ state, pubkey }) => state === 'done' || (state !== 'failed' && ours.has(pubkey)))
      .map((row) => [row.pubkey, fillText(row.amount, row.price, row.fee)]),
  );
  return differing('fill', ours, theirs);
}

const fillText = (amount: Micros, price: Micros, fee: Micros | null): string =>
  `${formatDecimal(amount)} at ${formatDecimal(price)}, fee ${formatDecimal(fee ?? ZERO)}`;

function comparePositions({ positions }: LedgerSide, { assets }: ExchangeSide): readonly Difference[] {
  const name = (market: string, isYes: boolean): string => `${market} ${isYes ? 'YES' : 'NO'}`;
  const ours = positions.map(
    (row) => [name(row.marketConditionId, row.isYes), formatDecimal(row.sharesMicros)] as const,
  );
  const theirs = assets
    .filter((row) => row.asset_kind === 'share' && row.amounts.total !== 0)
    .map(
      (row) => [name(row.position.market.condition_id, row.position.is_yes), formatDecimal(row.amounts.total)] as const,
    );
  return differing('position', new Map(ours), new Map(theirs));
}

function differing(
  what: Difference['what'],
  ours: ReadonlyMap<string, string>,
  theirs: ReadonlyMap<string, string>,
): readonly Difference[] {
  const subjects = [...new Set([...ours.keys(), ...theirs.keys()])].sort();
  return subjects.flatMap((subject) => {
    const [ledger, exchange] = [ours.get(subject) ?? NOTHING, theirs.get(subject) ?? NOTHING];
    return ledger === exchange ? [] : [{ what, subject, ledger, exchange }];
  });
}
