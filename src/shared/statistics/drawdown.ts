/** How far equity fell from its highest point so far, in money. */

import { requireFinite, type Values, valueAt } from './values.js';

export interface Drawdown {
  /** Money lost from the peak to the trough; 0 when equity never fell. */
  readonly depth: number;
  /** Samples of the peak and of the trough; both 0 when equity never fell. */
  readonly peakIndex: number;
  readonly troughIndex: number;
}

/** The deepest fall from a peak to a later trough, the first one if several are equally deep; null without samples. */
export function maxDrawdown(equity: Values): Drawdown | null {
  if (equity.length === 0) return null;
  const running = new RunningDrawdown();
  for (let i = 0; i < equity.length; i++) running.add(valueAt(equity, i));
  return running.drawdown();
}

/** The same for samples that come one by one; no allocation per sample. */
export class RunningDrawdown {
  #count = 0;
  #peak = Number.NEGATIVE_INFINITY;
  #peakIndex = 0;
  #depth = 0;
  #from = 0;
  #to = 0;

  /** RangeError unless finite. */
  add(equity: number): void {
    requireFinite(equity, 'a sample of equity');
    if (equity > this.#peak) {
      this.#peak = equity;
      this.#peakIndex = this.#count;
    } else if (this.#peak - equity > this.#depth) {
      this.#depth = this.#peak - equity;
      this.#from = this.#peakIndex;
      this.#to = this.#count;
    }
    this.#count += 1;
  }

  /** Deepest fall so far, in money; null before the first sample. */
  get depth(): number | null {
    return this.#count === 0 ? null : this.#depth;
  }

  drawdown(): Drawdown | null {
    return this.#count === 0 ? null : { depth: this.#depth, peakIndex: this.#from, troughIndex: this.#to };
  }
}
