/** Parameters of log-odds-maker. */

import type { ParamsOf } from '../../src/trader/strategy/strategy.js';
import {
  behindTicks,
  halfSpreadTicks,
  haltBeforeS,
  improveTicks,
  integer,
  jumpPauseS,
  maxBookAgeMs,
  maxBookSpread,
  minFairPrice,
  number,
  postOnly,
  repriceTicks,
  resizeFraction,
  riskAversion,
  shares,
} from '../common/params.js';

export const params = {
  half_spread_ticks: halfSpreadTicks('the price that it is centred on'),
  order_shares: shares(['0.000001', '1000000'], '25', 'Size of the order at each price level.'),
  levels: integer('levels', [1, 10], 1, 'Number of price levels on each side.'),
  level_step_ticks: integer('ticks', [1, 500_000], 1, 'Distance between neighbouring price levels of a side.'),
  improve_ticks: improveTicks,
  behind_ticks: behindTicks,
  risk_aversion: riskAversion,
  holding_time_s: number(
    's',
    [0, 1e9],
    0,
    'Expected time until a position is closed, which scales the inventory risk. 0: until settlement.',
  ),
  min_half_spread_log_odds: number(
    'log-odds',
    [0, 5],
    0,
    'Minimum half-spread in log-odds, before the additions for informed takers and inventory.',
  ),
  refresh_s: number(
    's',
    [0, 3600],
    3,
    'Time that a quote rests before it can be changed. The age of the book is used if it is greater.',
  ),
  stale_sigmas: number(
    'standard deviations',
    [0, 10],
    1,
    'Number of standard deviations of the price within `refresh_s` that are added to the half-spread.',
  ),
  min_edge_ticks: number(
    'ticks',
    [0, 500_000],
    0,
    'Minimum earnings per share of a quote that adds to the position, after its expected costs.',
  ),
  post_only: postOnly,
  dust_shares: shares(
    ['0', '1000000'],
    '5',
    "Others' best price is the first level at which their cumulative shares reach this number.",
  ),
  imbalance_weight: number(
    'part',
    [0, 1],
    0.5,
    'Weight of the microprice against the mid in the fair price. 0: only the mid is used.',
  ),
  trade_weight: number(
    'part',
    [0, 1],
    0.25,
    'Maximum weight of recent trade prices against the book in the fair price.',
  ),
  max_book_spread: maxBookSpread,
  min_fair_price: minFairPrice('the fair price'),
  taper_from_fraction: number(
    'part of the position limit',
    [0, 1],
    0.5,
    'Above this net position, orders that add to it become smaller, and there are none at the position limit.',
  ),
  max_book_age_ms: maxBookAgeMs,
  jump_pause_s: jumpPauseS,
  reduce_only_before_s: number(
    's',
    [0, 1e8],
    180,
    "Time before the market's resolution from which only quotes that reduce the position are made.",
  ),
  halt_before_s: haltBeforeS(60),
  widen_factor: number('times', [1, 100], 2, 'Factor of half-spreads while the trader is in mode `widened`.'),
  markout_s: number(
    's',
    [1, 3600],
    30,
    'Time after a fill at which the move of the fair price against the fill is measured.',
  ),
  markout_half_life_s: number('s', [1, 1e6], 1800, 'Half-life of the measured price moves against own fills.'),
  reprice_ticks: repriceTicks,
  resize_fraction: resizeFraction,
} as const;

export type Params = ParamsOf<typeof params>;
