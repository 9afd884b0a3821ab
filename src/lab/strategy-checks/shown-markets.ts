/**
 * Markets as a strategy may meet them: a fair price that wanders and now and then jumps, books with an empty side, crossed
 * and old ones, trades, fills of ours, holdings up to the limit, every stance, and the hours before resolution. Seeded, and
 * made through the trader's own market room, so that estimates and health are what they would be live.
 */

import { type Micros, micros, ONE, ZERO } from '../../shared/base/micros.js';
import { Random } from '../../shared/base/random.js';
import { marketDetail } from '../../shared/protocol/records.js';
import { MarketTracker } from '../../trader/market/market-tracker.js';
import type { BookSide, MarketFacts, OwnMarketState, Stance } from '../../trader/market/view.js';
import type { StrategyEvent } from '../../trader/strategy/contract.js';
import type { ShownLook, ShownMarket, ShownMarkets } from './contract.js';
import {
  type Beside,
  drawBeside,
  eventView,
  feedViews,
  mirrorBeside,
  NOTHING_BESIDE,
  NOTHING_MORE,
} from './shown-beside.js';

const START_MS = 1_800_000_000_000;
const MAX_POSITION_SHARES = 200;
const FUNDS = micros(1000 * ONE);
/** Every which market charges nothing: only there do a market and its mirror cost the same on every leg. */
const FREE_EVERY = 2;

/** A price level in ticks and shares. */
export type RowOfBook = readonly [tick: number, shares: number];

/** What a poll would bring and what is ours by then, in ticks of YES. */
export interface Look {
  readonly afterMs: number;
  /** Null: no new book is read, and the newest grows old. */
  readonly book: { readonly bids: readonly RowOfBook[]; readonly asks: readonly RowOfBook[] } | null;
  /** In ticks of its own outcome. */
  readonly trade: { readonly tick: number; readonly shares: number; readonly isYes: boolean } | null;
  readonly fill: { readonly side: BookSide; readonly tick: number; readonly shares: number } | null;
  /** YES less NO, in shares. */
  readonly netShares: number;
  readonly stance: Stance;
  /** Absent: there is nothing beside the market. */
  readonly beside?: Beside;
}

/** So many markets of so many looks each, and their mirrors, with what the strategy asks for. */
export function showMarkets(seed: number, markets: number, looks: number, asked = NOTHING_MORE): ShownMarkets {
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

/** In price; null where a side is empty or nothing was read. */
function computeMiddle({ book }: Look, ticks: number): number | null {
  const [bid, ask] = [book?.bids[0]?.[0], book?.asks[0]?.[0]];
  return bid === undefined || ask === undefined ? null : (bid + ask) / (2 * ticks);
}

const drawFill = (random: Random, tick: number) =>
  ({ side: random.chance(0.5) ? 'bid' : 'ask', tick, shares: 1 + random.below(25) }) as const;

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

/** Steps between 0 and 1, and whether fees are 0. */
export interface GridOfMarket {
  readonly ticks: number;
  readonly isFree: boolean;
}

/** What a trader would see of this market at each look; `forMs` is the time from its beginning to its resolution. */
export function showMarket(
  conditionId: string,
  grid: GridOfMarket,
  looks: readonly Look[],
  forMs: number,
  asked = NOTHING_MORE,
): ShownMarket {
  const tracker = new MarketTracker(conditionId);
  tracker.onDetail(makeDetail(conditionId, grid, START_MS + forMs), seenAt(0, START_MS));
  const shown: ShownLook[] = [];
  let nowMs = START_MS;
  for (const [index, look] of looks.entries()) {
    nowMs += look.afterMs;
    const at = seenAt(index + 1, nowMs);
    if (look.book !== null) tracker.onBook(makeBook(conditionId, look.book, grid.ticks), at, []);
    if (look.trade !== null) tracker.onTrades([makeTrade(look.trade, grid.ticks, nowMs)], at);
    const beside = look.beside ?? NOTHING_BESIDE;
    const events = makeEvents(look, grid.ticks, nowMs);
    for (const event of events) tracker.ownFills.onFill(event);
    const view = tracker.view(nowMs, ownState(look), feedViews(beside, asked, nowMs), eventView(beside, asked));
    if (view !== null) shown.push({ view, events });
  }
  return { facts: requireFacts(tracker), looks: shown };
}

function requireFacts({ facts }: MarketTracker): MarketFacts {
  if (facts === null) throw new TypeError('a generated market has no facts');
  return facts;
}

const seenAt = (requestId: number, nowMs: number) => ({ requestId, sentMs: nowMs, seenMs: nowMs, venueTimeMs: nowMs });

const toPrice = (tick: number, ticks: number): Micros => micros((tick * ONE) / ticks);

const toRows = (rows: readonly RowOfBook[], ticks: number) =>
  rows.map(([tick, shares]) => ({ price: toPrice(tick, ticks), total_amount: micros(Math.round(shares * ONE)) }));

const makeBook = (market: string, { bids, asks }: NonNullable<Look['book']>, ticks: number) => ({
  market,
  is_yes: true,
  bid: toRows(bids, ticks),
  ask: toRows(asks, ticks),
});

const makeTrade = ({ tick, shares, isYes }: NonNullable<Look['trade']>, ticks: number, nowMs: number) =>
  ({
    market_condition_id: null,
    amount: micros(shares * ONE),
    price: toPrice(tick, ticks),
    maker_fee: null,
    taker_fee: null,
    timestamp: Math.floor(nowMs / 1000),
    state: 'done',
    is_yes: isYes,
  }) as const;

function ownState({ netShares, stance }: Look): OwnMarketState {
  const shares = micros(Math.round(Math.abs(netShares) * ONE));
  const half = micros(ONE / 2);
  return {
    yesMicros: netShares > 0 ? shares : ZERO,
    noMicros: netShares < 0 ? shares : ZERO,
    avgYesCostMicros: netShares > 0 ? half : null,
    avgNoCostMicros: netShares < 0 ? half : null,
    availableFundsMicros: FUNDS,
    maxPositionMicros: micros(MAX_POSITION_SHARES * ONE),
    stance,
    orders: [],
  };
}

function makeEvents({ fill }: Look, ticks: number, nowMs: number): readonly StrategyEvent[] {
  if (fill === null) return [];
  const { side, tick, shares } = fill;
  const [priceMicros, amountMicros] = [toPrice(tick, ticks), micros(shares * ONE)];
  return [{ kind: 'fill', nowMs, side, priceMicros, amountMicros, isMaker: true }];
}

const makeDetail = (conditionId: string, { ticks, isFree }: GridOfMarket, endMs: number) =>
  marketDetail.parse({
    title: conditionId,
    condition_id: conditionId,
    state: 'open',
    category: null,
    event: null,
    margin_enabled: false,
    resolution_date: Math.round(endMs / 1000),
    config: {
      kind: 'orderbook',
      min_price: String(1 / ticks),
      max_price: String(1 - 1 / ticks),
      min_amount: '1',
      max_amount: '10000',
      min_funds: '1',
      max_funds: '100000',
      price_precision: Math.log10(ticks),
      amount_precision: 2,
      funds_precision: 2,
      maker_fee_rate: isFree ? '0' : '0.005',
      taker_fee_rate: isFree ? '0' : '0.01',
    },
  });
