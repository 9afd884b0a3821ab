/**
 * Our resting orders in one market of a backtest, and which of them the recording crossed: its other side came to their
 * price or beyond, and they were not filled. How much that was, for how long, and what it would have been worth says how
 * much the chosen rule about crossings leaves out.
 */

import { ASK, BID, type BookSide } from '../../exchange/core/contract.js';
import { type CrossedOrder, MARKOUT_HORIZONS_MS } from '../session/contract.js';

/** An entry that gets later marks: one per horizon, as they become known. */
interface Marked {
  readonly timeMs: number;
  readonly marksAfterMicros: (number | null)[];
}

/**
 * Mids some time after an event, taken when due; for fills and for crossed orders. Rows are in order of time, so one
 * position per horizon is enough.
 */
export class LaterMarks<T extends Marked> {
  readonly rows: T[] = [];
  /** By horizon: number of `rows` with their mark. */
  readonly #marked = MARKOUT_HORIZONS_MS.map(() => 0);

  get nextMs(): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (let h = 0; h < MARKOUT_HORIZONS_MS.length; h++) {
      const row = this.rows[this.#marked[h] ?? 0];
      if (row !== undefined) nextMs = Math.min(nextMs, row.timeMs + (MARKOUT_HORIZONS_MS[h] ?? 0));
    }
    return nextMs;
  }

  take(untilMs: number, mark: number | null): void {
    for (const [h, horizonMs] of MARKOUT_HORIZONS_MS.entries()) {
      let at = this.#marked[h] ?? 0;
      for (let row = this.rows[at]; row !== undefined && row.timeMs + horizonMs <= untilMs; row = this.rows[at]) {
        row.marksAfterMicros[h] = mark;
        at++;
      }
      this.#marked[h] = at;
    }
  }
}

/** An order when it began to rest; prices in YES space. */
interface JoinedOrder {
  readonly sinceMs: number;
  readonly side: BookSide;
  readonly priceMicros: number;
  readonly amountMicros: number;
  /** Recorded shares ahead of it. */
  readonly behindMicros: number;
}

interface CrossedDraft {
  readonly timeMs: number;
  readonly side: 'bid' | 'ask';
  readonly priceMicros: number;
  readonly markMicros: number | null;
  readonly marksAfterMicros: (number | null)[];
  leftMicros: number;
  crossedMs: number;
  sinceMs: number | null;
}

interface RestingOrder extends JoinedOrder {
  leftMicros: number;
  crossed: CrossedDraft | null;
}

export class RestingOrders {
  readonly #resting = new Map<string, RestingOrder>();
  readonly #crossed = new LaterMarks<CrossedDraft>();

  onJoin(pubkey: string, order: JoinedOrder): void {
    this.#resting.set(pubkey, { ...order, leftMicros: order.amountMicros, crossed: null });
  }

  /** As it began to rest; undefined for an order that does not. */
  order(pubkey: string): JoinedOrder | undefined {
    return this.#resting.get(pubkey);
  }

  onFill(pubkey: string, amountMicros: number, nowMs: number): void {
    const order = this.#resting.get(pubkey);
    if (order === undefined) return;
    order.leftMicros -= amountMicros;
    if (order.leftMicros <= 0) this.onEnd(pubkey, nowMs);
  }

  /** It no longer rests: filled, or canceled. */
  onEnd(pubkey: string, nowMs: number): void {
    const order = this.#resting.get(pubkey);
    if (order === undefined) return;
    this.#resting.delete(pubkey);
    stopCrossing(order, nowMs);
    if (order.crossed !== null) order.crossed.leftMicros = order.leftMicros;
  }

  /** The market and its orders have ended; marks that are not due yet never will be. */
  onClose(nowMs: number): void {
    for (const pubkey of [...this.#resting.keys()]) this.onEnd(pubkey, nowMs);
    this.#crossed.take(Number.POSITIVE_INFINITY, null);
  }

  /**
   * Recorded amounts on `side` arrived at `arrivedMicros`, with `bestMicros` as the best; null: none arrived, or none
   * reaches a resting order. `mark`: the mid at that time.
   */
  onReach(
    nowMs: number,
    side: BookSide,
    arrivedMicros: number | null,
    bestMicros: number | null,
    mark: () => number | null,
  ): void {
    for (const order of this.#resting.values()) {
      if (order.side === side) continue;
      if (!isReached(order, bestMicros)) stopCrossing(order, nowMs);
      else if (isReached(order, arrivedMicros)) this.#startCrossing(order, nowMs, mark);
    }
  }

  #startCrossing(order: RestingOrder, nowMs: number, mark: () => number | null): void {
    if (order.crossed === null) {
      order.crossed = {
        timeMs: nowMs,
        side: order.side === BID ? 'bid' : 'ask',
        priceMicros: order.priceMicros,
        markMicros: mark(),
        marksAfterMicros: [],
        leftMicros: order.leftMicros,
        crossedMs: 0,
        sinceMs: null,
      };
      this.#crossed.rows.push(order.crossed);
    }
    order.crossed.sinceMs ??= nowMs;
  }

  get nextMarkMs(): number {
    return this.#crossed.nextMs;
  }

  takeMarks(untilMs: number, mark: number | null): void {
    this.#crossed.take(untilMs, mark);
  }

  /**
   * Orders that were crossed and not filled before they ended, in order of time; complete once the market is closed.
   */
  get stoodCrossed(): readonly CrossedOrder[] {
    return this.#crossed.rows
      .filter(({ leftMicros }) => leftMicros > 0)
      .map(({ leftMicros, sinceMs: _, ...order }) => ({ ...order, amountMicros: leftMicros }));
  }
}

function stopCrossing({ crossed }: RestingOrder, nowMs: number): void {
  if (crossed === null || crossed.sinceMs === null) return;
  crossed.crossedMs += nowMs - crossed.sinceMs;
  crossed.sinceMs = null;
}

/** Whether a recorded amount of the other side at this price would trade with the order. */
const isReached = ({ side, priceMicros }: RestingOrder, micros: number | null): boolean =>
  micros !== null && (side === ASK ? micros >= priceMicros : micros <= priceMicros);
