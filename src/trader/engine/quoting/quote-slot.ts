/** A quote slot: the state of one strategy in one market, with the last quotes and the counts of refused orders. */

import { isDeepStrictEqual } from 'node:util';
import { type Micros, micros, minMicros, ONE } from '../../../shared/base/micros.js';
import { OUTSIDE_HOURS } from '../../../shared/protocol/trader-status.js';
import type { BookedFill } from '../../ledger/contract.js';
import type { MarketFacts, MarketView } from '../../market/view.js';
import type { Refused } from '../../risk/intent.js';
import { limitChanges, type RiskLimits } from '../../risk/limits.js';
import type { PricedOffer, ScarcityPrices } from '../../scheduler/market-choice.js';
import {
  type AnyEvent,
  LIVE_CLASSES,
  type LiveClass,
  NO_QUOTES,
  type ParamSpecs,
  type ParamValues,
  type QuoteLevel,
  type Quotes,
} from '../../strategy/contract.js';
import { feedsNamed } from '../../strategy/read-params.js';
import { type Belief, BOOK_UNREAD, isSelective, TRADES_UNREAD, UNCLAIMED } from '../market-worth.js';
import type { StrategySettings } from '../settings.js';
import { inYesSpace } from './changes.js';
import type { StrategySandbox } from './strategy-sandbox.js';

const TIGHTER = "the strategy's limits are tighter now: its orders are canceled and placed again";
const REQUOTED = "the strategy's parameters have changed: its orders are canceled and placed again";
const NOT_CHOSEN = 'the strategy has not chosen its markets yet';
const NOT_QUOTED = NO_QUOTES('the strategy has not quoted this market yet');
const WITHOUT_EVENT = NO_QUOTES('the market belongs to no event, and the strategy quotes whole events');

interface WishBounds {
  readonly nowMs: number;
  readonly hold: string | null;
  readonly limits: Pick<RiskLimits, 'widenDistanceMicros'>;
}

/** Maximum interval between calls of a strategy in a market, ms, because book age and time to resolution change. */
const REQUOTE_MS = 1_000;

interface Worth {
  readonly value: ReturnType<PricedOffer['at']>;
  readonly prices: ScarcityPrices;
  /** Rank of the market by value; 1 is the most valuable market. */
  readonly place: number;
  readonly belief: Belief;
  /** Cost of detecting fills late, currency per s²: fills per second times the income per second of one side. */
  readonly lateFillCost: number;
  /** Expected loss from stale quotes, as a fraction of the fills' distance from the fair price. */
  readonly stalePart: number;
}

export class QuoteSlot {
  readonly conditionId: string;
  /** Whether the strategy is within its quote hours; always true for a strategy without quote hours. */
  inQuoteHours: boolean;
  /** True if an input of the strategy has changed since its last quotes. */
  dirty = true;
  /** Earliest time of the slot's next order after a rejection by the exchange, our clock, ms. */
  placeAfterMs = 0;
  readonly refusals = new Refusals();
  #quotedMs = 0;
  strategy: StrategySettings;
  feeds: readonly string[];
  /** Why the next call of `wish` cancels all orders of the slot, to place them again; null otherwise. */
  pulledBecause: string | null = null;
  /** True after `open` was called, which happens at the market's first detail. */
  #isOpen = false;
  sandbox: StrategySandbox | null = null;
  quotes: Quotes = NOT_QUOTED;
  /** The strategy's last quotes, even if it was not selected to quote this market. */
  wanted: Quotes = NOT_QUOTED;
  #leftOutBecause: string | null;
  worth: Worth | null = null;
  /** The last view passed to the strategy; null before the first book. */
  view: MarketView | null = null;
  /** Whether the last quotes that had a fair price were post-only. */
  isPostOnly = false;

  constructor(conditionId: string, strategy: StrategySettings) {
    this.conditionId = conditionId;
    this.strategy = strategy;
    this.feeds = feedsNamed(strategy.module.params, strategy.params);
    this.inQuoteHours = strategy.quoteHours === null;
    this.#leftOutBecause = isSelective(strategy.markets) ? NOT_CHOSEN : null;
  }

  /** Applies new settings of the strategy. Returns true if the quoter was dropped and `open` must replace it. */
  configure(next: StrategySettings): boolean {
    const before = this.strategy;
    this.strategy = next;
    this.feeds = feedsNamed(next.module.params, next.params);
    this.dirty = true;
    const isChoosing = isSelective(next.markets);
    if (isChoosing !== isSelective(before.markets)) this.#leftOutBecause = isChoosing ? NOT_CHOSEN : null;
    if (limitChanges(before.risk, next.risk).some(({ isLooser }) => !isLooser)) this.pulledBecause = TIGHTER;
    if ((before.quoteHours === null) !== (next.quoteHours === null)) this.inQuoteHours = next.quoteHours === null;
    const isSameCode = before.moduleKey === next.moduleKey;
    const wants = isSameCode ? findLiveClass(next.module.params, before.params, next.params) : 'restart';
    if (wants === null) return false;
    if (wants === 'requote') this.pulledBecause ??= REQUOTED;
    if (wants !== 'restart' && this.sandbox?.takeParams(next.params) === true) return false;
    this.#isOpen = false;
    this.sandbox = null;
    return true;
  }

