/** Price bars of a market, read once: what they say of its volatility is kept in the ledger, so that no restart asks again. */

import type { Candle } from '../../shared/protocol/records.js';
import type { RequestResult } from '../../shared/protocol/seam.js';
import type { Ledger } from '../ledger/contract.js';
import { CANDLES_S, readCandles } from '../market/candle-prior.js';
import type { MarketTracker } from '../market/market-tracker.js';
import type { TraderSettings } from './settings.js';

/** The price bars of a market: whether this run has asked for them, and when any run learned from them, our clock, ms. */
export interface CandlesAsked {
  isAsked: boolean;
  learnedMs: number | null;
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
  notify(timeMs: number, kind: string, text: string): void;
}

/** As it stands in the ledger. */
interface Kept {
  readonly sigmaPerSqrtS: number;
  /** Our clock, ms: when it was learned. */
  readonly atMs: number;
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

/** When any run learned something of this market, our clock, ms; null if never. */
export const findLearnedMs = (conditionId: string, ledger: Pick<Ledger, 'note'>): number | null =>
  readKept(conditionId, ledger)?.atMs ?? null;

/** Of a market that is over. Within a transaction of the ledger. */
export function forgetPrior(conditionId: string, ledger: Pick<Ledger, 'note' | 'setNote'>): void {
  if ((ledger.note(noteOf(conditionId)) ?? '') !== '') ledger.setNote(noteOf(conditionId), '');
}

/**
 * Whether the market's bars are to be read: it is quoted, its book and its trades have been seen and go further back than there
 * are bars without them, and what was learned of it, if anything was, is of days that are all over.
 */
export function wantsCandles(entry: Entry, { polling }: Pick<TraderSettings, 'polling'>, nowMs: number): boolean {
  if (polling.candlesPrior !== true || entry.candles.isAsked || entry.slots.length === 0) return false;
  const { feed, excludedBecause, candles } = entry;
  if (feed.hasHistory !== true || feed.bookSeenMs === null || excludedBecause !== null) return false;
  return feed.facts?.phase === 'open' && (candles.learnedMs === null || nowMs - candles.learnedMs > CANDLES_S * 1000);
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
  if (read.ok) return learn(around, entry, read.sigmaPerSqrtS, nowMs);
  around.notify(nowMs, 'candles', `price bars of "${title}" make no sense and change nothing: ${read.because}`);
}

function learn({ ledger }: Around, entry: Entry, sigmaPerSqrtS: number | null, atMs: number): void {
  if (sigmaPerSqrtS === null) return;
  const { conditionId, feed, candles } = entry;
  feed.setVolatilityPrior(sigmaPerSqrtS);
  candles.learnedMs = atMs;
  const kept: Kept = { sigmaPerSqrtS, atMs };
  ledger.setNote(noteOf(conditionId), JSON.stringify(kept));
}
