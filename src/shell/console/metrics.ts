/** Renders metrics from the trader's last messages, its ledger and its files. A scrape sends the trader no request. */

import {
  type AccountStatus,
  describeQuoting,
  type MarketStatus,
  OUTSIDE_HOURS,
  type ProcessStatus,
} from '../../shared/protocol/trader-status.js';
import { isBackupFailing } from '../alerts/conditions.js';
import { ALERT_SEVERITIES } from '../config/schema.js';
import { REQUEST_BUCKETS, STEP_BUCKETS, TRADER_MODES } from '../control/telemetry.js';
import type { ShownState } from './trader-state.js';
import type { FileFacts, Watch } from './watch.js';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

type Labels = Readonly<Record<string, string>>;
type Counts = AccountStatus['health']['stepSeconds'];

/** Maximum number of markets per trader that have time series. The configuration limits all other time series. */
const MOST_MARKETS = 100;

/** Collects the samples of all traders. The output has each metric's heading once, then the metric's samples. */
class MetricSet {
  trader = '';
  readonly #lines = new Map<MetricName, string[]>();

  /** Adds a sample; adds none for null, because an unknown value must be absent, not 0. */
  add(name: MetricName, value: number | null, labels: Labels = {}): void {
    if (value !== null && Number.isFinite(value)) this.#write(name, name, value, labels);
  }

  addHistogram(name: MetricName, { counts, sum }: Counts, bounds: readonly number[], labels: Labels = {}): void {
    let total = 0;
    for (const [i, count] of counts.entries()) {
      total += count;
      this.#write(name, `${name}_bucket`, total, { ...labels, le: i < bounds.length ? String(bounds[i]) : '+Inf' });
    }
    this.#write(name, `${name}_sum`, sum, labels);
    this.#write(name, `${name}_count`, total, labels);
  }

  #write(name: MetricName, series: string, value: number, labels: Labels): void {
    const all = Object.entries({ trader: this.trader, ...labels });
    const text = `${series}{${all.map(([label, of]) => `${label}="${escapeLabel(of)}"`).join(',')}} ${value}`;
    const lines = this.#lines.get(name) ?? [];
    this.#lines.set(name, lines);
    lines.push(text);
  }

  get exposition(): string {
    const blocks = Array.from(this.#lines, ([name, lines]) => {
      const { help, kind } = METRICS[name];
      return `# HELP ${name} ${help.replaceAll('\\', '\\\\')}\n# TYPE ${name} ${kind}\n${lines.join('\n')}\n`;
    });
    return blocks.join('');
  }
}

/** Escapes a label's text, because the exchange's market titles may contain line breaks and quotes. */
const escapeLabel = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"');

const declare =
  (kind: 'gauge' | 'counter' | 'histogram') =>
  (help: string, ...labels: readonly string[]) => ({ kind, help, labels });
const [gauge, counter, histogram] = [declare('gauge'), declare('counter'), declare('histogram')];

/**
 * All metrics. Tests compare output, docs, alert rules and dashboards with this table. A metric's name contains
 * the base unit, names of counters end in `_total`, times are Unix seconds. Every series also has the label `trader`.
 */
