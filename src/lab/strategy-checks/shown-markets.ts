/** Generates random markets with a fixed seed, and passes their data through the trader's `MarketTracker`. */

import { must } from '../../shared/base/errors.js';
import { type Micros, micros, ONE, ZERO } from '../../shared/base/micros.js';
import { Random } from '../../shared/base/random.js';
import { marketDetail } from '../../shared/protocol/records.js';
import { MarketTracker } from '../../trader/market/market-tracker.js';
import {
  type BookSide,
  type EventFacts,
  type EventOutcomes,
  type EventView,
  type FeedViews,
  type MarketView,
  makeWholeEventView,
  type OwnMarketState,
  type Stance,
} from '../../trader/market/view.js';
import type { ParamValues, Strategy, StrategyEvent } from '../../trader/strategy/contract.js';
import { feedsNamed } from '../../trader/strategy/read-params.js';

export type TriedStrategy = Readonly<{ strategy: Strategy; params: ParamValues }>;

/** Observations of a market, oldest first. The strategy gets the `events`, such as fills, before the view. */
type ShownMarket = ReturnType<typeof showMarket>;

export type ShownSubject = ShownMarket | ReturnType<typeof showEvent>;

export interface ShownMarkets {
  readonly markets: readonly ShownSubject[];
  /** `markets` with YES and NO exchanged, in the same order; null for events. */
  readonly mirrored: readonly ShownSubject[] | null;
}

type Asked = ReturnType<typeof askedBy>;

export const askedBy = ({ strategy, params }: TriedStrategy) => ({
  feeds: feedsNamed(strategy.params, params),
  event: strategy.inputs?.event === true,
});

/** `told`: the value that every feed has; null without a value. `other`: the event's second market; null if missing. */
type Beside = Readonly<{ told: ReturnType<typeof drawTold>; other: ReturnType<typeof drawOther> | null }>;

/** Returns the feeds as the strategy sees them. All feeds give the same value. */
function feedViews({ told }: Beside, { feeds }: Asked, nowMs: number): FeedViews {
  if (told === null) return {};
  const { p, half, sd, ageMs } = told;
  const prices = half === null ? { p, bid: null, ask: null } : { p: null, bid: p - half, ask: p + half };
  const view = Object.freeze({ ...prices, sd, ageMs, atMs: nowMs - ageMs, validUntilMs: null });
  return Object.freeze(Object.fromEntries(feeds.map((name) => [name, view])));
}

function eventView({ other }: Beside, asked: Asked): EventView | null {
  if (!asked.event || other === null) return null;
  const { mid, half, netShares, ...seen } = other;
  const prices = { mid, bid: mid - half, ask: mid + half, sigmaLogOddsPerSqrtS: 0.002 };
  const own = { netMicros: micros(netShares * ONE), ownBidMicros: null, ownAskMicros: null };
  const siblings = Object.freeze([Object.freeze({ conditionId: 'the other outcome', ...seen, ...prices, ...own })]);
  return Object.freeze({ eventConditionId: 'generated', outcomes: 'exhaustive', markets: 2, siblings });
}

/** Opening time of all generated markets, trader's clock, Unix ms. */
const START_MS = 1_800_000_000_000;
const MAX_POSITION_SHARES = 200;

type RowOfBook = readonly [tick: number, shares: number];

/** Result of a poll of a market, with the trader's fill and position at that time. Prices are YES prices, in ticks. */
type Look = ReturnType<typeof drawLook>;

type Grid = Readonly<{ ticks: number; isFree: boolean }>;

const seenAt = (requestId: number, nowMs: number) => ({ requestId, sentMs: nowMs, seenMs: nowMs, venueTimeMs: nowMs });

/** Generates a market that is open from `START_MS` for `forMs`. Its data passes through a market tracker. */
function generateMarket(conditionId: string, grid: Grid, forMs: number, event: string | null = null) {
  const tracker = new MarketTracker(conditionId);
  tracker.onDetail(makeDetail(conditionId, grid, START_MS + forMs, event), seenAt(0, START_MS));
  let requestId = 0;
  const toPrice = (tick: number): Micros => micros((tick * ONE) / grid.ticks);
  const toRows = (rows: readonly RowOfBook[]) =>
    rows.map(([tick, shares]) => ({ price: toPrice(tick), total_amount: micros(Math.round(shares * ONE)) }));
  const toTrade = ({ tick, shares, isYes }: NonNullable<Look['trade']>, nowMs: number) =>
    ({
      market_condition_id: null,
      amount: micros(shares * ONE),
      price: toPrice(tick),
      maker_fee: null,
      taker_fee: null,
      timestamp: Math.floor(nowMs / 1000),
      state: 'done',
      is_yes: isYes,
    }) as const;
  return {
    facts: must(tracker.facts, 'facts of a generated market'),
    /** Passes the result of a poll to the tracker. Returns the events for the strategy, such as fills. */
    take({ book, trade, fill }: Look, nowMs: number): readonly StrategyEvent[] {
      const at = seenAt(++requestId, nowMs);
      const sides = book === null ? null : { bid: toRows(book.bids), ask: toRows(book.asks) };
      if (sides !== null) tracker.onBook({ market: conditionId, is_yes: true, ...sides }, at, []);
      if (trade !== null) tracker.onTrades([toTrade(trade, nowMs)], at);
      if (fill === null) return [];
      const [priceMicros, amountMicros] = [toPrice(fill.tick), micros(fill.shares * ONE)];
      const own = { kind: 'fill', nowMs, side: fill.side, priceMicros, amountMicros, isMaker: true } as const;
      tracker.ownFills.onFill(own);
      return [own];
    },
    view: (ours: Look, nowMs: number, feeds?: FeedViews, siblings?: EventView | null): MarketView | null =>
      tracker.view(nowMs, ownState(ours), feeds, siblings),
  };
}

