/**
 * The recorded liquidity of one side of a book: per level one amount beside the real orders. What real orders have eaten is
 * remembered, because the recording goes on as if they had not: the level shows the recorded amount minus the eaten one. It
 * is remembered over a gap too: the snapshot after it holds what was eaten, as far as the level has not gone meanwhile.
 */

import { f64, fillSparse, sparse } from '../typed-arrays.js';
import { TickSet } from './ticks.js';

/** Cells of a level: the recorded amount, the part eaten by real orders, and the part traded since its last change. */
const STRIDE = 4;
const EATEN = 1;
const TRADED = 2;

/** One side of a recorded book by level; amounts in micros. */
export class RecordedSide {
  /** Ticks that show something. */
  readonly shown: TickSet;
  /** Ticks with recorded amounts, including eaten ones. */
  readonly held: TickSet;
  readonly #cells: Float64Array;

  constructor(ticks: number) {
    this.#cells = new Float64Array(ticks * STRIDE);
    this.shown = new TickSet(ticks);
    this.held = new TickSet(ticks);
  }

  displayedAmount(tick: number): number {
    const at = tick * STRIDE;
    return Math.max(0, f64(this.#cells, at) - f64(this.#cells, at + EATEN));
  }

  /** Recorded amount, including the eaten part. */
  total(tick: number): number {
    return f64(this.#cells, tick * STRIDE);
  }

  /** Known earlier amount of a level: recorded, or eaten before a clear. */
  knownAmount(tick: number): number {
    const at = tick * STRIDE;
    return Math.max(f64(this.#cells, at), f64(this.#cells, at + EATEN));
  }

  /** Amount of recorded trades since the last change. */
  tradedAmount(tick: number): number {
    return f64(this.#cells, tick * STRIDE + TRADED);
  }

  /**
   * Eaten amounts stay eaten while the level shrinks, at most all of it; recorded increases are new. The traded amount
   * is reset, because the change includes it.
   */
  change(tick: number, total: number): void {
    const cells = this.#cells;
    const at = tick * STRIDE;
    const eaten = f64(cells, at + EATEN);
    const before = Math.max(0, f64(cells, at) - eaten);
    const stays = Math.min(eaten, total);
    cells[at] = total;
    cells[at + EATEN] = stays;
    cells[at + TRADED] = 0;
    const after = total - stays;
    // Most changes keep a level visible, and few levels have eaten amounts.
    if (before > 0 !== after > 0 || eaten > 0) this.#note(tick);
  }

  trade(tick: number, amount: number): void {
    const at = tick * STRIDE + TRADED;
    this.#cells[at] = f64(this.#cells, at) + amount;
  }

  eat(tick: number, amount: number): void {
    const at = tick * STRIDE + EATEN;
    this.#cells[at] = f64(this.#cells, at) + amount;
    this.#note(tick);
  }

  #note(tick: number): void {
    if (this.displayedAmount(tick) > 0) this.shown.add(tick);
    else this.shown.remove(tick);
    if (this.total(tick) > 0) this.held.add(tick);
    else this.held.remove(tick);
  }

  /** Drops recorded amounts. Eaten ones are kept until `forgetGone`. */
  clear(): void {
    for (let tick = this.shown.up(0); tick >= 0; tick = this.shown.up(tick + 1)) this.shown.remove(tick);
    for (let tick = this.held.up(0); tick >= 0; tick = this.held.up(tick + 1)) this.held.remove(tick);
    for (let at = 0; at < this.#cells.length; at += STRIDE) {
      this.#cells[at] = 0;
      this.#cells[at + TRADED] = 0;
    }
  }

  /** True when eaten amounts of a vanished level are kept. */
  remembersGone(): boolean {
    for (let at = 0; at < this.#cells.length; at += STRIDE) if (this.#isGone(at)) return true;
    return false;
  }

  /** Such a level returns as a new one. */
  forgetGone(): void {
    for (let at = 0; at < this.#cells.length; at += STRIDE) if (this.#isGone(at)) this.#cells[at + EATEN] = 0;
  }

  #isGone(at: number): boolean {
    return f64(this.#cells, at) === 0 && f64(this.#cells, at + EATEN) > 0;
  }

  dump() {
    const column = (cell: number): number[] => sparse(this.#cells, STRIDE, cell);
    return { total: column(0), eaten: column(EATEN), traded: column(TRADED) };
  }

  load(dump: ReturnType<RecordedSide['dump']>): void {
    for (const [cell, pairs] of [dump.total, dump.eaten, dump.traded].entries())
      fillSparse(this.#cells, pairs, STRIDE, cell);
    for (let i = 0; i < dump.total.length; i += 2) this.#note(dump.total[i] ?? 0);
  }
}
