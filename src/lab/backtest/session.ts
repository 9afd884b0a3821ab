import { fillModel } from '../../exchange/core/matching/fill-model.js';
import { gapsIn } from '../../recording/contract.js';
import { formatDecimal } from '../../shared/base/micros.js';
import { SlidingMinute } from '../../shared/base/sliding-minute.js';
import type { Scope } from '../../shared/protocol/endpoints.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { Outcome } from '../../shared/protocol/seam.js';
import type { Safety } from '../../trader/engine/control/safety.js';
import type { TraderSnapshot } from '../../trader/engine/snapshot.js';
import type { Ledger, OperatorEvent } from '../../trader/ledger/contract.js';
import type {
  Assumptions,
  CountedRefusal,
  FillRecord,
  HaltRecord,
  MarketSession,
  RequestUse,
  SessionNotice,
  SessionRecord,
} from '../session/contract.js';
import type { AfterHalt, BacktestPlan, EventSource } from './contract.js';
import { chargedSession } from './fees.js';
import type { InProcessExchange } from './in-process-exchange.js';
import type { MarketMetrics, Metrics, PendingFill } from './metrics.js';

const DAY_MS = 86_400_000;

/** Tracks halts by a risk limit. A live trader stays halted until an operator resumes it. */
export class Halts {
  readonly #after: AfterHalt;
  readonly #records: HaltRecord[] = [];
  #since: Omit<HaltRecord, 'resumedMs'> | null = null;
  readonly #begun = new Set<string>();
  #hasNewEvent = false;
  #isSettling = false;

  constructor(after: AfterHalt) {
    this.#after = after;
  }

