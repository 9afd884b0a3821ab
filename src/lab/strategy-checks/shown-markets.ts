/**
 * Markets as a strategy may meet them: a fair price that wanders and now and then jumps, books with an empty side, crossed
 * and old ones, trades, fills of ours, holdings up to the limit, every stance, and the hours before resolution. Seeded, and
 * made through the trader's own market room, so that estimates and health are what they would be live.
 */

import { Random } from '../../shared/base/random.js';
import {
  type EventFacts,
  type EventOutcomes,
  type MarketOfEvent,
  makeWholeEventView,
} from '../../trader/market/view.js';
import {
  drawBeside,
  eventView,
  feedViews,
  type GridOfMarket,
  generateMarket,
  type Look,
  MAX_POSITION_SHARES,
  mirrorBeside,
  NOTHING_BESIDE,
  NOTHING_MORE,
  type RowOfBook,
  type ShownEvent,
  type ShownEventLook,
  type ShownLook,
  type ShownMarket,
  type ShownMarkets,
  START_MS,
} from './generated-market.js';

const KINDS: readonly EventOutcomes[] = ['exhaustive', 'exclusive', 'nested'];
const FEWEST = 2;
const MOST = 5;

/** One observation of each market of an event, at one time. */
export type EventLook = readonly Look[];

/**
 * This many events and observations each, with all declarable kinds in turn. True probabilities of the outcomes wander and
 * sum to one; nested ones fall from one to the next.
 */
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
  const markets = ids.map((id) => generateMarket(id, grid, forMs, eventConditionId));
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

/** Every n-th market has no fees: only there a market and its mirror cost the same on every leg. */
const FREE_EVERY = 2;

/** Markets with their mirrors. */
interface GeneratedMarkets extends ShownMarkets<ShownMarket> {
  readonly mirrored: readonly ShownMarket[];
}

/** This many markets and observations each, and their mirrors, with the strategy's requested inputs. */
export function showMarkets(seed: number, markets: number, looks: number, asked = NOTHING_MORE): GeneratedMarkets {
  const shown: ShownMarket[] = [];
  const mirrored: ShownMarket[] = [];
  for (let number = 0; number < markets; number++) {
    const random = Random.fromSeed(seed, `market ${number}`);
    const grid = { ticks: number % 3 === 2 ? 1000 : 100, isFree: number % FREE_EVERY === 0 };
    const besides = Random.fromSeed(seed, `beside market ${number}`);
    const seen = drawLooks(random, grid.ticks, looks).map((look) => ({
      ...look,
      beside: drawBeside(besides, computeMiddle(look, grid.ticks)),
    }));
    const forMs = seen.reduce((sum, { afterMs }) => sum + afterMs, 0);
    const conditionId = `generated-${number + 1}`;
    shown.push(showMarket(conditionId, grid, seen, forMs, asked));
    mirrored.push(showMarket(conditionId, grid, seen.map(mirror(grid.ticks)), forMs, asked));
  }
  return { markets: shown, mirrored };
}

function drawLooks(random: Random, ticks: number, count: number): readonly Look[] {
  const looks: Look[] = [];
  let logOdds = (random.uniform() - 0.5) * 4;
  let netShares = 0;
  for (let number = 0; number < count; number++) {
    logOdds += (random.uniform() - 0.5) * (random.chance(0.02) ? 2 : 0.08);
    const middle = Math.min(ticks - 1, Math.max(1, Math.round(ticks / (1 + Math.exp(-logOdds)))));
    const fill = random.chance(0.1) ? drawFill(random, middle) : null;
    if (fill !== null) netShares += fill.side === 'bid' ? fill.shares : -fill.shares;
    if (random.chance(0.03)) netShares = random.chance(0.5) ? MAX_POSITION_SHARES : -MAX_POSITION_SHARES;
    netShares = Math.min(MAX_POSITION_SHARES, Math.max(-MAX_POSITION_SHARES, netShares));
    const isOld = random.chance(0.04);
    looks.push({
      afterMs: isOld ? 900_000 : 1000 + random.below(20_000),
      book: isOld ? null : drawBook(random, middle, ticks),
      trade: random.chance(0.3) ? { tick: middle, shares: 1 + random.below(50), isYes: true } : null,
      fill,
      netShares,
      stance: random.chance(0.9) ? 'normal' : random.chance(0.5) ? 'widen' : 'reduce-only',
    });
  }
  return looks;
}

/** In price; null when a side is empty or nothing was read. */
function computeMiddle({ book }: Look, ticks: number): number | null {
  const [bid, ask] = [book?.bids[0]?.[0], book?.asks[0]?.[0]];
  return bid === undefined || ask === undefined ? null : (bid + ask) / (2 * ticks);
}

export const drawFill = (random: Random, tick: number) =>
  ({ side: random.chance(0.5) ? 'bid' : 'ask', tick, shares: 1 + random.below(25) }) as const;

export function drawBook(random: Random, middle: number, ticks: number) {
  // One book in 25 is crossed, one side in 30 is empty.
  const overlap = random.chance(0.04) ? 2 + random.below(3) : 0;
  const half = Math.max(1, Math.round((ticks / 100) * (1 + random.below(3))));
  const drawSide = (direction: 1 | -1): readonly RowOfBook[] => {
    if (random.chance(1 / 30)) return [];
    const rows = Array.from({ length: 1 + random.below(4) }, (_, level): RowOfBook => {
      const distance = overlap > 0 ? level - overlap : half + level;
      return [middle + direction * distance, 10 + random.below(300)];
    });
    return rows.filter(([tick]) => tick > 0 && tick < ticks);
  };
  return { bids: drawSide(-1), asks: drawSide(1) };
}

const mirror =
  (ticks: number) =>
  (look: Look): Look => {
    const turn = (rows: readonly RowOfBook[]) => rows.map(([tick, shares]): RowOfBook => [ticks - tick, shares]);
    const { book, trade, fill, netShares, beside } = look;
    return {
      ...look,
      book: book && { bids: turn(book.asks), asks: turn(book.bids) },
      trade: trade && { ...trade, isYes: !trade.isYes },
      fill: fill && { ...fill, side: fill.side === 'bid' ? 'ask' : 'bid', tick: ticks - fill.tick },
      netShares: netShares === 0 ? 0 : -netShares,
      beside: mirrorBeside(beside ?? NOTHING_BESIDE),
    };
  };

/** A trader's view of this market at each observation; `forMs` is the time from its beginning to its resolution. */
export function showMarket(
  conditionId: string,
  grid: GridOfMarket,
  looks: readonly Look[],
  forMs: number,
  asked = NOTHING_MORE,
): ShownMarket {
  const market = generateMarket(conditionId, grid, forMs);
  const shown: ShownLook[] = [];
  let nowMs = START_MS;
  for (const look of looks) {
    nowMs += look.afterMs;
    const events = market.take(look, nowMs);
    const beside = look.beside ?? NOTHING_BESIDE;
    const view = market.view(look, nowMs, feedViews(beside, asked, nowMs), eventView(beside, asked));
    if (view !== null) shown.push({ view, events });
  }
  return { facts: market.facts, looks: shown };
}
