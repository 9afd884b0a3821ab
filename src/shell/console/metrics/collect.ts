/** Samples of one scrape, from the trader's last messages, its ledger and files. A scrape never reaches the trader. */

import type { ChannelFigures } from '../../alerts/alert-center.js';
import { isBackupFailing } from '../../alerts/conditions.js';
import { ALERT_SEVERITIES, type AlertSeverity } from '../../config/schema.js';
import { REQUEST_BUCKETS, STEP_BUCKETS } from '../../control/telemetry/histogram.js';
import type { AccountFigures, HelloLine, MarketFigures } from '../../control/telemetry/lines.js';
import { TRADER_MODES } from '../../control/telemetry/modes.js';
import type { TraderState } from '../trader-state.js';
import { COUNTED_EVENTS } from './declarations.js';
import { limitSeries, MetricSet, writeExposition } from './exposition.js';

/** Letters of a market's id in labels. */
const SHORT_ID = 12;
const PHASES = ['resting', 'pending', 'canceling'];
const SIDES = ['bid', 'ask'] as const;

export interface ScrapeFacts {
  /** Name of this trader, for the label. */
  readonly name: string;
  readonly trader: TraderState;
  readonly mostMarkets: number;
  /** Null while the ledger cannot be read. */
  readonly eventCount: (kind: string) => number | null;
  readonly files: FileFacts;
  /** Null when no guardian is needed. */
  readonly isGuarded: boolean | null;
  /** Null when another trader of the console reports them. */
  readonly refusedLogins: number | null;
  readonly alerts: AlertFigures;
}

export interface AlertFigures {
  count(severity: AlertSeverity): number;
  readonly figures: readonly ChannelFigures[];
}

/** Null for a missing file. */
export interface FileFacts {
  readonly ledgerBytes: number | null;
  readonly walBytes: number | null;
  /** Unix ms. */
  readonly backupMs: number | null;
  readonly diskFreeBytes: number | null;
}

export const renderMetrics = (...traders: readonly ScrapeFacts[]): string =>
  writeExposition(traders.map((facts) => collectMetrics(facts, limitSeries(traders.length))));

function collectMetrics(facts: ScrapeFacts, most: number): MetricSet {
  const { trader, files } = facts;
  const set = new MetricSet(facts.name, most);
  const { account, hello } = trader;
  set.add('twinbook_up', flag(trader.isCurrent));
  set.add('twinbook_told_timestamp_seconds', seconds(trader.frameMs));
  if (hello !== null) addRun(set, hello);
  if (account !== null) {
    addHealth(set, account);
    addVenue(set, account);
    addMoney(set, account, hello);
    addAgreement(set, account);
    const { upkeep } = account;
    set.add('twinbook_backup_failing', flag(isBackupFailing(upkeep.backup_failed, files.backupMs)));
    set.add('twinbook_journal_writing', upkeep.has_journal ? flag(upkeep.journal_ended === null) : null);
  }
  addMarkets(set, [...trader.markets.values()], facts.mostMarkets);
  for (const kind of COUNTED_EVENTS) set.add('twinbook_events_total', facts.eventCount(kind), { kind });
  set.add('twinbook_ledger_size_bytes', files.ledgerBytes, { file: 'main' });
  set.add('twinbook_ledger_size_bytes', files.walBytes, { file: 'wal' });
  set.add('twinbook_backup_timestamp_seconds', seconds(files.backupMs));
  set.add('twinbook_disk_free_bytes', files.diskFreeBytes);
  set.add('twinbook_guardian_watching', facts.isGuarded === null ? null : flag(facts.isGuarded));
  set.add('twinbook_logins_refused_total', facts.refusedLogins);
  set.add('twinbook_process_resident_memory_bytes', process.memoryUsage.rss(), { process: 'console' });
  addAlerts(set, facts.alerts);
  return set;
}

const flag = (is: boolean): number => (is ? 1 : 0);
const seconds = (ms: number | null): number | null => (ms === null ? null : ms / 1000);
/** From whole millionths. */
const whole = (micros: number | null): number | null => (micros === null ? null : micros / 1_000_000);

function addAlerts(set: MetricSet, alerts: AlertFigures): void {
  for (const severity of ALERT_SEVERITIES) set.add('twinbook_alerts_active', alerts.count(severity), { severity });
  for (const { channel, waiting, delivered, failed, lost } of alerts.figures) {
    for (const [result, count] of Object.entries({ delivered, failed, lost }))
      set.add('twinbook_notifications_total', count, { channel, result });
    set.add('twinbook_notification_queue_length', waiting, { channel });
  }
}

function addRun(set: MetricSet, { version, config_hash: hash, started, capital_micros: capital }: HelloLine): void {
  set.add('twinbook_build_info', 1, { version });
  set.add('twinbook_config_info', 1, { hash: hash.slice(0, SHORT_ID) });
  set.add('twinbook_start_time_seconds', started / 1000);
  set.add('twinbook_capital_currency', whole(capital));
}

