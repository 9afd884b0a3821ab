/** Parameters of belief-maker: facts that only the operator knows. The strategy learns all other values. */

import type { ParamsOf } from '../../src/trader/strategy/strategy.js';
import { haltBeforeS, maxBookAgeMs, maxGapSds, modelSdLogOdds, number, postOnly, shares } from '../common/params.js';

export const params = {
  kelly_fraction: number(
    'part',
    [0.01, 100],
    2,
    'Risk tolerance. The quoted price shifts by net shares / (this value x capital), in log-odds.',
  ),
  max_order_shares: shares(['0.01', '1000000'], '3000', 'Maximum size of an order.'),
  taker_shares: shares(
    ['0.01', '1000000'],
    '10',
    "Assumed mean size of a taker's order until takers have been observed.",
  ),
  min_quote_s: number(
    's',
    [0.1, 3600],
    1,
    'Minimum assumed time that a quote rests. The measured time between polls is used if it is greater.',
  ),
  wall_log_odds: number(
    'log-odds',
    [0.001, 2],
    0.01,
    "Standard deviation of the distance by which the true price may lie beyond others' best price.",
  ),
  currency_horizon_s: number(
    's',
    [0, 1e8],
    3600,
    "Time before the market's resolution from which held shares have extra value, because their later sale needs no currency.",
  ),
  request_price: number(
    'currency',
    [0, 10],
    0.0005,
    'Minimum earnings that justify one request. The minimum rises while requests are scarce.',
  ),
  post_only: postOnly,
  feed: {
    kind: 'feed',
    optional: true,
    default: '',
    help: 'Name of a feed that gives the value of YES, used in addition to the book. The strategy quotes only while the feed has a current value. "": no feed.',
  },
  model_sd_log_odds: modelSdLogOdds,
  max_gap_sds: maxGapSds,
  max_book_age_ms: maxBookAgeMs,
  halt_before_s: haltBeforeS(10),
} as const;

export type BeliefParams = ParamsOf<typeof params>;
