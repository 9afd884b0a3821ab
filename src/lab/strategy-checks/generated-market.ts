/** Feeds one generated market to the trader's own market room, observation by observation. */

import { must } from '../../shared/base/errors.js';
import { type Micros, micros, ONE, ZERO } from '../../shared/base/micros.js';
import { marketDetail } from '../../shared/protocol/records.js';
import { MarketTracker } from '../../trader/market/market-tracker.js';
import type {
  BookSide,
  EventFacts,
  EventView,
  FeedViews,
  MarketFacts,
  MarketView,
  OwnMarketState,
  SiblingView,
  Stance,
  WholeEventView,
} from '../../trader/market/view.js';
import { checkEventQuotes } from '../../trader/strategy/check.js';
import type {
  AnyEvent,
  EventKind,
  EventQuoter,
  ParamValues,
  Quoter,
  Quotes,
  Strategy,
  StrategyEvent,
} from '../../trader/strategy/contract.js';
import { feedsNamed } from '../../trader/strategy/read-params.js';

/** A strategy with the parameters of the trial. */
export interface TriedStrategy {
  readonly strategy: Strategy;
  readonly params: ParamValues;
}

/** Observations of one market in order of our clock; `events` are passed before its quotes are requested. */
export interface ShownMarket {
  readonly facts: MarketFacts;
  readonly looks: readonly { readonly view: MarketView; readonly events: readonly AnyEvent[] }[];
}

/** Observations of all markets of an event, with the earlier events by market. */
export interface ShownEvent {
  readonly event: EventFacts;
  /** Whether all markets are without fees. */
  readonly isFree: boolean;
  readonly looks: readonly {
    readonly view: WholeEventView;
    readonly events: readonly { readonly conditionId: string; readonly event: AnyEvent }[];
  }[];
}

/** Complete view of one quoter. */
export type ShownSubject = ShownMarket | ShownEvent;

/** Markets or events of a trial. Two lists of equal length; a subject and its mirror have the same index. */
export interface ShownMarkets<S extends ShownSubject = ShownSubject> {
  readonly markets: readonly S[];
  /** The same with YES and NO exchanged; null for events. */
  readonly mirrored: readonly S[] | null;
}

/** Result of one check. `not asked`: the check's requirement is missing; `text` names the requirement. */
export interface CheckResult {
  readonly name: string;
  readonly verdict: 'ok' | 'failed' | 'not asked';
  /** Sentence with the number of observations, or with the first error and its place. */
  readonly text: string;
}

/** Quotes for one market, and the market's view. */
export interface MarketQuotes {
  readonly quotes: Quotes;
  readonly view: MarketView;
}

export interface TrialQuoter {
  /**
   * Passes the events before the observation of this number, from 0, and requests quotes for each market of the view.
   * Throws the strategy's errors, and TypeError when quotes of a market are missing, or are for a foreign market.
   */
  look(at: number): readonly MarketQuotes[];
  save(): unknown;
}

/** Throws the strategy's errors, and TypeError without a view of its kind. */
export function makeTrialQuoter(
  { strategy, params }: TriedStrategy,
  shown: ShownSubject,
  saved?: unknown,
): TrialQuoter {
  if (strategy.scope === 'event') {
    if (!('event' in shown)) throw new TypeError(`${strategy.name} quotes events, and was to be shown a market`);
    const quoter: EventQuoter<EventKind> = strategy.create(params, shown.event, saved);
    return {
      look(at) {
        const { view, events } = must(shown.looks[at], 'a look');
        for (const { event, conditionId } of events) quoter.observe?.(event, conditionId);
        const said = quoter.quote(view);
        const wrong = checkEventQuotes(said, view);
        if (wrong !== null) throw new TypeError(wrong);
        return view.markets.map(({ view: of }) => ({ quotes: said[of.market.conditionId] as Quotes, view: of }));
      },
      save: () => quoter.save?.(),
    };
  }
  if ('event' in shown) throw new TypeError(`${strategy.name} quotes markets, and was to be shown an event`);
  const quoter: Quoter<EventKind> = strategy.create(params, shown.facts, saved);
  return {
    look(at) {
      const { view, events } = must(shown.looks[at], 'a look');
      for (const event of events) quoter.observe?.(event);
      return [{ quotes: quoter.quote(view), view }];
    },
    save: () => quoter.save?.(),
  };
}

/** Returns a readable name. */
export const nameShown = (shown: ShownSubject): string =>
  'event' in shown ? shown.event.eventConditionId : shown.facts.conditionId;

