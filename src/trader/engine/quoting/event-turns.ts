/** Makes the strategies' views: one per market, and one per event for strategies that quote whole events. */

import { type Micros, maxMicros, minMicros, mulDiv, ONE, sub } from '../../../shared/base/micros.js';
import {
  type EventFacts,
  type EventView,
  type MarketOfEvent,
  type MarketView,
  makeWholeEventView,
  type OwnOrder,
  type SiblingView,
  type WholeEventView,
} from '../../market/view.js';
import type { EventRule } from '../../risk/exposure.js';
import { LADDER } from '../control/modes.js';
import type { Safety } from '../control/safety.js';
import type { StepContext } from '../gate.js';
import { UNCLAIMED } from '../market-worth.js';
import type { MarketEntry, Markets } from '../markets.js';
import { heldIn, type OwnState, ownOrders } from '../own/own-state.js';
import type { TraderState } from '../state.js';
import type { QuoteSlot } from './quote-slot.js';
import type { StrategySandbox } from './strategy-sandbox.js';

/** Market views of each event whose strategy ran in this step, by the event's sandbox. */
type EventTurns = ReadonlyMap<StrategySandbox, ReadonlyMap<MarketEntry, MarketView | null>>;

interface Member {
  readonly entry: MarketEntry;
  readonly slot: QuoteSlot;
  readonly view: MarketView | null;
}

/** Runs the strategy of each event in which a market is due, and makes all markets of the event due. */
export function takeEventTurns(state: TraderState, context: StepContext): EventTurns {
  const turns = new Map<StrategySandbox, ReadonlyMap<MarketEntry, MarketView | null>>();
  const { nowMs } = context;
  for (const [sandbox, slots] of groupByEvent(state.markets)) {
    const { event } = sandbox;
    if (event === null || !slots.some(({ slot }) => nowMs >= slot.dueMs)) continue;
    const members = slots.map((each) => ({ ...each, view: makeView(state, each.entry, each.slot, nowMs) }));
    // After a start, an event waits until all its books have been read.
    if (members.some(({ slot, view }) => isInStartupGrace(state, slot, view))) continue;
    sandbox.askEvent(makeWholeView(state.safety, event, members, context));
    for (const { slot } of members) slot.dirty = true;
    turns.set(sandbox, new Map(members.map(({ entry, view }) => [entry, view])));
  }
  return turns;
}

function groupByEvent(markets: Markets): ReadonlyMap<StrategySandbox, readonly Omit<Member, 'view'>[]> {
  const events = new Map<StrategySandbox, Omit<Member, 'view'>[]>();
  for (const entry of markets.all) {
    for (const slot of entry.slots) {
      const { sandbox } = slot;
      if (!sandbox?.event) continue;
      const slots = events.get(sandbox);
      if (slots === undefined) events.set(sandbox, [{ entry, slot }]);
      else slots.push({ entry, slot });
    }
  }
  return events;
}

/** Returns the view of a whole event for its strategy; null if none of its markets may be quoted. */
function makeWholeView(
  safety: Safety,
  event: EventFacts,
  members: readonly Member[],
  { nowMs, hold }: StepContext,
): WholeEventView | null {
  const markets = members.flatMap(({ entry: { conditionId }, slot, view }): readonly MarketOfEvent[] => {
    if (view === null) return [];
    return [Object.freeze({ view, silentBecause: slot.whySilent(view, findHold(safety, conditionId, hold)) })];
  });
  if (markets.every(({ silentBecause }) => silentBecause !== null)) return null;
  const wanted = members.map(({ entry }) => entry.conditionId);
  return makeWholeEventView(nowMs, event, markets, wanted);
}

/** Returns why no strategy may quote a market now; null if quoting is allowed. */
export function findHold(safety: Safety, conditionId: string, hold: string | null): string | null {
  const paused = safety.whyPaused(conditionId);
  if (hold !== null || paused === undefined) return hold;
  return paused === UNCLAIMED ? paused : `paused: ${paused}`;
}

