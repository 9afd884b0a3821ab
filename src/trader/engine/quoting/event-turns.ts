/** Views for the slots: each slot's own market, and one view per event for strategies that quote whole events. */

import type { MarketOfEvent, MarketView, WholeEventView } from '../../market/view.js';
import { makeWholeEventView } from '../../market/whole-event.js';
import { pausedBecause } from '../control/fleet-bounds.js';
import { isInStartupGrace } from '../control/startup-grace.js';
import type { StepContext } from '../gate.js';
import type { MarketEntry } from '../markets.js';
import type { TraderState } from '../state.js';
import { makeEventView } from './event-view.js';
import type { QuoteSlot } from './quote-slot.js';
import type { QuotedEvent } from './slot-hosts.js';

/** For every event asked in this step, the views of its markets at that time. */
export type EventTurns = ReadonlyMap<QuotedEvent, ReadonlyMap<MarketEntry, MarketView | null>>;

interface Member {
  readonly entry: MarketEntry;
  readonly slot: QuoteSlot;
  readonly view: MarketView | null;
}

export const NO_TURNS: EventTurns = new Map();

/** Asks every event that has a due market. All its markets then take their turns in this step. */
export function takeEventTurns(state: TraderState, context: StepContext): EventTurns {
  const turns = new Map<QuotedEvent, ReadonlyMap<MarketEntry, MarketView | null>>();
  for (const [quoted, slots] of groupByEvent(state)) {
    if (!slots.some(({ slot }) => slot.isDue(context.nowMs))) continue;
    const members = slots.map(({ entry, slot }) => ({
      entry,
      slot,
      view: makeView(state, entry, slot, context.nowMs),
    }));
    // All or none: orders of an event wait until all its markets have been read.
    if (members.some(({ slot, view }) => isInStartupGrace(state, slot, view))) continue;
    quoted.ask(makeWholeView(state, quoted, members, context));
    for (const { slot } of members) slot.dirty = true;
    turns.set(quoted, new Map(members.map(({ entry, view }) => [entry, view])));
  }
  return turns;
}

function groupByEvent(state: TraderState): ReadonlyMap<QuotedEvent, readonly Omit<Member, 'view'>[]> {
  const events = new Map<QuotedEvent, Omit<Member, 'view'>[]>();
  for (const entry of state.markets.all) {
    for (const slot of entry.slots) {
      const { quoted } = slot;
      if (quoted === null) continue;
      const slots = events.get(quoted);
      if (slots === undefined) events.set(quoted, [{ entry, slot }]);
      else slots.push({ entry, slot });
    }
  }
  return events;
}

/** Null when the quotes of no market would be used. */
function makeWholeView(
  state: TraderState,
  quoted: QuotedEvent,
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
    quoted.facts,
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
