/** Ways to find markets and to look back: sports, search, candles, profit and loss. */

import type { QueryOf } from '../../shared/protocol/endpoints.js';
import type { ServiceFault } from '../../shared/protocol/errors.js';
import { SPORTS } from '../core/sports.js';
import { badField } from './envelope.js';
import { type Handlers, ofMarket, refuse } from './handler-context.js';
import { searchPage } from './search.js';

type DiscoveryCall = 'sports.list' | 'search.list' | 'markets.candles' | 'account.pnl';

export const discoveryCalls: Handlers<DiscoveryCall> = {
  'sports.list': () => ({ ok: true, data: SPORTS.map(({ leagues, ...row }) => ({ ...row, leagues: [...leagues] })) }),
  'search.list': ({ query, limit }, { core }) => searchPage(core, query, limit),
  'markets.candles': ({ params, query }, context) => {
    const fault = badSpan(query);
    if (fault !== null) return refuse(fault);
    const isYes = query.is_yes ?? true;
    return ofMarket(context, params, (index) => {
      const { interval, start_time, end_time } = query;
      const data = [...context.core.candleRows(index, interval, start_time * 1000, end_time * 1000, isYes)];
      return { ok: true, data, meta: { is_yes: isYes } };
    });
  },
  'account.pnl': ({ account, query }, { core }) => {
    const { market_condition_id: marketConditionId, event_condition_id: eventConditionId } = query;
    return { ok: true, data: core.pnl(account, { marketConditionId, eventConditionId }) };
  },
};

const MAX_SPAN_S = 30 * 86_400;

/** The span of candles is from its start, inclusive, to its end, exclusive: not empty, and 30 days at most. */
function badSpan({ start_time, end_time }: QueryOf<'markets.candles'>): ServiceFault | null {
  if (end_time <= start_time) return badField('end_time', 'Must be later than start_time.');
  if (end_time - start_time > MAX_SPAN_S) return badField('end_time', 'Must be at most 30 days after start_time.');
  return null;
}
