/** The parameters of fair-maker. */

import type { ParamsOf } from '../../src/trader/strategy/strategy.js';
import {
  halfSpreadTicks,
  improveTicks,
  maxGapSds,
  modelSdLogOdds,
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
  max_fair_age_s: {
    kind: 'number',
    unit: 's',
    min: 0.1,
    max: 86_400,
    default: 60,
    help: 'Oldest value that is quoted on.',
  },
  half_spread_ticks: halfSpreadTicks('the blended price'),
  min_edge_ticks: {
    kind: 'number',
    unit: 'ticks',
    min: 0,
    max: 500_000,
    default: 1,
    help: 'Minimum value of a fill after its fee.',
  },
  improve_ticks: improveTicks,
  order_shares: orderShares('25'),
  kelly_fraction: {
    kind: 'number',
    unit: 'part',
    min: 0.001,
    max: 1,
    default: 0.25,
    help: 'Largest position, as a part of the one that Kelly would take on the blended price.',
  },
  min_fair_price: {
    kind: 'number',
    unit: 'price',
    min: 0,
    max: 0.5,
    default: 0.02,
    help: 'Below this blended price (and above 1 - it) nothing is quoted.',
  },
  ...standingParams(60),
} as const;

export type FairParams = ParamsOf<typeof params>;
