/**
 * Computes all figures of a report as plain data for JSON, page and terminal. `docs/backtesting.md` lists their keys.
 *
 * Figures named `…Micros` are millionths of the currency, of a share or of a price. Sums of recorded amounts are exact
 * integers; means, errors and intervals may have fractions. Figures named `…Share` are fractions of 1. In these
 * figures, `null` means unknown or undefined (a mean without values), never zero.
 */

import { computeMean, computeMoments } from '../../../shared/statistics/moments.js';
import type { AccountSeries, MarketSession, SessionRecord } from '../../session/contract.js';
import {
  computeEventFigures,
  drawInterval,
  eventOf,
  LEAST_EVENTS,
  type MarketAnalysis,
  marketAnalysis,
  playedByAll,
  resultsByEvent,
  sumCoverage,
} from './markets.js';
import { type MarketResult, share, splitMarket, sum, sumIfAll, sumSplits } from './split.js';
import { computeMarkouts, computeTrading, findMarkout } from './trading.js';

type RepeatedRun = ReturnType<typeof runFigures>;

export function runFigures({ result, trading, assumptions, markets, markouts }: Figures, traceHash: string) {
  return {
    seed: assumptions.seed ?? 0,
    traceHash,
    resultMicros: result.resultMicros,
    spreadMicros: result.spreadMicros,
    fills: trading.fills,
    markout5sMicros: findMarkout(markouts, 5_000)?.markoutMicros ?? null,
    markout60sMicros: findMarkout(markouts, 60_000)?.markoutMicros ?? null,
    markets: markets.map((market) => ({
      conditionId: market.conditionId,
      event: eventOf(market),
      resultMicros: market.result.resultMicros,
      fills: market.fills,
      isPlayed: market.isPlayed,
    })),
  };
}

/** Returns the index of the run with the middle result, or with the lower of the two middle results. */
export function findMiddle(runs: readonly RepeatedRun[]): number {
  const sorted = runs.toSorted((a, b) => a.resultMicros - b.resultMicros);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  return middle === undefined ? 0 : runs.indexOf(middle);
}

export type RepeatFigures = ReturnType<typeof computeRepeats>;

/**
 * Computes figures over repeated runs, which differ in poll phases and latencies. `seed`: random seed of the bootstrap.
 * `played`: ids of the markets over which models are compared. `compared` is null if every run played all markets.
 */
export function computeRepeats(runs: readonly RepeatedRun[], seed: number, played = playedByAll(runs)) {
  const all = runs.map(({ markets }) => markets);
  const ofMarkets = Math.max(...all.map(({ length }) => length));
  const compared = all.map((markets) => markets.filter(({ conditionId }) => played.has(conditionId)));
  const spread = (figure: (run: RepeatedRun) => number | null) => spreadIn(runs.map(figure));
  return {
    count: runs.length,
    ...resultIn(all, seed),
    compared: played.size === ofMarkets ? null : { markets: played.size, ofMarkets, ...resultIn(compared, seed) },
    spreadMicros: spread(({ spreadMicros }) => spreadMicros),
    fills: spread(({ fills }) => fills),
    markout5sMicros: spread(({ markout5sMicros }) => markout5sMicros),
    markout60sMicros: spread(({ markout60sMicros }) => markout60sMicros),
    runs: runs.map(({ seed, resultMicros, fills, traceHash }) => ({ seed, resultMicros, fills, traceHash })),
  };
}

/** Computes the results of runs from their markets; the interval is null with fewer than `LEAST_EVENTS` events. */
function resultIn(runs: readonly RepeatedRun['markets'][], seed: number) {
  const byEvent = runs.map(resultsByEvent);
  const events = [...new Set(byEvent.flatMap((results) => [...results.keys()]))];
  // An event's mean over the repeats is one sample, because repeats are not independent evidence.
  const means = events.map((event) => computeMean(byEvent.map((results) => results.get(event) ?? 0)) ?? 0);
  return {
    events: events.length,
    resultMicros: spreadIn(runs.map((markets) => sum(markets.map(({ resultMicros }) => resultMicros)))),
    intervalMicros: events.length < LEAST_EVENTS ? null : drawInterval(means, seed),
  };
}

/** Spread of one figure over the runs: mean, sample deviation (null for a single run), lowest and highest value. */
export type RunSpread = ReturnType<typeof spreadIn>;

function spreadIn(values: readonly (number | null)[]) {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return { mean: null, deviation: null, lowest: null, highest: null };
  const { mean, standardDeviation } = computeMoments(known);
  return { mean, deviation: standardDeviation, lowest: Math.min(...known), highest: Math.max(...known) };
}

function computeEquity(record: SessionRecord, results: readonly MarketResult[]) {
  const value = (held: readonly MarketResult[]): number => sum(held.map(({ endValueMicros }) => endValueMicros));
  const endHoldingsMicros = value(results);
  const endEquityMicros = sum([record.endCashMicros, endHoldingsMicros]);
  const resultMicros = endEquityMicros - record.capitalMicros;
  return {
    capitalMicros: record.capitalMicros,
    endCashMicros: record.endCashMicros,
    // Value of the final shares: at the known outcome; otherwise at the last mid; without a mid at cost.
    endHoldingsMicros,
    // Value, at cost, of those holdings that have no known price.
    atCostMicros: value(results.filter(({ valuedAt }) => valuedAt === 'cost')),
    endEquityMicros,
    resultMicros,
    returnShare: share(resultMicros, record.capitalMicros),
  };
}

