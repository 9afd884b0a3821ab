/**
 * The session of a live run in the very form of a backtest's, so that the same analysis says the same of both. It is read
 * off the answers that the run got, not off its ledger: what the run began with is left out, as a backtest begins with
 * nothing. Prices are the others', from the run's own polls.
 */

import { complement } from '../../shared/base/micros.js';
import type { RunDescription } from '../../shell/journal/contract.js';
import type { EventSource } from '../backtest/contract.js';
import type {
  ConversionRecord,
  FillRecord,
  MarketSession,
  Refusal,
  RequestUse,
  SessionRecord,
} from '../session/contract.js';
import { toCoverage } from '../session/coverage.js';
import { Holdings, KEEP_NEAREST } from '../session/holdings.js';
import { equityAt, lockedIn, MarketWalk, type SessionOrder } from '../session/market-walk.js';
import { computeYesCost } from '../session/moves.js';
import { BEFORE_TRADE_MS, toFillRecord, tradeTimeMs } from '../session/own-trade.js';
import { AccountSamples, FIRST_STEP_MS, MarketSamples } from '../session/samples.js';
import { BestPrices } from './best-prices.js';
import type { RunConversion, RunFill, RunOrder, RunOrders } from './run-orders.js';

export interface RecordedSession {
  readonly description: RunDescription;
  readonly orders: RunOrders;
  readonly sources: readonly EventSource[];
  /** The exchange's clock minus ours, ms; rounded. */
  readonly offsetMs: number;
  /** The exchange's clock: the first moment, when the trader was told to stop, and the last one. */
  readonly fromMs: number;
  readonly untilMs: number;
  readonly toMs: number;
  readonly requests: RequestUse;
  readonly refusals: readonly Refusal[];
}

export async function readRunSession(run: RecordedSession): Promise<SessionRecord> {
  const { description, fromMs, toMs, requests, refusals } = run;
  const markets = await readRunMarkets(run);
  const account = sampleMarkets(markets, run);
  const { capitalMicros, version, configHash, strategies, runId } = description;
  const sessions = markets.map((market) => finishMarket(market, run));
  return {
    format: 1,
    kind: 'live',
    title: `${strategies.map(({ name }) => name).join(', ')}: run ${runId}`,
    fromMs,
    toMs,
    capitalMicros,
    endCashMicros: markets.reduce<number>((sum, { walk }) => sum + walk.held.cashMicros, capitalMicros),
    markets: sessions,
    account: account.series,
    maxDrawdownMicros: account.maxDrawdownMicros,
    requests,
    halts: [],
    refusals,
    notices: [],
    assumptions: {
      version,
      configHash,
      seed: null,
      fillModel: null,
      postsOnly: null,
      latency: null,
      data: [`the journal of run ${runId}`],
      remarks: ['What the run began with, shares and open orders, is left out of these figures.'],
    },
  };
}

type RunMarket = Awaited<ReturnType<typeof readRunMarkets>>[number];

function readRunMarkets(run: RecordedSession) {
  const { orders, sources, offsetMs, fromMs } = run;
  // A list of own trades goes back beyond the start.
  const fills = [...orders.fills.values()].filter(({ row }) => row.timestamp * 1000 + 999 >= fromMs);
  const conversions = [...orders.conversions.values()];
  const marketOf = ({ row }: RunFill): string => row.order.market.condition_id;
  const seen = new Map(sources.map((source) => [source.market.conditionId, source]));
  const ids = new Set([...seen.keys(), ...fills.map(marketOf), ...conversions.map(({ conditionId }) => conditionId)]);
  return Promise.all(
    [...ids].map(async (conditionId) => {
      const source = seen.get(conditionId) ?? null;
      const prices = await BestPrices.of(source);
      const ownOrders = [...orders.orders.values()].filter((order) => order.conditionId === conditionId);
      const marks: Marks = { run, source, prices, orders: toOrders(ownOrders, offsetMs) };
      const walked = {
        prices,
        orders: [...marks.orders.values()],
        fills: fills
          .filter((fill) => marketOf(fill) === conditionId)
          .map((fill) => toFill(fill, marks))
          .sort((a, b) => a.timeMs - b.timeMs),
        conversions: conversions
          .filter((conversion) => conversion.conditionId === conditionId)
          .map((conversion) => toConversion(conversion, marks)),
      };
      const walk = new MarketWalk(walked, new Holdings(KEEP_NEAREST));
      return { conditionId, source, walked, walk, ownOrders, samples: new MarketSamples() };
    }),
  );
}

/** What fills and conversions of a market are marked with. */
interface Marks {
  readonly run: RecordedSession;
  /** Null for a market whose book the run never saw. */
  readonly source: EventSource | null;
  readonly prices: BestPrices;
  readonly orders: ReadonlyMap<string, SessionOrder>;
}

