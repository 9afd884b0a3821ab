/** What the parts of margin share besides the context of the core. */

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

/** Percent of a position's user_liquidity that its loss must reach for a liquidation. */
export const fatalPercent = ({ settings }: CoreContext): number => settings.liquidationLossPercent ?? 100;

/** The margin market of an index that a record of margin names. */
export function marginMarket(context: CoreContext, index: number): MarginMarket {
  const market = context.catalog.market(index);
  return { market, pool: must(market.margin, `the pool of market ${index}`) };
}
