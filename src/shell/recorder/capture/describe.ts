/** Description of a recorded market, from the venue's data. */

import type { RecordedMarket } from '../../../recording/contract.js';
import { inferOutcome, type MarketOutcome } from '../../../shared/protocol/outcome.js';
import type { MarketDetail, RedeemRow } from '../../../shared/protocol/records.js';
import { CATEGORIES } from '../../../shared/protocol/states.js';

/** Category of a market without one, or with an unknown one. */
const OTHER_CATEGORY = 'finance';

/** Null for a market without an order book. `seenMs` replaces times that the venue does not report. */
export function describeMarket(
  detail: MarketDetail,
  venue: string,
  path: string,
  outcome: MarketOutcome | null,
  seenMs: number,
): RecordedMarket | null {
  const { config, condition_id: conditionId, created, resolution_date: resolution } = detail;
  if (config.kind !== 'orderbook') return null;
  return {
    conditionId,
    eventTitle: detail.event?.title ?? detail.title,
    ...(detail.event === null || detail.event === undefined ? {} : { eventConditionId: detail.event.condition_id }),
    title: detail.title,
    category: CATEGORIES.find((category) => category === detail.category) ?? OTHER_CATEGORY,
    rules: detail.rules ?? [],
    tickPrecision: config.price_precision,
    amountPrecision: config.amount_precision,
    openTimeMs: created === null ? seenMs : created * 1000,
    closeTimeMs: resolution === null ? seenMs : resolution * 1000,
    ...(resolution === null ? { closeIsGuessed: true } : {}),
    outcome,
    fees: { makerRateMicros: config.maker_fee_rate, takerRateMicros: config.taker_fee_rate },
    source: { kind: 'twinbook', path, ticker: conditionId, origin: venue },
  };
}

/**
 * Outcome of YES from our own redeem: no public answer has it. Null when unknown: not paid yet, or equal shares of both
 * outcomes.
 */
export function learnOutcome({
  state,
  funds,
  onchain_funds: paid,
  yes_shares: yes,
  no_shares: no,
}: RedeemRow): MarketOutcome | null {
  const received = paid ?? funds;
  if ((state !== 'done' && state !== 'completed') || received === null || yes === null || no === null) return null;
  return inferOutcome(yes, no, received);
}

/** Whether two descriptions are equal; times that the venue does not report are ignored. */
export const sameDescription = (a: RecordedMarket, b: RecordedMarket): boolean =>
  JSON.stringify({ ...a, openTimeMs: 0, closeTimeMs: 0 }) === JSON.stringify({ ...b, openTimeMs: 0, closeTimeMs: 0 });
