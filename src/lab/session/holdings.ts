/** Fills and conversions in order of time, and the shares, their average cost and the currency that they leave. */

import { micros, mulDiv } from '../../shared/base/micros.js';
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

/** Part of a cost that stays with the shares that stay: `costMicros × leftMicros / heldMicros`. */
type KeepCost = (costMicros: number, leftMicros: number, heldMicros: number) => number;

/** As the ledger counts it: what leaves is rounded down, so that the last share takes the rest. Exact at any size. */
const KEEP_AS_LEDGER: KeepCost = (cost, left, held) => mulDiv(micros(cost), micros(left), micros(held), 'ceil');

/** For samples of what is locked. */
export const KEEP_NEAREST: KeepCost = (cost, left, held) => Math.round((cost * left) / held);

export class Holdings {
  /** What fills and conversions brought, fees taken off. */
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

  /** Below zero for shares that were held before the first move and are given away. */
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

  /** What the shares that are held have cost on average, fees apart; ≥ 0. */
  get costMicros(): number {
    return this.#yes.costMicros + this.#no.costMicros;
  }

  /** At a YES price, rounded down; null when that is not known and the worth depends on it. */
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

  /** Shares come at a price or leave at average cost; those that were never bought have none. */
  move(sharesMicros: number, paidMicros: number): void {
    const held = this.sharesMicros;
    const left = held + sharesMicros;
    this.sharesMicros = left;
    if (left <= 0) this.costMicros = 0;
    else if (sharesMicros > 0) this.costMicros += paidMicros;
    else this.costMicros = this.#keepCost(this.costMicros, left, held);
  }
}
