/** Price bars of a market, read once: what they say of its volatility is kept in the ledger, so that no restart asks again. */

import type { Candle } from '../../shared/protocol/records.js';
import type { RequestResult } from '../../shared/protocol/seam.js';
import type { Ledger } from '../ledger/contract.js';
import { type LearnedFromBars, readCandles } from '../market/candle-prior.js';
import type { MarketTracker } from '../market/market-tracker.js';
import type { SlowAverages } from '../risk/slow-average.js';
import type { TraderSettings } from './settings.js';

/** The price bars of a market: whether this run has asked for them, and until when what any run learned holds, our clock, ms. */
export interface CandlesAsked {
  isAsked: boolean;
  /** For as long as the bars reached back. */
  goodUntilMs: number;
}

/** Of a market, what the reading of its bars depends on. */
interface Entry {
  readonly conditionId: string;
  readonly feed: MarketTracker;
  readonly excludedBecause: string | null;
  readonly slots: readonly unknown[];
  readonly candles: CandlesAsked;
}

/** Of the trader, where it is kept and said. */
interface Around {
  readonly ledger: Pick<Ledger, 'setNote'>;
  readonly valuation: { readonly averages: Pick<SlowAverages, 'seed'> };
  notify(timeMs: number, kind: string, text: string): void;
}

/** As it stands in the ledger. */
interface Kept {
  readonly sigmaPerSqrtS: number;
  /** Our clock, ms. */
  readonly goodUntilMs: number;
}

const noteOf = (conditionId: string): string => `candles.${conditionId}`;

function readKept(conditionId: string, ledger: Pick<Ledger, 'note'>): Kept | null {
  const text = ledger.note(noteOf(conditionId)) ?? '';
  // Written below, and by nobody else.
  return text === '' ? null : (JSON.parse(text) as Kept);
}

/** Takes up what an earlier run learned. */
export function restorePrior(feed: MarketTracker, ledger: Pick<Ledger, 'note'>): void {
  const kept = readKept(feed.conditionId, ledger);
  if (kept !== null) feed.setVolatilityPrior(kept.sigmaPerSqrtS);
}

/** Until when what any run learned of this market holds, our clock, ms; minus infinity if none did. */
export const findGoodUntilMs = (conditionId: string, ledger: Pick<Ledger, 'note'>): number =>
  readKept(conditionId, ledger)?.goodUntilMs ?? Number.NEGATIVE_INFINITY;

/** Of a market that is over. Within a transaction of the ledger. */
export function forgetPrior(conditionId: string, ledger: Pick<Ledger, 'note' | 'setNote'>): void {
  if ((ledger.note(noteOf(conditionId)) ?? '') !== '') ledger.setNote(noteOf(conditionId), '');
}

/**
 * Whether the market's bars are to be read: it is quoted, its book and its trades have been seen and go further back than there
 * are bars without them, and what was learned of it, if anything was, holds no longer.
 */
export function wantsCandles(entry: Entry, { polling }: Pick<TraderSettings, 'polling'>, nowMs: number): boolean {
  if (polling.candlesPrior !== true || entry.candles.isAsked || entry.slots.length === 0) return false;
  const { feed, excludedBecause, candles } = entry;
  if (feed.hasHistory !== true || feed.bookSeenMs === null || excludedBecause !== null) return false;
  return feed.facts?.phase === 'open' && nowMs > candles.goodUntilMs;
}

/** Once it has left it is not asked again in this run, whatever became of it. */
export function takeCandles(around: Around, entry: Entry, report: RequestResult, title: string): void {
  const { outcome, request, nowMs } = report;
  if (outcome.kind === 'unknown' && !outcome.sent) return;
  entry.candles.isAsked = true;
  const { call } = request;
  if (outcome.kind !== 'answered' || call.endpoint !== 'markets.candles' || entry.excludedBecause !== null) return;
  const span = { fromS: call.query.start_time, toS: call.query.end_time };
  // The client has read it by the endpoint's own schema.
  const read = readCandles(outcome.data as readonly Candle[], span, entry.feed.closeGridStep);
  if (read.ok) return learn(around, entry, read.learned, nowMs);
  around.notify(nowMs, 'candles', `price bars of "${title}" make no sense and change nothing: ${read.because}`);
}

function learn({ ledger, valuation }: Around, entry: Entry, learned: LearnedFromBars | null, nowMs: number): void {
  if (learned === null) return;
  const { sigmaPerSqrtS, spanS, meanPrice } = learned;
  const { conditionId, feed, candles } = entry;
  feed.setVolatilityPrior(sigmaPerSqrtS);
  valuation.averages.seed(conditionId, meanPrice, spanS * 1000);
  candles.goodUntilMs = nowMs + spanS * 1000;
  const kept: Kept = { sigmaPerSqrtS, goodUntilMs: candles.goodUntilMs };
  ledger.setNote(noteOf(conditionId), JSON.stringify(kept));
}
