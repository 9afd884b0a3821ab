/** Results of own fills in one market: their rate, and the price change after them, by side. */

import { type Micros, ONE } from '../../shared/base/micros.js';
import type { BookSide, MarkoutView, OwnFillsView } from './view.js';

/**
 * Horizons of the judgement, ms after a fill was known: judged at the first book from then on, at most as long again
 * later.
 */
const HORIZONS_MS = [5_000, 30_000, 300_000] as const;
/** Half-life: a day of observation. */
const HALF_LIFE_S = 86_400;
const FADES_EVERY_S = 600;
/** Longest gap between two books that counts as observation: beyond it the trader did not run. */
const MOST_BETWEEN_LOOKS_S = 60;
/** Shortest observation for a rate. */
const LEAST_SEEN_S = 60;
/** Maximum fills that wait to be judged; more add no information. */
const MAX_WAITING = 200;

/** A fill of ours, in YES space. */
export interface OwnFill {
  readonly side: BookSide;
  readonly priceMicros: Micros;
  readonly amountMicros: Micros;
  /** Our clock, ms, when it was known. */
  readonly nowMs: number;
}

interface Waiting {
  readonly side: BookSide;
  readonly price: number;
  readonly shares: number;
  readonly filledMs: number;
}

/** Sums that fade. */
interface Sums {
  shares: number;
  /** Sum of shares times their gain by then, price. */
  brought: number;
}

interface Saved {
  readonly fills: number;
  readonly seconds: number;
  readonly bid: readonly Sums[];
  readonly ask: readonly Sums[];
}

/** Own fills of one market: takes fills and books, returns measures. */
export class OwnFills {
  #fills = 0;
  #seconds = 0;
  /** Of those, seconds without decay so far. */
  #unfadedS = 0;
  #sums: Readonly<Record<BookSide, Sums[]>> = { bid: HORIZONS_MS.map(noSums), ask: HORIZONS_MS.map(noSums) };
  /** Oldest first. */
  #waiting: Waiting[] = [];
  /** By horizon: the number of oldest waiting fills that are judged. */
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

  /** A fill that was known too late to be judged. */
  onLateFill(): void {
    this.#fills += 1;
    this.#isChanged = true;
  }

  /** Takes in a book's price: `lookedMs`, our clock, is when its poll left; null without a price. */
  look(price: number | null, lookedMs: number): void {
    this.#pass(lookedMs);
    for (const horizon of HORIZONS_MS.keys()) this.#judge(horizon, price, lookedMs);
    const ended = this.#judged.at(-1) ?? 0;
    if (ended === 0) return;
    this.#waiting.splice(0, ended);
    this.#judged = this.#judged.map((judged) => judged - ended);
  }

  /** Waiting fills are dropped: their times are on another clock. */
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

  /** JSON for `restore`; null when no fill has changed since the last call. */
  takeSaved(): string | null {
    if (!this.#isChanged) return null;
    this.#isChanged = false;
    const saved: Saved = { fills: this.#fills, seconds: this.#seconds, ...this.#sums };
    return JSON.stringify(saved);
  }

  /** Call before the first observation. Fills that waited to be judged are dropped. */
  restore(text: string): void {
    // Written by `takeSaved` alone.
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