/** Inputs that a strategy requests. */
export interface Asked {
  readonly feeds: readonly string[];
  readonly event: boolean;
}

export const NOTHING_MORE: Asked = { feeds: [], event: false };

export const askedBy = ({ strategy, params }: TriedStrategy): Asked => ({
  feeds: feedsNamed(strategy.params, params),
  event: strategy.inputs?.event === true,
});

/** Inputs besides the market, for one observation; null without a value. */
export interface Beside {
  /** A probability, or a bid and an ask around it, in price; and its age. */
  readonly told: {
    readonly p: number;
    /** Half distance of the feed's prices; null: the feed gives the probability itself. */
    readonly half: number | null;
    readonly sd: number | null;
    readonly ageMs: number;
  } | null;
  /** The other market of two exhaustive outcomes. */
  readonly other:
    | (Pick<SiblingView, 'sinceJumpMs' | 'isSound' | 'bookAgeMs'> & {
        readonly mid: number;
        readonly half: number;
        readonly netShares: number;
      })
    | null;
}

/** Returns feed views; all feeds give the same value. */
export function feedViews({ told }: Beside, { feeds }: Asked, nowMs: number): FeedViews {
  if (told === null) return {};
  const { p, half, sd, ageMs } = told;
  const prices = half === null ? { p, bid: null, ask: null } : { p: null, bid: p - half, ask: p + half };
  const view = Object.freeze({ ...prices, sd, ageMs, atMs: nowMs - ageMs, validUntilMs: null });
  return Object.freeze(Object.fromEntries(feeds.map((name) => [name, view])));
}

export function eventView({ other }: Beside, asked: Asked): EventView | null {
  if (!asked.event || other === null) return null;
  const { mid, half, netShares, ...seen } = other;
  const prices = { mid, bid: mid - half, ask: mid + half, sigmaLogOddsPerSqrtS: 0.002 };
  const own = { netMicros: micros(netShares * ONE), ownBidMicros: null, ownAskMicros: null };
  const siblings = Object.freeze([Object.freeze({ conditionId: 'the other outcome', ...seen, ...prices, ...own })]);
  return Object.freeze({ eventConditionId: 'generated', outcomes: 'exhaustive', markets: 2, siblings });
}

/** Time before the first observation, our clock, ms. */
export const START_MS = 1_800_000_000_000;
export const MAX_POSITION_SHARES = 200;
const FUNDS = micros(1000 * ONE);

/** A price level in ticks and shares. */
export type RowOfBook = readonly [tick: number, shares: number];

/** Result of a poll and own state then, in ticks of YES. */
export interface Look {
  readonly afterMs: number;
  /** New book; null: no new book is read, and the newest book ages. */
  readonly book: { readonly bids: readonly RowOfBook[]; readonly asks: readonly RowOfBook[] } | null;
  /** Trade in ticks of its own outcome. */
  readonly trade: { readonly tick: number; readonly shares: number; readonly isYes: boolean } | null;
  readonly fill: { readonly side: BookSide; readonly tick: number; readonly shares: number } | null;
  /** YES less NO, in shares. */
  readonly netShares: number;
  readonly stance: Stance;
}

/** Number of ticks between 0 and 1, and whether fees are 0. */
export interface GridOfMarket {
  readonly ticks: number;
  readonly isFree: boolean;
}

const seenAt = (requestId: number, nowMs: number) => ({ requestId, sentMs: nowMs, seenMs: nowMs, venueTimeMs: nowMs });

/**
 * A market opened at `START_MS`, seen through a trader's own market room.
 *
 * @param forMs from its beginning to its resolution
 */
export function generateMarket(conditionId: string, grid: GridOfMarket, forMs: number, event: string | null = null) {
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
    /** Takes a poll's result. Returns own events. */
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
    /** Returns the view; null before the first book. */
    view: (ours: OwnState, nowMs: number, feeds?: FeedViews, siblings?: EventView | null): MarketView | null =>
      tracker.view(nowMs, ownState(ours), feeds, siblings),
  };
}

type OwnState = Pick<Look, 'netShares' | 'stance'>;

function ownState({ netShares, stance }: OwnState): OwnMarketState {
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

const LIMITS = { min_amount: '1', max_amount: '10000', min_funds: '1', max_funds: '100000' };

export const makeDetail = (
  conditionId: string,
  { ticks, isFree }: GridOfMarket,
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
