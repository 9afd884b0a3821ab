/** What a judged trader meets on the exchange: markets, and others who trade there and of whom the truth is known. */

import type { MarketIndex } from '../../../exchange/core/contract.js';
import type { Driver } from '../../../exchange/crowd/contract.js';
import type { EventSource } from '../../backtest/contract.js';

/** One market and its truth, which nothing that trades may see. */
export interface SceneMarket {
  readonly source: EventSource;
  readonly index: MarketIndex;
  /** That YES will pay, now: in [0, 1]. */
  readonly probability: number;
  /** What YES paid; null before the end. */
  readonly outcome: boolean | null;
}

/** Its `tick` lets the others act, each at a time of his own. */
export interface Scene extends Driver {
  /** Opens the markets; what the others do begins later. Times are the exchange's clock, Unix ms. */
  open(nowMs: number): readonly SceneMarket[];
  /** Nobody trades in it any more; it is settled. */
  close(market: SceneMarket, nowMs: number): void;
  /** Whether who acts in this moment knows the truth. */
  readonly isInformed: boolean;
}
