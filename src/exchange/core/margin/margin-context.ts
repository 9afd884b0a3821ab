/** Shared context of the margin parts, besides the core's. */

import { must } from '../../../shared/base/errors.js';
import type { CoreContext } from '../core-context.js';
import type { Market } from '../market.js';
import type { MarginPool } from './pool.js';

/** A market that trades on margin, with its pool. */
export interface MarginMarket {
  readonly market: Market;
  readonly pool: MarginPool;
}

/** Where fees go. */
export interface FeeAccount {
  fees: number;
}

/** Loss in percent of a position's user_liquidity that liquidates it. */
export const fatalPercent = ({ settings }: CoreContext): number => settings.liquidationLossPercent ?? 100;

/** Margin market of a margin record's index. */
export function marginMarket(context: CoreContext, index: number): MarginMarket {
  const market = context.catalog.market(index);
  return { market, pool: must(market.margin, `the pool of market ${index}`) };
}
