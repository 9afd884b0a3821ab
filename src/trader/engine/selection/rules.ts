/** What a strategy wants of a market beside what the venue's list says of it, as its looks have shown. */

import { type Micros, ONE } from '../../../shared/base/micros.js';
import type { MarketView, TapeTrade } from '../../market/view.js';

/** Each is null where anything will do. Prices and currency as plain numbers. */
export interface MarketRules {
  /** Others' best ask less their best bid. */
  readonly minSpread: number | null;
  readonly maxSpread: number | null;
  /** Currency that changed hands in a day. */
  readonly minVolumeDay: number | null;
  /** Days until it resolves. */
  readonly minDaysLeft: number | null;
  readonly maxDaysLeft: number | null;
}

export const hasRules = (rules: MarketRules | undefined): rules is MarketRules =>
  rules !== undefined && Object.values(rules).some((rule) => rule !== null);

const DAY_MS = 86_400_000;
/** As many as a list of trades shows: where all of them are younger than a day there were more. */
const TRADES_SHOWN = 100;
/** One that is quoted is let go only where it misses a rule by more than this part. */
const SLACK = 0.25;

/**
 * Currency that public trades of the newest day have moved. Where the newest hundred are younger, as much in a day as they
 * moved in their time.
 *
 * @param nowMs of the exchange's clock
 */
export function volumeOfDay(trades: readonly TapeTrade[], nowMs: number): number {
  const ofDay = trades.filter(({ venueTimeMs }) => nowMs - venueTimeMs <= DAY_MS);
  const sum = ofDay.reduce((all, { priceMicros, amountMicros }) => all + computeNotional(priceMicros, amountMicros), 0);
  const oldest = ofDay.at(-1);
  if (oldest === undefined || ofDay.length < TRADES_SHOWN) return sum;
  return sum * (DAY_MS / Math.max(1000, nowMs - oldest.venueTimeMs));
}

const computeNotional = (price: Micros, amount: Micros): number => (price / ONE) * (amount / ONE);

/**
 * Why a market is not wanted; null when it is.
 *
 * @param isQuoted whether it is quoted now
 * @param venueNowMs the exchange's clock
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
    return `its spread is ${formatShort(spread)}, min_spread is ${minSpread}`;
  if (maxSpread !== null && spread === null) return `a side of its book is empty, max_spread is ${maxSpread}`;
  if (maxSpread !== null && spread !== null && spread > maxSpread * upper + ROUNDING)
    return `its spread is ${formatShort(spread)}, max_spread is ${maxSpread}`;
  if (minDaysLeft !== null && days !== null && days < minDaysLeft)
    return `it resolves in ${formatShort(days)} days, min_days_left is ${minDaysLeft}`;
  if (maxDaysLeft !== null && days === null) return `it does not say when it resolves, max_days_left is ${maxDaysLeft}`;
  if (maxDaysLeft !== null && days !== null && days > maxDaysLeft)
    return `it resolves in ${formatShort(days)} days, max_days_left is ${maxDaysLeft}`;
  if (minVolumeDay === null) return null;
  if (view.health.tradesAgeMs === null) return 'its trades have not been seen yet';
  const volume = volumeOfDay(view.trades, venueNowMs);
  return volume < minVolumeDay * lower
    ? `${formatShort(volume)} of currency changed hands in a day, min_volume_day is ${minVolumeDay}`
    : null;
}

/** Of prices that are differences of floats. */
const ROUNDING = 1e-9;

const formatShort = (value: number): string => String(Number(value.toPrecision(3)));

export interface MarketFilter {
  /** Empty for every category. */
  readonly categories: readonly string[];
  /** In any case; a title that contains one of them is wanted. Absent or empty: every title. */
  readonly words?: readonly string[];
  /** In any case; a title that contains one of them is not wanted. */
  readonly withoutWords?: readonly string[];
  /** Condition ids that are not wanted. */
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
