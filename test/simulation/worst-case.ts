/** The possible effects of all open or unknown orders, computed plainly. Invariant 8. */

import type { RiskLimits } from '../../src/trader/risk/limits.js';

/** Possible future changes of YES minus NO in one market, in millionths of a share. */
interface Extremes {
  up: number;
  down: number;
}

export class WorstCase {
  readonly #markets = new Map<string, Extremes>();
  #orders = 0;

  hold(market: string, yes: number, no: number): void {
    const extremes = this.#of(market);
    extremes.up += yes - no;
    extremes.down += no - yes;
  }

  /** An order with this possible remaining fill. */
  work(market: string, isYes: boolean, isBuy: boolean, remaining: number): void {
    this.#orders++;
    const extremes = this.#of(market);
    if (isBuy === isYes) extremes.up += remaining;
    else extremes.down += remaining;
  }

  /**
   * Limits exceeded if all harmful orders fill, in words.
   * @param eventOf the event of a market
   * @param excused by market: amounts unknowable at the send, in millionths of a share
   */
  exceeded(
    limits: RiskLimits,
    eventOf: (market: string) => number | null,
    excused: ReadonlyMap<string, number> = new Map(),
  ): string[] {
    const found: string[] = [];
    if (this.#orders > limits.maxOpenOrders) found.push(`${this.#orders} orders may rest`);
    const events = new Map<number, number>();
    for (const [market, { up, down }] of this.#markets) {
      const position = Math.max(up, down) - (excused.get(market) ?? 0);
      if (position > limits.maxPositionSharesMicros) found.push(`${position} may be held in market ${market}`);
      const event = eventOf(market);
      if (event !== null) events.set(event, (events.get(event) ?? 0) + position);
    }
    for (const [event, sum] of events)
      if (sum > limits.maxEventPositionSharesMicros) found.push(`${sum} may be held in event ${event}`);
    return found;
  }

  #of(market: string): Extremes {
    const extremes = this.#markets.get(market) ?? { up: 0, down: 0 };
    this.#markets.set(market, extremes);
    return extremes;
  }
}
