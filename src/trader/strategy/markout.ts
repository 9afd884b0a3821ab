/**
 * Measures how far the fair price moved against own fills some time after each (markout). Better-informed takers show
 * here first.
 */

import { ONE } from '../../shared/base/micros.js';
import type { StrategyEvent } from './events.js';

/** Maximum number of fills that wait for their markout; the oldest are dropped. */
const MAX_WAITING = 200;

/** Horizon of the markout of fills, and the decay of old ones. */
export interface MarkoutSetting {
  /** Time from a fill to its markout, ms. */
  readonly horizonMs: number;
  /** Half-life of old markouts, ms. */
  readonly halfLifeMs: number;
  /** Prior weight: shares of fills without adverse move, assumed before the first real fill. */
  readonly priorShares: number;
}

interface Waiting {
  readonly dueMs: number;
  /** +1 for a purchase of YES, -1 for a sale. */
  readonly sign: 1 | -1;
  readonly fairBefore: number;
  readonly shares: number;
}

/** Mean adverse price move after the own fills of one market, decaying. */
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

  /** Takes in the fair price and computes the markout of fills that are due. */
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
