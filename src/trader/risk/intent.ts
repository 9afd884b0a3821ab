/** Intents of the engine, and the answers of risk. */

import { formatDecimal } from '../../shared/base/decimal.js';
import type { Micros } from '../../shared/base/micros.js';

export type Side = 'buy' | 'sell';

interface OfKind<K extends string> {
  readonly kind: K;
  readonly intentId: string;
  readonly marketConditionId: string;
}

/** A limit order of one outcome. */
export interface PlaceIntent extends OfKind<'place'> {
  /** Null for a market without an event: it is then its own event. */
  readonly eventConditionId: string | null;
  readonly isYes: boolean;
  readonly side: Side;
  /** In the space of the order's own outcome. */
  readonly priceMicros: Micros;
  /** Shares. */
  readonly amountMicros: Micros;
  /** The strategy's fair YES price; null only for orders that reduce a position without a strategy (flattening). */
  readonly fairYesMicros: Micros | null;
  readonly strategy: string;
  /** Absent: false. */
  readonly isProbe?: boolean;
}

export interface CancelIntent extends OfKind<'cancel'> {
  readonly orderPubkey: string;
}

/** Turns complete sets into currency. */
export interface MergeIntent extends OfKind<'merge'> {
  /** Complete sets. */
  readonly amountMicros: Micros;
}

/** Currency into complete sets. */
export interface SplitIntent extends OfKind<'split'> {
  /** As for a place. */
  readonly eventConditionId: string | null;
  /** Complete sets, equal to the currency that they cost. */
  readonly amountMicros: Micros;
  /** Splits a set's cost between its YES and its NO share; moves no money. */
  readonly yesPriceMicros: Micros;
}

/** Turns all shares of a settled market into currency; the amounts are the expected ones. */
export interface RedeemIntent extends OfKind<'redeem'> {
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
}

export type Intent = PlaceIntent | CancelIntent | MergeIntent | SplitIntent | RedeemIntent;

/** Unit of `limit` and `found`. `shares`, `currency` and `price` are micros; the others are plain numbers. */
type Unit = 'shares' | 'currency' | 'price' | 'orders' | 'actions' | 'fills' | 'requests' | 'ms' | 's' | 'flag';

/** The two compared numbers and their meaning. */
export interface Breach {
  readonly limit: number;
  /** Null when the figure was missing or not finite, which is a breach. */
  readonly found: number | null;
  readonly unit: Unit;
  /** One sentence with both numbers, for `explain` and the log. */
  readonly text: string;
}

export interface Refused extends Breach {
  readonly verdict: 'refused';
  readonly intent: Intent;
  /** Number of the control, as in the docs and in `controls.ts`. */
  readonly control: number;
  /** Its name, for example `max_position_shares`: the limit's name if a limit decides. */
  readonly name: string;
}

/** Micros as a plain decimal; any other number unchanged. */
export function showFigure(value: Micros | number): string {
  // Checked: `formatDecimal` needs a safe integer of millionths.
  return Number.isSafeInteger(value) ? formatDecimal(value as Micros) : String(value);
}

/** `12 shares`, `0.42`, `3 orders`: a figure with its unit. */
function withUnit(value: number | null, unit: Unit): string {
  if (value === null) return 'missing';
  if (unit === 'price') return showFigure(value);
  if (unit === 'flag') return String(value);
  return unit === 'shares' || unit === 'currency' ? `${showFigure(value)} ${unit}` : `${value} ${unit}`;
}

/** Null when `found` is finite and at most `limit`, else the breach; a limit that is not finite is a breach too. */
export function atMost(what: string, found: number | null | undefined, limit: number, unit: Unit): Breach | null {
  const figure = finite(found);
  if (figure !== null && figure <= limit) return null;
  return breach(what, figure, limit, unit, 'allowed is at most');
}

/** Null when `found` is finite and at least `limit`, else the breach. */
export function atLeast(what: string, found: number | null | undefined, limit: number, unit: Unit): Breach | null {
  const figure = finite(found);
  if (figure !== null && figure >= limit) return null;
  return breach(what, figure, limit, unit, 'needed is at least');
}

const finite = (value: number | null | undefined): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

const breach = (what: string, found: number | null, limit: number, unit: Unit, word: string): Breach => ({
  limit,
  found,
  unit,
  text: `${what} is ${withUnit(found, unit)}, ${word} ${withUnit(limit, unit)}`,
});
