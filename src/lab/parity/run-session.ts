/**
 * Session of a live run, from the answers in its journal. Its initial holdings are left out, since a backtest begins
 * without any. Prices are the others', from the run's own polls.
 */

import type { RunDescription } from '../../shell/journal/contract.js';
import type { EventSource } from '../backtest/contract.js';
import type { SessionRecord } from '../session/contract.js';
import {
  foldSession,
  type MarketFacts,
  type ReportedTrade,
  type SessionFacts,
  tradeTimeMs,
} from '../session/live-session.js';
import { BestPrices } from './best-prices.js';
import type { RunFill, RunOrders } from './run-orders.js';

export interface RecordedSession extends Pick<SessionFacts, 'fromMs' | 'toMs' | 'requests' | 'refusals'> {
  readonly description: RunDescription;
  readonly orders: RunOrders;
  readonly sources: readonly EventSource[];
  /** Exchange clock minus ours, ms; rounded. */
  readonly offsetMs: number;
  /** Exchange clock when the trader was told to stop. */
  readonly untilMs: number;
}

export async function readRunSession(run: RecordedSession): Promise<SessionRecord> {
  const { description, orders, sources, fromMs, untilMs, toMs, offsetMs, requests, refusals } = run;
  const { capitalMicros, version, configHash, strategies, runId, startedMs } = description;
  // A list of own trades reaches back before the start.
  const fills = [...orders.fills.values()].filter(({ row }) => row.timestamp * 1000 + 999 >= fromMs);
  const seen = new Map(sources.map((source) => [source.market.conditionId, source]));
  const ids = new Set([
    ...seen.keys(),
    ...fills.map(({ row }) => row.order.market.condition_id),
    ...[...orders.conversions.values()].map(({ conditionId }) => conditionId),
  ]);
  const markets: MarketFacts[] = [];
  for (const id of ids) markets.push(await listMarket(id, seen.get(id) ?? null, fills, run));
  return foldSession({
    title: `${strategies.map(({ name }) => name).join(', ')}: run ${runId}`,
    fromMs,
    toMs,
    capitalMicros,
    requests,
    refusals,
    endCashMicros: null,
    markets,
    running: [[startedMs + offsetMs, untilMs]],
    notices: [],
    assumptions: {
      version,
      configHash,
      data: [`the journal of run ${runId}`],
      remarks: ['What the run began with, shares and open orders, is left out of these figures.'],
    },
  });
}

/** @param source null for a market whose book the run never saw */
async function listMarket(
  conditionId: string,
  source: EventSource | null,
  fills: readonly RunFill[],
  run: RecordedSession,
): Promise<MarketFacts> {
  const { orders, offsetMs } = run;
  const market = source?.market;
  return {
    conditionId,
    title: market?.title ?? conditionId,
    eventTitle: market?.eventTitle ?? '',
    tickMicros: market === undefined ? null : 10 ** (6 - market.tickPrecision),
    openMs: market?.openTimeMs ?? null,
    closeMs: null,
    outcome: market?.outcome ?? null,
    makerFeeRateMicros: market?.fees?.makerRateMicros ?? 0,
    orders: [...orders.orders.values()]
      .filter((order) => order.conditionId === conditionId)
      .map((order) => ({
        ...order,
        fromMs: Math.round(order.fromMs + offsetMs),
        toMs: order.toMs === null ? null : Math.round(order.toMs + offsetMs),
      })),
    trades: fills.filter(({ row }) => row.order.market.condition_id === conditionId).map((fill) => toTrade(fill, run)),
    conversions: [...orders.conversions.values()]
      .filter((conversion) => conversion.conditionId === conditionId)
      .map(({ conditionId: _, seenMs, ...moved }) => ({
        ...moved,
        yesCostMicros: null,
        timeMs: Math.round(seenMs + offsetMs),
      })),
    prices: source === null ? null : await BestPrices.of(source),
    lastMs: run.untilMs,
    countedFromMs: run.fromMs,
    fairMicros: null,
    endShares: null,
  };
}

function toTrade({ row, seenMs }: RunFill, { description, offsetMs }: RecordedSession): ReportedTrade {
  const { pubkey, side, outcome } = row.order;
  // With several strategies any of them could have placed the order.
  const [only, another] = description.strategies;
  return {
    timeMs: tradeTimeMs(row.timestamp, seenMs + offsetMs),
    seenMs: Math.round(seenMs + offsetMs),
    orderPubkey: pubkey ?? '',
    strategy: another === undefined ? (only?.name ?? '') : '',
    isYes: outcome.is_yes,
    isBuy: side === 'buy',
    isMaker: row.is_maker,
    ownPriceMicros: row.price,
    amountMicros: row.amount,
    feeMicros: row.fee,
  };
}
