/** What may come of everything that is open or unknown, the plain way. Invariant 8. */

import type { RiskLimits } from '../../src/trader/risk/limits.js';

/** How far YES minus NO may still move in one market, in millionths of a share. */
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

  /** An order of which so much may still fill. */
  work(market: string, isYes: boolean, isBuy: boolean, remaining: number): void {
    this.#orders++;
    const extremes = this.#of(market);
    if (isBuy === isYes) extremes.up += remaining;
    else extremes.down += remaining;
  }

  /**
   * Which limits are exceeded if all that makes it worse fills, in words.
   * @param eventOf the event of a market
   * @param excused by market: what nobody could know of when it was let leave, in millionths of a share
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
    for (const [event, sum] of events) {
      if (sum > limits.maxEventPositionSharesMicros) found.push(`${sum} may be held in event ${event}`);
    }
    return found;
  }

  #of(market: string): Extremes {
    let extremes = this.#markets.get(market);
    if (extremes === undefined) {
      extremes = { up: 0, down: 0 };
      this.#markets.set(market, extremes);
    }
    return extremes;
  }
}
