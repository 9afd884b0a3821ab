import { type AccountSeries, MAX_SAMPLES, type MarketSession, type QuotingFigures } from './contract.js';

/** A span of time, Unix ms; the start is inclusive, the end exclusive. */
export type Span = readonly [fromMs: number, toMs: number];

/** Returns sorted, separate, non-empty spans that cover the same time as `spans`. */
export function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const result: [number, number][] = [];
  for (const [from, to] of [...spans].sort(([a], [b]) => a - b)) {
    if (to <= from) continue;
    const last = result.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

/** Returns the spans that two lists have in common. Both lists must be results of `mergeSpans`. */
export function common(left: readonly Span[], right: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  for (let [i, j] = [0, 0]; ; ) {
    const [a, b] = [left[i], right[j]];
    if (a === undefined || b === undefined) return result;
    const [from, to] = [Math.max(a[0], b[0]), Math.min(a[1], b[1])];
    if (from < to) result.push([from, to]);
    if (a[1] < b[1]) i += 1;
    else j += 1;
  }
}

export const sumSpans = (spans: readonly Span[]): number => spans.reduce((total, [from, to]) => total + to - from, 0);

/** Minimum time between samples, ms. */
export const FIRST_STEP_MS = 1_000;

/** Time series of at most `MAX_SAMPLES` rows. In a full series, every second row is dropped and the step doubles. */
class Samples<Column extends string> {
  stepMs: number;
  readonly timeMs: number[] = [];
  protected readonly columns: Readonly<Record<Column, (number | null)[]>>;
  protected readonly firstStepMs: number;
  #count = 0;

  constructor(columns: Readonly<Record<Column, (number | null)[]>>, firstStepMs: number) {
    this.columns = columns;
    this.firstStepMs = firstStepMs;
    this.stepMs = firstStepMs;
  }

  wants(): boolean {
    const sinceMs = this.firstStepMs * this.#count++;
    if (sinceMs % this.stepMs === 0 && this.timeMs.length === MAX_SAMPLES) this.thinOut();
    // After the step has doubled, the present time may be between two steps.
    return sinceMs % this.stepMs === 0;
  }

  get length(): number {
    return this.timeMs.length;
  }

  thinOut(): void {
    this.stepMs *= 2;
    const keepEven = (column: unknown[]) => {
      for (let i = 0; 2 * i < column.length; i++) column[i] = column[2 * i];
      column.length = Math.ceil(column.length / 2);
    };
    keepEven(this.timeMs);
    for (const name in this.columns) keepEven(this.columns[name]);
  }
}

/** Best prices of others' orders and of our orders, in YES space; null if a side is empty. */
type BookTop = Readonly<Record<'bidMicros' | 'askMicros' | 'ourBidMicros' | 'ourAskMicros', number | null>>;

export class MarketSamples extends Samples<keyof BookTop | 'inventoryMicros'> {
  #openForMs = 0;
  #twoSidedMs = 0;
  #oneSidedMs = 0;

  constructor(firstStepMs = FIRST_STEP_MS) {
    super({ bidMicros: [], askMicros: [], ourBidMicros: [], ourAskMicros: [], inventoryMicros: [] }, firstStepMs);
  }

  /** Takes a sample. Must be called every `firstStepMs` while the market is open. */
  take(timeMs: number, top: BookTop, netMicros: number): void {
    const { ourBidMicros, ourAskMicros } = top;
    this.#openForMs += this.firstStepMs;
    if (ourBidMicros !== null && ourAskMicros !== null) this.#twoSidedMs += this.firstStepMs;
    else if (ourBidMicros !== null || ourAskMicros !== null) this.#oneSidedMs += this.firstStepMs;
    if (!this.wants()) return;
    const { columns } = this;
    this.timeMs.push(timeMs);
    columns.bidMicros.push(top.bidMicros);
    columns.askMicros.push(top.askMicros);
    columns.ourBidMicros.push(ourBidMicros);
    columns.ourAskMicros.push(ourAskMicros);
    columns.inventoryMicros.push(netMicros);
  }

  get series(): MarketSession['series'] {
    const { stepMs, timeMs, columns } = this;
    return { stepMs, timeMs, ...columns, inventoryMicros: columns.inventoryMicros.map((value) => value ?? 0) };
  }

  get quotedMs(): Pick<QuotingFigures, 'openForMs' | 'twoSidedMs' | 'oneSidedMs'> {
    return { openForMs: this.#openForMs, twoSidedMs: this.#twoSidedMs, oneSidedMs: this.#oneSidedMs };
  }
}

export class AccountSamples extends Samples<'equityMicros' | 'lockedMicros'> {
  #peakMicros = Number.NEGATIVE_INFINITY;
  #fallMicros = 0;
  #isKnown = true;

  constructor(firstStepMs = FIRST_STEP_MS) {
    super({ equityMicros: [], lockedMicros: [] }, firstStepMs);
  }

  /** Updates the drawdown. `equityMicros`: present equity; null while the mid price of a market is unknown. */
  see(equityMicros: number | null): void {
    this.#isKnown &&= equityMicros !== null;
    if (equityMicros === null) return;
    this.#peakMicros = Math.max(this.#peakMicros, equityMicros);
    this.#fallMicros = Math.max(this.#fallMicros, this.#peakMicros - equityMicros);
  }

  /** Takes a sample. Must be called every `firstStepMs`. Locked capital is computed only for stored samples. */
  take(timeMs: number, equityMicros: number | null, lockedMicros: () => number): void {
    this.see(equityMicros);
    if (this.wants()) this.#write(timeMs, equityMicros, lockedMicros());
  }

  /** Stores the final sample of the account; its time may be between two steps. */
  end(timeMs: number, equityMicros: number | null, lockedMicros: number): void {
    this.see(equityMicros);
    if (this.timeMs.length === MAX_SAMPLES) this.thinOut();
    this.#write(timeMs, equityMicros, lockedMicros);
  }

  #write(timeMs: number, equityMicros: number | null, lockedMicros: number): void {
    this.timeMs.push(timeMs);
    this.columns.equityMicros.push(equityMicros);
    this.columns.lockedMicros.push(lockedMicros);
  }

  /** Largest drawdown of the equity over all samples, stored or not; ≥ 0; null if the equity was ever unknown. */
  get maxDrawdownMicros(): number | null {
    return this.#isKnown ? this.#fallMicros : null;
  }

  get series(): AccountSeries {
    const { stepMs, timeMs, columns } = this;
    return { stepMs, timeMs, ...columns, lockedMicros: columns.lockedMicros.map((value) => value ?? 0) };
  }
}