/** Returns the strategy's view of its market; null before the first book. */
export function makeView(state: TraderState, entry: MarketEntry, slot: QuoteSlot, nowMs: number): MarketView | null {
  const { account, safety, settings, requests, selection } = state;
  const { conditionId, feed } = entry;
  const { own } = account;
  const { yesMicros, noMicros, yesCostMicros, noCostMicros } = heldIn(own, conditionId);
  const { stance } = LADDER[safety.mode().mode];
  const prices = selection.prices ?? { look: 0, currencyPerS: settings.economics.currencyPricePerS };
  return feed.view(
    nowMs,
    {
      yesMicros,
      noMicros,
      avgYesCostMicros: averageCost(yesMicros, yesCostMicros),
      avgNoCostMicros: averageCost(noMicros, noCostMicros),
      availableFundsMicros: own.availableMicros,
      maxPositionMicros: slot.strategy.risk.maxPositionSharesMicros,
      // With the stances `flatten` and `halted`, no strategy is called, so the view's stance has no effect.
      stance: stance === 'flatten' || stance === 'halted' ? 'normal' : stance,
      orders: ownOrders(own, conditionId),
    },
    state.feeds.of(conditionId, slot.feeds, nowMs),
    slot.strategy.module.inputs?.event === true ? makeEventView(state, entry, nowMs) : null,
    {
      reactS: requests.reactionPace.seconds,
      readPrice: prices.look,
      requestPrice: settings.economics.requestPrice * requests.price.factor,
      currencyPricePerS: prices.currencyPerS,
    },
  );
}

interface EventTurnsContext {
  readonly markets: { readonly all: Iterable<Pick<MarketEntry, 'conditionId' | 'feed'>> };
  readonly account: { readonly own: Pick<OwnState, 'held' | 'orders'> };
  readonly settings: { readonly events: readonly EventRule[] };
}

/** Returns the view of a market's event; null if the market has none, or before the market's first detail. */
export function makeEventView(
  { markets, account: { own }, settings }: EventTurnsContext,
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

/** Returns the best price of own orders on each side; null for a side without orders. */
export function bestOwn(orders: readonly Pick<OwnOrder, 'side' | 'priceMicros'>[]) {
  let ownBidMicros: SiblingView['ownBidMicros'] = null;
  let ownAskMicros: SiblingView['ownAskMicros'] = null;
  for (const { side, priceMicros } of orders) {
    if (side === 'bid') ownBidMicros = maxMicros(ownBidMicros ?? priceMicros, priceMicros);
    else ownAskMicros = minMicros(ownAskMicros ?? priceMicros, priceMicros);
  }
  return { ownBidMicros, ownAskMicros };
}

/**
 * Returns true after a start until own orders and the market's book have been read. Until then, but at most for the
 * maximum book age, the slot keeps its orders. A needless cancel costs four requests and the queue position.
 */
export function isInStartupGrace(
  { safety, account, clock }: TraderState,
  { strategy, conditionId }: QuoteSlot,
  view: MarketView | null,
): boolean {
  if (!mayQuote(safety) || safety.whyPaused(conditionId) !== undefined) return false;
  const isReading = !safety.modes.isStarted || view === null || account.valuation.equityMicros === null;
  return isReading && clock.ageMs <= strategy.risk.maxBookAgeMs;
}

/** Returns true while strategies wait for the first market list after a start, at most for the maximum book age. */
export function isUnassigned({ safety, settings, markets, clock }: TraderState): boolean {
  if (!mayQuote(safety)) return false;
  const selects = settings.strategies.some(({ markets: { ids } }) => ids.length === 0);
  return selects && !markets.hasCatalog && clock.ageMs <= settings.risk.maxBookAgeMs;
}

/** Returns true if the mode allows quotes or is `starting`. In other modes, the trader cancels its orders at once. */
function mayQuote(safety: Safety): boolean {
  const { mode } = safety.mode();
  return mode === 'starting' || LADDER[mode].orders === 'quotes';
}

/** Returns the average cost per share, rounded down; null if no shares are held. */
const averageCost = (shares: Micros, cost: Micros): Micros | null =>
  shares > 0 ? mulDiv(cost, ONE, shares, 'floor') : null;
