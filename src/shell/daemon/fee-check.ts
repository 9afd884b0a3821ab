/** Before a start at a foreign venue: checks public trades against the declared fee schedule. */

import { TwinbookError } from '../../shared/base/errors.js';
import { FEE_ROWS, feeContradiction, readFees } from '../../trader/market/fee-fit.js';
import type { ServiceClient } from '../client/client.js';
import type { Config } from '../config/types.js';

/** Each costs one public request. */
const MOST_MARKETS = 3;

/**
 * Throws `config_invalid` on a contradiction: every reservation and choice of a leg would use a wrong fee. A venue that
 * does not answer, or undecided trades, refuse no start.
 */
export async function refuseWrongFees(client: ServiceClient, config: Config): Promise<void> {
  const declared = config.venue.profile.fee_schedule ?? 'notional';
  for (const condition_id of await chooseMarkets(client, config)) {
    const query = { limit: FEE_ROWS };
    const { outcome } = await client.call('markets.trades', { params: { condition_id }, query });
    const found = outcome.kind === 'answered' ? feeContradiction(readFees(outcome.data), declared) : null;
    if (found === null) continue;
    throw new TwinbookError(
      'config_invalid',
      `market ${condition_id}: ${found}`,
      'Set venue.fee_schedule to what `doctor --fees MARKET` shows. Orders of a run before may still rest: `cancel-all`.',
    );
  }
}

/** The strategies' markets, else the first open ones. */
async function chooseMarkets(client: ServiceClient, { strategies }: Config): Promise<readonly string[]> {
  const named = [...new Set(strategies.flatMap(({ markets }) => markets.ids))];
  if (named.length > 0) return named.slice(0, MOST_MARKETS);
  const { outcome } = await client.call('markets.list', { query: { state: 'open', limit: 100 } });
  if (outcome.kind !== 'answered') return [];
  const usable = outcome.data.filter(({ margin_enabled }) => margin_enabled !== true);
  return usable.slice(0, MOST_MARKETS).map(({ condition_id }) => condition_id);
}
