/**
 * What each market's strategies were last shown and what they made of it, by reference: telemetry takes it after a step, and
 * nothing is computed for it that the step has not computed.
 */

import type { Micros } from '../../shared/base/micros.js';
import type { MarketView } from '../market/view.js';
import type { Quotes } from '../strategy/contract.js';
import { heldIn } from './own/own-state.js';
import type { QuotedOrder } from './quoting/changes.js';
import type { RefusalCount } from './quoting/quote-slot.js';
import { showTitle, type TraderState } from './state.js';

export interface MarketFace {
  readonly conditionId: string;
  readonly title: string;
  readonly strategies: readonly string[];
  /** What the first of its strategies was last shown; null before the first book, and where none quotes it. */
  readonly view: MarketView | null;
  /** What that strategy last wanted; null where none quotes it. */
  readonly quotes: Quotes | null;
  readonly note: string;
  readonly orders: readonly QuotedOrder[];
  readonly yesMicros: Micros;
  readonly noMicros: Micros;
  readonly markMicros: Micros | null;
  /** Our clock, ms; null before the first book. */
  readonly bookSeenMs: number | null;
  readonly refusals: readonly RefusalCount[];
}

const NO_ORDERS: readonly QuotedOrder[] = [];

export const listFaces = (state: TraderState): readonly MarketFace[] =>
  Array.from(state.markets.all, ({ conditionId, exchangeRefusals, feed, slots }) => {
    const slot = slots[0];
    const orders = state.own.orders.get(conditionId) ?? NO_ORDERS;
    return {
      conditionId,
      title: showTitle(state, conditionId),
      strategies: slots.map(({ strategy }) => strategy.name),
      view: slot?.view ?? null,
      quotes: slot?.quotes ?? null,
      note:
        (orders.length === 0 ? exchangeRefusals.note : null) ??
        feed.unsuitable ??
        slot?.quotes.note ??
        'no strategy quotes it',
      orders,
      yesMicros: heldIn(state.own, conditionId).yesMicros,
      noMicros: heldIn(state.own, conditionId).noMicros,
      markMicros: state.valuation.marks.get(conditionId) ?? null,
      bookSeenMs: feed.bookSeenMs,
      refusals: slots.flatMap(({ refusals }) => refusals),
    };
  });
