/** One market of a live session over time: its resting own orders, holdings and their value. */

import type { RecordingSummary } from '../../recording/contract.js';
import { ONE } from '../../shared/base/micros.js';
import type { MarketOutcome } from '../../shared/protocol/outcome.js';
import type { Coverage, MarketSession } from './contract.js';
import { Holdings, listMoves, type Move } from './holdings.js';
import type { BookTop } from './samples.js';

/** An order that rested, on the session's clock. */
export interface SessionOrder {
  readonly pubkey: string;
  readonly side: 'bid' | 'ask';
  /** In YES space, and in its own outcome's space. */
  readonly priceMicros: number;
  readonly ownPriceMicros: number;
  /** Purchases bind currency, sales bind shares. */
  readonly isBuy: boolean;
  readonly amountMicros: number;
  /** Start of resting, inclusive, and end, exclusive; null while it may rest. */
  readonly fromMs: number;
  readonly toMs: number | null;
  /** A cancel ended it. */
  readonly isCanceled: boolean;
}

/** Others' best prices at one time. */
export interface RecordedBest {
  readonly bidMicros: number | null;
  readonly askMicros: number | null;
  /** Of both sides; with an empty one, the last before. Null before the first. */
  readonly middleMicros: number | null;
}

/** A recorded book without own orders, at any time. */
export interface RecordedPrices {
  /** As known at this time; nulls outside the recording and within its gaps. */
  readonly at: (timeMs: number) => RecordedBest;
  /** Last mid known at this time, however old; null before the first. */
  readonly standing: (timeMs: number) => number | null;
  /** Outcome of YES, if the recording has it. */
  readonly outcome: MarketOutcome | null;
  readonly coverage: Coverage | null;
  /** Names that the ledger lacks; empty when unknown. */
  readonly eventTitle: string;
  readonly category: string;
}

export interface WalkedMarket extends Pick<MarketSession, 'fills' | 'conversions'> {
  readonly orders: readonly SessionOrder[];
  /** Null without a recorded book. */
  readonly prices: Pick<RecordedPrices, 'at'> | null;
}

/** For an unknown book. */
export const UNKNOWN_BEST: RecordedBest = { bidMicros: null, askMicros: null, middleMicros: null };

export class MarketWalk {
  readonly held = new Holdings();
  readonly #market: WalkedMarket;
  readonly #orders: readonly SessionOrder[];
  #begun = 0;
  readonly #moves: readonly Move[];
  #moved = 0;
  readonly #resting = new Set<SessionOrder>();
  /** By order: fills have exchange times and may precede the known start of resting. */
  readonly #filledMicros = new Map<string, number>();

  constructor(market: WalkedMarket) {
    this.#market = market;
    this.#orders = [...market.orders].sort((a, b) => a.fromMs - b.fromMs);
    this.#moves = listMoves(market);
  }

  /** Advances to this time with all events in it; time only goes forward. */
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

  /** Received currency plus holdings at the others' mid; null while unknown. */
  gainMicros(timeMs: number): number | null {
    // An even position has its value at any price, and most markets are even most of the time.
    const middle = this.held.netMicros === 0 ? null : (this.#market.prices?.at(timeMs).middleMicros ?? null);
    const worth = this.held.worthMicros(middle);
    return worth === null ? null : this.held.cashMicros + worth;
  }

  /** Currency behind resting purchases plus the cost of held shares. */
  get lockedMicros(): number {
    let locked = this.held.costMicros;
    for (const { pubkey, isBuy, ownPriceMicros, amountMicros } of this.#resting) {
      const left = Math.max(0, amountMicros - (this.#filledMicros.get(pubkey) ?? 0));
      if (isBuy) locked += Math.ceil((left * ownPriceMicros) / ONE);
    }
    return locked;
  }
}

/** Value of an account at the present time of its markets' walks; null while unknown. */
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

/** Recorded part of a market's time, of a whole recording; null without a summary. */
export function toCoverage(summary: RecordingSummary | null): Coverage | null {
  if (summary === null) return null;
  const { firstMs, lastMs, gaps, events, refused } = summary;
  const lostMs = gaps.map(({ fromMs, toMs }) => Math.max(0, (toMs ?? lastMs ?? fromMs) - fromMs));
  return {
    spanMs: firstMs === null || lastMs === null ? 0 : lastMs - firstMs,
    gapMs: lostMs.reduce((total, ms) => total + ms, 0),
    gaps: gaps.length,
    events: events.level + events.trade + events.clear + events.end,
    trades: events.trade,
    skipped: refused,
  };
}
