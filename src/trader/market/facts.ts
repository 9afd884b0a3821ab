/** Reads a market's detail into the facts that quoting needs. */

import type { FeeSchedule } from '../../shared/base/fees.js';
import { stepOfPrecision } from '../../shared/base/micros.js';
import type { MarketDetail } from '../../shared/protocol/records.js';
import type { MarketFacts } from './view.js';

/** The facts, or one sentence that says why this market cannot be quoted at all. */
export function readFacts(detail: MarketDetail, feeSchedule: FeeSchedule): MarketFacts | string {
  const { config } = detail;
  if (config.kind !== 'orderbook') return `its kind is ${config.kind}, only orderbook markets are quoted`;
  if (detail.margin_enabled === true) return 'margin is enabled on it, and orders are refused on margin markets';
  // Strategies are shown these very facts, and risk compares with them.
  return Object.freeze({
    conditionId: detail.condition_id,
    eventConditionId: detail.event?.condition_id ?? null,
    title: detail.title,
    category: detail.category,
    phase: detail.state,
    tickMicros: stepOfPrecision(config.price_precision),
    lotMicros: stepOfPrecision(config.amount_precision),
    minPriceMicros: config.min_price,
    maxPriceMicros: config.max_price,
    minAmountMicros: config.min_amount,
    maxAmountMicros: config.max_amount,
    makerFeeRateMicros: config.maker_fee_rate,
    takerFeeRateMicros: config.taker_fee_rate,
    feeSchedule,
    resolutionTimeMs: detail.resolution_date === null ? null : detail.resolution_date * 1000,
  });
}
