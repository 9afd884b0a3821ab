/** The parameters of belief-maker: facts that only the owner knows. The strategy learns the rest. */

import type { ParamsOf } from '../../src/trader/strategy/strategy.js';
import { integer, maxGapSds, modelSdLogOdds, number, shares } from '../common/params.js';

export const params = {
  kelly_fraction: number(
    'part',
    [0.01, 100],
    2,
    'Risk: the price shifts by net shares / (this part x capital) in log-odds.',
  ),
  max_order_shares: shares(['0.01', '1000000'], '3000', 'Largest order.'),
  taker_shares: shares(['0.01', '1000000'], '10', "Mean size of a taker's order before any was seen."),
  min_quote_s: number(
    's',
    [0.1, 3600],
    1,
    'Minimum time that a quote rests; the measured time between looks if that is more.',
  ),
  wall_log_odds: number(
    'log-odds',
    [0.001, 2],
    0.01,
    "Distance of the truth beyond others' best price before it is taken.",
  ),
  currency_horizon_s: number(
    's',
    [0, 1e8],
    3600,
    'Time before resolution from which held shares have a value as cover.',
  ),
  request_price: number('currency', [0, 10], 0.0005, 'Minimum earnings of one request; more while requests are short.'),
  post_only: {
    kind: 'boolean',
    default: true,
    help: 'No order is sent that would trade at once, by the newest poll and trade.',
  },
  feed: {
    kind: 'feed',
    optional: true,
    default: '',
    help: 'A feed with the value of YES, used beside the book. Without a current value nothing is quoted. "": none.',
  },
  model_sd_log_odds: modelSdLogOdds,
  max_gap_sds: maxGapSds,
  max_book_age_ms: integer('ms', [100, 3_600_000], 30_000, 'Oldest book that quotes are made on.'),
  halt_before_s: number('s', [0, 1e8], 10, 'Time before resolution from which nothing is quoted.'),
} as const;

export type BeliefParams = ParamsOf<typeof params>;