function ownState({ netShares, stance }: Look): OwnMarketState {
  const shares = micros(Math.round(Math.abs(netShares) * ONE));
  const half = micros(ONE / 2);
  return {
    yesMicros: netShares > 0 ? shares : ZERO,
    noMicros: netShares < 0 ? shares : ZERO,
    avgYesCostMicros: netShares > 0 ? half : null,
    avgNoCostMicros: netShares < 0 ? half : null,
    availableFundsMicros: micros(1000 * ONE),
    maxPositionMicros: micros(MAX_POSITION_SHARES * ONE),
    stance,
    orders: [],
  };
}

const LIMITS = { min_amount: '1', max_amount: '10000', min_funds: '1', max_funds: '100000' };

export const makeDetail = (
  conditionId: string,
  { ticks, isFree }: Grid,
  endMs: number,
  event: string | null,
  title = conditionId,
  limits = LIMITS,
) =>
  marketDetail.parse({
    title,
    condition_id: conditionId,
    state: 'open',
    category: null,
    event: event === null ? null : { title: event, condition_id: event, logo: null },
    margin_enabled: false,
    resolution_date: Math.round(endMs / 1000),
    config: {
      kind: 'orderbook',
      min_price: String(1 / ticks),
      max_price: String(1 - 1 / ticks),
      ...limits,
      price_precision: Math.log10(ticks),
      amount_precision: 2,
      funds_precision: 2,
      maker_fee_rate: isFree ? '0' : '0.005',
      taker_fee_rate: isFree ? '0' : '0.01',
    },
  });

const KINDS: readonly EventOutcomes[] = ['exhaustive', 'exclusive', 'nested'];
const FEWEST = 2;
const MOST = 5;
/** Every second generated market has no fees. Without fees, a swap of YES and NO changes no costs. */
const FREE_EVERY = 2;

/** Generates events of all `KINDS` in turn. Probabilities drift; in a nested event their sum exceeds 1. */
export function showEvents(seed: number, events: number, looks: number) {
  const markets = Array.from({ length: events }, (_, number) => {
    const random = Random.fromSeed(seed, `event ${number}`);
    const count = FEWEST + random.below(MOST - FEWEST + 1);
    const outcomes = KINDS[number % KINDS.length] ?? null;
    const seen = drawEventLooks(random, count, looks, outcomes);
    return showEvent(`generated-${number + 1}`, outcomes, { ticks: 100, isFree: number % FREE_EVERY === 0 }, seen);
  });
  return { markets, mirrored: null } satisfies ShownMarkets;
}

