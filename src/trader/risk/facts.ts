/** What risk must know to judge an intent. The engine gathers it; a `Sight` of the market room is a `MarketSight`. */

import type { Micros } from '../../shared/base/micros.js';
import type { Book, Health, MarketFacts, Stance } from '../market/view.js';
import type { PaceFacts } from './action-pace.js';
import type { Exposure } from './exposure.js';
import type { FillFacts } from './fill-guard.js';
import type { RiskLimits } from './limits.js';
import type { LossFacts } from './loss-guard.js';
import type { FindCaps } from './loss-to-average.js';

/** What controls compare with; taken from the market's feed itself after a strategy has spoken, never from its view. */
export interface MarketSight {
  readonly market: Pick<
    MarketFacts,
    'conditionId' | 'phase' | 'makerFeeRateMicros' | 'takerFeeRateMicros' | 'feeSchedule'
  >;
  /** The book as it came, in YES space. */
  readonly book: Book;
  readonly health: Pick<Health, 'bookAgeMs' | 'frozen' | 'sinceJumpMs'>;
  /** Null when the market does not say when it resolves. */
  readonly timeToResolutionMs: number | null;
}

/** The kill ladder: `flatten` is reduce-only that an operator ordered, so the loss limits and a halt no longer hold it back. */
export type RiskStance = Stance | 'flatten' | 'halted';

export interface RiskFacts {
  /** Of the intent's market; null when there is none yet, which refuses every order. */
  readonly sight: MarketSight | null;
  /** The trader's limits, tightened by the strategy's. */
  readonly limits: RiskLimits;
  /** Everything held and working in every market of this trader, all strategies together. */
  readonly exposure: Exposure;
  /** Currency that we own and may use, before any reservation. */
  readonly cashMicros: Micros;
  readonly loss: LossFacts;
  /** Highest values that the limits give shares. */
  readonly findCaps: FindCaps;
  readonly fills: FillFacts;
  /** Orders and cancels of the whole trader, those of this very step among them. */
  readonly pace: PaceFacts;
  readonly stance: RiskStance;
  /** Why the stance is not `normal`; empty when it is. */
  readonly stanceReason: string;
  /** How many more requests of the draft lane could leave now above the cancel reserve (`RequestQueue.headroom`). */
  readonly requestHeadroom: number;
}
