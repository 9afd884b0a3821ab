/**
 * Every metric of `/metrics`: the table that the exporter, documents, alert rules and dashboards are checked against.
 * Names have their base unit, counters end in `_total`, times are Unix seconds. Every series has the label `trader`
 * besides those named.
 */

export type MetricKind = 'gauge' | 'counter' | 'histogram';

export interface MetricDeclaration {
  readonly kind: MetricKind;
  readonly help: string;
  /** Beside `trader`. */
  readonly labels: readonly string[];
}

const gauge = (help: string, ...labels: readonly string[]): MetricDeclaration => ({ kind: 'gauge', help, labels });
const counter = (help: string, ...labels: readonly string[]): MetricDeclaration => ({ kind: 'counter', help, labels });
const histogram = (help: string, ...labels: readonly string[]): MetricDeclaration => ({
  kind: 'histogram',
  help,
  labels,
});

export const METRICS = {
  twinbook_up: gauge('1 while the trader sends its state, 0 when it hangs or has ended.'),
  twinbook_build_info: gauge('1; the version of the trader.', 'version'),
  twinbook_config_info: gauge('1; the hash of the configuration in force.', 'hash'),
  twinbook_start_time_seconds: gauge('When the run of the trader began.'),
  twinbook_told_timestamp_seconds: gauge('When the trader last sent its state, by its own clock.'),
  twinbook_mode: gauge('1 for the mode that the trader is in, 0 for every other.', 'mode'),
  twinbook_steps_total: counter('Steps of this run.'),
  twinbook_step_duration_seconds: histogram('How long a step took.'),
  twinbook_beat_lateness_seconds: gauge('How late beats of the loop came: p99 of the last ten seconds.'),
  twinbook_telemetry_brake_level: gauge(
    '0 while telemetry is complete; higher while it is reduced to save the trader’s time.',
  ),
  twinbook_telemetry_readers: gauge('Readers of telemetry.'),
  twinbook_telemetry_readers_cut_total: counter(
    'Readers of telemetry that were disconnected because they did not read.',
  ),
  twinbook_process_resident_memory_bytes: gauge('Memory of the process.', 'process'),
  twinbook_requests_total: counter('Requests that came back.', 'endpoint', 'outcome'),
  twinbook_request_duration_seconds: histogram('From the request to its answer.', 'endpoint'),
  twinbook_requests_unsent_total: counter('Requests that were given up before they left.'),
  twinbook_requests_by_purpose_total: counter('Sent requests, by purpose.', 'purpose'),
  twinbook_budget_limit: gauge('Requests a minute that the venue allows.', 'scope'),
  twinbook_budget_remaining: gauge('Requests that could leave now.', 'scope'),
  twinbook_throttled: gauge('1 while the venue lets no request of this scope through.', 'scope'),
  twinbook_venue_silent: gauge('1 while the exchange has not answered some requests in a row.'),
  twinbook_venue_clock_offset_seconds: gauge("The exchange's clock minus ours."),
  twinbook_orders: gauge('Orders of ours that rest or may rest.', 'phase'),
  twinbook_orders_unknown: gauge('Orders of which nothing is known right now.'),
  twinbook_fills_total: counter('Fills booked by this run.'),
  twinbook_capital_currency: gauge('Currency that the trader may use.'),
  twinbook_cash_currency: gauge('Currency in the ledger.'),
  twinbook_equity_currency: gauge('Currency and holdings at their marks; absent while a holding has no mark.'),
  twinbook_result_currency: gauge('Equity minus capital; absent while a holding has no mark.'),
  twinbook_loss_day_currency: gauge('Loss of this UTC day at marks; negative for a gain.'),
  twinbook_drawdown_currency: gauge('Below the highest equity.'),
  twinbook_limit_used_ratio: gauge('Part of a limit that is used; 1 is all of it.', 'limit'),
  twinbook_reduce_only: gauge('1 while only reducing orders may be sent, because of a difference at the exchange.'),
  twinbook_reconciled_timestamp_seconds: gauge('When ledger and exchange were last compared in a complete round.'),
  twinbook_reconciliation_differences: gauge('Differences of the newest complete round.'),
  twinbook_events_total: counter('Events of this kind in the ledger, over all runs.', 'kind'),
  twinbook_markets: gauge('Markets that are looked at.', 'state'),
  twinbook_market_info: gauge('1; the title of a market.', 'market', 'title', 'strategy'),
  twinbook_market_fair_price: gauge('Fair value of YES by its strategy.', 'market'),
  twinbook_market_best_price: gauge("The others' best price, YES space.", 'market', 'side'),
  twinbook_market_quote_price: gauge('Our best price, YES space.', 'market', 'side'),
  twinbook_market_quote_shares: gauge('Shares that rest.', 'market', 'side'),
  twinbook_market_queue_ahead_shares: gauge("Others' shares before our best order, risk-averse.", 'market', 'side'),
  twinbook_market_position_shares: gauge('YES minus NO.', 'market'),
  twinbook_market_book_timestamp_seconds: gauge('When the newest book was seen.', 'market'),
  twinbook_feed_current_markets: gauge('Markets with a current value of this feed of yours.', 'feed'),
  twinbook_feed_problems_total: counter('Rows of this feed of yours that were left out.', 'feed'),
  twinbook_ledger_size_bytes: gauge('Size of the ledger.', 'file'),
  twinbook_backup_timestamp_seconds: gauge('When the newest backup of the ledger was written; absent without one.'),
  twinbook_backup_failing: gauge('1 while the newest try to back the ledger up has failed.'),
  twinbook_journal_writing: gauge(
    '1 while the journal of this run is written, 0 when it has ended before the run; absent where none is wanted.',
  ),
  twinbook_logins_refused_total: counter(
    'Wrong passwords and tokens that the page was brought; of the first trader of a console.',
  ),
  twinbook_disk_free_bytes: gauge("Free on the ledger's disk."),
  twinbook_guardian_watching: gauge('1 while a guardian can cancel; absent where none is needed.'),
  twinbook_alerts_active: gauge('Alerts that are open.', 'severity'),
  twinbook_notifications_total: counter('Messages of an alert channel.', 'channel', 'result'),
  twinbook_notification_queue_length: gauge('Messages that a channel has not delivered yet.', 'channel'),
  twinbook_metrics_series_dropped: gauge('Series that were left out of this answer because there were too many.'),
} as const satisfies Readonly<Record<string, MetricDeclaration>>;

export type MetricName = keyof typeof METRICS;

/** Counted events: those that need an operator. */
export const COUNTED_EVENTS = [
  'halted',
  'signing_refused',
  'signed_elsewhere',
  'foreign_order',
  'cancel_undone',
  'fill_differs',
  'settled_trade_failed',
  'strategy_failed',
  'market_failed',
  'reconciliation',
  'clock_set_back',
  'command',
] as const;
