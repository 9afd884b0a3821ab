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

export interface LimitFacts {
  readonly account: AccountStatus;
  readonly markets: readonly MarketStatus[];
  /** The trader's clock, ms. */
  readonly timeMs: number;
}

export const LIMIT_USES: readonly LimitUse[] = [
  {
    name: 'max_loss_day',
    words: 'lost since the UTC day began',
    unit: 'currency',
    measureUse: ({ account }) => account.losses.dayLossMicros,
  },
  {
    name: 'max_drawdown',
    words: 'below the high-water mark',
    unit: 'currency',
    measureUse: ({ account }) => account.losses.drawdownMicros,
  },
  {
    name: 'max_total_cost',
    words: 'lost if everything filled and resolved against us',
    unit: 'currency',
    measureUse: ({ account }) => account.risk.totalLossMicros,
  },
  {
    name: 'max_event_loss',
    words: 'lost in one event at its worst, the largest',
    unit: 'currency',
    measureUse: ({ account }) => most(account.risk.events.map(({ lossMicros: loss }) => loss)),
  },
  {
    name: 'max_event_position_shares',
    words: 'net shares of one event at their worst, the largest',
    unit: 'shares',
    measureUse: ({ account }) => most(account.risk.events.map(({ positionMicros: position }) => position)),
  },
  {
    name: 'max_position_shares',
    words: 'net shares held in one market, the largest',
    unit: 'shares',
    measureUse: ({ markets }) => most(markets.map(({ yesMicros: yes, noMicros: no }) => Math.abs(yes - no))),
  },
  {
    name: 'max_core_sets',
    words: 'complete sets held in one market, the most',
    unit: 'sets',
    measureUse: ({ markets }) => most(markets.map(({ yesMicros: yes, noMicros: no }) => Math.min(yes, no))),
  },
  {
    name: 'max_open_orders',
    words: 'orders that rest, are in flight or unknown',
    unit: 'orders',
    measureUse: ({ account }) => account.openOrders,
  },
  {
    name: 'max_actions_per_second',
    words: 'orders and cancels begun within a second',
    unit: 'actions',
    measureUse: ({ account }) => account.risk.pace.lastSecond,
  },
  {
    name: 'max_actions_per_minute',
    words: 'orders and cancels begun within a minute',
    unit: 'actions',
    measureUse: ({ account }) => account.risk.pace.lastMinute,
  },
  {
    name: 'max_fills',
    words: 'fills within fills_window_s, the most lately',
    unit: 'fills',
    measureUse: ({ account }) => account.risk.fillsInWindow,
  },
  { name: 'fills_window_s', words: 'the time in which max_fills are counted', unit: 's' },
  {
    name: 'max_book_age_ms',
    words: 'age of the oldest book that is quoted',
    unit: 'ms',
    measureUse: ({ markets, timeMs }) =>
      most(
        markets.flatMap(({ orders, bookSeenMs: seen }) =>
          orders.length > 0 && seen !== null ? Math.max(0, timeMs - seen) : [],
        ),
      ),
  },
  { name: 'max_order_shares', words: 'shares of one order', unit: 'shares' },
  { name: 'max_order_notional', words: 'price × amount of one order', unit: 'currency' },
  { name: 'price_collar_fair', words: 'an order beyond our fair value, to our disadvantage', unit: 'price' },
  { name: 'price_collar_book', words: 'an order through the best price of the other side', unit: 'price' },
  { name: 'min_time_since_jump_ms', words: 'waited after a jump of the price', unit: 'ms' },
  { name: 'min_time_to_resolution_s', words: 'nothing new rests closer to a resolution', unit: 's' },
  { name: 'widen_at_loss', words: 'part of a loss limit from which quotes keep away', unit: 'part' },
  { name: 'reduce_at_loss', words: 'part of a loss limit from which only reducing orders leave', unit: 'part' },
  { name: 'widen_distance', words: 'what quotes keep from the fair value while widened', unit: 'price' },
];

const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0);
