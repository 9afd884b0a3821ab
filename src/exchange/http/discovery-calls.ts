/** Ways to find markets and to look back: sports, search, candles, profit and loss. */

import { type Handlers, refuse } from './calls.js';

type DiscoveryCall = 'sports.list' | 'search.list' | 'markets.candles' | 'account.pnl';

const unserved = () => refuse({ slug: 'internal_error' });

export const discoveryCalls: Handlers<DiscoveryCall> = {
  'sports.list': unserved,
  'search.list': unserved,
  'markets.candles': unserved,
  'account.pnl': unserved,
};
