/** An order of an API user and its fills, for the core and its archive. */

import type { Micros } from '../../../shared/base/micros.js';
import type { OrderStatus, OrderType } from '../../../shared/protocol/states.js';
import type { Leg } from '../matching/order-pool.js';

/** The draft of a cancel, until it is submitted or expires. */
export interface CancelDraft {
  readonly message: string;
  readonly expiresMs: number;
  submitted: boolean;
}

/** An order from its draft on; amounts, prices and funds in micros. */
export interface OrderRecord {
  /** From 1, ascending with time over all accounts. */
  readonly id: number;
  readonly pubkey: string;
  readonly account: number;
  readonly market: number;
  readonly leg: Leg;
  readonly type: OrderType;
  /** In its own outcome's space; null for a market order. */
  readonly price: Micros | null;
  /** Null for a market buy. */
  readonly amount: Micros | null;
  /** Only for a market buy: its maximum spending, fees included. */
  readonly funds: Micros | null;
  /** Kept until the order is submitted or dead. */
  message: string;
  status: OrderStatus;
  filledAmount: number;
  /** Currency paid with fees, or received after fees. */
  filledFunds: number;
  /** Handle in the pool while it rests, else 0. */
  handle: number;
  cancel: CancelDraft | null;
}

/** A fill of an order; the price is in the order's outcome space, all figures in micros. */
export interface OwnTrade {
  /** Id of its order. */
  readonly order: number;
  readonly amount: number;
  readonly price: number;
  readonly fee: number;
  readonly isMaker: boolean;
  readonly timeMs: number;
}
