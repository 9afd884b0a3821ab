/** Rules of margin markets, as a caller of the service gives them. */

import * as desk from '../../core/margin/desk.js';

export const POLYMARKET = { ...desk.POLYMARKET, order_min_size: '2' };
export const HYPERLIQUID = { ...desk.HYPERLIQUID, closing_fee: '0' };
