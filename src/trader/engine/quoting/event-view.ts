/** View of the other markets of an event, for a strategy that quotes one of them: all that this trader tracks. */

import { maxMicros, minMicros, sub } from '../../../shared/base/micros.js';
import type { EventView, OwnOrder, SiblingView } from '../../market/view.js';
import type { EventRule } from '../../risk/event-rules.js';
import type { MarketEntry } from '../markets.js';
import { heldIn, type OwnState, ownOrders } from '../own/own-state.js';

/** Parts of the trader that the view is made from. */
interface Around {
  readonly markets: { readonly all: Iterable<Pick<MarketEntry, 'conditionId' | 'feed'>> };
  readonly own: Pick<OwnState, 'held' | 'orders'>;
  readonly settings: { readonly events: readonly EventRule[] };
}

/** Null for a market without an event, or without a detail. */
export function makeEventView(
  { markets, own, settings }: Around,
  entry: Pick<MarketEntry, 'conditionId' | 'feed'>,
  nowMs: number,
): EventView | null {
  const eventConditionId = entry.feed.facts?.eventConditionId ?? null;
  if (eventConditionId === null) return null;
  const rule = settings.events.find((each) => each.eventConditionId === eventConditionId);
  const siblings: SiblingView[] = [];
  for (const { conditionId, feed } of markets.all) {
    if (conditionId === entry.conditionId || feed.facts?.eventConditionId !== eventConditionId) continue;
    const { yesMicros, noMicros } = heldIn(own, conditionId);
    const orders = bestOwn(ownOrders(own, conditionId));
    siblings.push(Object.freeze({ ...feed.glance(nowMs), ...orders, netMicros: sub(yesMicros, noMicros) }));
  }
  return Object.freeze({
    eventConditionId,
    outcomes: rule?.outcomes ?? null,
    markets: rule === undefined || rule.outcomes === 'exclusive' ? null : rule.marketConditionIds.length,
    siblings: Object.freeze(siblings),
  });
}

/** Best own order of each side. */
export function bestOwn(orders: readonly Pick<OwnOrder, 'side' | 'priceMicros'>[]) {
  let ownBidMicros: SiblingView['ownBidMicros'] = null;
  let ownAskMicros: SiblingView['ownAskMicros'] = null;
  for (const { side, priceMicros } of orders) {
    if (side === 'bid') ownBidMicros = maxMicros(ownBidMicros ?? priceMicros, priceMicros);
    else ownAskMicros = minMicros(ownAskMicros ?? priceMicros, priceMicros);
  }
  return { ownBidMicros, ownAskMicros };
}
