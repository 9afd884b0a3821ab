/** What fills and conversions leave: shares by outcome, what they cost on average, and the currency they moved. */

import type { ConversionRecord, FillRecord } from '../session/contract.js';

export class Holdings {
  yesMicros = 0;
  noMicros = 0;
  /** What the shares held have cost, fees apart. Of shares that a run began with and gives away, negative. */
  costMicros = 0;
  cashMicros = 0;

  fill({ isYes, isBuy, amountMicros, cashMicros, feeMicros }: FillRecord): void {
    this.cashMicros += cashMicros - feeMicros;
    this.#hold(isYes, isBuy ? amountMicros : -amountMicros, -cashMicros);
  }

  convert({ yesMicros, noMicros, cashMicros }: ConversionRecord): void {
    this.cashMicros += cashMicros;
    if (yesMicros > 0) this.#hold(true, -yesMicros, 0);
    if (noMicros > 0) this.#hold(false, -noMicros, 0);
  }

  /** Shares at a YES price. */
  valueMicros(markMicros: number): number {
    return Math.floor((this.yesMicros * markMicros + this.noMicros * (1_000_000 - markMicros)) / 1_000_000);
  }

  #yesCost = 0;
  #noCost = 0;

  #hold(isYes: boolean, change: number, paidMicros: number): void {
    const held = isYes ? this.yesMicros : this.noMicros;
    const cost = isYes ? this.#yesCost : this.#noCost;
    const grows = change > 0 || held <= 0;
    const after = grows ? cost + paidMicros : Math.round((cost * (held + change)) / held);
    if (isYes) {
      this.yesMicros += change;
      this.#yesCost = after;
    } else {
      this.noMicros += change;
      this.#noCost = after;
    }
    this.costMicros = this.#yesCost + this.#noCost;
  }
}
