/** The parameters of belief-maker: what only its owner can know. All else is learned. */

import type { ParamsOf } from '../../src/trader/strategy/strategy.js';
import { maxGapSds, modelSdLogOdds } from '../common/params.js';

export const params = {
  kelly_fraction: {
    kind: 'number',
    unit: 'part',
    min: 0.01,
    max: 100,
    default: 2,
    help: 'Risk that is taken: the price shifts by net shares / (this part x capital) in log-odds.',
  },
  max_order_shares: {
    kind: 'shares',
    min: '0.01',
    max: '1000000',
    default: '3000',
    help: 'Largest order.',
  },
  taker_shares: {
    kind: 'shares',
    min: '0.01',
    max: '1000000',
    default: '10',
    help: "Mean size of a taker's order before any was seen.",
  },
  min_quote_s: {
    kind: 'number',
    unit: 's',
    min: 0.1,
    max: 3600,
    default: 1,
    help: 'Shortest time that a quote rests before it can be changed; the measured time between looks if that is more.',
  },
  wall_log_odds: {
    kind: 'number',
    unit: 'log-odds',
    min: 0.001,
    max: 2,
    default: 0.01,
    help: "How far the truth may lie beyond others' best price before they would be taken.",
  },
  currency_horizon_s: {
    kind: 'number',
    unit: 's',
    min: 0,
    max: 1e8,
    default: 3600,
    help: 'Time before resolution from which cover has a value: earlier, merges and sales bring currency back in time.',
  },
  request_price: {
    kind: 'number',
    unit: 'currency',
    min: 0,
    max: 10,
    default: 0.0005,
    help: 'What one request must at least earn, more while requests are short: an order that is nearly as good as the best one stays.',
  },
  post_only: {
    kind: 'boolean',
    default: true,
    help: 'No order is sent that would trade at once, by the newest poll and trade seen: an offer is worth its price only at rest.',
  },
  feed: {
    kind: 'feed',
    optional: true,
    default: '',
    help: 'A feed of the trader\'s file that says what YES is worth: believed beside the book, and without a current value nothing is quoted. "": none.',
  },
  model_sd_log_odds: modelSdLogOdds,
  max_gap_sds: maxGapSds,
  max_book_age_ms: {
    kind: 'integer',
    unit: 'ms',
    min: 100,
    max: 3_600_000,
    default: 30_000,
    help: 'Oldest book that quotes are made on.',
  },
  halt_before_s: {
    kind: 'number',
    unit: 's',
    min: 0,
    max: 1e8,
    default: 10,
    help: 'Time before resolution from which nothing is quoted.',
  },
} as const;

export type BeliefParams = ParamsOf<typeof params>;