  onNotices(notices: readonly OperatorEvent[]): void {
    for (const { kind, timeMs, text } of notices) {
      if (kind !== 'halted' || this.#isHalted) continue;
      this.#change(timeMs, { rung: 'halted', fromMs: timeMs, reason: text.split(';')[0] ?? text });
    }
  }

  /** Records that a partly used loss limit restricts the trader. Must be called before `takeResume`. */
  onLook(fromMs: number, heldBack: Safety['heldBack']): void {
    if (this.#isHalted || heldBack?.rung === this.#since?.rung) return;
    this.#change(fromMs, heldBack === null ? null : { fromMs, ...heldBack });
  }

  #change(nowMs: number, next: Omit<HaltRecord, 'resumedMs'> | null): void {
    if (this.#since !== null) this.#records.push({ ...this.#since, resumedMs: nowMs });
    this.#since = next;
  }

  get #isHalted(): boolean {
    return this.#since?.rung === 'halted';
  }

  onOpen(event: string): void {
    this.#hasNewEvent ||= !this.#begun.has(event);
    this.#begun.add(event);
  }

  takeResume(nowMs: number): boolean {
    const isNew = this.#hasNewEvent;
    this.#hasNewEvent = false;
    if (this.#since === null || this.#after === 'end') return false;
    return isNew || Math.floor(nowMs / DAY_MS) > Math.floor(this.#since.fromMs / DAY_MS);
  }

  /** Returns true once per halt, when no market is open. The caller then resumes the trader to redeem shares. */
  takeSettle(openMarkets: number): boolean {
    if (!this.#isHalted || this.#after === 'end' || this.#isSettling || openMarkets > 0) return false;
    this.#isSettling = true;
    return true;
  }

  onResume(nowMs: number): void {
    this.#isSettling = false;
    this.#change(nowMs, null);
  }

  get records(): readonly HaltRecord[] {
    return this.#since === null ? this.#records : [...this.#records, { ...this.#since, resumedMs: null }];
  }

  withinMs(fromMs: number, toMs: number): number {
    const closed = this.records.filter(({ rung }) => rung !== 'widened');
    return closed.reduce((sum, { fromMs: since, resumedMs }) => {
      return sum + Math.max(0, Math.min(toMs, resumedMs ?? toMs) - Math.max(fromMs, since));
    }, 0);
  }
}

/** Maximum notices of each severity in a session; separate limits, so that many fills do not displace a halt. */
const MAX_NOTICES = 500;

const openScope = (limitPerMinute: number) => ({
  use: { limitPerMinute, count: 0, peakPerMinute: 0, throttled: 0 },
  minute: new SlidingMinute(),
});

export class RequestCount {
  readonly #scopes: Readonly<Record<Scope, ReturnType<typeof openScope>>>;
  readonly #endpoints = new Map<string, number>();
  readonly #refusals = new Map<string, number>();
  readonly #notices: SessionNotice[] = [];
  readonly #kept = { info: 0, loud: 0 };
  readonly #byRisk = new Map<string, { readonly name: string; readonly count: number }>();
  readonly #byGuard = new Map<string, { readonly name: string; readonly count: number }>();
  #unsent = 0;
  #unsaid = 0;

  constructor(limits: VenueProfile['rate_limits']) {
    this.#scopes = {
      public: openScope(limits.public_per_minute),
      signed: openScope(limits.signed_per_minute),
      bootstrap: openScope(limits.bootstrap_per_minute),
    };
  }

  countRequest(endpoint: string, scope: Scope, nowMs: number): void {
    const { use, minute } = this.#scopes[scope];
    use.count++;
    minute.forget(nowMs);
    minute.add(nowMs);
    use.peakPerMinute = Math.max(use.peakPerMinute, minute.size);
    this.#endpoints.set(endpoint, (this.#endpoints.get(endpoint) ?? 0) + 1);
  }

  countAnswer(scope: Scope, outcome: Outcome): void {
    if (outcome.kind !== 'refused') return;
    if (outcome.slug === 'throttled') this.#scopes[scope].use.throttled++;
    this.#refusals.set(outcome.slug, (this.#refusals.get(outcome.slug) ?? 0) + 1);
  }

  notices(notices: readonly OperatorEvent[]): void {
    for (const { timeMs, severity, kind, text } of notices) {
      if (kind === 'command') continue;
      if (this.#kept[severity]++ < MAX_NOTICES) this.#notices.push({ timeMs, severity, text });
      else this.#unsaid++;
    }
  }

  get said(): readonly SessionNotice[] {
    const last = this.#notices.at(-1);
    if (this.#unsaid === 0 || last === undefined) return this.#notices;
    const text = `${this.#unsaid} further notices were left out`;
    return [...this.#notices, { timeMs: last.timeMs, severity: 'info', text }];
  }

  onSnapshot({ markets, unsent }: TraderSnapshot): void {
    this.#unsent = unsent;
    for (const { conditionId, refusals, bidMicros, askMicros, note } of markets) {
      for (const { name, count } of refusals) this.#byRisk.set(`${conditionId} ${name}`, { name, count });
      if (bidMicros !== null || askMicros !== null) continue;
      const words = note.replaceAll(/\d+(\.\d+)?/g, '#');
      const met = this.#byGuard.get(words);
      this.#byGuard.set(words, { name: met?.name ?? note, count: (met?.count ?? 0) + 1 });
    }
  }

  get use(): RequestUse {
    const byEndpoint = [...this.#endpoints].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    const { public: open, signed } = this.#scopes;
    return { public: { ...open.use }, signed: { ...signed.use }, byEndpoint, unsent: this.#unsent };
  }

  /** Refusals by cause, most frequent first. A strategy's reason not to quote is counted once per minute and market. */
  get refused(): readonly CountedRefusal[] {
    const byRisk = new Map<string, number>();
    for (const { name, count } of this.#byRisk.values()) byRisk.set(name, (byRisk.get(name) ?? 0) + count);
    const byGuard = new Map([...this.#byGuard.values()].map(({ name, count }) => [name, count]));
    const rows = (by: CountedRefusal['by'], counts: ReadonlyMap<string, number>): CountedRefusal[] =>
      [...counts].map(([name, count]) => ({ by, name, count }));
    return [...rows('risk', byRisk), ...rows('guard', byGuard), ...rows('exchange', this.#refusals)].sort(
      (a, b) => b.count - a.count || (a.name < b.name ? -1 : 1),
    );
  }
}

interface MeasuredRun {
  readonly plan: BacktestPlan;
  readonly exchange: InProcessExchange;
  readonly metrics: Metrics;
  readonly count: RequestCount;
  readonly halts: Halts;
  readonly ledger: Ledger;
  readonly empty: readonly EventSource[];
  readonly isStopped: boolean;
  readonly fromMs: number;
  readonly toMs: number;
}

const REMARKS = [
  'The recorded market does not react to our orders: large orders would have moved it.',
  'Strategies run without a time limit here, and the scheduled jobs of a live trader do not run.',
];

function dataNotices({ plan, empty, metrics, fromMs }: MeasuredRun): SessionNotice[] {
  const brokenOff = [...metrics.markets.values()].flatMap(({ played: { failure, source } }) => {
    if (failure === null) return [];
    // The folder's path is omitted, so that equal data gives equal reports in any folder.
    const why = failure.replaceAll(`${source.market.source.path}/`, '');
    return [`"${source.market.title}" was replayed only up to the first unreadable event: ${why}`];
  });
  const texts = [
    ...plan.sources.flatMap(({ warnings }) => warnings),
    ...(plan.warnings ?? []),
    ...empty.map(({ market }) => `"${market.title}" was left out, because none of its events can be read`),
    ...brokenOff,
  ];
  return texts.map((text) => ({ timeMs: fromMs, severity: 'loud', text }));
}

/** In a gap the recorded book does not change, so a crossing order may have taken shares no longer offered. */
function gapNotices(measured: MeasuredRun): SessionNotice[] {
  return [...measured.metrics.markets.values()].flatMap((market): SessionNotice[] => {
    const gaps = clipGaps(market, measured);
    const isInGap = (timeMs: number) => gaps.some(({ fromMs, toMs }) => fromMs <= timeMs && timeMs <= toMs);
    const within = market.fills.rows.filter(({ timeMs }) => isInGap(timeMs));
    const [first] = within;
    if (first === undefined) return [];
    const fills = within.length === 1 ? '1 fill lies' : `${within.length} fills lie`;
    const text = `${fills} in gaps of the recording of "${market.played.source.market.title}": other orders may have taken these shares earlier`;
    return [{ timeMs: first.timeMs, severity: 'loud', text }];
  });
}

function endNotices({ ledger, exchange, metrics, isStopped, toMs }: MeasuredRun): SessionNotice[] {
  const texts: string[] = [];
  const cash = exchange.core.funds.read(exchange.account).total;
  if (ledger.cash() !== cash)
    texts.push(`the ledger’s final cash is ${formatDecimal(ledger.cash())}, the exchange’s ${formatDecimal(cash)}`);
  for (const { played } of metrics.markets.values()) {
    const { conditionId, title } = played.source.market;
    const { yes, no } = exchange.core.catalog.market(played.index).shares.read(exchange.account);
    if (ledger.shares(conditionId, true) === yes && ledger.shares(conditionId, false) === no) continue;
    texts.push(`at the end, the trader's ledger and the exchange have different shares of "${title}"`);
  }
  if (!isStopped) texts.push('the trader still had open requests when its time limit for stopping ended');
  return texts.map((text) => ({ timeMs: toMs, severity: 'loud', text }));
}

const freeMarkets = (sources: readonly EventSource[]): ReadonlySet<string> =>
  new Set(sources.flatMap(({ market: { fees, conditionId } }) => (fees === undefined ? [conditionId] : [])));

/** `freeMarkets`: number of markets without fees, because neither recording nor user gave a fee. */
function feeAssumptions({ sources, fees, feeCurve = null }: BacktestPlan): Pick<Assumptions, 'fees' | 'freeMarkets'> {
  const unnamed = freeMarkets(sources).size;
  const { makerRateMicros, takerRateMicros } = fees;
  const isSaid = feeCurve !== null || makerRateMicros > 0 || takerRateMicros > 0;
  const rates = `notional:${takerRateMicros / 1e6}/${makerRateMicros / 1e6}`;
  const given = feeCurve?.name ?? (isSaid ? rates : 'none');
  const named = `recorded fees in ${sources.length - unnamed} of ${sources.length} markets`;
  return {
    fees: unnamed === 0 ? named : `${given} for recordings without fees; ${named}`,
    freeMarkets: isSaid ? 0 : unnamed,
  };
}

export function makeSession(measured: MeasuredRun): SessionRecord {
  const { plan, exchange, metrics, count, fromMs, toMs } = measured;
  const { trader, feeCurve = null } = plan;
  const { account } = metrics;
  const model = typeof plan.fillModel === 'string' ? fillModel(plan.fillModel) : plan.fillModel;
  const session: SessionRecord = {
    format: 1,
    kind: 'backtest',
    title: plan.title,
    fromMs,
    toMs,
    capitalMicros: trader.capitalMicros,
    endCashMicros: exchange.core.funds.read(exchange.account).total,
    markets: [...metrics.markets.values()].map((market) => marketSession(market, measured)),
    account: account.series,
    maxDrawdownMicros: account.maxDrawdownMicros,
    requests: count.use,
    halts: measured.halts.records,
    refusals: count.refused,
    notices: [...dataNotices(measured), ...gapNotices(measured), ...endNotices(measured), ...count.said],
    assumptions: {
      version: trader.version,
      configHash: trader.configHash,
      seed: plan.seed,
      fillModel: model.name,
      postsOnly: model.postsOnly ?? false,
      latency: plan.latency.name,
      ...feeAssumptions(plan),
      data: plan.data,
      remarks: REMARKS,
    },
  };
  return feeCurve === null ? session : chargedSession(session, feeCurve, freeMarkets(plan.sources));
}

function marketSession(metrics: MarketMetrics, measured: MeasuredRun): MarketSession {
  const { ledger, exchange } = measured;
  const held = exchange.core.catalog.market(metrics.played.index).shares.read(exchange.account);
  const { played, samples } = metrics;
  const { market, summary } = played.source;
  const endMs = played.closedMs ?? measured.toMs;
  const gaps = clipGaps(metrics, measured);
  return {
    conditionId: market.conditionId,
    title: market.title,
    eventConditionId: market.eventConditionId,
    eventTitle: market.eventTitle,
    category: market.category,
    closeMs: played.closedMs,
    outcome: market.outcome,
    series: samples.series,
    fills: metrics.fills.rows.map((fill) => fillRecord(fill, ledger)),
    conversions: metrics.conversions,
    endYesMicros: held.yes,
    endNoMicros: held.no,
    endMarkMicros: metrics.markMicros,
    quoting: {
      ...samples.quotedMs,
      haltedMs: measured.halts.withinMs(played.openedMs, endMs),
      ordersPlaced: metrics.ordersPlaced,
      ordersCanceled: metrics.ordersCanceled,
      postedMicros: metrics.postedMicros,
      joinedBehindMicros: metrics.joinedBehindMicros,
    },
    coverage: {
      spanMs: Math.max(0, endMs - played.firstMs),
      gapMs: gaps.reduce((sum, { fromMs, toMs }) => sum + (toMs - fromMs), 0),
      gaps: gaps.length,
      events: played.events,
      trades: summary?.events.trade ?? exchange.core.catalog.market(played.index).tape.count,
      skipped: played.refused + (summary?.refused ?? 0),
    },
  };
}

function fillRecord({ tradePubkey, ...fill }: PendingFill, ledger: Ledger): FillRecord {
  const order = ledger.order(fill.orderPubkey);
  const strategy = order === null ? '' : (ledger.intent(order.intentId)?.strategy ?? '');
  const booked = ledger.fills({ orderPubkey: fill.orderPubkey }).find(({ pubkey }) => pubkey === tradePubkey);
  return { ...fill, strategy, seenMs: booked?.seenMs ?? null };
}

function clipGaps({ played }: MarketMetrics, { toMs }: MeasuredRun) {
  const endMs = played.closedMs ?? toMs;
  return gapsIn(played.source)
    .filter(({ fromMs }) => fromMs < endMs)
    .map((gap) => ({ fromMs: gap.fromMs, toMs: Math.min(gap.toMs ?? endMs, endMs) }));
}