/** On the exchange's clock. */
const toOrders = (orders: readonly RunOrder[], offsetMs: number): ReadonlyMap<string, SessionOrder> =>
  new Map(
    orders.map((order) => {
      const toMs = order.toMs === null ? null : order.toMs + offsetMs;
      return [order.pubkey, { ...order, fromMs: order.fromMs + offsetMs, toMs }];
    }),
  );

/** Null beyond the last moment that is measured. */
const markAt = ({ prices, run }: Marks, timeMs: number): number | null =>
  timeMs > run.untilMs ? null : prices.at(timeMs).middleMicros;

function toFill({ row, seenMs }: RunFill, marks: Marks): FillRecord {
  const { run, source, orders } = marks;
  const { pubkey, side, outcome } = row.order;
  // Where there are several, any of them could have placed the order.
  const [only, another] = run.description.strategies;
  const trade = {
    timeMs: tradeTimeMs(row.timestamp, seenMs + run.offsetMs),
    seenMs: Math.round(seenMs + run.offsetMs),
    orderPubkey: pubkey ?? '',
    strategy: another === undefined ? (only?.name ?? '') : '',
    isYes: outcome.is_yes,
    isBuy: side === 'buy',
    isMaker: row.is_maker,
    ownPriceMicros: row.price,
    amountMicros: row.amount,
    feeMicros: row.fee,
    restingFromMs: orders.get(pubkey ?? '')?.fromMs ?? null,
  };
  const priceMicros = trade.isYes ? row.price : complement(row.price);
  const markMicros = markAt(marks, trade.timeMs - BEFORE_TRADE_MS) ?? (source === null ? null : priceMicros);
  return toFillRecord(trade, markMicros, (timeMs) => markAt(marks, timeMs));
}

function toConversion(
  { kind, yesMicros, noMicros, cashMicros, seenMs }: RunConversion,
  marks: Marks,
): ConversionRecord {
  const timeMs = Math.round(seenMs + marks.run.offsetMs);
  const markMicros = markAt(marks, timeMs);
  const yesCostMicros = kind === 'split' ? computeYesCost(-yesMicros, markMicros) : null;
  return { kind, timeMs, yesMicros, noMicros, cashMicros, yesCostMicros, markMicros };
}

/** Goes through the run in equal steps: those of its ledger's report, which begin when it was started. */
function sampleMarkets(
  markets: readonly RunMarket[],
  { description, offsetMs, fromMs, untilMs }: RecordedSession,
): AccountSamples {
  const account = new AccountSamples();
  const walks = markets.map(({ walk }) => walk);
  const sinceStepMs = (fromMs - description.startedMs - offsetMs) % FIRST_STEP_MS;
  for (let timeMs = fromMs - sinceStepMs; timeMs <= untilMs; timeMs += FIRST_STEP_MS) {
    for (const { walk, samples } of markets) {
      walk.advance(timeMs);
      samples.take(timeMs, walk.top(timeMs), walk.held.netMicros);
    }
    account.take(timeMs, equityAt(timeMs, walks, description.capitalMicros), () => lockedIn(walks));
  }
  return account;
}

/** Brings the holdings to their end. */
function finishMarket(
  { conditionId, source, walked, walk, ownOrders, samples }: RunMarket,
  { untilMs }: RecordedSession,
): MarketSession {
  walk.advance(Number.POSITIVE_INFINITY);
  const market = source?.market;
  return {
    conditionId,
    title: market?.title ?? conditionId,
    eventTitle: market?.eventTitle ?? '',
    category: market?.category ?? '',
    tickMicros: market === undefined ? null : 10 ** (6 - market.tickPrecision),
    openMs: market?.openTimeMs ?? null,
    closeMs: null,
    outcome: market?.outcome ?? null,
    makerFeeRateMicros: market?.fees?.makerRateMicros ?? 0,
    series: samples.series,
    fills: walked.fills,
    conversions: walked.conversions,
    stoodCrossed: null,
    endYesMicros: walk.held.yesMicros,
    endNoMicros: walk.held.noMicros,
    endMarkMicros: walked.prices.at(untilMs).middleMicros,
    quoting: {
      ...samples.quotedMs,
      haltedMs: null,
      ordersPlaced: ownOrders.length,
      ordersCanceled: ownOrders.filter(({ canceled }) => canceled).length,
      postedMicros: ownOrders.reduce((sum, { amountMicros }) => sum + amountMicros, 0),
      joinedBehindMicros: null,
    },
    coverage: toCoverage(source?.summary ?? null),
  };
}
