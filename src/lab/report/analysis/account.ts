/** Figures of the whole account: equity, capital at work, drawdown, requests. */

import { computeMean } from '../../../shared/statistics/moments.js';
import type { AccountSeries, RequestUse, SessionRecord } from '../../session/contract.js';
import type { CapitalFigures, DrawdownFigures, EquityFigures, RequestFigures } from './contract.js';
import { requestsByPurpose } from './purposes.js';
import type { MarketResult } from './split.js';
import { share, sum } from './total.js';

export function computeEquity(record: SessionRecord, results: readonly MarketResult[]): EquityFigures {
  const value = (held: readonly MarketResult[]): number => sum(held.map(({ endValueMicros }) => endValueMicros));
  const endHoldingsMicros = value(results);
  const endEquityMicros = sum([record.endCashMicros, endHoldingsMicros]);
  const resultMicros = endEquityMicros - record.capitalMicros;
  return {
    capitalMicros: record.capitalMicros,
    endCashMicros: record.endCashMicros,
    endHoldingsMicros,
    atCostMicros: value(results.filter(({ valuedAt }) => valuedAt === 'cost')),
    endEquityMicros,
    resultMicros,
    returnShare: share(resultMicros, record.capitalMicros),
  };
}

export function computeCapital({ account }: SessionRecord, resultMicros: number): CapitalFigures {
  const meanLockedMicros = computeMean(account.lockedMicros);
  return {
    meanLockedMicros,
    peakLockedMicros: account.lockedMicros.reduce<number | null>((peak, now) => Math.max(peak ?? now, now), null),
    returnOnLockedShare: share(resultMicros, meanLockedMicros),
  };
}

export function computeDrawdown(record: SessionRecord): DrawdownFigures {
  return {
    maxMicros: record.maxDrawdownMicros,
    maxShare: share(record.maxDrawdownMicros, record.capitalMicros),
    longestMs: longestUnderWater(record.account),
  };
}

/** Null without samples, or when the equity is not known throughout. */
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

export function computeRequestUse(record: SessionRecord, fills: number, resultMicros: number): RequestFigures | null {
  const { requests, account } = record;
  if (requests === null) return null;
  const sampledMs = account.timeMs.length * account.stepMs;
  const minutes = (sampledMs > 0 ? sampledMs : record.toMs - record.fromMs) / 60_000;
  const sent = requests.public.count + requests.signed.count;
  const perMinute = (scope: 'public' | 'signed'): number | null => share(requests[scope].count, minutes);
  return {
    ...requests,
    minutes,
    publicShare: share(perMinute('public'), requests.public.limitPerMinute),
    signedShare: share(perMinute('signed'), requests.signed.limitPerMinute),
    publicPeakShare: peakShare(requests, 'public'),
    signedPeakShare: peakShare(requests, 'signed'),
    byPurpose: requestsByPurpose(requests.byEndpoint),
    perFill: share(sent, fills),
    valueMicros: share(resultMicros, sent),
  };
}

const peakShare = (requests: RequestUse, scope: 'public' | 'signed'): number | null =>
  share(requests[scope].peakPerMinute, requests[scope].limitPerMinute);
