/** One market of a live session, from one moment to the next: which orders of ours rest, what is held and what it is worth. */

import { ONE } from '../../shared/base/micros.js';
import type { MarketOutcome } from '../../shared/protocol/outcome.js';
import type { Coverage, MarketSession } from './contract.js';
import { Holdings, listMoves, type Move } from './holdings.js';
import type { BookTop } from './samples.js';

/** An order that came to rest, on the session's clock. */
export interface SessionOrder {
  readonly pubkey: string;
  readonly side: 'bid' | 'ask';
  /** In YES space, and in the space of its own outcome. */
  readonly priceMicros: number;
  readonly ownPriceMicros: number;
  /** Purchases have currency behind them, sales shares. */
  readonly isBuy: boolean;
  readonly amountMicros: number;
  /** When it came to rest, inclusive, and when it rested no more, exclusive; null while it may. */
  readonly fromMs: number;
  readonly toMs: number | null;
  /** A cancel ended it. */
  readonly isCanceled: boolean;
}

/** The others' best prices at one moment. */
export interface RecordedBest {
  readonly bidMicros: number | null;
  readonly askMicros: number | null;
  /** Of both sides; where one is empty, the last one before. Null before the first. */
  readonly middleMicros: number | null;
}

/** A recorded book without our own orders, at any moment. */
export interface RecordedPrices {
  /** As known at this moment; nulls outside of the recording and within its gaps. */
  readonly at: (timeMs: number) => RecordedBest;
  /** The last middle that was known by this moment, however long before it; null before the first. */
  readonly standing: (timeMs: number) => number | null;
  /** What YES resolved to, if the recording knows. */
  readonly outcome: MarketOutcome | null;
  readonly coverage: Coverage | null;
  /** Names that the ledger does not keep; empty where not known. */
  readonly eventTitle: string;
  readonly category: string;
}

export interface WalkedMarket extends Pick<MarketSession, 'fills' | 'conversions'> {
  readonly orders: readonly SessionOrder[];
  /** Null where nobody recorded the book. */
  readonly prices: Pick<RecordedPrices, 'at'> | null;
}

/** Where nothing is known of the book. */
export const UNKNOWN_BEST: RecordedBest = { bidMicros: null, askMicros: null, middleMicros: null };

export class MarketWalk {
  readonly held = new Holdings();
  readonly #market: WalkedMarket;
  readonly #orders: readonly SessionOrder[];
  #begun = 0;
  readonly #moves: readonly Move[];
  #moved = 0;
  readonly #resting = new Set<SessionOrder>();
  /** By order: fills are timed by the exchange, and may come before the order is known to rest. */
  readonly #filledMicros = new Map<string, number>();

  constructor(market: WalkedMarket) {
    this.#market = market;
    this.#orders = [...market.orders].sort((a, b) => a.fromMs - b.fromMs);
    this.#moves = listMoves(market);
  }

  /** To this moment, with all that happened in it; time only goes forward. */
  advance(timeMs: number): void {
    for (let next = this.#orders[this.#begun]; next !== undefined && next.fromMs <= timeMs; ) {
      this.#resting.add(next);
      next = this.#orders[++this.#begun];
    }
    for (const order of this.#resting) if (order.toMs !== null && order.toMs <= timeMs) this.#resting.delete(order);
    for (let next = this.#moves[this.#moved]; next !== undefined && next.timeMs <= timeMs; ) {
      this.held.move(next);
      if (next.kind === 'fill') this.#countFilled(next.orderPubkey, next.amountMicros);
      next = this.#moves[++this.#moved];
    }
  }

  #countFilled(pubkey: string, amountMicros: number): void {
    this.#filledMicros.set(pubkey, (this.#filledMicros.get(pubkey) ?? 0) + amountMicros);
  }

  top(timeMs: number): BookTop {
    const { bidMicros, askMicros } = this.#market.prices?.at(timeMs) ?? UNKNOWN_BEST;
    return { bidMicros, askMicros, ourBidMicros: this.#best('bid'), ourAskMicros: this.#best('ask') };
  }

  #best(side: SessionOrder['side']): number | null {
    const prices = [...this.#resting].flatMap((order) => (order.side === side ? [order.priceMicros] : []));
    if (prices.length === 0) return null;
    return side === 'bid' ? Math.max(...prices) : Math.min(...prices);
  }

  /** The currency that came and what is held at the others' middle; null while that is not known. */
  gainMicros(timeMs: number): number | null {
    // What is even has its worth at any price, and most markets are even most of the time.
    const middle = this.held.netMicros === 0 ? null : (this.#market.prices?.at(timeMs).middleMicros ?? null);
    const worth = this.held.worthMicros(middle);
    return worth === null ? null : this.held.cashMicros + worth;
  }

  /** Currency behind what is left of resting purchases, and what the shares that are held have cost. */
  get lockedMicros(): number {
    let locked = this.held.costMicros;
    for (const { pubkey, isBuy, ownPriceMicros, amountMicros } of this.#resting) {
      const left = Math.max(0, amountMicros - (this.#filledMicros.get(pubkey) ?? 0));
      if (isBuy) locked += Math.ceil((left * ownPriceMicros) / ONE);
    }
    return locked;
  }
}

/** What an account is worth at a moment to which its markets have been walked; null while that is not known. */
export function equityAt(timeMs: number, walks: readonly MarketWalk[], capitalMicros: number): number | null {
  let equity = capitalMicros;
  for (const walk of walks) {
    const gain = walk.gainMicros(timeMs);
    if (gain === null) return null;
    equity += gain;
  }
  return equity;
}

export const lockedIn = (walks: readonly MarketWalk[]): number =>
  walks.reduce((sum, { lockedMicros }) => sum + lockedMicros, 0);
