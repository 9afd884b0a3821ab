/** Builds the report's record from the measurements. */

import { fillModel } from '../../exchange/core/matching/fill-model.js';
import { gapsIn, type RecordedMarket } from '../../recording/contract.js';
import { formatDecimal } from '../../shared/base/micros.js';
import type { Ledger } from '../../trader/ledger/contract.js';
import type {
  Assumptions,
  Coverage,
  FillRecord,
  MarketSession,
  SessionNotice,
  SessionRecord,
} from '../session/contract.js';
import type { BacktestPlan, EventSource } from './contract.js';
import { chargedSession } from './fees.js';
import type { Halts } from './halts.js';
import type { InProcessExchange } from './in-process-exchange.js';
import type { MarketMetrics, Metrics, PendingFill } from './metrics.js';
import type { RequestCount } from './request-count.js';

export interface Measured {
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
  'The recorded market does not react to our orders: large ones would have moved it.',
  'Strategies run without a time limit here, and the scheduled jobs of a live trader do not run.',
];

/** Problems of the data come first. */
function dataNotices({ plan, empty, metrics, fromMs }: Measured): SessionNotice[] {
  const texts = [
    ...plan.sources.flatMap(({ warnings }) => warnings),
    ...(plan.warnings ?? []),
    ...empty.map(({ market }) => `no event can be read of "${market.title}": it is left out`),
    ...[...metrics.markets.values()].flatMap(({ played: { failure, source } }) =>
      failure === null ? [] : [brokenOff(source.market, failure)],
    ),
  ];
  return texts.map((text) => ({ timeMs: fromMs, severity: 'loud', text }));
}

/** Without the folder: equal data gives equal results in any folder. */
const brokenOff = ({ title, source }: RecordedMarket, failure: string): string =>
  `"${title}" is played only as far as it can be read: ${failure.replaceAll(`${source.path}/`, '')}`;

/**
 * In a gap the book stays as last seen, and only aggressive own orders can be filled, perhaps by amounts that were
 * gone.
 */
function gapNotices(measured: Measured): SessionNotice[] {
  return [...measured.metrics.markets.values()].flatMap((market): SessionNotice[] => {
    const gaps = clipGaps(market, measured);
    const within = market.fills.filter(({ timeMs }) => gaps.some((gap) => gap.fromMs < timeMs && timeMs < gap.toMs));
    const [first] = within;
    if (first === undefined) return [];
    const fills = within.length === 1 ? '1 fill lies' : `${within.length} fills lie`;
    const text = `${fills} in gaps of the recording of "${market.played.source.market.title}": the traded amounts may not have been there`;
    return [{ timeMs: first.timeMs, severity: 'loud', text }];
  });
}

/** Reasons that would stop a live trader: its state must equal the exchange's. */
function endNotices({ ledger, exchange, metrics, isStopped, toMs }: Measured): SessionNotice[] {
  const texts: string[] = [];
  const cash = exchange.core.funds.read(exchange.account).total;
  if (ledger.cash() !== cash) {
    texts.push(
      `the trader's ledger ends with ${formatDecimal(ledger.cash())}, the exchange with ${formatDecimal(cash)}`,
    );
  }
  for (const { played } of metrics.markets.values()) {
    const { conditionId, title } = played.source.market;
    const { yes, no } = exchange.core.catalog.market(played.index).shares.read(exchange.account);
    if (ledger.shares(conditionId, true) === yes && ledger.shares(conditionId, false) === no) continue;
    texts.push(`the trader's ledger and the exchange end with different shares of "${title}"`);
  }
  if (!isStopped) texts.push('the trader still had requests open after the time that a live one gets');
  return texts.map((text) => ({ timeMs: toMs, severity: 'loud', text }));
}

export function makeSession(measured: Measured): SessionRecord {
  const session = makeUnchargedSession(measured);
  const { feeCurve = null, sources } = measured.plan;
  const free = new Set(freeMarkets(sources));
  return feeCurve === null ? session : chargedSession(session, feeCurve, (conditionId) => free.has(conditionId));
}

const freeMarkets = (sources: readonly EventSource[]): readonly string[] =>
  sources.flatMap(({ market: { fees, conditionId } }) => (fees === undefined ? [conditionId] : []));

