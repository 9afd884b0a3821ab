/** Samples at equal steps that stay bounded: when there are too many, every other one goes and the step doubles. */

import { MAX_SAMPLES } from './contract.js';

/** The finest step, ms. */
export const FIRST_STEP_MS = 1_000;

/** Columns that are thinned out together. Steps are counted in time that is played, not in time that is skipped. */
export class Samples<Column extends string> {
  stepMs = FIRST_STEP_MS;
  readonly timeMs: number[] = [];
  readonly columns: Readonly<Record<Column, (number | null)[]>>;
  #count = 0;

  constructor(names: readonly Column[]) {
    // One entry for each name, made right here.
    this.columns = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Column, (number | null)[]>;
  }

  /** True when the sample that comes now (one each `FIRST_STEP_MS`) is one to keep; then `write` every column. */
  wants(): boolean {
    const wanted = this.#count % (this.stepMs / FIRST_STEP_MS) === 0;
    this.#count++;
    if (wanted && this.timeMs.length === MAX_SAMPLES) this.thinOut();
    // After thinning out this one may stand between two steps.
    return wanted && (this.#count - 1) % (this.stepMs / FIRST_STEP_MS) === 0;
  }

  /** For one sample more than those that come by their steps. */
  makeRoom(): void {
    if (this.timeMs.length === MAX_SAMPLES) this.thinOut();
  }

  get length(): number {
    return this.timeMs.length;
  }

  /** Every other sample goes. */
  thinOut(): void {
    this.stepMs *= 2;
    const keepEven = (column: unknown[]) => {
      for (let i = 0; 2 * i < column.length; i++) column[i] = column[2 * i];
      column.length = Math.ceil(column.length / 2);
    };
    keepEven(this.timeMs);
    // The columns of this very object.
    for (const column of Object.values(this.columns)) keepEven(column as unknown[]);
  }
}
