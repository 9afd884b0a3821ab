/** Results of own fills in one market: their rate, and the price change after them, by side. */

import { type Micros, ONE } from '../../shared/base/micros.js';
import type { BookSide, MarkoutView, OwnFillsView } from './view.js';

/**
 * Markout horizons, ms after a fill became known. A fill is judged at the first book after the horizon, unless that
 * book comes later than twice the horizon.
 */
const HORIZONS_MS = [5_000, 30_000, 300_000] as const;
/** Half-life of the statistics: one day of observation. */
const HALF_LIFE_S = 86_400;
const FADES_EVERY_S = 600;
/** Longest gap between two books that counts as observed time. */
const MOST_BETWEEN_LOOKS_S = 60;
/** Observed time that a fill rate needs. */
const LEAST_SEEN_S = 60;
/** Maximum number of fills that wait for their markout; further fills are only counted. */
const MAX_WAITING = 200;

/** An own fill, in YES space. */
export interface OwnFill {
  readonly side: BookSide;
  readonly priceMicros: Micros;
  readonly amountMicros: Micros;
  /** Our clock, ms, when the fill became known. */
  readonly nowMs: number;
}

interface Waiting {
  readonly side: BookSide;
  readonly price: number;
  readonly shares: number;
  readonly filledMs: number;
}

/** Exponentially decaying sums. */
interface Sums {
  shares: number;
  /** Sum of shares times the gain per share at the horizon. */
  brought: number;
}

interface Saved {
  readonly fills: number;
  readonly seconds: number;
  readonly bid: readonly Sums[];
  readonly ask: readonly Sums[];
}

/** Measures the results of own fills in one market: fill rate and markouts. */
export class OwnFills {
  #fills = 0;
  #seconds = 0;
  /** Observed seconds since the last decay. */
  #unfadedS = 0;
  #sums: Readonly<Record<BookSide, Sums[]>> = { bid: HORIZONS_MS.map(noSums), ask: HORIZONS_MS.map(noSums) };
  /** Fills that wait for a markout, oldest first. */
  #waiting: Waiting[] = [];
  /** Per horizon: number of waiting fills, from the oldest, that are judged. */
  #judged = HORIZONS_MS.map(() => 0);
  #lookedMs: number | null = null;
  #isChanged = false;
  #markouts: OwnFillsView['markouts'] | null = null;

  onFill({ side, priceMicros, amountMicros, nowMs }: OwnFill): void {
    this.#fills += 1;
    this.#isChanged = true;
    if (this.#waiting.length >= MAX_WAITING) return;
    const shares = amountMicros / ONE;
    this.#waiting.push({ side, price: priceMicros / ONE, shares, filledMs: nowMs });
  }

  /** Counts a fill that became known too late for a markout. */
  onLateFill(): void {
    this.#fills += 1;
    this.#isChanged = true;
  }

  /** Takes in the price of a book requested at `lookedMs`, our clock; null for a book without a price. */
  look(price: number | null, lookedMs: number): void {
    this.#pass(lookedMs);
    for (const horizon of HORIZONS_MS.keys()) this.#judge(horizon, price, lookedMs);
    const ended = this.#judged.at(-1) ?? 0;
    if (ended === 0) return;
    this.#waiting.splice(0, ended);
    this.#judged = this.#judged.map((judged) => judged - ended);
  }

  /** Drops waiting fills: their times precede a change of our clock. */
  clockSetBack(): void {
    this.#waiting = [];
    this.#judged = HORIZONS_MS.map(() => 0);
    this.#lookedMs = null;
  }

  get view(): OwnFillsView {
    this.#markouts ??= Object.freeze({ bid: makeViews(this.#sums.bid), ask: makeViews(this.#sums.ask) });
    const fillsPerS = this.#seconds < LEAST_SEEN_S ? null : this.#fills / this.#seconds;
    return Object.freeze({ fillsPerS, markouts: this.#markouts });
  }

  /** Statistics as JSON for `restore`; null when nothing has changed since the last call. */
  takeSaved(): string | null {
    if (!this.#isChanged) return null;
    this.#isChanged = false;
    const saved: Saved = { fills: this.#fills, seconds: this.#seconds, ...this.#sums };
    return JSON.stringify(saved);
  }

  /** Restores saved statistics; call it before the first observation. Waiting fills are not saved. */
  restore(text: string): void {
    // Only `takeSaved` writes this text.
    const { fills, seconds, bid, ask } = JSON.parse(text) as Saved;
    this.#fills = fills;
    this.#seconds = seconds;
    this.#sums = { bid: bid.map((sums) => ({ ...sums })), ask: ask.map((sums) => ({ ...sums })) };
    this.#markouts = null;
  }

  #pass(lookedMs: number): void {
    const elapsedS = this.#lookedMs === null ? 0 : Math.max(0, lookedMs - this.#lookedMs) / 1000;
    this.#lookedMs = Math.max(lookedMs, this.#lookedMs ?? lookedMs);
    const seconds = Math.min(elapsedS, MOST_BETWEEN_LOOKS_S);
    this.#seconds += seconds;
    this.#unfadedS += seconds;
    if (this.#unfadedS < FADES_EVERY_S) return;
    const kept = 2 ** (-this.#unfadedS / HALF_LIFE_S);
    this.#unfadedS = 0;
    // The time without fills must survive a restart too.
    this.#isChanged = this.#fills > 0;
    this.#fills *= kept;
    this.#seconds *= kept;
    for (const sums of [...this.#sums.bid, ...this.#sums.ask]) {
      sums.shares *= kept;
      sums.brought *= kept;
    }
    this.#markouts = null;
  }

  /** Judges the fills that are due at this horizon. */
  #judge(horizon: number, price: number | null, lookedMs: number): void {
    const horizonMs = HORIZONS_MS[horizon] ?? 0;
    for (let at = this.#judged[horizon] ?? 0; at < this.#waiting.length; at++) {
      const fill = this.#waiting[at];
      if (fill === undefined || lookedMs < fill.filledMs + horizonMs) return;
      this.#judged[horizon] = at + 1;
      const sums = this.#sums[fill.side][horizon];
      if (price === null || sums === undefined || lookedMs > fill.filledMs + 2 * horizonMs) continue;
      sums.shares += fill.shares;
      sums.brought += fill.shares * (fill.side === 'bid' ? price - fill.price : fill.price - price);
      this.#isChanged = true;
      this.#markouts = null;
    }
  }
}

const noSums = (): Sums => ({ shares: 0, brought: 0 });

const makeViews = (all: readonly Sums[]): readonly MarkoutView[] =>
  Object.freeze(
    all.map(({ shares, brought }, index) =>
      Object.freeze({
        horizonS: (HORIZONS_MS[index] ?? 0) / 1000,
        meanPrice: shares > 0 ? brought / shares : null,
        shares,
      }),
    ),
  );
