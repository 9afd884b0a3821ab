/**
 * Generates markets for strategies: wandering and jumping prices; empty, crossed and old books; trades, own fills,
 * every stance, and holdings up to the limit. The markets are seeded and pass the trader's own market tracker.
 */

import { must } from '../../shared/base/errors.js';
import { Random } from '../../shared/base/random.js';
import { type EventFacts, type EventOutcomes, makeWholeEventView } from '../../trader/market/view.js';
import {
  type Asked,
  type Beside,
  eventView,
  feedViews,
  type GridOfMarket,
  generateMarket,
  type Look,
  MAX_POSITION_SHARES,
  NOTHING_MORE,
  type RowOfBook,
  type ShownEvent,
  type ShownMarket,
  type ShownMarkets,
  START_MS,
} from './generated-market.js';

const KINDS: readonly EventOutcomes[] = ['exhaustive', 'exclusive', 'nested'];
const FEWEST = 2;
const MOST = 5;
/** Every n-th market has no fees: only there a market and its mirror cost the same on every leg. */
const FREE_EVERY = 2;

/**
 * This many events and observations each, with all declarable kinds in turn. True probabilities of the outcomes wander and
 * sum to one; nested ones fall from one to the next.
 */
export function showEvents(seed: number, events: number, looks: number): ShownMarkets<ShownEvent> {
  const markets = Array.from({ length: events }, (_, number) => {
    const random = Random.fromSeed(seed, `event ${number}`);
    const count = FEWEST + random.below(MOST - FEWEST + 1);
    const outcomes = KINDS[number % KINDS.length] ?? null;
    const seen = drawEventLooks(random, count, looks, outcomes);
    return showEvent(`generated-${number + 1}`, outcomes, { ticks: 100, isFree: number % FREE_EVERY === 0 }, seen);
  });
  return { markets, mirrored: null };
}

/** A trader's view of an event whose markets resolve after the last observation. */
function showEvent(
  eventConditionId: string,
  outcomes: EventFacts['outcomes'],
  grid: GridOfMarket,
  looks: readonly (readonly Look[])[],
): ShownEvent {
  const ids = (looks[0] ?? []).map((_, index) => `${eventConditionId}-${index + 1}`);
  const forMs = looks.reduce((sum, [first]) => sum + (first?.afterMs ?? 0), 0);
  const markets = ids.map((id) => generateMarket(id, grid, forMs, eventConditionId));
  const event: EventFacts = { eventConditionId, outcomes, marketConditionIds: outcomes === 'exclusive' ? [] : ids };
  let nowMs = START_MS;
  const shown = looks.map((look) => {
    nowMs += look[0]?.afterMs ?? 0;
    const events = look.flatMap(
      (own, index) =>
        markets[index]?.take(own, nowMs).map((each) => ({ conditionId: ids[index] ?? '', event: each })) ?? [],
    );
    const views = look.flatMap((own, index) => {
      const view = markets[index]?.view(own, nowMs) ?? null;
      return view === null ? [] : [Object.freeze({ view, silentBecause: null })];
    });
    return { view: makeWholeEventView(nowMs, event, views, ids), events };
  });
  return { event, isFree: grid.isFree, looks: shown };
}

function drawEventLooks(
  random: Random,
  count: number,
  looks: number,
  outcomes: EventOutcomes | null,
): readonly (readonly Look[])[] {
  const scores = Array.from({ length: count }, () => 0);
  let before: readonly Look[] = [];
  return Array.from({ length: looks }, () => {
    for (const index of scores.keys()) scores[index] = (scores[index] ?? 0) + drawStep(random);
    const total = scores.reduce((sum, score) => sum + Math.exp(score), 0);
    const isLate = random.chance(0.03);
    const moment = { afterMs: drawPauseMs(random, isLate), stance: drawStance(random) };
    before = scores.map((_, index) => {
      // A threshold is reached when it, or a narrower one, is the last reached.
      const reached = scores.slice(index, outcomes === 'nested' ? count : index + 1);
      const chance = reached.reduce((sum, score) => sum + Math.exp(score), 0) / total;
      const middle = Math.min(97, Math.max(3, Math.round(100 * chance)));
      // A round of reads leaves some of its markets out.
      const isOld = isLate || random.chance(0.2);
      return drawLook(random, middle, 100, before[index]?.netShares ?? 0, { ...moment, isOld });
    });
    return before;
  });
}

/** This many markets and observations each, and their mirrors, with the strategy's requested inputs. */
export function showMarkets(seed: number, markets: number, looks: number, asked = NOTHING_MORE) {
  const shown: ShownMarket[] = [];
  const mirrored: ShownMarket[] = [];
  for (let number = 0; number < markets; number++) {
    const random = Random.fromSeed(seed, `market ${number}`);
    const grid = { ticks: number % 3 === 2 ? 1000 : 100, isFree: number % FREE_EVERY === 0 };
    const besides = Random.fromSeed(seed, `beside market ${number}`);
    const seen = drawLooks(random, grid.ticks, looks);
    const beside = seen.map((look) => drawBeside(besides, computeMiddle(look, grid.ticks)));
    const conditionId = `generated-${number + 1}`;
    shown.push(showMarket(conditionId, grid, seen, beside, asked));
    mirrored.push(showMarket(conditionId, grid, seen.map(mirror(grid.ticks)), beside.map(mirrorBeside), asked));
  }
  return { markets: shown, mirrored } satisfies ShownMarkets<ShownMarket>;
}

