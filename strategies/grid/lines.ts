/**
 * Computes the orders of a grid from the position. The grid's lines lie at centre + j x step. A purchase at line -k is
 * closed by a sale at line -k + 1, and vice versa above the centre.
 */

import type { Wish } from '../common/quotes.js';

/** A grid around its centre, in price. */
export interface Lines {
  readonly centre: number;
  readonly step: number;
  readonly levels: number;
  /** Size of each line, in shares. */
  readonly shares: number;
}

/** Maximum loss per share of line size, currency: all bids fill and NO wins, or all asks fill and YES wins. */
export function worstLossPerShare({ centre, step, levels }: Omit<Lines, 'shares'>): number {
  const computeLoss = (first: number): number => {
    let sum = 0;
    for (let k = 1; k <= levels; k++) sum += Math.max(0, first - k * step);
    return sum;
  };
  return Math.max(computeLoss(centre), computeLoss(1 - centre));
}

/** `opens`: orders that open a position or add to it. `undoes`: orders that close it. */
export type Orders = Readonly<Record<'opens' | 'undoes', readonly Wish[]>>;

/** Orders for a long or a short position of `held` shares. */
export function gridSides(grid: Lines, held: number): Orders {
  const opens: Wish[] = [];
  const undoes: Wish[] = [];
  const { step, levels, shares } = grid;
  for (let k = 1; k <= levels; k++) {
    opens.push({ price: k * step, shares: within(shares, k * shares - held) });
    // Held shares beyond the grid's total are sold at the exit price of the outermost line.
    const most = k === levels ? Math.max(0, held - (k - 1) * shares) : within(shares, held - (k - 1) * shares);
    undoes.push({ price: (k - 1) * step, shares: most });
  }
  return { opens: opens.filter(hasShares), undoes: undoes.filter(hasShares) };
}

const within = (most: number, shares: number): number => Math.min(most, Math.max(0, shares));
const hasShares = ({ shares }: Wish): boolean => shares > 0;

/** Bids and asks of the grid at this net position. Prices are YES prices and may lie outside (0, 1). */
export function gridWishes(grid: Lines, net: number): Readonly<Record<'bids' | 'asks', Orders>> {
  const long = gridSides(grid, Math.max(0, net));
  const short = gridSides(grid, Math.max(0, -net));
  const below = (wishes: readonly Wish[]) => wishes.map((it) => ({ ...it, price: grid.centre - it.price }));
  const above = (wishes: readonly Wish[]) => wishes.map((it) => ({ ...it, price: grid.centre + it.price }));
  return {
    bids: { undoes: above(short.undoes), opens: below(long.opens) },
    asks: { undoes: below(long.undoes), opens: above(short.opens) },
  };
}
