/** Samples of one scrape, from the trader's last messages, its ledger and files. A scrape never reaches the trader. */

import {
  type AccountStatus,
  describeQuoting,
  type MarketStatus,
  type ProcessStatus,
} from '../../../shared/protocol/trader-status.js';
import type { ChannelFigures } from '../../alerts/alert-center.js';
import { isBackupFailing } from '../../alerts/conditions.js';
import { ALERT_SEVERITIES, type AlertSeverity } from '../../config/schema.js';
import { TRADER_MODES } from '../../control/telemetry/modes.js';
import { REQUEST_BUCKETS, STEP_BUCKETS } from '../../control/telemetry/request-timings.js';
import type { TraderState } from '../trader-state.js';
import { COUNTED_EVENTS } from './declarations.js';
import { limitSeries, MetricSet, writeExposition } from './exposition.js';
import type { FileFacts } from './file-facts.js';

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
    set.add('twinbook_backup_failing', flag(isBackupFailing(upkeep.backupFailed, files.backupMs)));
    set.add('twinbook_journal_writing', upkeep.hasJournal ? flag(upkeep.journalEnded === null) : null);
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

function addRun(set: MetricSet, { version, configHash: hash, startedMs, capitalMicros: capital }: ProcessStatus): void {
  set.add('twinbook_build_info', 1, { version });
  set.add('twinbook_config_info', 1, { hash: hash.slice(0, SHORT_ID) });
  set.add('twinbook_start_time_seconds', startedMs / 1000);
  set.add('twinbook_capital_currency', whole(capital));
}

function addHealth(set: MetricSet, { mode, health, feeds }: AccountStatus): void {
  for (const each of TRADER_MODES) set.add('twinbook_mode', flag(each === mode), { mode: each });
  set.add('twinbook_steps_total', health.steps);
  set.addHistogram('twinbook_step_duration_seconds', health.stepSeconds, STEP_BUCKETS);
  set.add('twinbook_beat_lateness_seconds', health.beatLateP99Ms / 1000);
  set.add('twinbook_telemetry_brake_level', health.brake);
  set.add('twinbook_telemetry_readers', health.readers);
  set.add('twinbook_telemetry_readers_cut_total', health.readersCut);
  set.add('twinbook_process_resident_memory_bytes', health.memoryBytes, { process: 'trader' });
  for (const { name: feed, current, problems } of feeds) {
    set.add('twinbook_feed_current_markets', current, { feed });
    set.add('twinbook_feed_problems_total', problems, { feed });
  }
  for (const { endpoint, answered, refused, unknown, seconds: took } of health.requests) {
    for (const [outcome, count] of Object.entries({ answered, refused, unknown }))
      set.add('twinbook_requests_total', count, { endpoint, outcome });
    set.addHistogram('twinbook_request_duration_seconds', took, REQUEST_BUCKETS, { endpoint });
  }
}

function addVenue(set: MetricSet, { budgets, spent, silent, clockOffsetMs: offset, unsent }: AccountStatus): void {
  set.add('twinbook_requests_unsent_total', unsent);
  for (const [scope, { limit, available, blockedUntilMs: until }] of Object.entries(budgets)) {
    set.add('twinbook_budget_limit', limit, { scope });
    set.add('twinbook_budget_remaining', Math.max(0, available), { scope });
    set.add('twinbook_throttled', flag(until !== null), { scope });
  }
  for (const { purpose, total } of spent) set.add('twinbook_requests_by_purpose_total', total, { purpose });
  set.add('twinbook_venue_silent', flag(silent));
  set.add('twinbook_venue_clock_offset_seconds', seconds(offset));
}

function addMoney(set: MetricSet, account: AccountStatus, hello: ProcessStatus | null): void {
  set.add('twinbook_orders_unknown', account.unknownOrders);
  set.add('twinbook_fills_total', account.fills);
  set.add('twinbook_cash_currency', whole(account.cashMicros));
  set.add('twinbook_equity_currency', whole(account.equityMicros));
  set.add('twinbook_result_currency', whole(account.resultMicros));
  set.add('twinbook_loss_day_currency', whole(account.losses.dayLossMicros));
  set.add('twinbook_drawdown_currency', whole(account.losses.drawdownMicros));
  if (hello === null) return;
  const { limits } = hello;
  const addUseRatio = (limit: string, figure: number, bound: number) =>
    set.add('twinbook_limit_used_ratio', Math.max(0, figure) / bound, { limit });
  addUseRatio('max_loss_day', account.losses.dayLossMicros, limits.maxLossDayMicros);
  addUseRatio('max_drawdown', account.losses.drawdownMicros, limits.maxDrawdownMicros);
  addUseRatio('max_open_orders', account.openOrders, limits.maxOpenOrders);
}

function addAgreement(set: MetricSet, { reconciled, reduceOnly }: AccountStatus): void {
  set.add('twinbook_reduce_only', flag(reduceOnly !== null));
  set.add('twinbook_reconciled_timestamp_seconds', seconds(reconciled?.comparedMs ?? null));
  set.add('twinbook_reconciliation_differences', reconciled?.differences.length ?? null);
}

/** Quoted and held markets first; beyond this number a market has no own series. */
function addMarkets(set: MetricSet, markets: readonly MarketStatus[], most: number): void {
  const orders = markets.flatMap((market) => market.orders);
  for (const phase of PHASES)
    set.add('twinbook_orders', orders.filter((order) => order.phase === phase).length, { phase });
  const quoting = markets.filter((market) => describeQuoting(market) === 'quoting').length;
  set.add('twinbook_markets', quoting, { state: 'quoting' });
  set.add('twinbook_markets', markets.length - quoting, { state: 'waiting' });
  const ours = markets.filter((one) => one.orders.length > 0 || one.yesMicros > 0 || one.noMicros > 0);
  for (const market of ours.slice(0, most)) addMarket(set, market);
}

function addMarket(set: MetricSet, one: MarketStatus): void {
  const market = one.conditionId.slice(0, SHORT_ID);
  set.add('twinbook_market_info', 1, { market, title: one.title, strategy: one.strategies.join(', ') });
  set.add('twinbook_market_fair_price', whole(one.fairMicros), { market });
  set.add('twinbook_market_position_shares', whole(one.yesMicros - one.noMicros), { market });
  set.add('twinbook_market_book_timestamp_seconds', seconds(one.bookSeenMs), { market });
  set.add('twinbook_market_best_price', whole(one.bestBidMicros), { market, side: 'bid' });
  set.add('twinbook_market_best_price', whole(one.bestAskMicros), { market, side: 'ask' });
  for (const side of SIDES) {
    const best = side === 'bid' ? one.bidMicros : one.askMicros;
    const orders = one.orders.filter((order) => order.side === side);
    const first = orders.find(({ priceMicros }) => priceMicros === best);
    const shares = orders.reduce((sum, { remainingMicros: left }) => sum + left, 0);
    set.add('twinbook_market_quote_price', whole(best), { market, side });
    set.add('twinbook_market_quote_shares', whole(shares), { market, side });
    set.add('twinbook_market_queue_ahead_shares', whole(first?.queueAheadMicros ?? null), { market, side });
  }
}
