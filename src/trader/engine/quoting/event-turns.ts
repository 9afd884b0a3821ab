/** Views for the slots: each slot's own market, and one view per event for strategies that quote whole events. */

import { maxMicros, minMicros, sub } from '../../../shared/base/micros.js';
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
import type { EventRule } from '../../risk/event-rules.js';
import { LADDER } from '../control/modes.js';
import { pausedBecause } from '../control/pauses.js';
import type { StepContext } from '../gate.js';
import type { MarketEntry } from '../markets.js';
import { heldIn, type OwnState, ownOrders } from '../own/own-state.js';
import type { TraderState } from '../state.js';
import type { QuoteSlot } from './quote-slot.js';
import type { StrategySandbox } from './strategy-sandbox.js';

/** For every event asked in this step, the views of its markets at that time. */
export type EventTurns = ReadonlyMap<StrategySandbox, ReadonlyMap<MarketEntry, MarketView | null>>;

interface Member {
  readonly entry: MarketEntry;
  readonly slot: QuoteSlot;
  readonly view: MarketView | null;
}

export const NO_TURNS: EventTurns = new Map();

/** Asks every event that has a due market. All its markets then take their turns in this step. */
export function takeEventTurns(state: TraderState, context: StepContext): EventTurns {
  const turns = new Map<StrategySandbox, ReadonlyMap<MarketEntry, MarketView | null>>();
  for (const [sandbox, slots] of groupByEvent(state)) {
    const { event } = sandbox;
    if (event === null || !slots.some(({ slot }) => slot.isDue(context.nowMs))) continue;
    const members = slots.map(({ entry, slot }) => ({
      entry,
      slot,
      view: makeView(state, entry, slot, context.nowMs),
    }));
    // All or none: orders of an event wait until all its markets have been read.
    if (members.some(({ slot, view }) => isInStartupGrace(state, slot, view))) continue;
    sandbox.askEvent(makeWholeView(state, event, members, context));
    for (const { slot } of members) slot.dirty = true;
    turns.set(sandbox, new Map(members.map(({ entry, view }) => [entry, view])));
  }
  return turns;
}

function groupByEvent(state: TraderState): ReadonlyMap<StrategySandbox, readonly Omit<Member, 'view'>[]> {
  const events = new Map<StrategySandbox, Omit<Member, 'view'>[]>();
  for (const entry of state.markets.all) {
    for (const slot of entry.slots) {
      const { eventSandbox } = slot;
      if (eventSandbox === null) continue;
      const slots = events.get(eventSandbox);
      if (slots === undefined) events.set(eventSandbox, [{ entry, slot }]);
      else slots.push({ entry, slot });
    }
  }
  return events;
}

/** Null when the quotes of no market would be used. */
function makeWholeView(
  state: TraderState,
  event: EventFacts,
  members: readonly Member[],
  context: StepContext,
): WholeEventView | null {
  const { nowMs } = context;
  const markets: MarketOfEvent[] = [];
  for (const { entry, slot, view } of members) {
    if (view === null) continue;
    const silentBecause = slot.whySilent(view, findHold(state, entry, context));
    markets.push(Object.freeze({ view, silentBecause }));
  }
  if (markets.every(({ silentBecause }) => silentBecause !== null)) return null;
  return makeWholeEventView(
    nowMs,
    event,
    markets,
    members.map(({ entry }) => entry.conditionId),
  );
}

/** Why a market must not be quoted now, whatever its strategies say; null when quoting is allowed. */
export function findHold(
  state: TraderState,
  { conditionId }: Pick<MarketEntry, 'conditionId'>,
  { hold }: Pick<StepContext, 'hold'>,
): string | null {
  const paused = pausedBecause(state, conditionId);
  return paused === undefined ? hold : (hold ?? `paused: ${paused}`);
}

/** The strategy's view of its market; null before the first book. */
export function makeView(state: TraderState, entry: MarketEntry, slot: QuoteSlot, nowMs: number): MarketView | null {
  const { conditionId, feed } = entry;
  const feeds = state.feeds.of(conditionId, slot.feeds, nowMs);
  const event = slot.strategy.module.inputs?.event === true ? makeEventView(state, entry, nowMs) : null;
  return feed.view(nowMs, state.ownIn(conditionId, slot), feeds, event, state.pace);
}

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

/**
 * True while nothing can be said yet of this slot's orders: own state or this book is being read for the first time, and
 * the process is not older than a book may be. What rests at a start has been unattended since the process before it and is
 * judged like any other quote, by the age of its book. A cancel before that book was read costs two requests, two more to
 * place the order again, and its place in the queue.
 */
export function isInStartupGrace(
  state: TraderState,
  { strategy, conditionId }: QuoteSlot,
  view: MarketView | null,
): boolean {
  if (!mayQuote(state) || pausedBecause(state, conditionId) !== undefined) return false;
  const isReading = !state.modes.isStarted || view === null || state.valuation.equityMicros === null;
  return isReading && ageMs(state) <= strategy.risk.maxBookAgeMs;
}

/** True until the catalog has assigned markets to all strategies that select theirs. */
export function isUnassigned(state: TraderState): boolean {
  if (!mayQuote(state)) return false;
  const selects = state.settings.strategies.some(({ markets }) => markets.ids.length === 0);
  return selects && !state.markets.hasCatalog && ageMs(state) <= state.settings.risk.maxBookAgeMs;
}

/** Under a kill, pause or halt resting orders are canceled at once. */
function mayQuote(state: TraderState): boolean {
  const { mode } = state.mode();
  return mode === 'starting' || LADDER[mode].orders === 'quotes';
}

/** After a clock set back, the process counts as older than any book: resting orders are then canceled. */
function ageMs({ seenMs, bornMs }: TraderState): number {
  if (bornMs === null) return 0;
  return seenMs < bornMs ? Number.POSITIVE_INFINITY : seenMs - bornMs;
}
