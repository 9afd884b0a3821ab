/**
 * Own resting orders by the answers, so that a recorded book contains only others' liquidity. An order with a request
 * or news around a poll's time may or may not be in its book: that amount is possible, not certain.
 */

import { SIDE } from '../../../recording/contract.js';
import { isFinalOrder, ORDER_STANDING } from '../../../shared/protocol/states.js';
import type { OwnOrderRow } from './contract.js';
import type { OwnAtPrice, OwnInBook } from './level-changes.js';
import { NOTHING_OWN } from './level-changes.js';

/** A book is recorded long before this; then an ended order can be dropped. */
const REMEMBERED_MS = 120_000;

export interface OwnTerms {
  readonly market: string;
  readonly isYes: boolean;
  readonly buys: boolean;
  readonly priceMicros: number;
}

interface Known extends OwnTerms {
  /** The larger of before and after the last change. */
  mostMicros: number;
  remainingMicros: number;
  /** Our clock, ms, when the first request that could put it into the book left, or when it was first seen. */
  readonly bornMs: number;
  /** Our clock, ms, of the last request or news about it. */
  changedMs: number;
  /** Our clock, ms, when it was known to have ended; null while it may rest. */
  goneMs: number | null;
}

export class OwnOrders {
  readonly #orders = new Map<string, Known>();

  /** A request left that may put this order into the book. */
  onSubmit(pubkey: string, terms: OwnTerms, amountMicros: number, nowMs: number): void {
    if (this.#orders.has(pubkey)) return;
    const amounts = { mostMicros: amountMicros, remainingMicros: amountMicros };
    this.#orders.set(pubkey, { ...terms, ...amounts, bornMs: nowMs, changedMs: nowMs, goneMs: null });
  }

  /** A request or failure that may have changed it. */
  onDisturbance(pubkey: string, nowMs: number): void {
    const known = this.#orders.get(pubkey);
    if (known !== undefined) known.changedMs = Math.max(known.changedMs, nowMs);
  }

  /** It was rejected, so it never rested. */
  onRefusal(pubkey: string): void {
    this.#orders.delete(pubkey);
  }

  /** An answer requested at `sentMs` showed it. */
  onRow(row: OwnOrderRow, sentMs: number, nowMs: number): void {
    const { pubkey, status, price, amount, remaining_amount: remaining, market, outcome, side } = row;
    if (pubkey === null || price === null || status === null) return;
    if (ORDER_STANDING[status].phase === 'unsigned') return;
    const left = remaining ?? amount ?? 0;
    const gone = isFinalOrder(status);
    const known = this.#orders.get(pubkey);
    if (known === undefined) {
      if (gone) return;
      const terms = { market: market.condition_id, isYes: outcome.is_yes, buys: side === 'buy', priceMicros: price };
      // It may have rested for long; its amount at an earlier poll is unknown.
      const amounts = { mostMicros: left, remainingMicros: left };
      this.#orders.set(pubkey, { ...terms, ...amounts, bornMs: sentMs, changedMs: sentMs, goneMs: null });
      return;
    }
    if (gone) this.#close(known, nowMs);
    else if (left !== known.remainingMicros) {
      Object.assign(known, {
        mostMicros: Math.max(left, known.remainingMicros),
        remainingMicros: left,
        changedMs: nowMs,
      });
    } else if (known.changedMs <= sentMs) known.mostMicros = left;
  }

  /** A complete list of resting orders, requested at `sentMs`, lacked the others. */
  onList(pubkeys: ReadonlySet<string>, sentMs: number, nowMs: number): void {
    for (const [pubkey, known] of this.#orders) {
      if (!pubkeys.has(pubkey) && known.changedMs < sentMs) this.#close(known, nowMs);
    }
  }

  /** Our part of a book polled between these times (our clock). */
  inBook(market: string, sentMs: number, seenMs: number): OwnInBook {
    let found: [Map<number, OwnAtPrice>, Map<number, OwnAtPrice>] | null = null;
    for (const known of this.#orders.values()) {
      if (known.market !== market || known.bornMs >= seenMs) continue;
      if (known.goneMs !== null && known.goneMs < sentMs) continue;
      const sure = known.goneMs === null && known.changedMs <= sentMs;
      found ??= [new Map(), new Map()];
      const side = found[toBookSide(known)];
      const price = known.isYes ? known.priceMicros : 1_000_000 - known.priceMicros;
      const before = side.get(price) ?? { sureMicros: 0, mostMicros: 0 };
      side.set(price, {
        sureMicros: before.sureMicros + (sure ? known.remainingMicros : 0),
        mostMicros: before.mostMicros + (sure ? known.remainingMicros : known.mostMicros),
      });
    }
    return found ?? NOTHING_OWN;
  }

  /** Orders that may rest. */
  get resting(): number {
    let count = 0;
    for (const { goneMs } of this.#orders.values()) if (goneMs === null) count += 1;
    return count;
  }

  forget(nowMs: number): void {
    for (const [pubkey, { goneMs }] of this.#orders) {
      if (goneMs !== null && goneMs < nowMs - REMEMBERED_MS) this.#orders.delete(pubkey);
    }
  }

  #close(known: Known, nowMs: number): void {
    if (known.goneMs !== null) return;
    known.goneMs = nowMs;
    known.changedMs = nowMs;
  }
}

/** Buying YES and selling NO are bids of the YES book. */
const toBookSide = ({ isYes, buys }: OwnTerms): 0 | 1 => (isYes === buys ? SIDE.bid : SIDE.ask);
