/** Figures of the whole account: equity, capital at work, drawdown, requests. */

import { computeMean } from '../../../shared/statistics/moments.js';
import type { AccountSeries, SessionRecord } from '../../session/contract.js';
import type { MarketResult } from './split.js';
import { share, sum } from './total.js';

/** Location of the money. `result` = end equity - capital. */
export function computeEquity(record: SessionRecord, results: readonly MarketResult[]) {
  const value = (held: readonly MarketResult[]): number => sum(held.map(({ endValueMicros }) => endValueMicros));
  const endHoldingsMicros = value(results);
  const endEquityMicros = sum([record.endCashMicros, endHoldingsMicros]);
  const resultMicros = endEquityMicros - record.capitalMicros;
  return {
    capitalMicros: record.capitalMicros,
    endCashMicros: record.endCashMicros,
    // Value of the final shares: at the known outcome, else at the last mark, else at cost.
    endHoldingsMicros,
    // The part valued at cost, because no price is known.
    atCostMicros: value(results.filter(({ valuedAt }) => valuedAt === 'cost')),
    endEquityMicros,
    resultMicros,
    returnShare: share(resultMicros, record.capitalMicros),
  };
}

/** `returnOnLockedShare`: result / mean locked capital; not annualised. */
export function computeCapital({ account }: SessionRecord, resultMicros: number) {
  const meanLockedMicros = computeMean(account.lockedMicros);
  return {
    meanLockedMicros,
    peakLockedMicros: account.lockedMicros.reduce<number | null>((peak, now) => Math.max(peak ?? now, now), null),
    returnOnLockedShare: share(resultMicros, meanLockedMicros),
  };
}

/** `longestMs`: longest time below an earlier peak, by the samples. */
export const computeDrawdown = (record: SessionRecord) => ({
  maxMicros: record.maxDrawdownMicros,
  maxShare: share(record.maxDrawdownMicros, record.capitalMicros),
  longestMs: longestUnderWater(record.account),
});

/** Null without samples, or when the equity is not always known. */
function longestUnderWater({ stepMs, equityMicros }: AccountSeries): number | null {
  let [peak, steps, longest] = [Number.NEGATIVE_INFINITY, 0, 0];
  for (const equity of equityMicros) {
    if (equity === null) return null;
    steps = equity >= peak ? 0 : steps + 1;
    peak = Math.max(peak, equity);
    longest = Math.max(longest, steps);
  }
  return equityMicros.length === 0 ? null : longest * stepMs;
}

export type RequestFigures = NonNullable<ReturnType<typeof computeRequestUse>>;

/** Null when requests were not counted. */
export function computeRequestUse(record: SessionRecord, fills: number, resultMicros: number) {
  const { requests, account } = record;
  if (requests === null) return null;
  const sampledMs = account.timeMs.length * account.stepMs;
  // Time covered by samples.
  const minutes = (sampledMs > 0 ? sampledMs : record.toMs - record.fromMs) / 60_000;
  const sent = requests.public.count + requests.signed.count;
  const useOf = ({ count, limitPerMinute }: typeof requests.public) => share(share(count, minutes), limitPerMinute);
  const peakOf = ({ peakPerMinute, limitPerMinute }: typeof requests.public) => share(peakPerMinute, limitPerMinute);
  return {
    ...requests,
    minutes,
    publicShare: useOf(requests.public),
    signedShare: useOf(requests.signed),
    publicPeakShare: peakOf(requests.public),
    signedPeakShare: peakOf(requests.signed),
    byPurpose: requestsByPurpose(requests.byEndpoint),
    // Requests per fill; null without a fill.
    perFill: share(sent, fills),
    // Result per request, micros and fractions; null without a request.
    valueMicros: share(resultMicros, sent),
  };
}

/** From market reads to cancels: the words of `status`, in table order. */
function requestsByPurpose(byEndpoint: readonly (readonly [endpoint: string, count: number])[]) {
  const counts = { looks: 0, moves: 0, cancels: 0, conversions: 0, own: 0 };
  for (const [endpoint, count] of byEndpoint) {
    const purpose = purposeOf(endpoint);
    if (purpose !== null) counts[purpose] += count;
  }
  return counts;
}

/** Null for calls that a trader never makes. */
function purposeOf(endpoint: string): keyof ReturnType<typeof requestsByPurpose> | null {
  if (/^(markets|events|search|sports)\./.test(endpoint)) return 'looks';
  if (/^orders\.cancel/.test(endpoint)) return 'cancels';
  if (/^(orders|trades|merges|splits|redeems)\.list$/.test(endpoint) || endpoint.startsWith('account.')) return 'own';
  if (endpoint.startsWith('orders.')) return 'moves';
  return /^(merges|splits|redeems)\./.test(endpoint) ? 'conversions' : null;
}
