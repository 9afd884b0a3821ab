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
  half_spread_ticks: halfSpreadTicks('the price it is centred on'),
  order_shares: shares(['0.000001', '1000000'], '25', 'Size of each level.'),
  levels: integer('levels', [1, 10], 1, 'Levels on each side.'),
  level_step_ticks: integer('ticks', [1, 500_000], 1, 'Distance between two levels of a side.'),
  improve_ticks: improveTicks,
  behind_ticks: behindTicks,
  risk_aversion: riskAversion,
  holding_time_s: number(
    's',
    [0, 1e9],
    0,
    'Expected time until a position is undone; it scales the risk. 0: until settlement.',
  ),
  min_half_spread_log_odds: number(
    'log-odds',
    [0, 5],
    0,
    'Smallest half-spread in log-odds, before what informed takers and inventory add to it.',
  ),
  refresh_s: number(
    's',
    [0, 3600],
    3,
    'Time that a quote rests until it can be changed; the age of the book if that is more.',
  ),
  stale_sigmas: number(
    'standard deviations',
    [0, 10],
    1,
    'How many deviations of the price within that time are added to the half-spread.',
  ),
  min_edge_ticks: number(
    'ticks',
    [0, 500_000],
    0,
    'Minimum earnings of a side that adds to the position, after its expected costs.',
  ),
  post_only: postOnly,
  dust_shares: shares(['0', '1000000'], '5', "Others' levels count only beyond this many shares in total."),
  imbalance_weight: number('part', [0, 1], 0.5, 'How far the fair price leans from the mid to the microprice.'),
  trade_weight: number('part', [0, 1], 0.25, 'Largest weight of recent trade prices against the book.'),
  max_book_spread: maxBookSpread,
  min_fair_price: minFairPrice('this fair price'),
  taper_from_fraction: number(
    'part of the position limit',
    [0, 1],
    0.5,
    'From this net position on, the side that adds to it shrinks, to nothing at the limit.',
  ),
  max_book_age_ms: maxBookAgeMs,
  jump_pause_s: jumpPauseS,
  reduce_only_before_s: number('s', [0, 1e8], 180, 'Time before resolution from which only reducing quotes are made.'),
  halt_before_s: haltBeforeS(60),
  widen_factor: number('times', [1, 100], 2, 'Factor of half-spreads while the trader quotes wider.'),
  markout_s: number('s', [1, 3600], 30, 'When a fill is judged by how far the fair price has moved against it.'),
  markout_half_life_s: number('s', [1, 1e6], 1800, 'How fast these judgements are forgotten.'),
  reprice_ticks: repriceTicks,
  resize_fraction: resizeFraction,
} as const;

export type Params = ParamsOf<typeof params>;