  /**
   * Creates the quoter on the first call. `make` returns null for an event strategy without an event.
   *
   * @param findFills returns the strategy's fills in this market that were booked after `sinceMs`, oldest first
   */
  open(make: () => StrategySandbox | null, findFills = (_sinceMs: number): readonly BookedFill[] => []): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.sandbox = make();
    this.dirty = true;
    const restoredMs = this.sandbox?.takeRestoredMs(this.conditionId) ?? null;
    if (restoredMs !== null) for (const fill of findFills(restoredMs)) this.observe(toFillEvent(fill, fill.seenMs));
  }

  /** Time when the strategy must be called again, our clock, ms; -Infinity if an input has changed. */
  get dueMs(): number {
    if (this.dirty) return Number.NEGATIVE_INFINITY;
    return Math.min(this.#quotedMs + REQUOTE_MS, this.quotes.againMs ?? Number.POSITIVE_INFINITY);
  }

  /** Why the strategy does not quote this tracked market; null if the market is selected. */
  get leftOutBecause(): string | null {
    return this.#leftOutBecause;
  }

  /** True if the selection has decided against this market; false before its first decision or without data. */
  get isNotSelected(): boolean {
    return this.#leftOutBecause !== null && ![NOT_CHOSEN, BOOK_UNREAD, TRADES_UNREAD].includes(this.#leftOutBecause);
  }

  set leftOutBecause(because: string | null) {
    if ((because === null) !== (this.#leftOutBecause === null)) this.dirty = true;
    this.#leftOutBecause = because;
  }

  /** Passes a fill, or an event to which the strategy's module subscribes, to the quoter. */
  observe(event: AnyEvent): void {
    if (event.kind !== 'fill' && this.strategy.module.observes?.includes(event.kind) !== true) return;
    this.sandbox?.observe(event, this.conditionId);
    this.dirty = true;
  }

  /** Runs the strategy and returns the quotes that the slot's orders should match. */
  wish(view: MarketView | null, bounds: WishBounds): Quotes {
    this.dirty = false;
    this.#quotedMs = bounds.nowMs;
    this.view = view;
    this.quotes = this.#decide(view, bounds);
    // Quotes without a fair price place no orders, so orders in flight keep the `postOnly` of earlier quotes.
    if (this.quotes.fairMicros !== null) this.isPostOnly = this.quotes.postOnly === true;
    return this.quotes;
  }

  #decide(view: MarketView | null, { hold, limits }: WishBounds): Quotes {
    const because = this.whySilent(view, hold);
    const silent = because === null ? null : NO_QUOTES(because);
    // While `pulledBecause` is set, this call returns no quotes, so orders are canceled. The next call may quote again.
    if (hold === null || because !== hold) this.pulledBecause = null;
    if (silent !== null || view === null || !this.#isOpen) {
      // A market that is silent for another reason keeps its wanted quotes, because the market's valuation uses them.
      if (view === null || this.#whyUnfit(view) !== null) this.wanted = silent ?? NOT_QUOTED;
      return silent ?? this.wanted;
    }
    // Stance, market and holding are read before the strategy runs, so that the strategy cannot change them.
    const { stance, market, inventory, health } = view;
    const { bookAgeMs } = health;
    const quotes = this.sandbox?.quote(view) ?? WITHOUT_EVENT;
    if (quotes.fairMicros !== null || bookAgeMs < FRESH_BOOK_MS) this.wanted = quotes;
    if (hold !== null) return NO_QUOTES(hold);
    const inStance = applyStance(quotes, { stance, market, inventory }, limits.widenDistanceMicros);
    const leftOut = this.#leftOutBecause;
    if (leftOut === null) return inStance;
    // In a market that is not selected, quotes may only reduce the holding.
    const reducing = applyStance(inStance, { stance: 'reduce-only', market, inventory }, limits.widenDistanceMicros);
    const left = reducing.bids.length + reducing.asks.length;
    return left === 0
      ? NO_QUOTES(leftOut)
      : { ...reducing, note: `the strategy only reduces its position (${leftOut}): ${quotes.note}` };
  }

  /** Returns why the strategy may not quote now, in one sentence; null if it may. */
  whySilent(view: MarketView | null, hold: string | null): string | null {
    // In an unclaimed market the strategy runs only to value the market.
    if (hold !== null && hold !== UNCLAIMED) return hold;
    if (this.pulledBecause !== null) return this.pulledBecause;
    if (!this.inQuoteHours) return OUTSIDE_HOURS;
    if (view === null || !this.#isOpen) return BOOK_UNREAD;
    // The risk module only rejects new orders beyond these limits. This check also cancels resting orders.
    const { bookAgeMs } = view.health;
    const { maxBookAgeMs } = this.strategy.risk;
    // A negative book age means that the age is unknown.
    if (view.market.phase === 'open' && !(bookAgeMs >= 0 && bookAgeMs <= maxBookAgeMs))
      return `the book is ${Math.round(bookAgeMs)} ms old, the maximum is ${maxBookAgeMs} ms`;
    return this.#whyUnfit(view);
  }

  /** Returns why the market itself cannot be quoted, in one sentence; null if it can. */
  #whyUnfit({ health, market, timeToResolutionMs }: MarketView): string | null {
    const { minTimeToResolutionS } = this.strategy.risk;
    if (market.phase !== 'open') return `the market is ${market.phase}`;
    if (health.frozen) return 'the book is frozen: trades occur beyond its best prices, but it does not change';
    if (timeToResolutionMs !== null && timeToResolutionMs < minTimeToResolutionS * 1000)
      return `the market resolves in ${Math.round(timeToResolutionMs / 1000)} s, the minimum is ${minTimeToResolutionS} s`;
    return null;
  }
}

export const toFillEvent = ({ isYes, side, priceMicros, amountMicros, isMaker }: BookedFill, nowMs: number) =>
  ({ kind: 'fill', nowMs, ...inYesSpace(isYes, side, priceMicros), amountMicros, isMaker: isMaker === true }) as const;

/** Counts and newest texts of refused orders, by risk control. */
export class Refusals extends Map<string, Pick<Refused, 'name' | 'text'> & { readonly count: number }> {
  add({ name, text }: Pick<Refused, 'name' | 'text'>): void {
    this.set(name, { name, count: (this.get(name)?.count ?? 0) + 1, text });
  }
}

/** Maximum age of a fresh book, ms. A strategy that does not quote on a fresh book has a reason other than its age. */
const FRESH_BOOK_MS = 2_000;

/** Returns the strictest live class (now, requote, restart) of the changed parameters; null if none changed. */
export function findLiveClass(specs: ParamSpecs, before: ParamValues, after: ParamValues): LiveClass | null {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  const strictest = Math.max(-1, ...changed.map((name) => LIVE_CLASSES.indexOf(specs[name]?.live ?? 'restart')));
  return LIVE_CLASSES[strictest] ?? null;
}

/** Fields of a strategy's view that `applyStance` needs. */
type StanceInputs = Pick<MarketView, 'stance' | 'market' | 'inventory'>;

/**
 * Limits quotes by the risk stance; only the stance `normal` allows probes. With `widen`, no level is closer to the
 * fair price than `widenDistance`. With `reduce-only`, quotes can only reduce the net position, at most to zero.
 */
export function applyStance(quotes: Quotes, view: StanceInputs, widenDistance: Micros): Quotes {
  if (view.stance === 'normal') return quotes;
  const isNoProbe = ({ isProbe }: QuoteLevel): boolean => isProbe !== true;
  const orders = { ...quotes, bids: quotes.bids.filter(isNoProbe), asks: quotes.asks.filter(isNoProbe) };
  return view.stance === 'widen' ? widen(orders, view.market, widenDistance) : reducing(orders, view);
}

function widen(quotes: Quotes, market: MarketFacts, distance: Micros): Quotes {
  const { fairMicros } = quotes;
  if (fairMicros === null) return quotes;
  const tick = market.tickMicros;
  const highest = micros(Math.floor((fairMicros - distance) / tick) * tick);
  const lowest = micros(Math.ceil((fairMicros + distance) / tick) * tick);
  return {
    ...quotes,
    bids: movedOut(quotes.bids, (price) => minMicros(price, highest), market),
    asks: movedOut(quotes.asks, (price) => micros(Math.max(price, lowest)), market),
  };
}

/** Returns the moved levels. Of levels with equal prices, only the first stays. Prices out of range are dropped. */
function movedOut(levels: readonly QuoteLevel[], move: (price: Micros) => Micros, market: MarketFacts): QuoteLevel[] {
  const moved = levels.map(({ priceMicros, amountMicros }) => ({ priceMicros: move(priceMicros), amountMicros }));
  // A level may become an order for NO shares, so 1 - price must also be in the range.
  const lowest = Math.max(market.minPriceMicros, ONE - market.maxPriceMicros);
  return moved.filter(
    ({ priceMicros }, i) =>
      priceMicros >= lowest && priceMicros <= ONE - lowest && priceMicros !== moved[i - 1]?.priceMicros,
  );
}

function reducing(quotes: Quotes, { inventory, market }: StanceInputs): Quotes {
  return {
    ...quotes,
    bids: atMost(-inventory.netMicros, quotes.bids, market),
    asks: atMost(inventory.netMicros, quotes.asks, market),
  };
}

/** Returns the best quote levels that together have at most this number of shares. */
function atMost(shares: number, levels: readonly QuoteLevel[], market: MarketFacts): QuoteLevel[] {
  let left = shares;
  const kept: QuoteLevel[] = [];
  for (const { priceMicros, amountMicros } of levels) {
    const most = Math.min(amountMicros, left);
    const onLot = most - (most % market.lotMicros);
    if (onLot < market.minAmountMicros) break;
    kept.push({ priceMicros, amountMicros: micros(onLot) });
    left -= onLot;
  }
  return kept;
}
