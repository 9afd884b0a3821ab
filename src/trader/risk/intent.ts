/** Defines the engine's intents, and the refusals by risk controls. */

import { formatDecimal, type Micros } from '../../shared/base/micros.js';

type OrderSide = 'buy' | 'sell';

interface OfKind<K extends string> {
  readonly kind: K;
  readonly intentId: string;
  readonly marketConditionId: string;
}

/** Intent to place a limit order for one outcome. */
export interface PlaceIntent extends OfKind<'place'> {
  /** Condition id of the market's event; null if none. A market without an event counts as its own event. */
  readonly eventConditionId: string | null;
  readonly isYes: boolean;
  readonly side: OrderSide;
  /** Price of the outcome that the order trades. */
  readonly priceMicros: Micros;
  /** Amount of the order, in shares. */
  readonly amountMicros: Micros;
  /** The strategy's fair YES price; null only for orders that flatten positions without a strategy. */
  readonly fairYesMicros: Micros | null;
  readonly strategy: string;
  /** True for an order that is sent to gain information; absent: false. */
  readonly isProbe?: boolean;
}

interface CancelIntent extends OfKind<'cancel'> {
  readonly orderPubkey: string;
}

/** Intent to merge complete sets into currency. */
export interface MergeIntent extends OfKind<'merge'> {
  /** Number of complete sets (one YES and one NO share each). */
  readonly amountMicros: Micros;
}

/** Intent to split currency into complete sets. */
export interface SplitIntent extends OfKind<'split'> {
  /** Condition id of the market's event; null without an event. */
  readonly eventConditionId: string | null;
  /** Number of complete sets, equal to their cost in currency. */
  readonly amountMicros: Micros;
  /** YES price that divides the cost of a set between its YES and NO share. The YES price is only for bookkeeping. */
  readonly yesPriceMicros: Micros;
}

/** Intent to redeem all shares of a settled market. The amounts are the shares that the trader expects to hold. */
export interface RedeemIntent extends OfKind<'redeem'> {
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
}

export type Intent = PlaceIntent | CancelIntent | MergeIntent | SplitIntent | RedeemIntent;

/** Unit of `limit` and `found`. Shares, currency and prices are in Micros; the other units are plain numbers. */
type BreachUnit = 'shares' | 'currency' | 'price' | 'orders' | 'actions' | 'fills' | 'requests' | 'ms' | 's' | 'flag';

/** Breach of a limit: the two numbers that a control compared, and their meaning. */
export interface Breach {
  readonly limit: number;
  /** Figure that the control found; null if missing or not finite, which is always a breach. */
  readonly found: number | null;
  readonly unit: BreachUnit;
  /** Sentence with the breach's two numbers, for the command `explain` and the log. */
  readonly text: string;
}

export interface Refused extends Breach {
  readonly verdict: 'refused';
  readonly intent: Intent;
  /** Number of the risk control, as in docs/reference.md and `controls.ts`. */
  readonly control: number;
  /** Name of the risk control, such as `max_position_shares`: the name of its limit, if the control has a limit. */
  readonly name: string;
}

/** Formats Micros as a decimal. A number that cannot be Micros is returned as plain text. */
export function showFigure(value: Micros | number): string {
  return Number.isSafeInteger(value) ? formatDecimal(value as Micros) : String(value);
}
