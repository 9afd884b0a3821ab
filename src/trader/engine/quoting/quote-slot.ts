/** One strategy at one market: its quoter, what it last wanted, and what stood in the way. */

import { isDeepStrictEqual } from 'node:util';
import { type Micros, micros, minMicros, ONE } from '../../../shared/base/micros.js';
import type { MarketFacts, MarketView } from '../../market/view.js';
import type { Refused } from '../../risk/intent.js';
import { limitChanges, type RiskLimits } from '../../risk/limits.js';
import { NO_QUOTES, type QuoteLevel, type Quotes } from '../../strategy/contract.js';
import type { AnyEvent, AskedEvent } from '../../strategy/events.js';
import { LIVE_CLASSES, type LiveClass, type ParamSpecs, type ParamValues } from '../../strategy/params.js';
import { feedsNamed } from '../../strategy/read-params.js';
import type { StepContext } from '../gate.js';
import { isSelective, type Worth } from '../selection/offer.js';
import type { StrategySettings } from '../settings.js';
import type { QuotedEvent, SlotHost } from './slot-hosts.js';
import type { StrategySandbox } from './strategy-sandbox.js';

/** How often one control refused here since the start, and its newest words. */
export interface RefusalCount {
  readonly name: string;
  readonly control: number;
  readonly count: number;
  readonly text: string;
  readonly atMs: number;
}

const TIGHTER = 'its limits got tighter: what rests is pulled, and placed anew under them';
const REQUOTED = 'its parameters have changed: what rests is pulled, and placed anew by them';
const NOT_CHOSEN = 'the markets of its strategy have not been chosen yet';

/** What holds for every slot of a turn, whatever its strategy thinks. */
type WishBounds = Pick<StepContext, 'nowMs' | 'hold'> & { readonly limits: Pick<RiskLimits, 'widenDistanceMicros'> };

/** A slot takes a turn at least this often: ages and times to resolution move though nothing is seen. */
const REQUOTE_MS = 1_000;

export class QuoteSlot {
  readonly conditionId: string;
  /** Outside its quote hours a slot wants nothing. Without quote hours it is always open. */
  inQuoteHours: boolean;
  /** Something changed since it last quoted. */
  dirty = true;
  /** Our clock, ms: nothing is placed before; the exchange has just refused something here. */
  placeAfterMs = 0;
  quotedMs = 0;
  #strategy: StrategySettings;
  #feeds: readonly string[];
  /** Why whatever rests is pulled at its next turn, and judged anew after that; null when it is not. */
  #pulledBecause: string | null = null;
  #host: SlotHost | null = null;
  #quotes: Quotes = NO_QUOTES('not quoted yet');
  #wanted: Quotes = NO_QUOTES('not quoted yet');
  #leftOutBecause: string | null;
  /** What quoting here was last reckoned to be worth; null where it could not be. */
  worth: Worth | null = null;
  #view: MarketView | null = null;
  #isPostOnly = false;
  readonly #refusals = new Map<string, RefusalCount>();

  constructor(conditionId: string, strategy: StrategySettings) {
    this.conditionId = conditionId;
    this.#strategy = strategy;
    this.#feeds = feedsNamed(strategy.module.params, strategy.params);
    this.inQuoteHours = strategy.quoteHours === null;
    this.#leftOutBecause = isSelective(strategy.markets) ? NOT_CHOSEN : null;
  }

  get strategy(): StrategySettings {
    return this.#strategy;
  }

  /** The feeds that its parameters name. */
  get feeds(): readonly string[] {
    return this.#feeds;
  }

