/** A strategy's rules for markets that need observations, and its filter of listed markets. */

import { ONE } from '../../../shared/base/micros.js';
import type { MarketView, TapeTrade } from '../../market/view.js';

/** Rules for observed markets; each is null when unlimited. Prices and currency as plain numbers. */
export interface MarketRules {
  /** Others' best ask minus their best bid. */
  readonly minSpread: number | null;
  readonly maxSpread: number | null;
  /** Minimum traded volume per day, currency. */
  readonly minVolumeDay: number | null;
  /** Days until the market resolves. */
  readonly minDaysLeft: number | null;
  readonly maxDaysLeft: number | null;
}

export const hasRules = (rules: MarketRules | undefined): rules is MarketRules =>
  rules !== undefined && Object.values(rules).some((rule) => rule !== null);

const DAY_MS = 86_400_000;
/** Maximum number of trades in a view; if all are younger than a day, there were more. */
const TRADES_SHOWN = 100;
/** A quoted market is dropped only when it misses a rule by more than this fraction. */
const SLACK = 0.25;

/**
 * Traded volume of the last day, currency. If all of the newest hundred trades are younger, their volume is scaled to a
 * day.
 *
 * @param nowMs exchange clock
 */
export function volumeOfDay(trades: readonly TapeTrade[], nowMs: number): number {
  const ofDay = trades.filter(({ venueTimeMs }) => nowMs - venueTimeMs <= DAY_MS);
  const sum = ofDay.reduce((all, { priceMicros, amountMicros }) => all + (priceMicros / ONE) * (amountMicros / ONE), 0);
  const oldest = ofDay.at(-1);
  if (oldest === undefined || ofDay.length < TRADES_SHOWN) return sum;
  return sum * (DAY_MS / Math.max(1000, nowMs - oldest.venueTimeMs));
}

/**
 * Why a market is not selected; null when it is.
 *
 * @param isQuoted true when it is quoted now
 * @param venueNowMs exchange clock
 */
export function unwantedBecause(
  rules: MarketRules,
  view: Pick<MarketView, 'estimates' | 'trades' | 'timeToResolutionMs' | 'health'>,
  isQuoted: boolean,
  venueNowMs: number,
): string | null {
  const { minSpread, maxSpread, minVolumeDay, minDaysLeft, maxDaysLeft } = rules;
  const lower = isQuoted ? 1 - SLACK : 1;
  const upper = isQuoted ? 1 + SLACK : 1;
  const { spread } = view.estimates;
  const days = view.timeToResolutionMs === null ? null : view.timeToResolutionMs / DAY_MS;
  if (minSpread !== null && spread !== null && spread < minSpread * lower - ROUNDING)
    return `the spread is ${formatShort(spread)}, min_spread is ${minSpread}`;
  if (maxSpread !== null && spread === null) return `a side of the book is empty, max_spread is ${maxSpread}`;
  if (maxSpread !== null && spread !== null && spread > maxSpread * upper + ROUNDING)
    return `the spread is ${formatShort(spread)}, max_spread is ${maxSpread}`;
  if (minDaysLeft !== null && days !== null && days < minDaysLeft)
    return `the market resolves in ${formatShort(days)} days, min_days_left is ${minDaysLeft}`;
  if (maxDaysLeft !== null && days === null)
    return `the market has no resolution date, max_days_left is ${maxDaysLeft}`;
  if (maxDaysLeft !== null && days !== null && days > maxDaysLeft)
    return `the market resolves in ${formatShort(days)} days, max_days_left is ${maxDaysLeft}`;
  if (minVolumeDay === null) return null;
  if (view.health.tradesAgeMs === null) return 'the trades have not been read yet';
  const volume = volumeOfDay(view.trades, venueNowMs);
  return volume < minVolumeDay * lower
    ? `${formatShort(volume)} of currency traded in a day, min_volume_day is ${minVolumeDay}`
    : null;
}

/** Tolerance for rounding errors of float prices. */
const ROUNDING = 1e-9;

const formatShort = (value: number): string => String(Number(value.toPrecision(3)));

export interface MarketFilter {
  /** Selected categories; empty selects every category. */
  readonly categories: readonly string[];
  /** Words of which a title must contain one, case-insensitive; absent or empty: every title is selected. */
  readonly words?: readonly string[];
  /** Words that exclude a title, case-insensitive. */
  readonly withoutWords?: readonly string[];
  /** Excluded condition ids. */
  readonly except?: readonly string[];
}

interface ListedMarket {
  readonly conditionId: string;
  readonly title: string;
  readonly category: string | null;
}

export function isWanted(filter: MarketFilter, { conditionId, title, category }: ListedMarket): boolean {
  const { categories, words = [], withoutWords = [], except = [] } = filter;
  if (categories.length > 0 && !categories.some((name) => name === category)) return false;
  if (except.includes(conditionId)) return false;
  const shown = title.toLowerCase();
  const says = (word: string) => shown.includes(word.toLowerCase());
  return (words.length === 0 || words.some(says)) && !withoutWords.some(says);
}
