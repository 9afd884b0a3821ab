/** Fills and conversions in order of time, with the resulting shares, average cost and currency. */

import { micros, mulDiv } from '../../shared/base/micros.js';
import type { ConversionRecord, FillRecord, MarketSession } from './contract.js';

/** Fills and conversions of a market in order of time; at equal times fills first. */
export type Move =
  | ({ readonly kind: 'fill' } & Pick<
      FillRecord,
      'timeMs' | 'orderPubkey' | 'isYes' | 'isBuy' | 'amountMicros' | 'cashMicros' | 'feeMicros' | 'markMicros'
    >)
  | ConversionRecord;

export function listMoves(market: Pick<MarketSession, 'fills' | 'conversions'>): readonly Move[] {
  const fills = market.fills.map((fill): Move => ({ kind: 'fill', ...fill }));
  // The sort is stable, which keeps fills first.
  return [...fills, ...market.conversions].sort((a, b) => a.timeMs - b.timeMs);
}

/** Cost of the YES shares of new sets: by the YES price then, half without one. */
export const computeYesCost = (setsMicros: number, markMicros: number | null): number =>
  Math.floor((setsMicros * (markMicros ?? 500_000)) / 1_000_000);

/** Change of shares by a move. */
export function sharesMoved(move: Move): { readonly yes: number; readonly no: number } {
  if (move.kind !== 'fill') return { yes: -move.yesMicros, no: -move.noMicros };
  const shares = move.isBuy ? move.amountMicros : -move.amountMicros;
  return move.isYes ? { yes: shares, no: 0 } : { yes: 0, no: shares };
}

/** Part of a cost for the remaining shares: `costMicros × leftMicros / heldMicros`. */
type KeepCost = (costMicros: number, leftMicros: number, heldMicros: number) => number;

/** The ledger's rule: the leaving part is rounded down, the last share takes the rest. Exact for any size. */
const KEEP_AS_LEDGER: KeepCost = (cost, left, held) => mulDiv(micros(cost), micros(left), micros(held), 'ceil');

/** Rounds cost to the nearest micro, for samples of bound capital. */
export const KEEP_NEAREST: KeepCost = (cost, left, held) => Math.round((cost * left) / held);

export class Holdings {
  /** Currency from fills and conversions, net of fees. */
  cashMicros = 0;
  feesMicros = 0;
  readonly #yes: SharesAtCost;
  readonly #no: SharesAtCost;

  constructor(keepCost: KeepCost = KEEP_AS_LEDGER) {
    this.#yes = new SharesAtCost(keepCost);
    this.#no = new SharesAtCost(keepCost);
  }

  move(move: Move): void {
    const { yes, no } = sharesMoved(move);
    const feeMicros = move.kind === 'fill' ? move.feeMicros : 0;
    this.cashMicros += move.cashMicros - feeMicros;
    this.feesMicros += feeMicros;
    const yesPaid = move.kind === 'split' ? (move.yesCostMicros ?? 0) : -move.cashMicros;
    const noPaid = move.kind === 'split' ? -move.cashMicros - yesPaid : -move.cashMicros;
    if (yes !== 0) this.#yes.move(yes, yesPaid);
    if (no !== 0) this.#no.move(no, noPaid);
  }

  /** Negative for shares held before the first move and given away. */
  get yesMicros(): number {
    return this.#yes.sharesMicros;
  }

  get noMicros(): number {
    return this.#no.sharesMicros;
  }

  /** YES minus NO. */
  get netMicros(): number {
    return this.yesMicros - this.noMicros;
  }

  /** Average cost of the held shares without fees; ≥ 0. */
  get costMicros(): number {
    return this.#yes.costMicros + this.#no.costMicros;
  }

  /** Returns the value at a YES price, rounded down; null when a needed price is unknown. */
  worthMicros(markMicros: number): number;
  worthMicros(markMicros: number | null): number | null;
  worthMicros(markMicros: number | null): number | null {
    const [yes, no] = [this.yesMicros, this.noMicros];
    if (yes === no) return yes;
    return markMicros === null ? null : Math.floor((yes * markMicros + no * (1_000_000 - markMicros)) / 1_000_000);
  }
}

/** One outcome's shares. */
class SharesAtCost {
  sharesMicros = 0;
  costMicros = 0;
  readonly #keepCost: KeepCost;

  constructor(keepCost: KeepCost) {
    this.#keepCost = keepCost;
  }

  /** Shares come at a price or leave at average cost; shares never bought have none. */
  move(sharesMicros: number, paidMicros: number): void {
    const held = this.sharesMicros;
    const left = held + sharesMicros;
    this.sharesMicros = left;
    if (left <= 0) this.costMicros = 0;
    else if (sharesMicros > 0) this.costMicros += paidMicros;
    else this.costMicros = this.#keepCost(this.costMicros, left, held);
  }
}
