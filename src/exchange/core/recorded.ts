/**
 * The recorded liquidity of one side of a book: per level one amount beside the real orders. What real orders have eaten is
 * remembered, because the recording goes on as if they had not: the level shows the recorded amount minus the eaten one.
 */

import { f64, fillSparse, sparse } from './cells.js';
import { TickSet } from './ticks.js';

export class RecordedSide {
  /** Amount of the level as the recording says. */
  readonly #total: Float64Array;
  readonly #eaten: Float64Array;
  /** What recorded trades took since the level's last change. */
  readonly #traded: Float64Array;
  /** Ticks that show something. */
  readonly shown: TickSet;

  constructor(ticks: number) {
    this.#total = new Float64Array(ticks);
    this.#eaten = new Float64Array(ticks);
    this.#traded = new Float64Array(ticks);
    this.shown = new TickSet(ticks);
  }

  displayed(tick: number): number {
    return f64(this.#total, tick) - f64(this.#eaten, tick);
  }

  /** What was traded since the last change; the count starts anew, for the change accounts for it. */
  settleTraded(tick: number): number {
    const traded = f64(this.#traded, tick);
    this.#traded[tick] = 0;
    return traded;
  }

  /** What was eaten stays eaten while the level shrinks, never more than all of it; what the recording adds is new. */
  change(tick: number, total: number): void {
    const before = this.displayed(tick);
    this.#total[tick] = total;
    if (f64(this.#eaten, tick) > total) this.#eaten[tick] = total;
    // Most changes leave a level that shows something one that does.
    if (before > 0 !== this.displayed(tick) > 0) this.#show(tick);
  }

  trade(tick: number, amount: number): void {
    this.#traded[tick] = f64(this.#traded, tick) + amount;
  }

  eat(tick: number, amount: number): void {
    this.#eaten[tick] = f64(this.#eaten, tick) + amount;
    this.#show(tick);
  }

  #show(tick: number): void {
    if (this.displayed(tick) > 0) this.shown.add(tick);
    else this.shown.remove(tick);
  }

  clear(): void {
    for (let tick = this.shown.up(0); tick >= 0; tick = this.shown.up(tick + 1)) this.shown.remove(tick);
    this.#total.fill(0);
    this.#eaten.fill(0);
    this.#traded.fill(0);
  }

  dump(): RecordedDump {
    return { total: sparse(this.#total), eaten: sparse(this.#eaten), traded: sparse(this.#traded) };
  }

  load(dump: RecordedDump): void {
    fillSparse(this.#total, dump.total);
    fillSparse(this.#eaten, dump.eaten);
    fillSparse(this.#traded, dump.traded);
    for (let i = 0; i < dump.total.length; i += 2) this.#show(dump.total[i] ?? 0);
  }
}

export interface RecordedDump {
  readonly total: readonly number[];
  readonly eaten: readonly number[];
  readonly traded: readonly number[];
}
