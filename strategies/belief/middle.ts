/**
 * Measures how much information others' mid price has that the belief lacks. If mid and belief differ, the mid later
 * moves a part of the way to the belief. The strategy quotes only this confirmed part of the difference.
 *
 * A difference is judged after a move of the mid, not after a fixed time. If the belief is right, the mid's expected
 * value after the move equals the belief (optional stopping). A right belief is therefore fully confirmed, even if
 * others react slowly.
 */

import type { Saved } from './saved.js';

/** A difference is judged when the mid has moved by this fraction of others' spread; both are in log-odds. */
const MOVED = 0.25;
/** Prior of the learned fraction: this number of fully confirmed differences of size `PRIOR_SIZE`, log-odds. */
const PRIOR_DIFFERENCES = 20;
const PRIOR_SIZE = 0.1;
const PRIOR = PRIOR_DIFFERENCES * PRIOR_SIZE ** 2;
/** Maximum counted size of one difference or move, log-odds, because a jump proves little. */
const LARGEST = 1;
/** Half-life of the learned fraction, in judged differences. */
const MEMORY = 1000;

export class Middle {
  /** Sums over judged differences: difference x the mid's move, squared differences, squared moves. */
  #products = 0;
  #squares = 0;
  #moves = 0;
  #count = 0;
  #difference = 0;
  /** The difference that later mids have not yet confirmed or refuted, with its mid, in log-odds; null without one. */
  #open: Saved['middle']['open'] = null;

  /**
   * Processes a new book.
   * @param believed the belief's mean price
   * @param bid others' best bid, as a price; null for an empty side. Without two sides there is no mid.
   */
  see(believed: number, bid: number | null, ask: number | null): void {
    if (bid === null || ask === null) {
      this.forget();
      return;
    }
    const middle = logOdds((bid + ask) / 2);
    this.#difference = logOdds(believed) - middle;
    const open = this.#open;
    const move = open === null ? 0 : middle - open.middle;
    if (open !== null && Math.abs(move) < MOVED * open.spread) return;
    if (open !== null) this.#learn(open.difference, bound(move));
    this.#open = { difference: bound(this.#difference), middle, spread: logOdds(ask) - logOdds(bid) };
  }

  /** Forgets the current mid, but keeps the learned values. */
  forget(): void {
    this.#open = null;
    this.#difference = 0;
  }

  #learn(difference: number, move: number): void {
    this.#products += difference * move;
    this.#squares += difference ** 2;
    this.#moves += move ** 2;
    this.#count += 1;
    if (this.#count <= MEMORY) return;
    this.#products /= 2;
    this.#squares /= 2;
    this.#moves /= 2;
    this.#count /= 2;
  }

  /**
   * Fraction of a difference that later mids confirm, 0 to 1: a regression through 0 plus one standard error. The
   * standard error is added in the belief's favour, so that a few large moves do not refute the belief.
   */
  get confirmed(): number {
    const doubt = Math.sqrt((this.#squares * this.#moves) / Math.max(1, this.#count));
    return Math.min(1, Math.max(0, (this.#products + PRIOR + doubt) / (this.#squares + PRIOR)));
  }

  /** Part of the present difference of mid and belief that later mids do not confirm, log-odds. */
  get excess(): number {
    return (1 - this.confirmed) * this.#difference;
  }

  save(): Saved['middle'] {
    return {
      products: this.#products,
      squares: this.#squares,
      moves: this.#moves,
      count: this.#count,
      difference: this.#difference,
      open: this.#open,
    };
  }

  restore({ products, squares, moves, count, difference, open }: Saved['middle']): void {
    [this.#products, this.#squares, this.#moves, this.#count] = [products, squares, moves, count];
    [this.#difference, this.#open] = [difference, open];
  }
}

const logOdds = (price: number): number => Math.log(price / (1 - price));

const bound = (difference: number): number => Math.min(LARGEST, Math.max(-LARGEST, difference));
