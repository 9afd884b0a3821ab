/** Tracks fills and prices of own orders between two polls. Own fills are the best evidence about the true price. */

import {
  type BookSide,
  type MarketView,
  ONE,
  type QuoteLevel,
  type StrategyEvent,
} from '../../src/trader/strategy/strategy.js';
import type { Saved } from './saved.js';

/** Changes of own orders of a side since the last call. Prices are in (0, 1), amounts in shares. */
export interface SideFate {
  /** Worst price at which own orders were filled completely; null if no order was. */
  readonly goneAt: number | null;
  /** Shares of completely filled orders. */
  readonly goneShares: number;
  /** True if only probes, and no other orders, were filled completely. */
  readonly goneOnlyProbes: boolean;
  /** Best price of own orders since the last poll; null without an order. */
  readonly firstAt: number | null;
  /** Best price of own orders except probes since the last poll; null without such an order. */
  readonly realAt: number | null;
  /** True if the best own order, at `firstAt`, was already open at the last poll. */
  readonly firstRested: boolean;
  /** Best price at which the newest book still shows an own order; null if it shows none. */
  readonly stoodAt: number | null;
  /** Time from the acceptance of the best order still shown to the newest book, s. */
  readonly stoodS: number;
  /** Filled shares of orders that are still open. */
  readonly partShares: number;
  /** Price of partly filled orders; 0 without such an order. */
  readonly partPrice: number;
}

export class OwnFills {
  #fills: Saved['fills'] = [];
  /** Prices of the own orders that were open at the last poll, in Micros. */
  #rested: Record<BookSide, ReadonlySet<number>> = { bid: new Set(), ask: new Set() };
  /** Prices of probes that are or should be open, in Micros. */
  #probes: Record<BookSide, ReadonlySet<number>> = { bid: new Set(), ask: new Set() };

  /** Sets the probes that are or should be open until the next poll. */
  expect(bids: readonly QuoteLevel[], asks: readonly QuoteLevel[]): void {
    const prices = (levels: readonly QuoteLevel[]) => new Set<number>(levels.map(({ priceMicros }) => priceMicros));
    this.#probes = { bid: prices(bids), ask: prices(asks) };
  }

  add(event: StrategyEvent): void {
    if (event.kind !== 'fill' || !event.isMaker) return;
    const { side, priceMicros, amountMicros } = event;
    this.#fills.push({ side, priceMicros, amountMicros });
  }

  /** Forgets the fills since the last call of `take`. */
  forget(): void {
    this.#fills = [];
  }

  save(): Pick<Saved, 'fills' | 'orders'> {
    const list = (of: Record<BookSide, ReadonlySet<number>>) => ({ bid: [...of.bid], ask: [...of.ask] });
    return { fills: [...this.#fills], orders: { rested: list(this.#rested), probes: list(this.#probes) } };
  }

  restore({ fills, orders: { rested, probes } }: Pick<Saved, 'fills' | 'orders'>): void {
    this.#fills = [...fills];
    this.#rested = { bid: new Set(rested.bid), ask: new Set(rested.ask) };
    this.#probes = { bid: new Set(probes.bid), ask: new Set(probes.ask) };
  }

  /** Returns the fills of both sides since the last call, and the best own prices. */
  take(view: MarketView): Readonly<Record<BookSide, SideFate>> {
    const fates = { bid: this.#judgeFate('bid', view), ask: this.#judgeFate('ask', view) };
    this.#fills = [];
    return fates;
  }

  #judgeFate(side: BookSide, view: MarketView): SideFate {
    const better = (a: number, b: number): boolean => (side === 'bid' ? a > b : a < b);
    const standing = seenStanding(side, view);
    let stood: number | null = null;
    for (const price of standing.keys()) if (stood === null || better(price, stood)) stood = price;
    const probes = this.#probes[side];
    let [first, real] = [stood, null as number | null];
    for (const price of standing.keys()) if (!probes.has(price) && (real === null || better(price, real))) real = price;
    let gone: number | null = null;
    let [goneShares, partShares, partPrice] = [0, 0, 0];
    let goneOnlyProbes = true;
    for (const fill of this.#fills) {
      if (fill.side !== side) continue;
      if (first === null || better(fill.priceMicros, first)) first = fill.priceMicros;
      const isProbe = probes.has(fill.priceMicros);
      if (!isProbe && (real === null || better(fill.priceMicros, real))) real = fill.priceMicros;
      if (standing.has(fill.priceMicros)) {
        partShares += fill.amountMicros / ONE;
        partPrice = fill.priceMicros / ONE;
      } else {
        goneShares += fill.amountMicros / ONE;
        goneOnlyProbes &&= isProbe;
        if (gone === null || better(gone, fill.priceMicros)) gone = fill.priceMicros;
      }
    }
    const firstRested = first !== null && this.#rested[side].has(first);
    this.#rested[side] = new Set(standing.keys());
    return {
      firstRested,
      goneAt: gone === null ? null : gone / ONE,
      goneShares,
      goneOnlyProbes,
      firstAt: first === null ? null : first / ONE,
      realAt: real === null ? null : real / ONE,
      stoodAt: stood === null ? null : stood / ONE,
      stoodS: (stood === null ? 0 : (standing.get(stood) ?? 0)) / 1000,
      partShares,
      partPrice,
    };
  }
}

/**
 * Prices where the newest book shows all expected own orders, with the time for which the oldest is open, ms. Own fills
 * become known later than the book, but a filled order must not count as open.
 */
function seenStanding(side: BookSide, { orders, book, nowMs, health }: MarketView): ReadonlyMap<number, number> {
  const polledMs = nowMs - health.bookAgeMs;
  const ours = new Map<number, { shares: number; forMs: number }>();
  for (const { side: at, acceptedMs, priceMicros, remainingMicros } of orders) {
    if (at !== side || acceptedMs === null || acceptedMs > polledMs) continue;
    const { shares, forMs } = ours.get(priceMicros) ?? { shares: 0, forMs: 0 };
    ours.set(priceMicros, { shares: shares + remainingMicros, forMs: Math.max(forMs, polledMs - acceptedMs) });
  }
  const seen = new Map<number, number>();
  for (const { priceMicros, amountMicros } of side === 'bid' ? book.bids : book.asks) {
    const own = ours.get(priceMicros);
    if (own !== undefined && amountMicros >= own.shares) seen.set(priceMicros, own.forMs);
  }
  return seen;
}