export const METRICS = {
  twinbook_up: gauge('1 while the trader sends its state, 0 if the trader hangs or has ended.'),
  twinbook_build_info: gauge('Always 1; the label has the version of the trader.', 'version'),
  twinbook_config_info: gauge('Always 1; the label has the hash of the configuration in force.', 'hash'),
  twinbook_start_time_seconds: gauge('Start time of the trader’s run.'),
  twinbook_told_timestamp_seconds: gauge('Time when the trader last sent its state, by its own clock.'),
  twinbook_mode: gauge('1 for the present mode of the trader, 0 for every other mode.', 'mode'),
  twinbook_steps_total: counter('Number of steps of the trader’s loop in this run.'),
  twinbook_step_duration_seconds: histogram('Duration of a step of the trader’s loop.'),
  twinbook_beat_lateness_seconds: gauge('Delay of the trader’s event loop: 99th percentile of the last ten seconds.'),
  twinbook_telemetry_brake_level: gauge('1 while telemetry is sent less often, to save time; otherwise 0.'),
  twinbook_telemetry_readers: gauge('Number of connected telemetry readers.'),
  twinbook_telemetry_readers_cut_total: counter('Number of telemetry readers disconnected because they did not read.'),
  twinbook_process_resident_memory_bytes: gauge('Resident memory of a process, by its role.', 'process'),
  twinbook_requests_total: counter('Number of finished requests, by endpoint and outcome.', 'endpoint', 'outcome'),
  twinbook_request_duration_seconds: histogram('Time from a request to its answer.', 'endpoint'),
  twinbook_requests_unsent_total: counter('Number of requests that were dropped before they were sent.'),
  twinbook_budget_limit: gauge('Number of requests a minute that the venue allows.', 'scope'),
  twinbook_budget_remaining: gauge('Number of requests that the rate limit permits now.', 'scope'),
  twinbook_throttled: gauge('1 while the venue rejects all requests of this scope.', 'scope'),
  twinbook_venue_silent: gauge('1 while the exchange has not answered several requests in a row.'),
  twinbook_venue_clock_offset_seconds: gauge('Clock of the exchange minus the clock of this machine.'),
  twinbook_orders: gauge('Number of own orders that are open or possibly open.', 'phase'),
  twinbook_orders_unknown: gauge('Number of own orders whose state is unknown.'),
  twinbook_fills_total: counter('Number of fills that this run has booked.'),
  twinbook_capital_currency: gauge('Capital: currency that the trader may use.'),
  twinbook_cash_currency: gauge('Cash in the ledger.'),
  twinbook_equity_currency: gauge('Cash plus holdings at their marks; absent while a holding has no mark.'),
  twinbook_result_currency: gauge('Equity minus capital; absent while a holding has no mark.'),
  twinbook_loss_day_currency: gauge("Loss at others' bids since the UTC day's start or the newest accepted loss."),
  twinbook_drawdown_currency: gauge("Highest equity minus present equity at others' bids."),
  twinbook_limit_used_ratio: gauge('Used part of a risk limit; 1 is the whole limit.', 'limit'),
  twinbook_reduce_only: gauge('1 while only reducing orders are permitted, because ledger and exchange differ.'),
  twinbook_reconciled_timestamp_seconds: gauge('Time when ledger and exchange were last compared completely.'),
  twinbook_reconciliation_differences: gauge('Differences between ledger and exchange in the newest comparison.'),
  twinbook_events_total: counter('Number of events of a kind in the ledger, over all runs.', 'kind'),
  twinbook_markets: gauge('Number of polled markets, by state: quoting, outside_hours or waiting.', 'state'),
  twinbook_market_info: gauge('Always 1; the labels have title and strategies.', 'market', 'title', 'strategy'),
  twinbook_market_fair_price: gauge('Fair value of YES in a market, by its strategy.', 'market'),
  twinbook_market_best_price: gauge("Best price of others' orders, as a YES price.", 'market', 'side'),
  twinbook_market_quote_price: gauge('Best price of own orders, as a YES price.', 'market', 'side'),
  twinbook_market_quote_shares: gauge('Shares of own resting orders.', 'market', 'side'),
  twinbook_market_queue_ahead_shares: gauge('Estimated shares of others ahead of our best order.', 'market', 'side'),
  twinbook_market_position_shares: gauge('YES shares minus NO shares held in a market.', 'market'),
  twinbook_market_book_timestamp_seconds: gauge('Time when the newest book of a market was seen.', 'market'),
  twinbook_feed_current_markets: gauge('Number of markets with a current value of this feed.', 'feed'),
  twinbook_feed_problems_total: counter('Number of rows of this feed that the trader skipped.', 'feed'),
  twinbook_ledger_size_bytes: gauge('Size of a file of the ledger.', 'file'),
  twinbook_backup_timestamp_seconds: gauge('Time of the newest backup of the ledger; absent without a backup.'),
  twinbook_backup_failing: gauge('1 if the newest attempt to back up the ledger has failed.'),
  twinbook_journal_writing: gauge('1 while this run writes its journal, 0 after its end; absent without a journal.'),
  twinbook_logins_refused_total: counter(
    'Number of refused logins and metrics tokens; only of a console’s first trader.',
  ),
  twinbook_disk_free_bytes: gauge("Free space on the ledger's disk."),
  twinbook_guardian_watching: gauge('1 while a guardian can cancel orders; absent if no guardian is needed.'),
  twinbook_alerts_active: gauge('Number of open alerts, by severity.', 'severity'),
  twinbook_notifications_total: counter('Number of messages of an alert channel, by result.', 'channel', 'result'),
  twinbook_notification_queue_length: gauge('Number of messages that a channel has not delivered yet.', 'channel'),
};

