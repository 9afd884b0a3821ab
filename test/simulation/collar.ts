/** Control 3: no bid above others' asks and no ask below their bids beyond the collar, in the books the trader got. */

import type { DataOf } from '../../src/shared/protocol/endpoints.js';
import type { AnyCall, Outcome, Request } from '../../src/shared/protocol/seam.js';
import type { RiskLimits } from '../../src/trader/risk/limits.js';

/** An order may be judged by any book that arrived within this time before its draft was sent. */
const WINDOW_MS = 10_000;
const ONE = 1_000_000;

interface Touch {
  readonly ms: number;
  /** Null for an empty side. */
  readonly bid: number | null;
  readonly ask: number | null;
}

export class Collar {
  readonly #limits: RiskLimits;
  readonly #say: (violation: string) => void;
  readonly #touches = new Map<string, Touch[]>();

  constructor(limits: RiskLimits, say: (violation: string) => void) {
    this.#limits = limits;
    this.#say = say;
  }

  /** A new process has seen no book. */
  forget(): void {
    this.#touches.clear();
  }

  delivered({ call }: Request, outcome: Outcome, nowMs: number): void {
    if (call.endpoint !== 'markets.book' || outcome.kind !== 'answered') return;
    // The endpoint determines the type of its data.
    const { bid, ask } = outcome.data as DataOf<'markets.book'>;
    const touch: Touch = {
      ms: nowMs,
      bid: bid.length === 0 ? null : Math.max(...bid.map(({ price }) => price)),
      ask: ask.length === 0 ? null : Math.min(...ask.map(({ price }) => price)),
    };
    const market = call.params.condition_id;
    // Keeps the newest one before the window: it was current when the window began.
    const known = this.#touches.get(market) ?? [];
    while ((known[1]?.ms ?? nowMs) < nowMs - WINDOW_MS) known.shift();
    this.#touches.set(market, [...known, touch]);
  }

  /** A request is sent. */
  left(call: AnyCall): void {
    if (call.endpoint !== 'orders.create') return;
    const { market_condition_id: market, is_yes, side, price } = call.body;
    const touches = this.#touches.get(market) ?? [];
    const own = Math.round(Number(price) * ONE);
    const yes = is_yes ? own : ONE - own;
    const raises = (side === 'buy') === is_yes;
    const against = touches.map(({ bid, ask }) => (raises ? ask : bid));
    const prices = against.filter((each) => each !== null);
    if (prices.length === 0 || prices.length < against.length) return;
    const collar = this.#limits.priceCollarBookMicros;
    const beyond = raises ? yes - Math.max(...prices) : Math.min(...prices) - yes;
    if (beyond > collar) this.#say(`3: an order at ${yes} left, ${beyond} beyond the book of ${market}`);
  }
}