function showEvent(
  eventConditionId: string,
  outcomes: EventOutcomes | null,
  grid: Grid,
  looks: readonly (readonly Look[])[],
) {
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

function drawEventLooks(random: Random, count: number, looks: number, outcomes: EventOutcomes | null) {
  const scores = Array.from({ length: count }, () => 0);
  let before: readonly Look[] = [];
  return Array.from({ length: looks }, () => {
    for (const index of scores.keys()) scores[index] = (scores[index] ?? 0) + drawStep(random);
    const total = scores.reduce((sum, score) => sum + Math.exp(score), 0);
    const isLate = random.chance(0.03);
    const moment = { afterMs: drawPauseMs(random, isLate), stance: drawStance(random) };
    before = scores.map((_, index) => {
      // In a nested event, every outcome whose threshold is reached pays.
      const reached = scores.slice(index, outcomes === 'nested' ? count : index + 1);
      const chance = reached.reduce((sum, score) => sum + Math.exp(score), 0) / total;
      const middle = Math.min(97, Math.max(3, Math.round(100 * chance)));
      const isOld = isLate || random.chance(0.2);
      return drawLook(random, middle, 100, before[index]?.netShares ?? 0, { ...moment, isOld });
    });
    return before;
  });
}

export function showMarkets(seed: number, markets: number, looks: number, asked: Asked = { feeds: [], event: false }) {
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
    const turned = seen.map((look) => mirror(look, grid.ticks));
    mirrored.push(showMarket(conditionId, grid, turned, beside.map(mirrorBeside), asked));
  }
  return { markets: shown, mirrored } satisfies ShownMarkets;
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

/** Draws a step of the log-odds of a probability. One of fifty steps of the log-odds is a jump. */
const drawStep = (random: Random): number => (random.uniform() - 0.5) * (random.chance(0.02) ? 2 : 0.08);

type Moment = Readonly<{ afterMs: number; stance: Stance; isOld: boolean }>;

/** @param moment values that all markets of an event share; drawn for this market if absent */
function drawLook(random: Random, middle: number, ticks: number, before: number, moment?: Moment) {
  const drawFill = () => {
    const side: BookSide = random.chance(0.5) ? 'bid' : 'ask';
    return { side, tick: middle, shares: 1 + random.below(25) };
  };
  const fill = random.chance(0.1) ? drawFill() : null;
  let netShares = before;
  if (fill !== null) netShares += fill.side === 'bid' ? fill.shares : -fill.shares;
  if (random.chance(0.03)) netShares = random.chance(0.5) ? MAX_POSITION_SHARES : -MAX_POSITION_SHARES;
  const isOld = moment?.isOld ?? random.chance(0.04);
  return {
    /** Time since the market's previous poll, ms. */
    afterMs: moment?.afterMs ?? drawPauseMs(random, isOld),
    /** Book that the poll returned; null without a new book, so that the last book becomes older. */
    book: isOld ? null : drawBook(random, middle, ticks),
    trade: drawTrade(random, middle),
    fill,
    /** Net position (YES minus NO), in shares. */
    netShares: Math.min(MAX_POSITION_SHARES, Math.max(-MAX_POSITION_SHARES, netShares)),
    stance: moment?.stance ?? drawStance(random),
  };
}

/** New public trade, priced in ticks of the traded outcome. */
const drawTrade = (random: Random, tick: number): { tick: number; shares: number; isYes: boolean } | null =>
  random.chance(0.3) ? { tick, shares: 1 + random.below(50), isYes: true } : null;

const drawPauseMs = (random: Random, isOld: boolean): number => (isOld ? 900_000 : 1000 + random.below(20_000));

const drawStance = (random: Random): Stance =>
  random.chance(0.9) ? 'normal' : random.chance(0.5) ? 'widen' : 'reduce-only';

function drawBook(random: Random, middle: number, ticks: number) {
  // About 1 in 25 generated books is crossed, and about 1 in 30 sides is empty.
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

/** Returns the mid of the generated book, 0 to 1; null if a side is empty or there is no new book. */
function computeMiddle({ book }: Look, ticks: number): number | null {
  const [bid, ask] = [book?.bids[0]?.[0], book?.asks[0]?.[0]];
  return bid === undefined || ask === undefined ? null : (bid + ask) / (2 * ticks);
}

/** Draws a feed value near `middle` (the market's mid), and a second market near 1 - `middle`. Some are far or old. */
function drawBeside(random: Random, middle: number | null): Beside {
  const told = drawTold(random, middle ?? 0.5);
  const other = drawOther(random, middle ?? 0.5);
  return middle === null ? { told: null, other: null } : { told, other };
}

/** `half`: half the distance between the feed's bid and ask; null if the feed gives the probability itself. */
function drawTold(random: Random, middle: number) {
  const [draw, error, age] = [random.uniform(), random.uniform() - 0.5, random.uniform()];
  const p = Math.min(0.97, Math.max(0.03, middle + error * (draw < 0.2 ? 0.4 : 0.02)));
  const [half, sd] = [draw < 0.6 ? 0.01 : null, draw < 0.8 ? 0.1 : null];
  return draw < 0.1 ? null : { p, half, sd, ageMs: Math.round(age * (draw > 0.95 ? 300_000 : 2000)) };
}

function drawOther(random: Random, middle: number) {
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

function mirror({ book, trade, fill, netShares, ...look }: Look, ticks: number): Look {
  const turn = (rows: readonly RowOfBook[]) => rows.map(([tick, shares]): RowOfBook => [ticks - tick, shares]);
  return {
    ...look,
    book: book && { bids: turn(book.asks), asks: turn(book.bids) },
    trade: trade && { ...trade, isYes: !trade.isYes },
    fill: fill && { ...fill, side: fill.side === 'bid' ? 'ask' : 'bid', tick: ticks - fill.tick },
    netShares: negative(netShares),
  };
}

const mirrorBeside = ({ told, other }: Beside): Beside => ({
  told: told && { ...told, p: 1 - told.p },
  other: other && { ...other, mid: 1 - other.mid, netShares: negative(other.netShares) },
});

const negative = (shares: number): number => (shares === 0 ? 0 : -shares);

function showMarket(conditionId: string, grid: Grid, looks: readonly Look[], besides: readonly Beside[], asked: Asked) {
  const forMs = looks.reduce((sum, { afterMs }) => sum + afterMs, 0);
  const market = generateMarket(conditionId, grid, forMs);
  let nowMs = START_MS;
  const shown = looks.flatMap((look, at) => {
    nowMs += look.afterMs;
    const events = market.take(look, nowMs);
    const beside = must(besides[at], 'the generated inputs of a view');
    const view = market.view(look, nowMs, feedViews(beside, asked, nowMs), eventView(beside, asked));
    return view === null ? [] : [{ view, events }];
  });
  return { facts: market.facts, looks: shown };
}