type MetricName = keyof typeof METRICS;

/** Kinds of ledger events that need an operator; a metric counts them. */
const COUNTED_EVENTS = [
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

/** Number of characters to which a market's id or the configuration's hash is cut in labels. */
const SHORT_ID = 12;

export interface ScrapeFacts {
  readonly name: string;
  readonly trader: ShownState;
  readonly eventCount: (kind: string) => number | null;
  readonly files: FileFacts;
  /** Whether an active guardian can cancel orders; null when no guardian is needed. */
  readonly isGuarded: boolean | null;
  /** Number of refused logins at the page; null if another trader's metrics report it. */
  readonly refusedLogins: number | null;
  readonly alerts: Pick<Watch, 'count' | 'figures'>;
}

export function renderMetrics(...traders: readonly ScrapeFacts[]): string {
  const set = new MetricSet();
  for (const facts of traders) addTrader(set, facts);
  return set.exposition;
}

function addTrader(set: MetricSet, facts: ScrapeFacts): void {
  const { trader, files } = facts;
  set.trader = facts.name;
  const { account, hello } = trader;
  set.add('twinbook_up', flag(trader.isCurrent));
  set.add('twinbook_told_timestamp_seconds', seconds(trader.frameMs));
  if (hello !== null) {
    set.add('twinbook_build_info', 1, { version: hello.version });
    set.add('twinbook_config_info', 1, { hash: hello.configHash.slice(0, SHORT_ID) });
    set.add('twinbook_start_time_seconds', hello.startedMs / 1000);
    set.add('twinbook_capital_currency', whole(hello.capitalMicros));
  }
  if (account !== null) {
    addHealth(set, account);
    addVenue(set, account);
    addMoney(set, account, hello);
    const { upkeep, reconciled } = account;
    set.add('twinbook_reduce_only', flag(account.reduceOnly !== null));
    set.add('twinbook_reconciled_timestamp_seconds', seconds(reconciled?.comparedMs ?? null));
    set.add('twinbook_reconciliation_differences', reconciled?.differences.length ?? null);
    set.add('twinbook_backup_failing', flag(isBackupFailing(upkeep.backupFailed, files.backupMs)));
    set.add('twinbook_journal_writing', upkeep.hasJournal ? flag(upkeep.journalEnded === null) : null);
  }
  addMarkets(set, [...trader.markets.values()]);
  for (const kind of COUNTED_EVENTS) set.add('twinbook_events_total', facts.eventCount(kind), { kind });
  set.add('twinbook_ledger_size_bytes', files.ledgerBytes, { file: 'main' });
  set.add('twinbook_ledger_size_bytes', files.walBytes, { file: 'wal' });
  set.add('twinbook_backup_timestamp_seconds', seconds(files.backupMs));
  set.add('twinbook_disk_free_bytes', files.diskFreeBytes);
  set.add('twinbook_guardian_watching', facts.isGuarded === null ? null : flag(facts.isGuarded));
  set.add('twinbook_logins_refused_total', facts.refusedLogins);
  set.add('twinbook_process_resident_memory_bytes', process.memoryUsage.rss(), { process: 'console' });
  addAlerts(set, facts.alerts);
}

const flag = (is: boolean): number => (is ? 1 : 0);
const seconds = (ms: number | null): number | null => (ms === null ? null : ms / 1000);
/** Converts micros (millionths) to whole shares or currency units. */
const whole = (micros: number | null): number | null => (micros === null ? null : micros / 1_000_000);

function addAlerts(set: MetricSet, alerts: ScrapeFacts['alerts']): void {
  for (const severity of ALERT_SEVERITIES) set.add('twinbook_alerts_active', alerts.count(severity), { severity });
  for (const { channel, waiting, delivered, failed, lost } of alerts.figures) {
    for (const [result, count] of Object.entries({ delivered, failed, lost }))
      set.add('twinbook_notifications_total', count, { channel, result });
    set.add('twinbook_notification_queue_length', waiting, { channel });
  }
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

function addVenue(set: MetricSet, { budgets, silent, clockOffsetMs: offset, unsent }: AccountStatus): void {
  set.add('twinbook_requests_unsent_total', unsent);
  for (const [scope, { limit, available, blockedUntilMs: until }] of Object.entries(budgets)) {
    set.add('twinbook_budget_limit', limit, { scope });
    set.add('twinbook_budget_remaining', Math.max(0, available), { scope });
    set.add('twinbook_throttled', flag(until !== null), { scope });
  }
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

function addMarkets(set: MetricSet, markets: readonly MarketStatus[]): void {
  const orders = markets.flatMap((market) => market.orders);
  for (const phase of ['resting', 'pending', 'canceling'])
    set.add('twinbook_orders', orders.filter((order) => order.phase === phase).length, { phase });
  const states = { quoting: 0, outside_hours: 0, waiting: 0 };
  for (const market of markets) {
    const text = describeQuoting(market);
    states[text === 'quoting' ? text : text === OUTSIDE_HOURS ? 'outside_hours' : 'waiting']++;
  }
  for (const [state, count] of Object.entries(states)) set.add('twinbook_markets', count, { state });
  const ours = markets.filter((one) => one.orders.length > 0 || one.yesMicros > 0 || one.noMicros > 0);
  for (const market of ours.slice(0, MOST_MARKETS)) addMarket(set, market);
}

function addMarket(set: MetricSet, one: MarketStatus): void {
  const market = one.conditionId.slice(0, SHORT_ID);
  set.add('twinbook_market_info', 1, { market, title: one.title, strategy: one.strategies.join(', ') });
  set.add('twinbook_market_fair_price', whole(one.fairMicros), { market });
  set.add('twinbook_market_position_shares', whole(one.yesMicros - one.noMicros), { market });
  set.add('twinbook_market_book_timestamp_seconds', seconds(one.bookSeenMs), { market });
  set.add('twinbook_market_best_price', whole(one.bestBidMicros), { market, side: 'bid' });
  set.add('twinbook_market_best_price', whole(one.bestAskMicros), { market, side: 'ask' });
  for (const side of ['bid', 'ask'] as const) {
    const best = side === 'bid' ? one.bidMicros : one.askMicros;
    const orders = one.orders.filter((order) => order.side === side);
    const first = orders.find(({ priceMicros }) => priceMicros === best);
    const shares = orders.reduce((sum, { remainingMicros: left }) => sum + left, 0);
    set.add('twinbook_market_quote_price', whole(best), { market, side });
    set.add('twinbook_market_quote_shares', whole(shares), { market, side });
    set.add('twinbook_market_queue_ahead_shares', whole(first?.queueAheadMicros ?? null), { market, side });
  }
}