  /** Other settings of the same strategy. Returns whether its quoter is gone, and `open` makes another. */
  configure(next: StrategySettings): boolean {
    const before = this.#strategy;
    this.#strategy = next;
    this.#feeds = feedsNamed(next.module.params, next.params);
    this.dirty = true;
    const isChoosing = isSelective(next.markets);
    if (!isChoosing) this.#leftOutBecause = null;
    else if (!isSelective(before.markets)) this.#leftOutBecause = NOT_CHOSEN;
    if (limitChanges(before.risk, next.risk).some(({ isLooser }) => !isLooser)) this.#pulledBecause = TIGHTER;
    if ((before.quoteHours === null) !== (next.quoteHours === null)) this.inQuoteHours = next.quoteHours === null;
    const isSameCode = before.moduleKey === next.moduleKey;
    const wants = isSameCode ? findLiveClass(next.module.params, before.params, next.params) : 'restart';
    if (wants === null) return false;
    if (wants === 'requote') this.#pulledBecause ??= REQUOTED;
    if (wants !== 'restart' && this.#host?.takeParams(next.params) === true) return false;
    this.#host = null;
    return true;
  }

  /** Whether its quoter has been made; `open` gives it one once the first detail is known. */
  get isOpen(): boolean {
    return this.#host !== null;
  }

  open(host: SlotHost): void {
    this.#host = host;
    this.dirty = true;
  }

  /** Where the quoter of its whole event is asked; null for a strategy of single markets. */
  get quoted(): QuotedEvent | null {
    return this.#host?.quoted ?? null;
  }

  /** What its state is kept under: its event where the strategy quotes whole ones. */
  get memoryId(): string {
    return this.quoted?.facts.eventConditionId ?? this.conditionId;
  }

  /** Our clock, ms: the strategy is asked again then, though nothing is seen. */
  get dueMs(): number {
    return Math.min(this.quotedMs + REQUOTE_MS, this.#quotes.againMs ?? Number.POSITIVE_INFINITY);
  }

  /** Whether it takes a turn now: something was seen, its time has come, or our clock was set back. */
  isDue(nowMs: number): boolean {
    return this.dirty || nowMs >= this.dueMs || nowMs < this.quotedMs;
  }

  get quotes(): Quotes {
    return this.#quotes;
  }

  /** What its strategy last wanted, whether or not the market is left out. */
  get wanted(): Quotes {
    return this.#wanted;
  }

  /** Why its strategy does not quote this market, though it looks at it; null where it does. */
  get leftOutBecause(): string | null {
    return this.#leftOutBecause;
  }

  /** Null takes it up. */
  leaveOut(because: string | null): void {
    if ((because === null) !== (this.#leftOutBecause === null)) this.dirty = true;
    this.#leftOutBecause = because;
  }

  /** What it was last shown; null before the first book. */
  get view(): MarketView | null {
    return this.#view;
  }

  /** Whether orders of its last quotes must not trade at once. */
  get isPostOnly(): boolean {
    return this.#isPostOnly;
  }

  /** Runs its quoter; null while there is none. */
  get sandbox(): StrategySandbox | null {
    return this.#host?.sandbox ?? null;
  }

  /** Why the strategy was stopped here; null while it works. */
  get failure(): string | null {
    return this.sandbox?.failure ?? null;
  }

  get refusals(): readonly RefusalCount[] {
    return [...this.#refusals.values()];
  }

  /** Whether its module asks to be told of this. */
  asksFor(kind: AskedEvent): boolean {
    return this.#strategy.module.observes?.includes(kind) === true;
  }

  observe(event: AnyEvent): void {
    this.#host?.observe(event);
    this.dirty = true;
  }

  /** What it wants now. */
  wish(view: MarketView | null, bounds: WishBounds): Quotes {
    this.dirty = false;
    this.quotedMs = bounds.nowMs;
    this.#view = view;
    this.#quotes = this.#decide(view, bounds);
    // What is on its way belongs to the last quotes that there were.
    if (this.#quotes.fairMicros !== null) this.#isPostOnly = this.#quotes.postOnly === true;
    return this.#quotes;
  }

  onRefusal(refusal: Pick<Refused, 'name' | 'control' | 'text'>, nowMs: number): void {
    const { name, control, text } = refusal;
    const count = (this.#refusals.get(name)?.count ?? 0) + 1;
    this.#refusals.set(name, { name, control, count, text, atMs: nowMs });
  }

  #decide(view: MarketView | null, { hold, limits }: WishBounds): Quotes {
    const because = this.whySilent(view, hold);
    const silent = because === null ? null : NO_QUOTES(because);
    // It has been said, so what rests is pulled now.
    if (hold === null) this.#pulledBecause = null;
    if (silent !== null || view === null || this.#host === null) {
      // Of one that is only looked at too seldom it is still known what would be wanted.
      if (view === null || view.market.phase !== 'open') this.#wanted = silent ?? NO_QUOTES('not quoted yet');
      return silent ?? this.#wanted;
    }
    // Read before the strategy speaks: what it is held to must not be its own word.
    const { stance, market, inventory, health } = view;
    const { bookAgeMs } = health;
    const quotes = this.#host.quote(view);
    if (quotes.fairMicros !== null || bookAgeMs < FRESH_BOOK_MS) this.#wanted = quotes;
    const leftOut = this.#leftOutBecause;
    // What it is left out for is not its own silence.
    if (leftOut === null) return applyStance(quotes, { stance, market, inventory }, limits.widenDistanceMicros);
    // What is held there is not left to itself.
    const reducing = applyStance(quotes, { stance: 'reduce-only', market, inventory }, limits.widenDistanceMicros);
    const left = reducing.bids.length + reducing.asks.length;
    return left === 0 ? NO_QUOTES(leftOut) : { ...reducing, note: `only to get out, for ${leftOut}: ${quotes.note}` };
  }

  /** Why the strategy has no say now, one sentence; null when it has. */
  whySilent(view: MarketView | null, hold: string | null): string | null {
    if (hold !== null) return hold;
    if (this.#pulledBecause !== null) return this.#pulledBecause;
    if (!this.inQuoteHours) return 'outside its quote hours';
    if (view === null || this.#host === null) return 'its book has not been seen yet';
    return dataTrouble(view, this.strategy);
  }
}

/** A strategy that wants nothing of a book so young means it, and does not only find it too old. */
const FRESH_BOOK_MS = 2_000;

/**
 * Quotes are pulled, not only withheld, when the market or what we know of it no longer bears them. The same limits
 * refuse new orders in risk; here they also take down what rests.
 */
function dataTrouble(view: MarketView, strategy: StrategySettings): string | null {
  const { health, market, timeToResolutionMs } = view;
  const { maxBookAgeMs, minTimeToResolutionS } = strategy.risk;
  if (market.phase !== 'open') return `the market is ${market.phase}`;
  // An age below zero is none that can be told.
  if (!(health.bookAgeMs >= 0 && health.bookAgeMs <= maxBookAgeMs)) {
    return `the book is ${Math.round(health.bookAgeMs)} ms old, the limit is ${maxBookAgeMs} ms`;
  }
  if (health.frozen) return 'trades print through a book that does not follow';
  if (timeToResolutionMs !== null && timeToResolutionMs < minTimeToResolutionS * 1000) {
    return `it resolves in ${Math.round(timeToResolutionMs / 1000)} s, the limit is ${minTimeToResolutionS} s`;
  }
  return null;
}

/** The strictest class of those that differ; null when none does. */
export function findLiveClass(specs: ParamSpecs, before: ParamValues, after: ParamValues): LiveClass | null {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  const strictest = Math.max(-1, ...changed.map((name) => LIVE_CLASSES.indexOf(specs[name]?.live ?? 'restart')));
  return LIVE_CLASSES[strictest] ?? null;
}

/** What the quotes are held to. */
type Held = Pick<MarketView, 'stance' | 'market' | 'inventory'>;

/**
 * The same quotes where the stance is `normal`. `widen`: no level nearer to the fair value than `widenDistance`.
 * `reduce-only`: only the side that brings the net position towards zero, no more than that takes.
 */
export function applyStance(quotes: Quotes, view: Held, widenDistance: Micros): Quotes {
  switch (view.stance) {
    case 'normal':
      return quotes;
    case 'widen':
      return widen(quotes, view.market, widenDistance);
    case 'reduce-only':
      return reducing(quotes, view);
  }
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

/** Levels that would meet at one price are one level, of the first one's amount; those moved off the grid are none. */
function movedOut(levels: readonly QuoteLevel[], move: (price: Micros) => Micros, market: MarketFacts): QuoteLevel[] {
  const moved = levels.map(({ priceMicros, amountMicros }) => ({ priceMicros: move(priceMicros), amountMicros }));
  // Either outcome may be the leg, so 1 - price must be a price too.
  const lowest = Math.max(market.minPriceMicros, ONE - market.maxPriceMicros);
  return moved.filter(
    ({ priceMicros }, i) =>
      priceMicros >= lowest && priceMicros <= ONE - lowest && priceMicros !== moved[i - 1]?.priceMicros,
  );
}

function reducing(quotes: Quotes, { inventory, market }: Held): Quotes {
  return {
    ...quotes,
    bids: atMost(-inventory.netMicros, quotes.bids, market),
    asks: atMost(inventory.netMicros, quotes.asks, market),
  };
}

/** The best levels up to so many shares in all. */
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
