/** Samples at equal steps that stay bounded: when there are too many, every other one goes and the step doubles. */

import { type AccountSeries, MAX_SAMPLES, type MarketSeries, type QuotingFigures } from './contract.js';

/** The finest step, ms. */
export const FIRST_STEP_MS = 1_000;

/** Columns that are thinned out together. Steps are counted in time that is played, not in time that is skipped. */
class Samples<Column extends string> {
  stepMs: number;
  readonly timeMs: number[] = [];
  readonly columns: Readonly<Record<Column, (number | null)[]>>;
  protected readonly firstStepMs: number;
  #count = 0;

  constructor(names: readonly Column[], firstStepMs: number) {
    // One entry for each name, made right here.
    this.columns = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Column, (number | null)[]>;
    this.firstStepMs = firstStepMs;
    this.stepMs = firstStepMs;
  }

  /** True when the sample that comes now (one each first step) is one to keep; then `write` every column. */
  wants(): boolean {
    const wanted = this.#count % (this.stepMs / this.firstStepMs) === 0;
    this.#count++;
    if (wanted && this.timeMs.length === MAX_SAMPLES) this.thinOut();
    // After thinning out this one may stand between two steps.
    return wanted && (this.#count - 1) % (this.stepMs / this.firstStepMs) === 0;
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

/** The best prices of one moment, in YES space; null for an empty side. */
export interface BookTop {
  /** Of the others. */
  readonly bidMicros: number | null;
  readonly askMicros: number | null;
  readonly ourBidMicros: number | null;
  readonly ourAskMicros: number | null;
}

/** One market over time, and how long our quotes stood in it. */
export class MarketSamples extends Samples<'bid' | 'ask' | 'ourBid' | 'ourAsk' | 'inventory'> {
  #openForMs = 0;
  #twoSidedMs = 0;
  #oneSidedMs = 0;

  constructor(firstStepMs = FIRST_STEP_MS) {
    super(['bid', 'ask', 'ourBid', 'ourAsk', 'inventory'], firstStepMs);
  }

  /** Once each first step while the market is open. */
  take(timeMs: number, top: BookTop, netMicros: number): void {
    const { ourBidMicros, ourAskMicros } = top;
    this.#openForMs += this.firstStepMs;
    if (ourBidMicros !== null && ourAskMicros !== null) this.#twoSidedMs += this.firstStepMs;
    else if (ourBidMicros !== null || ourAskMicros !== null) this.#oneSidedMs += this.firstStepMs;
    if (!this.wants()) return;
    const { columns } = this;
    this.timeMs.push(timeMs);
    columns.bid.push(top.bidMicros);
    columns.ask.push(top.askMicros);
    columns.ourBid.push(ourBidMicros);
    columns.ourAsk.push(ourAskMicros);
    columns.inventory.push(netMicros);
  }

  get series(): MarketSeries {
    const { stepMs, timeMs, columns } = this;
    return {
      stepMs,
      timeMs,
      bidMicros: columns.bid,
      askMicros: columns.ask,
      ourBidMicros: columns.ourBid,
      ourAskMicros: columns.ourAsk,
      inventoryMicros: columns.inventory.map((value) => value ?? 0),
    };
  }

  /** By samples: to a step. */
  get quotedMs(): Pick<QuotingFigures, 'openForMs' | 'twoSidedMs' | 'oneSidedMs'> {
    return { openForMs: this.#openForMs, twoSidedMs: this.#twoSidedMs, oneSidedMs: this.#oneSidedMs };
  }
}

/** The whole account over time, and its deepest fall. */
export class AccountSamples extends Samples<'equity' | 'locked'> {
  #peakMicros = Number.NEGATIVE_INFINITY;
  #fallMicros = 0;
  #isKnown = true;

  constructor(firstStepMs = FIRST_STEP_MS) {
    super(['equity', 'locked'], firstStepMs);
  }

  /** Currency and what is held at its marks, now; null while a mark is not known. */
  see(equityMicros: number | null): void {
    this.#isKnown &&= equityMicros !== null;
    if (equityMicros === null) return;
    this.#peakMicros = Math.max(this.#peakMicros, equityMicros);
    this.#fallMicros = Math.max(this.#fallMicros, this.#peakMicros - equityMicros);
  }

  /** Once each first step. What is locked is asked only for samples that are kept. */
  take(timeMs: number, equityMicros: number | null, lockedMicros: () => number): void {
    this.see(equityMicros);
    if (this.wants()) this.#write(timeMs, equityMicros, lockedMicros());
  }

  /** One sample more, whenever it comes: what the account ends with. */
  end(timeMs: number, equityMicros: number | null, lockedMicros: number): void {
    this.see(equityMicros);
    this.makeRoom();
    this.#write(timeMs, equityMicros, lockedMicros);
  }

  #write(timeMs: number, equityMicros: number | null, lockedMicros: number): void {
    this.timeMs.push(timeMs);
    this.columns.equity.push(equityMicros);
    this.columns.locked.push(lockedMicros);
  }

  /** Of everything that was seen, kept or not; ≥ 0. Null when the equity was not known throughout. */
  get maxDrawdownMicros(): number | null {
    return this.#isKnown ? this.#fallMicros : null;
  }

  get series(): AccountSeries {
    const { stepMs, timeMs, columns } = this;
    return { stepMs, timeMs, equityMicros: columns.equity, lockedMicros: columns.locked.map((value) => value ?? 0) };
  }
}
