/** Events that reach a quoter between its views. */

import type { Micros } from '../../shared/base/micros.js';
import type { BookSide } from '../market/view.js';

/** Kinds that a module asks for by name in `observes`; of fills every quoter is told. */
export const ASKED_EVENTS = ['rested', 'canceled', 'refused', 'merged', 'split', 'resolved', 'jump', 'feed'] as const;
/** Told only to modules that ask for it. */
export type AskedEvent = (typeof ASKED_EVENTS)[number];
/** Every kind of event. */
export type EventKind = 'fill' | AskedEvent;

/** An order of this strategy; price in YES space, whatever the leg. */
interface OfOrder {
  /** As in `MarketView.orders`. */
  readonly intentId: string;
  /** In YES space: `bid` when it buys YES or sells NO. */
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
  readonly fill: Pick<OfOrder, 'side' | 'priceMicros'> & {
    readonly amountMicros: Micros;
    readonly isMaker: boolean;
  };
  /** The exchange has shown that an order rests, or rested before it was filled. */
  readonly rested: OfOrder & { readonly amountMicros: Micros };
  /** An order that rested is gone without having been filled whole: canceled by us or by the exchange, or expired. */
  readonly canceled: OfOrder & {
    /** Shares that were not filled, as far as the exchange's record says. */
    readonly leftMicros: Micros;
  };
  /** The exchange did not do what was asked; what never left us, was throttled or taken back in time is not told. */
  readonly refused: {
    readonly what: 'place' | 'cancel' | 'merge' | 'split' | 'redeem';
    /** The service's word for it, or `failed` and `expired` of a draft, or `post_only`. */
    readonly slug: string;
  };
  /** Complete sets of this market became currency, whichever strategy they were of. */
  readonly merged: Sets;
  /** Currency became complete sets of this market. */
  readonly split: Sets;
  /** The market is settled. */
  readonly resolved: {
    /** `resolved`: one outcome has won; `canceled`: the exchange called it off. */
    readonly phase: 'resolved' | 'canceled';
  };
  /** The middle of others' book has jumped between the last two looks (`Health.sinceJumpMs` is 0). */
  readonly jump: {
    /** Change of the log-odds, with its sign. */
    readonly changeLogOdds: number;
  };
  /** A feed that its parameters name has said something of this market: `MarketView.feeds` holds it while it is current. */
  readonly feed: { readonly feed: string };
}

/** An event of one kind, or of any of the named kinds. */
export type StrategyEvent<K extends EventKind = 'fill'> = {
  readonly [Each in K]: {
    readonly kind: Each;
    /** Our clock, ms: when we learned of it. */
    readonly nowMs: number;
  } & Said[Each];
}[K];

/** An event of any kind. */
export type AnyEvent = StrategyEvent<EventKind>;
