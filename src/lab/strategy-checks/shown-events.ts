/**
 * Generated events for strategies of whole events: two to five outcomes whose true probabilities wander and sum to one
 * (nested: fall from one to the next), with a book each that is read irregularly, holdings and fills. Seeded.
 */

import { Random } from '../../shared/base/random.js';
import {
  type EventFacts,
  type EventOutcomes,
  type MarketOfEvent,
  makeWholeEventView,
} from '../../trader/market/view.js';
import { GeneratedMarket, type GridOfMarket, type Look, MAX_POSITION_SHARES, START_MS } from './generated-market.js';
import { drawBook, drawFill } from './shown-markets.js';
import type { ShownEvent, ShownEventLook, ShownMarkets } from './trial.js';

const KINDS: readonly EventOutcomes[] = ['exhaustive', 'exclusive', 'nested'];
const FEWEST = 2;
const MOST = 5;
/** Every n-th event has no fees. */
const FREE_EVERY = 2;

/** One observation of each market of an event, at one time. */
export type EventLook = readonly Look[];

/** This many events and observations each, with all declarable kinds in turn. */
export function showEvents(seed: number, events: number, looks: number): ShownMarkets<ShownEvent> {
  const shown = Array.from({ length: events }, (_, number) => {
    const random = Random.fromSeed(seed, `event ${number}`);
    const count = FEWEST + random.below(MOST - FEWEST + 1);
    const outcomes = KINDS[number % KINDS.length] ?? null;
    const isFree = number % FREE_EVERY === 0;
    return showEvent(
      `generated-${number + 1}`,
      outcomes,
      { ticks: 100, isFree },
      drawEventLooks(random, count, looks, outcomes),
    );
  });
  return { markets: shown, mirrored: null };
}

/** A trader's view of an event whose markets resolve after the last observation. */
export function showEvent(
  eventConditionId: string,
  outcomes: EventFacts['outcomes'],
  grid: GridOfMarket,
  looks: readonly EventLook[],
  forMs = looks.reduce((sum, [first]) => sum + (first?.afterMs ?? 0), 0),
): ShownEvent {
  const ids = (looks[0] ?? []).map((_, index) => `${eventConditionId}-${index + 1}`);
  const markets = ids.map((id) => new GeneratedMarket(id, grid, forMs, eventConditionId));
  const event: EventFacts = { eventConditionId, outcomes, marketConditionIds: outcomes === 'exclusive' ? [] : ids };
  const shown: ShownEventLook[] = [];
  let nowMs = START_MS;
  for (const look of looks) {
    nowMs += look[0]?.afterMs ?? 0;
    const views: MarketOfEvent[] = [];
    const events: { conditionId: string; event: ShownEventLook['events'][number]['event'] }[] = [];
    for (const [index, market] of markets.entries()) {
      const own = look[index];
      if (own === undefined) continue;
      const { conditionId } = market.facts;
      events.push(...market.take(own, nowMs).map((each) => ({ conditionId, event: each })));
      const view = market.view(own, nowMs);
      if (view !== null) views.push(Object.freeze({ view, silentBecause: null }));
    }
    shown.push({ view: makeWholeEventView(nowMs, event, views, ids), events });
  }
  return { event, isFree: grid.isFree, looks: shown };
}

function drawEventLooks(
  random: Random,
  count: number,
  looks: number,
  outcomes: EventOutcomes | null,
): readonly EventLook[] {
  const scores = Array.from({ length: count }, () => 0);
  const net = Array.from({ length: count }, () => 0);
  return Array.from({ length: looks }, () => {
    for (const index of scores.keys())
      scores[index] = (scores[index] ?? 0) + (random.uniform() - 0.5) * (random.chance(0.02) ? 2 : 0.08);
    const total = scores.reduce((sum, score) => sum + Math.exp(score), 0);
    const share = (from: number, to: number) =>
      scores.slice(from, to).reduce((sum, score) => sum + Math.exp(score), 0) / total;
    const afterMs = random.chance(0.03) ? 900_000 : 1000 + random.below(20_000);
    const stance = random.chance(0.9) ? 'normal' : random.chance(0.5) ? 'widen' : 'reduce-only';
    return scores.map((_, index): Look => {
      // A threshold is reached when it, or a narrower one, is the last reached.
      const chance = share(index, outcomes === 'nested' ? count : index + 1);
      const middle = Math.min(97, Math.max(3, Math.round(100 * chance)));
      const fill = random.chance(0.05) ? drawFill(random, middle) : null;
      net[index] = drawNet(
        random,
        (net[index] ?? 0) + (fill === null ? 0 : fill.side === 'bid' ? fill.shares : -fill.shares),
      );
      const isRead = afterMs < 900_000 && random.chance(0.8);
      const trade = random.chance(0.2) ? { tick: middle, shares: 1 + random.below(50), isYes: true } : null;
      return {
        afterMs,
        book: isRead ? drawBook(random, middle, 100) : null,
        trade,
        fill,
        netShares: net[index] ?? 0,
        stance,
      };
    });
  });
}

/** Sometimes the maximum holding. */
function drawNet(random: Random, shares: number): number {
  const drawn = random.chance(0.03) ? (random.chance(0.5) ? MAX_POSITION_SHARES : -MAX_POSITION_SHARES) : shares;
  return Math.min(MAX_POSITION_SHARES, Math.max(-MAX_POSITION_SHARES, drawn));
}
