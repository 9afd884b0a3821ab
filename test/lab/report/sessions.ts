/** Minimal records, for cases whose figures can be computed by hand. */

import type { ConversionRecord, FillRecord, MarketSession, SessionRecord } from '../../../src/lab/session/contract.js';
import { AccountSamples, MarketSamples } from '../../../src/lab/session/samples.js';

export const ONE = 1_000_000;

/** Side and currency follow from leg, price and amount. */
export function aFill(changes: Partial<FillRecord> = {}): FillRecord {
  const { isYes = true, isBuy = true, priceMicros = 400_000, amountMicros = 10 * ONE } = changes;
  const notional = Math.round(((isYes ? priceMicros : ONE - priceMicros) * amountMicros) / ONE);
  return {
    timeMs: 1_000,
    seenMs: 1_500,
    orderPubkey: 'order',
    strategy: 'maker',
    side: isYes === isBuy ? 'bid' : 'ask',
    isYes,
    isBuy,
    priceMicros,
    amountMicros,
    cashMicros: isBuy ? -notional : notional,
    feeMicros: 0,
    isMaker: true,
    markMicros: 410_000,
    marksAfterMicros: [410_000, 410_000, 410_000, 410_000, 410_000],
    restedMs: 2_000,
    joinedBehindMicros: 50 * ONE,
    atCrossing: false,
    ...changes,
  };
}

/** Shares bought, and sold again with this gain. */
export const aRoundTrip = (gainMicros: number): readonly FillRecord[] => [
  aFill(),
  aFill({ timeMs: 2_000, isBuy: false, cashMicros: 4 * ONE + gainMicros }),
];

export const aConversion = (changes: Partial<ConversionRecord> = {}): ConversionRecord => ({
  kind: 'merge',
  timeMs: 5_000,
  yesMicros: 10 * ONE,
  noMicros: 10 * ONE,
  cashMicros: 10 * ONE,
  yesCostMicros: null,
  markMicros: 500_000,
  ...changes,
});

export const aMarket = (changes: Partial<MarketSession> = {}): MarketSession => ({
  conditionId: 'market',
  title: 'Will it rain?',
  eventTitle: 'Weather',
  category: 'science',
  closeMs: 60_000,
  outcome: null,
  series: new MarketSamples(1_000).series,
  fills: [],
  conversions: [],
  endYesMicros: 0,
  endNoMicros: 0,
  endMarkMicros: null,
  quoting: {
    openForMs: 60_000,
    twoSidedMs: 30_000,
    oneSidedMs: 15_000,
    haltedMs: 0,
    ordersPlaced: 4,
    ordersCanceled: 3,
    postedMicros: 40 * ONE,
    joinedBehindMicros: 400 * ONE,
  },
  coverage: { spanMs: 60_000, gapMs: 0, gaps: 0, events: 100, trades: 10, skipped: 0 },
  ...changes,
});

/** A session of these markets; its end cash follows from their fills and conversions. */
export function aSession(markets: readonly MarketSession[], changes: Partial<SessionRecord> = {}): SessionRecord {
  const moved = markets.reduce(
    (total, { fills, conversions }) =>
      total +
      fills.reduce((sum, fill) => sum + fill.cashMicros - fill.feeMicros, 0) +
      conversions.reduce((sum, conversion) => sum + conversion.cashMicros, 0),
    0,
  );
  return {
    format: 1,
    kind: 'backtest',
    title: 'a session',
    fromMs: 0,
    toMs: 60_000,
    capitalMicros: 1_000 * ONE,
    endCashMicros: 1_000 * ONE + moved,
    markets,
    account: new AccountSamples(1_000).series,
    maxDrawdownMicros: 0,
    requests: {
      public: { limitPerMinute: 120, count: 60, peakPerMinute: 60, throttled: 0 },
      signed: { limitPerMinute: 300, count: 30, peakPerMinute: 30, throttled: 0 },
      byEndpoint: [['markets.book', 60]],
      unsent: 0,
    },
    halts: [],
    refusals: [],
    notices: [],
    assumptions: {
      version: '0.1.0',
      configHash: 'hash',
      seed: 1,
      fillModel: 'power:3',
      postsOnly: false,
      latency: 'constant:150',
      data: ['one file'],
      remarks: [],
    },
    ...changes,
  };
}

/** The changes of a session under this fill model. */
export const under = (fillModel: string | null): Pick<SessionRecord, 'assumptions'> => ({
  assumptions: { ...aSession([]).assumptions, fillModel },
});
