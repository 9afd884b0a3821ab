/** Orders and fills: posted and filled amounts, and places in the queue. */

import { type FeeSchedule, feePerShare } from '../../../shared/base/fees.js';
import { ONE } from '../../../shared/base/micros.js';
import { computeMean, quantileOfSorted, sortValues } from '../../../shared/statistics/moments.js';
import type { FillRecord, MarketSession } from '../../session/contract.js';
import { share, sum, sumIfAll } from './total.js';

/** @param schedule base of the fees; undefined: unknown */
export function computeTrading(markets: readonly MarketSession[], schedule: FeeSchedule | undefined) {
  const fills = markets.flatMap((market) => market.fills);
  const resting = fills.filter(isResting);
  const ordersPlaced = sum(markets.map(({ quoting }) => quoting.ordersPlaced));
  return {
    fills: fills.length,
    makerFills: fills.filter((fill) => fill.isMaker === true).length,
    takerFills: fills.filter((fill) => fill.isMaker === false).length,
    ...computeVolume(fills),
    ...computeFillRatio(markets),
    // Fees of the other leg of each fill, minus the paid ones; null when the schedule is unknown.
    feesSavedByLegsMicros: schedule === undefined ? null : sum(fills.map((fill) => savedBy(fill, schedule))),
    ordersPlaced,
    ordersCanceled: sum(markets.map(({ quoting }) => quoting.ordersCanceled)),
    ordersFilled: new Set(resting.map((fill) => fill.orderPubkey)).size,
    queue: computeQueue(markets, resting),
    rested: computeSpread(resting.map((fill) => fill.restedMs)),
    noticed: computeSpread(fills.map((fill) => (fill.seenMs === null ? null : fill.seenMs - fill.timeMs))),
    neverNoticed: fills.filter((fill) => fill.seenMs === null).length,
  };
}

/** By the leg of a fill, millionths. Rates are equal for both legs, so the paid fee gives the other one. */
function savedBy({ isYes, priceMicros, feeMicros }: FillRecord, schedule: FeeSchedule): number {
  const price = (isYes ? priceMicros : ONE - priceMicros) / ONE;
  const [paid, other] = [feePerShare(schedule, 1, price), feePerShare(schedule, 1, 1 - price)];
  return paid > 0 ? Math.round(feeMicros * (other / paid - 1)) : 0;
}

/** Market makers' orders rest; assumed when the exchange does not name the maker. */
const isResting = (fill: FillRecord): boolean => fill.isMaker !== false;

/** Shares in YES space: bought YES or sold NO; sold YES or bought NO. Turnover: traded currency. */
export function computeVolume(fills: readonly FillRecord[]) {
  const shares = (side: FillRecord['side']): number =>
    sum(fills.filter((fill) => fill.side === side).map((fill) => fill.amountMicros));
  return {
    boughtMicros: shares('bid'),
    soldMicros: shares('ask'),
    turnoverMicros: sum(fills.map((fill) => Math.abs(fill.cashMicros))),
  };
}

export function computeFillRatio(markets: readonly MarketSession[]) {
  const postedMicros = sum(markets.map(({ quoting }) => quoting.postedMicros));
  const resting = markets.flatMap(({ fills }) => fills.filter(isResting));
  const restingFilledMicros = sum(resting.map((fill) => fill.amountMicros));
  return { postedMicros, restingFilledMicros, fillRatioShare: share(restingFilledMicros, postedMicros) };
}

/** Shares ahead of an order when it began to rest, and as a fraction of the queue: ahead / (ahead + own). */
function computeQueue(markets: readonly MarketSession[], resting: readonly FillRecord[]) {
  const quoted = markets.map(({ quoting }) => quoting).filter((quoting) => quoting.ordersPlaced > 0);
  const ahead = quoted.length === 0 ? null : sumIfAll(quoted.map((quoting) => quoting.joinedBehindMicros));
  const placed = sum(quoted.map((quoting) => quoting.ordersPlaced));
  const posted = sum(quoted.map((quoting) => quoting.postedMicros));
  // An order with several fills joined once.
  const joined = new Map(resting.map((fill) => [fill.orderPubkey, fill.joinedBehindMicros]));
  return {
    meanAheadMicros: share(ahead, placed),
    aheadShare: ahead === null ? null : share(ahead, ahead + posted),
    filledMeanAheadMicros: computeMean([...joined.values()].filter((value) => value !== null)),
  };
}

/** Spread of values. Null without values. `p90`: 90 % of the values are below it. */
export function computeSpread(values: readonly (number | null)[]) {
  const known = sortValues(values.filter((value) => value !== null));
  const at = (part: number): number | null => quantileOfSorted(known, part);
  return { count: known.length, mean: computeMean(known), median: at(0.5), p90: at(0.9) };
}