function drawLooks(random: Random, ticks: number, count: number): readonly Look[] {
  let logOdds = (random.uniform() - 0.5) * 4;
  let netShares = 0;
  return Array.from({ length: count }, () => {
    logOdds += drawStep(random);
    const middle = Math.min(ticks - 1, Math.max(1, Math.round(ticks / (1 + Math.exp(-logOdds)))));
    const look = drawLook(random, middle, ticks, netShares);
    ({ netShares } = look);
    return look;
  });
}

/** Returns a step of log-odds; one step in fifty is a jump. */
const drawStep = (random: Random): number => (random.uniform() - 0.5) * (random.chance(0.02) ? 2 : 0.08);

type Moment = Pick<Look, 'afterMs' | 'stance'> & { readonly isOld: boolean };

/** @param moment of a look at several markets; absent: drawn */
function drawLook(random: Random, middle: number, ticks: number, before: number, moment?: Moment): Look {
  const fill = random.chance(0.1)
    ? ({ side: random.chance(0.5) ? 'bid' : 'ask', tick: middle, shares: 1 + random.below(25) } as const)
    : null;
  let netShares = before;
  if (fill !== null) netShares += fill.side === 'bid' ? fill.shares : -fill.shares;
  if (random.chance(0.03)) netShares = random.chance(0.5) ? MAX_POSITION_SHARES : -MAX_POSITION_SHARES;
  const isOld = moment?.isOld ?? random.chance(0.04);
  return {
    afterMs: moment?.afterMs ?? drawPauseMs(random, isOld),
    book: isOld ? null : drawBook(random, middle, ticks),
    trade: random.chance(0.3) ? { tick: middle, shares: 1 + random.below(50), isYes: true } : null,
    fill,
    netShares: Math.min(MAX_POSITION_SHARES, Math.max(-MAX_POSITION_SHARES, netShares)),
    stance: moment?.stance ?? drawStance(random),
  };
}

const drawPauseMs = (random: Random, isOld: boolean): number => (isOld ? 900_000 : 1000 + random.below(20_000));

const drawStance = (random: Random): Look['stance'] =>
  random.chance(0.9) ? 'normal' : random.chance(0.5) ? 'widen' : 'reduce-only';

function drawBook(random: Random, middle: number, ticks: number) {
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

/** Middle price; null when a side is empty or nothing was read. */
function computeMiddle({ book }: Look, ticks: number): number | null {
  const [bid, ask] = [book?.bids[0]?.[0], book?.asks[0]?.[0]];
  return bid === undefined || ask === undefined ? null : (bid + ask) / (2 * ticks);
}

/** Returns a feed value: usually near `middle`, the price of the market's own book; sometimes far, old or missing. */
function drawBeside(random: Random, middle: number | null): Beside {
  const told = drawTold(random, middle ?? 0.5);
  const other = drawOther(random, middle ?? 0.5);
  return middle === null ? { told: null, other: null } : { told, other };
}

function drawTold(random: Random, middle: number): Beside['told'] {
  const [draw, error, age] = [random.uniform(), random.uniform() - 0.5, random.uniform()];
  const p = Math.min(0.97, Math.max(0.03, middle + error * (draw < 0.2 ? 0.4 : 0.02)));
  const [half, sd] = [draw < 0.6 ? 0.01 : null, draw < 0.8 ? 0.1 : null];
  return draw < 0.1 ? null : { p, half, sd, ageMs: Math.round(age * (draw > 0.95 ? 300_000 : 2000)) };
}

function drawOther(random: Random, middle: number): Beside['other'] {
  const [draw, error, age] = [random.uniform(), random.uniform() - 0.5, random.uniform()];
  return {
    mid: Math.min(0.96, Math.max(0.04, 1 - middle + error * (draw < 0.1 ? 0.5 : 0.04))),
    half: 0.02,
    bookAgeMs: Math.round(age * (draw > 0.95 ? 600_000 : 20_000)),
    netShares: draw < 0.5 ? 0 : Math.round(error * 200),
    sinceJumpMs: draw > 0.9 ? 5000 : null,
    isSound: draw > 0.03,
  };
}

const mirror =
  (ticks: number) =>
  ({ book, trade, fill, netShares, ...look }: Look): Look => {
    const turn = (rows: readonly RowOfBook[]) => rows.map(([tick, shares]): RowOfBook => [ticks - tick, shares]);
    return {
      ...look,
      book: book && { bids: turn(book.asks), asks: turn(book.bids) },
      trade: trade && { ...trade, isYes: !trade.isYes },
      fill: fill && { ...fill, side: fill.side === 'bid' ? 'ask' : 'bid', tick: ticks - fill.tick },
      netShares: negative(netShares),
    };
  };

/** Exchanges YES and NO in both outcomes. */
const mirrorBeside = ({ told, other }: Beside): Beside => ({
  told: told && { ...told, p: 1 - told.p },
  other: other && { ...other, mid: 1 - other.mid, netShares: negative(other.netShares) },
});

const negative = (shares: number): number => (shares === 0 ? 0 : -shares);

/** A trader's view of this market at each observation; it resolves after the last one. */
function showMarket(
  conditionId: string,
  grid: GridOfMarket,
  looks: readonly Look[],
  besides: readonly Beside[],
  asked: Asked,
): ShownMarket {
  const forMs = looks.reduce((sum, { afterMs }) => sum + afterMs, 0);
  const market = generateMarket(conditionId, grid, forMs);
  let nowMs = START_MS;
  const shown = looks.flatMap((look, at) => {
    nowMs += look.afterMs;
    const events = market.take(look, nowMs);
    const beside = must(besides[at], 'one for each look');
    const view = market.view(look, nowMs, feedViews(beside, asked, nowMs), eventView(beside, asked));
    return view === null ? [] : [{ view, events }];
  });
  return { facts: market.facts, looks: shown };
}
