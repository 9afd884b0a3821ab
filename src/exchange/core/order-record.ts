/** An order of an API user and its fills, as the core keeps them. */

import type { Micros } from '../../base/micros.js';
import type { OrderStatus, OrderType } from '../../protocol/states.js';
import type { Leg } from './pool.js';

export interface CancelDraft {
  readonly message: string;
  readonly expiresMs: number;
  submitted: boolean;
}

export interface OrderRecord {
  /** From 1, ascending with time over all accounts. */
  readonly id: number;
  readonly pubkey: string;
  readonly account: number;
  readonly market: number;
  readonly leg: Leg;
  readonly type: OrderType;
  /** In the space of its own outcome; null on a market order. */
  readonly price: Micros | null;
  /** Null on a market buy. */
  readonly amount: Micros | null;
  /** On a market buy alone: what it may spend, fees included. */
  readonly funds: Micros | null;
  /** Kept until the order is submitted or dead. */
  message: string;
  status: OrderStatus;
  filledAmount: number;
  /** Currency paid with fees, or received after fees. */
  filledFunds: number;
  /** What the draft holds locked: currency of a buy, shares of a sell. */
  draftLock: number;
  /** Handle in the pool while it rests, else 0. */
  handle: number;
  cancel: CancelDraft | null;
}

export interface OwnTrade {
  readonly id: number;
  readonly order: number;
  readonly amount: number;
  readonly price: number;
  readonly fee: number;
  readonly isMaker: boolean;
  readonly timeMs: number;
}
