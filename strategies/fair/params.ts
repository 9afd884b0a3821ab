/** Parameters of fair-maker. */

import type { ParamsOf } from '../../src/trader/strategy/strategy.js';
import {
  halfSpreadTicks,
  improveTicks,
  maxGapSds,
  modelSdLogOdds,
  number,
  orderShares,
  standingParams,
} from '../common/params.js';

export const params = {
  feed: { kind: 'feed', default: 'model', help: "Name of the feed in the trader's file that gives the value of YES." },
  model_sd_log_odds: modelSdLogOdds,
  book_weight: {
    kind: 'choice',
    choices: ['auto', 'none'],
    default: 'auto',
    help: "`auto`: the fair price includes others' book, weighted by its precision. `none`: only the feed is used.",
  },
  max_gap_sds: maxGapSds,
  max_fair_age_s: number('s', [0.1, 86_400], 60, 'Maximum age of a feed value that the strategy quotes on.'),
  half_spread_ticks: halfSpreadTicks('the blended price'),
  min_edge_ticks: number('ticks', [0, 500_000], 1, 'Minimum expected gain per share of a fill, after its fee.'),
  improve_ticks: improveTicks,
  order_shares: orderShares('25'),
  kelly_fraction: number(
    'part',
    [0.001, 1],
    0.25,
    'Maximum position, as a fraction of the full Kelly position at the blended price.',
  ),
  min_fair_price: number(
    'price',
    [0, 0.5],
    0.02,
    'The strategy does not quote if the blended price is below this value or above 1 minus this value.',
  ),
  ...standingParams(60),
} as const;

export type FairParams = ParamsOf<typeof params>;
