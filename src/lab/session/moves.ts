/** What changed a market's shares and our currency: fills and conversions, in order of time. */

import type { ConversionRecord, FillRecord, MarketSession } from './contract.js';

/** Fills and conversions of a market in order of time; a fill stands before a conversion of the same moment. */
export type Move =
  | ({ readonly kind: 'fill' } & Pick<
      FillRecord,
      'timeMs' | 'orderPubkey' | 'isYes' | 'isBuy' | 'amountMicros' | 'cashMicros' | 'feeMicros' | 'markMicros'
    >)
  | ConversionRecord;

export function listMoves(market: Pick<MarketSession, 'fills' | 'conversions'>): readonly Move[] {
  const fills = market.fills.map((fill): Move => ({ kind: 'fill', ...fill }));
  // The sort is stable, which is what keeps fills first.
  return [...fills, ...market.conversions].sort((a, b) => a.timeMs - b.timeMs);
}

/** What the YES shares of so many new sets cost: by the YES price of that moment, half of it where none is known. */
export const computeYesCost = (setsMicros: number, markMicros: number | null): number =>
  Math.floor((setsMicros * (markMicros ?? 500_000)) / 1_000_000);

/** What a move changes, in shares. */
export function sharesMoved(move: Move): { readonly yes: number; readonly no: number } {
  if (move.kind !== 'fill') return { yes: -move.yesMicros, no: -move.noMicros };
  const shares = move.isBuy ? move.amountMicros : -move.amountMicros;
  return move.isYes ? { yes: shares, no: 0 } : { yes: 0, no: shares };
}
