/** Every limit of `risk:`, in the order of the controls, with its present use. */

import type { AccountStatus, MarketStatus } from '../../../shared/protocol/trader-status.js';

export interface LimitUse {
  readonly name: string;
  readonly words: string;
  readonly unit: 'currency' | 'shares' | 'price' | 'orders' | 'actions' | 'fills' | 'ms' | 's' | 'part' | 'sets';
  /**
   * In the setting's unit: micros for money, shares and prices; absent for a limit on single orders, null when unknown.
   */
  readonly measureUse?: (told: LimitFacts) => number | null;
}

const limit = (name: string, words: string, unit: LimitUse['unit'], measureUse?: LimitUse['measureUse']): LimitUse => ({
  name,
  words,
  unit,
  ...(measureUse === undefined ? {} : { measureUse }),
});

export interface LimitFacts {
  readonly account: AccountStatus;
  readonly markets: readonly MarketStatus[];
  /** The trader's clock, ms. */
  readonly timeMs: number;
}

export const LIMIT_USES: readonly LimitUse[] = [
  limit('max_loss_day', 'lost since the UTC day began', 'currency', ({ account }) => account.losses.dayLossMicros),
  limit('max_drawdown', 'below the high-water mark', 'currency', ({ account }) => account.losses.drawdownMicros),
  limit(
    'max_total_cost',
    'lost if everything filled and resolved against us',
    'currency',
    ({ account }) => account.risk.totalLossMicros,
  ),
  limit('max_event_loss', 'lost in one event at its worst, the largest', 'currency', ({ account }) =>
    most(account.risk.events.map(({ lossMicros: loss }) => loss)),
  ),
  limit('max_event_position_shares', 'net shares of one event at their worst, the largest', 'shares', ({ account }) =>
    most(account.risk.events.map(({ positionMicros: position }) => position)),
  ),
  limit('max_position_shares', 'net shares held in one market, the largest', 'shares', ({ markets }) =>
    most(markets.map(({ yesMicros: yes, noMicros: no }) => Math.abs(yes - no))),
  ),
  limit('max_core_sets', 'complete sets held in one market, the most', 'sets', ({ markets }) =>
    most(markets.map(({ yesMicros: yes, noMicros: no }) => Math.min(yes, no))),
  ),
  limit('max_open_orders', 'orders that rest, are in flight or unknown', 'orders', ({ account }) => account.openOrders),
  limit(
    'max_actions_per_second',
    'orders and cancels begun within a second',
    'actions',
    ({ account }) => account.risk.pace.lastSecond,
  ),
  limit(
    'max_actions_per_minute',
    'orders and cancels begun within a minute',
    'actions',
    ({ account }) => account.risk.pace.lastMinute,
  ),
  limit(
    'max_fills',
    'fills within fills_window_s, the most lately',
    'fills',
    ({ account }) => account.risk.fillsInWindow,
  ),
  limit('fills_window_s', 'the time in which max_fills are counted', 's'),
  limit('max_book_age_ms', 'age of the oldest book that is quoted', 'ms', ({ markets, timeMs }) =>
    most(
      markets.flatMap(({ orders, bookSeenMs: seen }) =>
        orders.length > 0 && seen !== null ? Math.max(0, timeMs - seen) : [],
      ),
    ),
  ),
  limit('max_order_shares', 'shares of one order', 'shares'),
  limit('max_order_notional', 'price × amount of one order', 'currency'),
  limit('price_collar_fair', 'an order beyond our fair value, to our disadvantage', 'price'),
  limit('price_collar_book', 'an order through the best price of the other side', 'price'),
  limit('min_time_since_jump_ms', 'waited after a jump of the price', 'ms'),
  limit('min_time_to_resolution_s', 'nothing new rests closer to a resolution', 's'),
  limit('widen_at_loss', 'part of a loss limit from which quotes keep away', 'part'),
  limit('reduce_at_loss', 'part of a loss limit from which only reducing orders leave', 'part'),
  limit('widen_distance', 'what quotes keep from the fair value while widened', 'price'),
];

const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0);
