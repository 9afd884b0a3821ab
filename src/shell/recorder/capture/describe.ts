/** The description of a recorded market, out of what the venue says of it. */

import type { RecordedMarket } from '../../../recording/contract.js';
import { inferOutcome, type MarketOutcome } from '../../../shared/protocol/outcome.js';
import type { MarketDetail, RedeemRow } from '../../../shared/protocol/records.js';
import { CATEGORIES } from '../../../shared/protocol/states.js';

/** What a market without a category, or with one that the service does not name, is filed under. */
const OTHER_CATEGORY = 'finance';

/** Null for a market without an order book. `seenMs` stands for times that the venue does not tell. */
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
 * What YES resolved to, as our own redeem shows: no public answer says it. Null when it does not tell: not paid yet, or
 * as many shares of both outcomes.
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

/** Whether two descriptions say the same; times that the venue does not tell are not compared. */
export const sameDescription = (a: RecordedMarket, b: RecordedMarket): boolean =>
  JSON.stringify({ ...a, openTimeMs: 0, closeTimeMs: 0 }) === JSON.stringify({ ...b, openTimeMs: 0, closeTimeMs: 0 });