/** Returns the longest time of the equity below its maximum, ms; null without samples or with an unknown equity. */
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

function computeRequestUse(record: SessionRecord, fills: number, resultMicros: number) {
  const { requests, account } = record;
  if (requests === null) return null;
  const sampledMs = account.timeMs.length * account.stepMs;
  const { overMs, ...counted } = requests;
  const minutes = (overMs ?? (sampledMs > 0 ? sampledMs : record.toMs - record.fromMs)) / 60_000;
  const sent = requests.public.count + requests.signed.count;
  const useOf = ({ count, limitPerMinute }: typeof requests.public) => share(share(count, minutes), limitPerMinute);
  return {
    ...counted,
    minutes,
    publicShare: useOf(requests.public),
    signedShare: useOf(requests.signed),
    // Number of sent requests per fill; null without a fill.
    perFill: share(sent, fills),
    // Result per sent request, in millionths of currency, with fractions; null without a request.
    valueMicros: share(resultMicros, sent),
  };
}

type Figures = ReturnType<typeof computeFigures>;

export function computeFigures(record: SessionRecord) {
  const { kind, title, fromMs, toMs, markets: sessions, halts, refusals, assumptions } = record;
  const pairs = sessions.map((session) => ({ session, result: splitMarket(session) }));
  const results = pairs.map(({ result }) => result);
  const markets = pairs.map(({ session, result }) => marketAnalysis(session, result));
  const result = sumSplits(results.map(({ split }) => split));
  const trading = computeTrading(sessions);
  const { lockedMicros } = record.account;
  const meanLockedMicros = computeMean(lockedMicros);
  const carriedMicros = sum(pairs.map((pair) => carriedIntoSettlement(pair.session, pair.result)));
  return {
    /** Version of the figures' format, incremented when the meaning of a key changes. */
    format: 1 as const,
    kind,
    title,
    fromMs,
    toMs,
    equity: computeEquity(record, results),
    result,
    trading,
    quoting: computeQuotingShare(sessions),
    markouts: computeMarkouts(sessions),
    inventory: computeInventory(markets, carriedMicros, trading.boughtMicros + trading.soldMicros),
    capital: {
      meanLockedMicros,
      peakLockedMicros: lockedMicros.reduce<number | null>((peak, now) => Math.max(peak ?? now, now), null),
      // Result / mean locked capital, not annualised.
      returnOnLockedShare: share(result.resultMicros, meanLockedMicros),
    },
    drawdown: {
      maxMicros: record.maxDrawdownMicros,
      maxShare: share(record.maxDrawdownMicros, record.capitalMicros),
      longestMs: longestUnderWater(record.account),
    },
    byEvent: computeEventFigures(markets, assumptions.seed ?? 0),
    requests: computeRequestUse(record, trading.fills, result.resultMicros),
    halts,
    refusals,
    coverage: sumCoverage(sessions),
    markets,
    assumptions,
  };
}

/** Returns the shares (|YES - NO|) held at a market's settlement, whether redeemed or not. */
function carriedIntoSettlement(market: MarketSession, { yesMicros, noMicros }: MarketResult): number {
  let carried = market.outcome === null ? 0 : Math.abs(yesMicros - noMicros);
  for (const { kind, yesMicros: yes, noMicros: no } of market.conversions)
    if (kind === 'redeem') carried += Math.abs(yes - no);
  return carried;
}

/** Returns the fractions of time with quotes, while a market is open and the trader runs; null if unknown. */
function computeQuotingShare(markets: readonly MarketSession[]) {
  const openForMs = sumIfAll(markets.map(({ quoting }) => quoting.openForMs));
  const twoSidedMs = sumIfAll(markets.map(({ quoting }) => quoting.twoSidedMs));
  const oneSidedMs = sumIfAll(markets.map(({ quoting }) => quoting.oneSidedMs));
  const shares = { twoSidedShare: share(twoSidedMs, openForMs), oneSidedShare: share(oneSidedMs, openForMs) };
  return { openForMs, twoSidedMs, oneSidedMs, ...shares };
}

export const nameModel = ({ assumptions, kind }: Pick<Figures, 'assumptions' | 'kind'>): string =>
  assumptions.fillModel ?? (kind === 'live' ? 'live' : 'no model');

/** Returns the largest |YES - NO| in one market, its condition id, and the shares held when markets settled. */
function computeInventory(markets: readonly MarketAnalysis[], carriedMicros: number, tradedMicros: number) {
  const peak = markets.reduce<MarketAnalysis | null>(
    (most, market) => (market.peakInventoryMicros > (most?.peakInventoryMicros ?? 0) ? market : most),
    null,
  );
  return {
    peakMicros: peak?.peakInventoryMicros ?? 0,
    peakMarket: peak?.conditionId ?? null,
    carriedMicros,
    carriedShare: share(carriedMicros, tradedMicros),
  };
}
