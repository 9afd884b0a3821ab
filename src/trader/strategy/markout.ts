/**
 * Cost of our fills afterwards: how far the fair price moved against us some time after each fill. Takers who know
 * more show here before they show anywhere else.
 */

import { ONE } from '../../shared/base/micros.js';
import type { StrategyEvent } from './events.js';

/** Maximum fills that wait to be judged; more add no information. */
const MAX_WAITING = 200;

/** Horizon of the judgement of fills, and its decay. */
export interface MarkoutSetting {
  /** Time after a fill was known until it is judged, ms. */
  readonly horizonMs: number;
  /** Half-life of old judgements, ms. */
  readonly halfLifeMs: number;
  /** Shares of harmless fills that are assumed before the first real one. */
  readonly priorShares: number;
}

interface Waiting {
  readonly dueMs: number;
  /** +1 when we bought YES. */
  readonly sign: 1 | -1;
  readonly fairBefore: number;
  readonly shares: number;
}

/** Remembers one market's fills and how far the fair price moved against each, as a decaying mean. */
export class MarkoutTracker {
  readonly #setting: MarkoutSetting;
  #waiting: Waiting[] = [];
  #weight = 0;
  #adverse = 0;
  #atMs: number | null = null;
  #fair: number | null = null;

  constructor(setting: MarkoutSetting) {
    this.#setting = setting;
  }

  /** Adds a fill, measured from the last fair price before it. */
  fill(event: Extract<StrategyEvent, { kind: 'fill' }>): void {
    if (this.#fair === null) return;
    const sign = event.side === 'bid' ? 1 : -1;
    const dueMs = event.nowMs + this.#setting.horizonMs;
    this.#waiting.push({ dueMs, sign, fairBefore: this.#fair, shares: event.amountMicros / ONE });
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
  }

  /** Takes in the fair price and judges the fills that are due. */
  fair(nowMs: number, fair: number): void {
    const elapsed = this.#atMs === null ? 0 : Math.max(0, nowMs - this.#atMs);
    const kept = 2 ** (-elapsed / this.#setting.halfLifeMs);
    this.#weight *= kept;
    this.#adverse *= kept;
    for (const fill of this.#waiting.filter(({ dueMs }) => dueMs <= nowMs)) {
      this.#weight += fill.shares;
      this.#adverse += fill.shares * fill.sign * (fill.fairBefore - fair);
    }
    this.#waiting = this.#waiting.filter(({ dueMs }) => dueMs > nowMs);
    this.#atMs = nowMs;
    this.#fair = fair;
  }

  /** Mean adverse move after a fill, in price, never negative. */
  get adverseMove(): number {
    return Math.max(0, this.#adverse / (this.#weight + this.#setting.priorShares));
  }
}
