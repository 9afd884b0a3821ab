/** Intents of the engine and refusals of risk. */

import { formatDecimal, type Micros } from '../../shared/base/micros.js';

export type Side = 'buy' | 'sell';

interface OfKind<K extends string> {
  readonly kind: K;
  readonly intentId: string;
  readonly marketConditionId: string;
}

/** A limit order of one outcome. */
export interface PlaceIntent extends OfKind<'place'> {
  /** Event of the market; null for a market without an event: the market is then its own event. */
  readonly eventConditionId: string | null;
  readonly isYes: boolean;
  readonly side: Side;
  /** Price of the order's own outcome. */
  readonly priceMicros: Micros;
  /** Amount of the order, in shares. */
  readonly amountMicros: Micros;
  /** The strategy's fair YES price. Null only for orders without a strategy that reduce a position (flattening). */
  readonly fairYesMicros: Micros | null;
  readonly strategy: string;
  /** True for an order sent to gain information. Absent: false. */
  readonly isProbe?: boolean;
}

export interface CancelIntent extends OfKind<'cancel'> {
  readonly orderPubkey: string;
}

/** Merge of complete sets into currency. */
export interface MergeIntent extends OfKind<'merge'> {
  /** Number of complete sets. */
  readonly amountMicros: Micros;
}

/** Split of currency into complete sets. */
export interface SplitIntent extends OfKind<'split'> {
  /** Condition id of the market's event; null without one. */
  readonly eventConditionId: string | null;
  /** Number of complete sets, equal to their cost in currency. */
  readonly amountMicros: Micros;
  /** YES price that divides a set's cost between its YES and NO share; it moves no money. */
  readonly yesPriceMicros: Micros;
}

/** Redeem of all shares of a settled market; the amounts are the expected ones. */
export interface RedeemIntent extends OfKind<'redeem'> {
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
}

export type Intent = PlaceIntent | CancelIntent | MergeIntent | SplitIntent | RedeemIntent;

/** Unit of `limit` and `found`. `shares`, `currency` and `price` are micros; the others are plain numbers. */
type Unit = 'shares' | 'currency' | 'price' | 'orders' | 'actions' | 'fills' | 'requests' | 'ms' | 's' | 'flag';

/** The two numbers that a control compared, and their meaning. */
export interface Breach {
  readonly limit: number;
  /** Found figure; null for a figure that is missing or not finite, which always breaches. */
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
  /** Name of the control, for example `max_position_shares`: the limit's name if a limit decides. */
  readonly name: string;
}

/** Micros as a decimal text; any other number unchanged. */
export function showFigure(value: Micros | number): string {
  // `formatDecimal` needs a safe integer of millionths.
  return Number.isSafeInteger(value) ? formatDecimal(value as Micros) : String(value);
}

const COUNTED: readonly Unit[] = ['orders', 'actions', 'fills', 'requests', 'flag'];

/** `12 shares`, `0.42`, `300 ms`: a figure with its unit. A count has no unit: the preceding text names the things. */
function withUnit(value: number | null, unit: Unit): string {
  if (value === null) return 'missing';
  if (unit === 'price') return showFigure(value);
  if (COUNTED.includes(unit)) return String(value);
  return unit === 'shares' || unit === 'currency' ? `${showFigure(value)} ${unit}` : `${value} ${unit}`;
}

/** Null when `found` is finite and at most `limit`, else the breach. NaN as limit is always a breach. */
export function atMost(what: string, found: number | null | undefined, limit: number, unit: Unit): Breach | null {
  if (Number.isFinite(found) && (found ?? Number.NaN) <= limit) return null;
  return breach(what, found, limit, unit, 'the maximum is');
}

/** Null when `found` is finite and at least `limit`, else the breach. */
export function atLeast(what: string, found: number | null | undefined, limit: number, unit: Unit): Breach | null {
  if (Number.isFinite(found) && (found ?? Number.NaN) >= limit) return null;
  return breach(what, found, limit, unit, 'the minimum is');
}

function breach(what: string, figure: number | null | undefined, limit: number, unit: Unit, word: string): Breach {
  const found = figure !== undefined && Number.isFinite(figure) ? figure : null;
  const verb = COUNTED.includes(unit) ? ':' : ' is';
  return { limit, found, unit, text: `${what}${verb} ${withUnit(found, unit)}, ${word} ${withUnit(limit, unit)}` };
}