function addHealth(set: MetricSet, { mode, health, feeds }: AccountFigures): void {
  for (const each of TRADER_MODES) set.add('twinbook_mode', flag(each === mode), { mode: each });
  set.add('twinbook_steps_total', health.steps);
  set.addHistogram('twinbook_step_duration_seconds', health.step_seconds, STEP_BUCKETS);
  set.add('twinbook_beat_lateness_seconds', health.beat_late_p99_ms / 1000);
  set.add('twinbook_telemetry_brake_level', health.brake);
  set.add('twinbook_telemetry_readers', health.readers);
  set.add('twinbook_telemetry_readers_cut_total', health.readers_cut);
  set.add('twinbook_process_resident_memory_bytes', health.memory_bytes, { process: 'trader' });
  for (const { name: feed, current_markets: current, problems } of feeds) {
    set.add('twinbook_feed_current_markets', current, { feed });
    set.add('twinbook_feed_problems_total', problems, { feed });
  }
  for (const { endpoint, answered, refused, unknown, seconds: took } of health.requests) {
    for (const [outcome, count] of Object.entries({ answered, refused, unknown }))
      set.add('twinbook_requests_total', count, { endpoint, outcome });
    set.addHistogram('twinbook_request_duration_seconds', took, REQUEST_BUCKETS, { endpoint });
  }
}

function addVenue(set: MetricSet, { budgets, spent, silent, clock_offset_ms: offset, unsent }: AccountFigures): void {
  set.add('twinbook_requests_unsent_total', unsent);
  for (const { scope, limit, left, blocked_until: until } of budgets) {
    set.add('twinbook_budget_limit', limit, { scope });
    set.add('twinbook_budget_remaining', left, { scope });
    set.add('twinbook_throttled', flag(until !== null), { scope });
  }
  for (const { purpose, total } of spent) set.add('twinbook_requests_by_purpose_total', total, { purpose });
  set.add('twinbook_venue_silent', flag(silent));
  set.add('twinbook_venue_clock_offset_seconds', seconds(offset));
}

function addMoney(set: MetricSet, account: AccountFigures, hello: HelloLine | null): void {
  set.add('twinbook_orders_unknown', account.unknown_orders);
  set.add('twinbook_fills_total', account.fills);
  set.add('twinbook_cash_currency', whole(account.cash_micros));
  set.add('twinbook_equity_currency', whole(account.equity_micros));
  set.add('twinbook_result_currency', whole(account.result_micros));
  set.add('twinbook_loss_day_currency', whole(account.loss_day_micros));
  set.add('twinbook_drawdown_currency', whole(account.drawdown_micros));
  if (hello === null) return;
  const { limits } = hello;
  const addUseRatio = (limit: string, figure: number, bound: number) =>
    set.add('twinbook_limit_used_ratio', Math.max(0, figure) / bound, { limit });
  addUseRatio('max_loss_day', account.loss_day_micros, limits.max_loss_day_micros);
  addUseRatio('max_drawdown', account.drawdown_micros, limits.max_drawdown_micros);
  addUseRatio('max_open_orders', account.open_orders, limits.max_open_orders);
}

function addAgreement(set: MetricSet, { agreement, reduce_only: reason }: AccountFigures): void {
  set.add('twinbook_reduce_only', flag(reason !== null));
  set.add('twinbook_reconciled_timestamp_seconds', seconds(agreement?.compared ?? null));
  set.add('twinbook_reconciliation_differences', agreement?.differences.length ?? null);
}

/** Quoted and held markets first; beyond this number a market has no own series. */
function addMarkets(set: MetricSet, markets: readonly MarketFigures[], most: number): void {
  const orders = markets.flatMap((market) => market.orders);
  for (const phase of PHASES)
    set.add('twinbook_orders', orders.filter((order) => order.phase === phase).length, { phase });
  const quoting = markets.filter(({ state }) => state === 'quoting').length;
  set.add('twinbook_markets', quoting, { state: 'quoting' });
  set.add('twinbook_markets', markets.length - quoting, { state: 'waiting' });
  const ours = markets.filter((one) => one.orders.length > 0 || one.yes_micros > 0 || one.no_micros > 0);
  for (const market of ours.slice(0, most)) addMarket(set, market);
}

function addMarket(set: MetricSet, one: MarketFigures): void {
  const market = one.id.slice(0, SHORT_ID);
  set.add('twinbook_market_info', 1, { market, title: one.title, strategy: one.strategy });
  set.add('twinbook_market_fair_price', whole(one.fair_micros), { market });
  set.add('twinbook_market_position_shares', whole(one.yes_micros - one.no_micros), { market });
  set.add('twinbook_market_book_timestamp_seconds', seconds(one.book_seen), { market });
  set.add('twinbook_market_best_price', whole(one.best_bid_micros), { market, side: 'bid' });
  set.add('twinbook_market_best_price', whole(one.best_ask_micros), { market, side: 'ask' });
  for (const side of SIDES) {
    const orders = one.orders
      .filter((order) => order.side === side)
      .sort((a, b) => (side === 'bid' ? b.price_micros - a.price_micros : a.price_micros - b.price_micros));
    const shares = orders.reduce((sum, { remaining_micros: left }) => sum + left, 0);
    set.add('twinbook_market_quote_price', whole(orders[0]?.price_micros ?? null), { market, side });
    set.add('twinbook_market_quote_shares', whole(shares), { market, side });
    set.add('twinbook_market_queue_ahead_shares', whole(orders[0]?.queue_ahead_micros ?? null), { market, side });
  }
}
