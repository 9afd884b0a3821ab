/**
 * Facts that risk needs to judge an intent. The engine collects them; a `Sight` of the market room is a `MarketSight`.
 */

import type { Micros } from '../../shared/base/micros.js';
import type { Book, Health, MarketFacts, Stance } from '../market/view.js';
import type { PaceFacts } from './action-pace.js';
import type { Exposure } from './exposure.js';
import type { FillFacts } from './fill-guard.js';
import type { RiskLimits } from './limits.js';
import type { LossFacts } from './loss-guard.js';
import type { FindCaps } from './loss-to-average.js';

/** Market facts for the controls, taken from the market's feed after the strategy ran, never from its view. */
export interface MarketSight {
  readonly market: Pick<
    MarketFacts,
    'conditionId' | 'phase' | 'makerFeeRateMicros' | 'takerFeeRateMicros' | 'feeSchedule'
  >;
  /** The book as received, in YES space. */
  readonly book: Book;
  readonly health: Pick<Health, 'bookAgeMs' | 'frozen' | 'sinceJumpMs'>;
  /** Null without a resolution date. */
  readonly timeToResolutionMs: number | null;
}

/**
 * Rungs of the kill ladder. `flatten` is reduce-only by order of the operator, so loss limits and a halt do not block
 * it.
 */
export type RiskStance = Stance | 'flatten' | 'halted';

export interface RiskFacts {
  /** Of the intent's market; null without data, which refuses every order. */
  readonly sight: MarketSight | null;
  /** The trader's limits, tightened by the strategy's. */
  readonly limits: RiskLimits;
  /** All holdings and working orders of this trader, over all strategies. */
  readonly exposure: Exposure;
  /** Own currency before reservations. */
  readonly cashMicros: Micros;
  readonly loss: LossFacts;
  /** Highest share values that the limits allow. */
  readonly findCaps: FindCaps;
  readonly fills: FillFacts;
  /** Orders and cancels of the whole trader, including this step's. */
  readonly pace: PaceFacts;
  readonly stance: RiskStance;
  /** Why the stance is not `normal`; empty when it is. */
  readonly stanceReason: string;
  /** Requests of the draft lane that could leave now above the cancel reserve (`RequestQueue.headroom`). */
  readonly requestHeadroom: number;
}
