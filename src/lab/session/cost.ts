/** What held shares cost, at average cost and without fees, as the ledger counts it. */

import { micros, minMicros, mulDiv } from '../../shared/base/micros.js';
import { type Move, sharesMoved } from './moves.js';

/** One outcome's shares and their cost. */
export class CostBasis {
  sharesMicros = 0;
  costMicros = 0;

  /** Shares come at a price or leave at average cost, rounded down so that the last share takes the rest. */
  move(sharesMicros: number, paidMicros: number): void {
    if (sharesMicros > 0) this.costMicros += paidMicros;
    else this.costMicros -= this.#costOf(-sharesMicros);
    this.sharesMicros += sharesMicros;
    if (this.sharesMicros <= 0) this.costMicros = 0;
  }

  #costOf(sharesMicros: number): number {
    if (this.sharesMicros <= 0) return 0;
    const held = micros(this.sharesMicros);
    return mulDiv(micros(this.costMicros), minMicros(micros(sharesMicros), held), held, 'floor');
  }
}

/** Both outcomes of a market. */
export class MarketCost {
  readonly #yes = new CostBasis();
  readonly #no = new CostBasis();

  get costMicros(): number {
    return this.#yes.costMicros + this.#no.costMicros;
  }

  move(move: Move): void {
    const { yes, no } = sharesMoved(move);
    if (yes !== 0) this.#yes.move(yes, -move.cashMicros);
    if (no !== 0) this.#no.move(no, -move.cashMicros);
  }
}

export function costOfHoldings(moves: readonly Move[]): number {
  const cost = new MarketCost();
  for (const move of moves) cost.move(move);
  return cost.costMicros;
}