/** Their assumed fees, and whether the user chose them. */
function feeAssumptions({
  sources,
  fees,
  feeCurve = null,
}: BacktestPlan): Pick<Assumptions, 'fees' | 'freeMarkets' | 'feeSchedule'> {
  const unnamed = freeMarkets(sources).length;
  const { makerRateMicros, takerRateMicros } = fees;
  const isSaid = feeCurve !== null || makerRateMicros > 0 || takerRateMicros > 0;
  const rates = `notional:${takerRateMicros / 1e6}/${makerRateMicros / 1e6}`;
  const given = feeCurve?.name ?? (isSaid ? rates : 'none');
  const named = `as recorded in ${sources.length - unnamed} of ${sources.length} markets`;
  return {
    fees: unnamed === 0 ? named : `${given} where none is recorded; ${named}`,
    freeMarkets: isSaid ? 0 : unnamed,
    // The exchange knows no other schedule; a curve is charged afterwards, whatever the legs were.
    ...(feeCurve === null ? { feeSchedule: 'notional' } : {}),
  };
}

function makeUnchargedSession(measured: Measured): SessionRecord {
  const { plan, exchange, metrics, count, fromMs, toMs } = measured;
  const { trader } = plan;
  const { account } = metrics;
  const model = typeof plan.fillModel === 'string' ? fillModel(plan.fillModel) : plan.fillModel;
  return {
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
}

function marketSession(metrics: MarketMetrics, measured: Measured): MarketSession {
  const { ledger, plan, exchange } = measured;
  // By the exchange, for comparison with fills and conversions.
  const held = exchange.core.catalog.market(metrics.played.index).shares.read(exchange.account);
  const { played, samples } = metrics;
  const market = played.source.market;
  return {
    conditionId: market.conditionId,
    title: market.title,
    eventTitle: market.eventTitle,
    category: market.category,
    tickMicros: 10 ** (6 - market.tickPrecision),
    openMs: played.openedMs,
    closeMs: played.closedMs,
    outcome: market.outcome,
    ...chooseFees(market, plan),
    series: samples.series,
    fills: metrics.fills.map((fill) => fillRecord(fill, ledger)),
    conversions: metrics.conversions,
    stoodCrossed: metrics.resting.stoodCrossed,
    endYesMicros: held.yes,
    endNoMicros: held.no,
    endMarkMicros: metrics.markMicros,
    quoting: {
      ...samples.quotedMs,
      haltedMs: measured.halts.withinMs(played.openedMs, played.closedMs ?? measured.toMs),
      ordersPlaced: metrics.ordersPlaced,
      ordersCanceled: metrics.ordersCanceled,
      postedMicros: metrics.postedMicros,
      joinedBehindMicros: metrics.joinedBehindMicros,
    },
    coverage: measureCoverage(metrics, measured),
  };
}

const chooseFees = ({ fees }: RecordedMarket, plan: BacktestPlan) => ({
  makerFeeRateMicros: (fees ?? plan.fees).makerRateMicros,
  takerFeeRateMicros: (fees ?? plan.fees).takerRateMicros,
});

function fillRecord({ tradePubkey, ...fill }: PendingFill, ledger: Ledger): FillRecord {
  const order = ledger.order(fill.orderPubkey);
  const strategy = order === null ? '' : (ledger.intent(order.intentId)?.strategy ?? '');
  const booked = ledger.fills({ orderPubkey: fill.orderPubkey }).find(({ pubkey }) => pubkey === tradePubkey);
  return { ...fill, strategy, seenMs: booked?.seenMs ?? null };
}

function measureCoverage(metrics: MarketMetrics, measured: Measured): Coverage {
  const { played } = metrics;
  const { summary } = played.source;
  const gaps = clipGaps(metrics, measured);
  return {
    spanMs: Math.max(0, (played.closedMs ?? measured.toMs) - played.firstMs),
    gapMs: gaps.reduce((sum, { fromMs, toMs }) => sum + (toMs - fromMs), 0),
    gaps: gaps.length,
    events: played.events,
    trades: summary?.events.trade ?? measured.exchange.core.marketFacts(played.index).tradeCount,
    skipped: played.refused + (summary?.refused ?? 0),
  };
}

function clipGaps({ played }: MarketMetrics, { toMs }: Measured): { readonly fromMs: number; readonly toMs: number }[] {
  const endMs = played.closedMs ?? toMs;
  return gapsIn(played.source)
    .filter(({ fromMs }) => fromMs < endMs)
    .map((gap) => ({ fromMs: gap.fromMs, toMs: Math.min(gap.toMs ?? endMs, endMs) }));
}
