import { micros, mulDiv } from '../../shared/base/micros.js';
import type { ConversionRecord, FillRecord, MarketSession } from './contract.js';

export type Move =
  | ({ readonly kind: 'fill' } & Pick<
      FillRecord,
      'timeMs' | 'orderPubkey' | 'isYes' | 'isBuy' | 'amountMicros' | 'cashMicros' | 'feeMicros' | 'markMicros'
    >)
  | ConversionRecord;

export function listMoves(market: Pick<MarketSession, 'fills' | 'conversions'>): readonly Move[] {
  const fills = market.fills.map((fill): Move => ({ kind: 'fill', ...fill }));
  // The sort is stable, so a fill precedes a conversion with the same time.
  return [...fills, ...market.conversions].sort((a, b) => a.timeMs - b.timeMs);
}

/** Returns the part of a split's cost that the YES shares get: cost × YES mid, or half of the cost without a mid. */
export const computeYesCost = (setsMicros: number, markMicros: number | null): number =>
  Math.floor((setsMicros * (markMicros ?? 500_000)) / 1_000_000);

/** Returns the change of held shares by a fill or conversion; negative for removed shares. */
export function sharesMoved(move: Move) {
  if (move.kind !== 'fill') return { yes: -move.yesMicros, no: -move.noMicros };
  const shares = move.isBuy ? move.amountMicros : -move.amountMicros;
  return move.isYes ? { yes: shares, no: 0 } : { yes: 0, no: shares };
}

/** Returns the cost of the shares that remain after a removal, rounded from `costMicros × leftMicros / heldMicros`. */
type KeepCost = (costMicros: number, leftMicros: number, heldMicros: number) => number;

/** Rounds like the ledger, in exact integers: cost of removed shares down, cost of remaining shares up. */
const KEEP_AS_LEDGER: KeepCost = (cost, left, held) => mulDiv(micros(cost), micros(left), micros(held), 'ceil');

/** Rounds the cost to the nearest micro, which is exact enough for samples of locked capital. */
export const KEEP_NEAREST: KeepCost = (cost, left, held) => Math.round((cost * left) / held);

export class Holdings {
  /** Sum of the currency from all fills and conversions, minus fees. */
  cashMicros = 0;
  feesMicros = 0;
  readonly #yes = new SharesAtCost();
  readonly #no = new SharesAtCost();
  readonly #keepCost: KeepCost;

  constructor(keepCost: KeepCost = KEEP_AS_LEDGER) {
    this.#keepCost = keepCost;
  }

  move(move: Move): void {
    const { yes, no } = sharesMoved(move);
    const { feeMicros = 0 } = move;
    this.cashMicros += move.cashMicros - feeMicros;
    this.feesMicros += feeMicros;
    const yesPaid = move.kind === 'split' ? (move.yesCostMicros ?? 0) : -move.cashMicros;
    const noPaid = move.kind === 'split' ? -move.cashMicros - yesPaid : -move.cashMicros;
    if (yes !== 0) this.#yes.move(yes, yesPaid, this.#keepCost);
    if (no !== 0) this.#no.move(no, noPaid, this.#keepCost);
  }

  /** Held YES shares; negative if more shares were removed than added. */
  get yesMicros(): number {
    return this.#yes.sharesMicros;
  }

  get noMicros(): number {
    return this.#no.sharesMicros;
  }

  get netMicros(): number {
    return this.yesMicros - this.noMicros;
  }

  /** Cost of all held shares at average prices, without fees; ≥ 0. */
  get costMicros(): number {
    return this.#yes.costMicros + this.#no.costMicros;
  }

  /** Returns the value of the held shares at a YES price, rounded down; null if the value needs an unknown price. */
  worthMicros(markMicros: number | null): number | null {
    const [yes, no] = [this.yesMicros, this.noMicros];
    if (yes === no) return yes;
    return markMicros === null ? null : Math.floor((yes * markMicros + no * (1_000_000 - markMicros)) / 1_000_000);
  }
}

class SharesAtCost {
  sharesMicros = 0;
  costMicros = 0;

  /** Adds shares at their price, or removes shares at average cost. The cost is 0 without held shares. */
  move(sharesMicros: number, paidMicros: number, keepCost: KeepCost): void {
    const held = this.sharesMicros;
    const left = held + sharesMicros;
    this.sharesMicros = left;
    if (left <= 0) this.costMicros = 0;
    else if (sharesMicros > 0) this.costMicros += paidMicros;
    else this.costMicros = keepCost(this.costMicros, left, held);
  }
}
