/** Which settings a running trader takes up, and what for each of them is wanted. */

/**
 * `free`: with `config apply`; `limit`: tighter or lower is free, looser or higher wants a reason; `reason`: wants one;
 * `restart`: only by a restart.
 */
export type LiveClass = 'free' | 'limit' | 'reason' | 'restart';

/** Sections of a trader's file that only a restart takes up, whole. */
const RESTART = [
  ...['venue', 'exchange', 'wallet', 'ledger', 'polling', 'events', 'schedule', 'log', 'recording', 'journal'],
  ...['guardian', 'dashboard', 'control', 'feeds', 'metrics', 'alerts', 'reload', 'fleet'],
];

/** Every other setting of a trader's file. */
const TRADER: Readonly<Record<string, LiveClass>> = {
  capital: 'limit',
  'risk.max_order_shares': 'limit',
  'risk.max_order_notional': 'limit',
  'risk.price_collar_fair': 'limit',
  'risk.price_collar_book': 'limit',
  'risk.max_open_orders': 'limit',
  'risk.max_position_shares': 'limit',
  'risk.max_event_position_shares': 'limit',
  'risk.max_event_loss': 'limit',
  'risk.max_total_cost': 'limit',
  'risk.max_core_sets': 'limit',
  'risk.max_loss_day': 'limit',
  'risk.max_drawdown': 'limit',
  'risk.widen_at_loss': 'limit',
  'risk.reduce_at_loss': 'limit',
  'risk.widen_distance': 'limit',
  'risk.max_actions_per_second': 'limit',
  'risk.max_actions_per_minute': 'limit',
  'risk.max_fills': 'limit',
  'risk.fills_window_s': 'limit',
  'risk.max_book_age_ms': 'limit',
  'risk.min_time_since_jump_ms': 'limit',
  'risk.min_time_to_resolution_s': 'limit',
  'merge.enabled': 'free',
  'merge.min_shares': 'free',
  'economics.currency_price_per_day': 'free',
  'economics.request_price': 'free',
  // One more wants a reason, one less does not.
  strategies: 'limit',
};

/** Every setting of a strategy file. */
const STRATEGY: Readonly<Record<string, LiveClass>> = {
  strategy: 'reason',
  'markets.ids': 'free',
  'markets.select.state': 'free',
  'markets.select.kind': 'free',
  'markets.select.categories': 'free',
  'markets.select.title_words': 'free',
  'markets.select.without_words': 'free',
  'markets.select.except': 'free',
  'markets.select.min_spread': 'free',
  'markets.select.max_spread': 'free',
  'markets.select.min_volume_day': 'free',
  'markets.select.min_days_left': 'free',
  'markets.select.max_days_left': 'free',
  'markets.max': 'free',
  'markets.candidates': 'free',
  'markets.choose': 'free',
  params: 'free',
  'schedule.quote_hours': 'free',
  risk: 'limit',
};

/** Of a setting of a trader's file; undefined for one that nobody has thought about. */
export const traderClass = (setting: string): LiveClass | undefined =>
  RESTART.includes(setting.split('.')[0] ?? '') ? 'restart' : TRADER[setting];

/** Of a setting of a strategy file. */
export const strategyClass = (setting: string): LiveClass | undefined =>
  STRATEGY[setting] ?? STRATEGY[setting.split('.')[0] ?? ''];
