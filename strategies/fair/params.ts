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
  feed: { kind: 'feed', default: 'model', help: "The feed of the trader's file that says what YES is worth." },
  model_sd_log_odds: modelSdLogOdds,
  book_weight: {
    kind: 'choice',
    choices: ['auto', 'none'],
    default: 'auto',
    help: "Whether others' book is weighed in by its precision, or the feed counts alone.",
  },
  max_gap_sds: maxGapSds,
  max_fair_age_s: number('s', [0.1, 86_400], 60, 'Oldest value that is quoted on.'),
  half_spread_ticks: halfSpreadTicks('the blended price'),
  min_edge_ticks: number('ticks', [0, 500_000], 1, 'Minimum value of a fill after its fee.'),
  improve_ticks: improveTicks,
  order_shares: orderShares('25'),
  kelly_fraction: number(
    'part',
    [0.001, 1],
    0.25,
    'Largest position, as a part of the one that Kelly would take on the blended price.',
  ),
  min_fair_price: number('price', [0, 0.5], 0.02, 'Below this blended price (and above 1 - it) nothing is quoted.'),
  ...standingParams(60),
} as const;

export type FairParams = ParamsOf<typeof params>;
