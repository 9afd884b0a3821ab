/**
 * Volatility prior from a market's price bars. Bars are read once, and the result is stored in the ledger for later
 * runs.
 */

import type { Candle } from '../../shared/protocol/records.js';
import type { RequestResult } from '../../shared/protocol/seam.js';
import type { Ledger } from '../ledger/contract.js';
import { type LearnedFromBars, readCandles } from '../market/candle-prior.js';
import type { MarketTracker } from '../market/market-tracker.js';
import type { SlowAverages } from '../risk/slow-average.js';
import type { TraderSettings } from './settings.js';

/** State of a market's price bars. */
export interface CandlesAsked {
  isAsked: boolean;
  /** Until when the stored result is valid, our clock, ms: as long as the span of the bars. */
  goodUntilMs: number;
}

/** Parts of a market entry that this file uses. */
interface Entry {
  readonly conditionId: string;
  readonly feed: MarketTracker;
  readonly excludedBecause: string | null;
  readonly slots: readonly unknown[];
  readonly candles: CandlesAsked;
}

/** Parts of the trader that this file uses. */
interface Around {
  readonly ledger: Pick<Ledger, 'setNote'>;
  readonly account: { readonly valuation: { readonly averages: Pick<SlowAverages, 'seed'> } };
  readonly notices: { notify(timeMs: number, kind: string, text: string): void };
}

/** Stored result of the bars. */
interface Kept {
  readonly sigmaPerSqrtS: number;
  /** Until when the result is valid, our clock, ms. */
  readonly goodUntilMs: number;
}

const noteOf = (conditionId: string): string => `candles.${conditionId}`;

function readKept(conditionId: string, ledger: Pick<Ledger, 'note'>): Kept | null {
  const text = ledger.note(noteOf(conditionId)) ?? '';
  // Only this file writes the note, so it is valid JSON.
  return text === '' ? null : (JSON.parse(text) as Kept);
}

/** Restores the stored result of an earlier run. */
export function restorePrior(feed: MarketTracker, ledger: Pick<Ledger, 'note'>): void {
  const kept = readKept(feed.conditionId, ledger);
  if (kept !== null) feed.setVolatilityPrior(kept.sigmaPerSqrtS);
}

/** Until when the market's stored result is valid, our clock, ms; -Infinity without one. */
export const findGoodUntilMs = (conditionId: string, ledger: Pick<Ledger, 'note'>): number =>
  readKept(conditionId, ledger)?.goodUntilMs ?? Number.NEGATIVE_INFINITY;

/** Drops the stored result of an ended market. Call it inside a ledger transaction. */
export function forgetPrior(conditionId: string, ledger: Pick<Ledger, 'note' | 'setNote'>): void {
  if ((ledger.note(noteOf(conditionId)) ?? '') !== '') ledger.setNote(noteOf(conditionId), '');
}

/**
 * True when the market's bars should be read: the market is quoted, its book and older trades were seen, and no stored
 * result is valid.
 */
export function wantsCandles(entry: Entry, { polling }: Pick<TraderSettings, 'polling'>, nowMs: number): boolean {
  if (polling.candlesPrior !== true || entry.candles.isAsked || entry.slots.length === 0) return false;
  const { feed, excludedBecause, candles } = entry;
  if (feed.hasHistory !== true || feed.bookSeenMs === null || excludedBecause !== null) return false;
  return feed.facts?.phase === 'open' && nowMs > candles.goodUntilMs;
}

/** Takes in the answer with price bars. A request that was sent is not repeated in this run. */
export function takeCandles(around: Around, entry: Entry, report: RequestResult, title: string): void {
  const { outcome, request, nowMs } = report;
  if (outcome.kind === 'unknown' && !outcome.sent) return;
  entry.candles.isAsked = true;
  const { call } = request;
  if (outcome.kind !== 'answered' || call.endpoint !== 'markets.candles' || entry.excludedBecause !== null) return;
  const span = { fromS: call.query.start_time, toS: call.query.end_time };
  // The client has checked the data against the endpoint's schema.
  const read = readCandles(outcome.data as readonly Candle[], span, entry.feed.closeGridStep);
  if (read.ok) return learn(around, entry, read.learned, nowMs);
  around.notices.notify(nowMs, 'candles', `price bars of "${title}" are invalid and are ignored: ${read.because}`);
}

function learn({ ledger, account }: Around, entry: Entry, learned: LearnedFromBars | null, nowMs: number): void {
  if (learned === null) return;
  const { sigmaPerSqrtS, spanS, meanPrice } = learned;
  const { conditionId, feed, candles } = entry;
  feed.setVolatilityPrior(sigmaPerSqrtS);
  account.valuation.averages.seed(conditionId, meanPrice, spanS * 1000);
  candles.goodUntilMs = nowMs + spanS * 1000;
  const kept: Kept = { sigmaPerSqrtS, goodUntilMs: candles.goodUntilMs };
  ledger.setNote(noteOf(conditionId), JSON.stringify(kept));
}
