/** Events that reach a quoter between its views. */

import type { Micros } from '../../shared/base/micros.js';
import type { OwnFill } from '../market/own-fills.js';
import type { BookSide } from '../market/view.js';

/** Kinds that a module subscribes to in `observes`; every quoter gets fills. */
export const ASKED_EVENTS = ['rested', 'canceled', 'refused', 'merged', 'split', 'resolved', 'jump', 'feed'] as const;
/** Only for modules that subscribe to it. */
export type AskedEvent = (typeof ASKED_EVENTS)[number];
/** Every kind of event. */
export type EventKind = 'fill' | AskedEvent;

/** An order of this strategy; price in YES space for either outcome. */
interface OfOrder {
  /** As in `MarketView.orders`. */
  readonly intentId: string;
  /** In YES space: `bid` buys YES or sells NO. */
  readonly side: BookSide;
  readonly priceMicros: Micros;
}

interface Sets {
  /** Complete sets. */
  readonly amountMicros: Micros;
}

/** Fields of each kind, beside `kind` and `nowMs`. */
interface Said {
  /** Shares of an order of this strategy were traded. */
  readonly fill: Omit<OwnFill, 'nowMs'> & { readonly isMaker: boolean };
  /** The exchange has shown that an order rests, or rested before its fill. */
  readonly rested: OfOrder & { readonly amountMicros: Micros };
  /** A resting order ended before it was filled whole: canceled by us or the exchange, or expired. */
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
  /** Complete sets of this market became currency, for any strategy. */
  readonly merged: Sets;
  /** Currency became complete sets of this market. */
  readonly split: Sets;
  /** The market is settled. */
  readonly resolved: {
    /** `resolved`: one outcome has won. `canceled`: the exchange canceled the market. */
    readonly phase: 'resolved' | 'canceled';
  };
  /** The mid of others' book jumped between the last two reads (`Health.sinceJumpMs` is 0). */
  readonly jump: {
    /** Change of the log-odds, with its sign. */
    readonly changeLogOdds: number;
  };
  /** A feed named in its parameters has a new value for this market; `MarketView.feeds` has it while current. */
  readonly feed: { readonly feed: string };
}

/** An event of one kind, or of any of the named kinds. */
export type StrategyEvent<K extends EventKind = 'fill'> = {
  readonly [Each in K]: {
    readonly kind: Each;
    /** Our clock, ms, when it was known. */
    readonly nowMs: number;
  } & Said[Each];
}[K];

/** An event of any kind. */
export type AnyEvent = StrategyEvent<EventKind>;
