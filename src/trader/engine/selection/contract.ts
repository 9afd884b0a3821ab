/** What is said of a market's place in the selection of its strategy. */

import type { NetValue, ScarcityPrices } from '../../scheduler/net-value.js';
import type { MarketSelection } from '../settings.js';
import type { Belief } from './measures.js';
import { hasRules } from './rules.js';

/** What a market was last reckoned to be worth to its strategy. */
export interface Worth {
  readonly value: NetValue;
  readonly prices: ScarcityPrices;
  /** 1 for the most valuable of all. */
  readonly place: number;
  readonly belief: Belief;
  /** Fills a second times what one side of it brings, and may lose, in a second: currency per square second. */
  readonly lateFillCost: number;
  /** Part of the distance of its fills that stale quotes are expected to lose. */
  readonly stalePart: number;
}

/** Whether not every market that a strategy looks at is quoted as a matter of course. */
export const isSelective = ({ choose, candidates, max, rules }: MarketSelection): boolean =>
  choose === 'value' || (candidates ?? max) > max || hasRules(rules);
