/** Events that a quoter receives between its views. */

import type { Micros } from '../../shared/base/micros.js';
import type { OwnFill } from '../market/own-fills.js';
import type { BookSide } from '../market/view.js';

/** Kinds that a module can subscribe to in `observes`; every quoter receives fills. */
export const ASKED_EVENTS = ['rested', 'canceled', 'refused', 'merged', 'split', 'resolved', 'jump', 'feed'] as const;
/** A kind of event that only subscribed modules receive. */
export type AskedEvent = (typeof ASKED_EVENTS)[number];
/** Every kind of event. */
export type EventKind = 'fill' | AskedEvent;

/** An order of this strategy. */
interface OfOrder {
  /** Id of the order's intent, as in `MarketView.orders`. */
  readonly intentId: string;
  /** Side and price in YES space: `bid` buys YES or sells NO. */
  readonly side: BookSide;
  readonly priceMicros: Micros;
}

interface Sets {
  /** Complete sets. */
  readonly amountMicros: Micros;
}

/** Fields of each kind of event, besides `kind` and `nowMs`. */
interface Said {
  /** Shares of an order of this strategy were traded. */
  readonly fill: Omit<OwnFill, 'nowMs'> & { readonly isMaker: boolean };
  /** The exchange has reported that an order rests, or rested before its fill. */
  readonly rested: OfOrder & { readonly amountMicros: Micros };
  /** A resting order ended before it was filled completely: canceled by the trader or the exchange, or expired. */
  readonly canceled: OfOrder & {
    /** Unfilled shares by the exchange's record. */
    readonly leftMicros: Micros;
  };
  /** The exchange rejected a request; unsent, throttled and withdrawn requests are not reported. */
  readonly refused: {
    readonly what: 'place' | 'cancel' | 'merge' | 'split' | 'redeem';
    /** Slug of the service, `failed` or `expired` for a draft, or `post_only`. */
    readonly slug: string;
  };
  /** Complete sets of this market were merged into currency, by any strategy. */
  readonly merged: Sets;
  /** Currency was split into complete sets of this market. */
  readonly split: Sets;
  /** The market is settled. */
  readonly resolved: {
    /** `resolved`: one outcome has won. `canceled`: the exchange canceled the market. */
    readonly phase: 'resolved' | 'canceled';
  };
  /** The mid of others' book jumped between the last two reads (`Health.sinceJumpMs` is 0). */
  readonly jump: {
    /** Signed change of the log-odds. */
    readonly changeLogOdds: number;
  };
  /** A feed named in the strategy's parameters has a new value for this market, shown in `MarketView.feeds`. */
  readonly feed: { readonly feed: string };
}

/** An event of one kind, or of any of the named kinds. */
export type StrategyEvent<K extends EventKind = 'fill'> = {
  readonly [Each in K]: {
    readonly kind: Each;
    /** Our clock, ms, when the event became known. */
    readonly nowMs: number;
  } & Said[Each];
}[K];

/** An event of any kind. */
export type AnyEvent = StrategyEvent<EventKind>;
