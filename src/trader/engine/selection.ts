/** Estimates the value of all markets, and selects each strategy's quoted markets in list order or by value. */

import { ONE } from '../../shared/base/micros.js';
import { choose, DWELL_S, type OfferedSide, PricedOffer, type ScarcityPrices } from '../scheduler/market-choice.js';
import type { RequestQueue } from '../scheduler/request-queue.js';
import type { Safety } from './control/safety.js';
import {
  type Belief,
  BOOK_UNREAD,
  believe,
  hasRules,
  isQuotable,
  isSelective,
  makeOffer,
  sumMeasured,
  unwantedBecause,
} from './market-worth.js';
import type { MarketEntry } from './markets.js';
import type { OwnState } from './own/own-state.js';
import type { QuoteSlot } from './quoting/quote-slot.js';
import { computeSigma } from './requests.js';
import type { StrategySettings, TraderSettings } from './settings.js';
import type { VenueTimeBounds } from './venue-clock.js';

const RULES_EVERY_MS = 5_000;
/** Interval between valuations of markets, ms. */
const VALUE_EVERY_MS = 60_000;
/** Maximum number of markets that one valuation adds. A strategy's first selection has no maximum. */
const ENTRIES = 2;
/** Maximum time for which a strategy's first selection waits until all candidate markets have been read, ms. */
const FIRST_PATIENCE_MS = 120_000;
/** Assumed fraction of the public request budget for book reads. Other polls use the rest. */
const BOOK_PART = 0.6;
/** Signed requests are scarce if less than this fraction of the request burst is left. */
const SHORT_PART = 0.5;

interface Chooser {
  readonly settings: Pick<TraderSettings, 'strategies' | 'economics'>;
  readonly markets: { readonly all: Iterable<MarketEntry> };
  readonly safety: Pick<Safety, 'fleet' | 'pauses'>;
  readonly requests: { readonly queue: RequestQueue };
  readonly account: { readonly own: Pick<OwnState, 'cashMicros'> };
  readonly clock: { readonly venue: Pick<VenueTimeBounds, 'nowMs'> };
}

/** Upper bound of the ratio stale-quote loss / income, because the income may be near zero. */
const MOST_STALE_PART = 10;

export class Selection {
  #rulesMs = Number.NEGATIVE_INFINITY;
  /** Time of the last valuation of markets, our clock, ms. */
  valuedMs = Number.NEGATIVE_INFINITY;
  /** Price of a signed request at the last valuation, currency; 0 if requests were plentiful. */
  requestPrice = 0;
  /** Prices of reads, requests and currency at the last valuation of markets; null before the first valuation. */
  prices: ScarcityPrices | null = null;
  /** Slots of strategies that have made their first selection. */
  readonly #begun = new WeakSet<QuoteSlot>();
  /** Time of the last valuation that could add markets to each strategy, our clock, ms. */
  #enteredMs = Number.NEGATIVE_INFINITY;
  /** Time since when a strategy waits for its first selection, our clock, ms, by the strategy's name. */
  #waitingMs = new Map<string, number>();
  readonly #chosen = new WeakSet<QuoteSlot>();
  /** Time of a strategy's last quotes in a market, our clock, ms. */
  readonly #offeredMs = new WeakMap<QuoteSlot, number>();

  /** Measures own fills. If due, applies the market rules and values the markets. Called at each tick. */
  look(state: Chooser, nowMs: number): void {
    for (const { measures, feed } of state.markets.all) measures.look(feed.motion);
    if (Math.abs(nowMs - this.#rulesMs) < RULES_EVERY_MS) return;
    this.#rulesMs = nowMs;
    for (const strategy of state.settings.strategies) this.#applyRules(state, strategy, nowMs);
    const byValue = state.settings.strategies.filter(({ markets }) => markets.choose === 'value');
    // A strategy whose markets were all replaced selects again as at its first selection.
    const begun = byValue.filter((each) => this.#listSlots(state, each).some(([, slot]) => this.#begun.has(slot)));
    const waiting = byValue.filter((each) => !begun.includes(each) && this.#listSlots(state, each).length > 0);
    this.#waitingMs = new Map(waiting.map(({ name }) => [name, this.#waitingMs.get(name) ?? nowMs]));
    const first = waiting.filter((each) => this.#isReady(state, each, nowMs));
    const isDue = Math.abs(nowMs - this.#enteredMs) >= VALUE_EVERY_MS;
    if (!isDue && first.length === 0) return;
    if (isDue || begun.length === 0) this.#enteredMs = nowMs;
    this.valuedMs = nowMs;
    this.#chooseByValue(state, [...begun, ...first], isDue ? ENTRIES : 0, nowMs);
  }

  #listSlots(state: Chooser, strategy: StrategySettings): readonly (readonly [MarketEntry, QuoteSlot])[] {
    return Array.from(state.markets.all).flatMap((entry) =>
      entry.slots.filter((slot) => slot.strategy === strategy).map((slot) => [entry, slot] as const),
    );
  }

  /** Excludes markets that break the rules. With `choose: listed`, quoted markets come first, unquotable ones last. */
  #applyRules(state: Chooser, strategy: StrategySettings, nowMs: number): void {
    const { markets } = strategy;
    const slots = this.#listSlots(state, strategy);
    // A strategy that is not selective has more than `max` markets only after a closed market was replaced.
    const isQuotingAll = !isSelective(markets) && slots.length <= markets.max;
    const wanted = slots.filter(([, slot]) => {
      const reason = isQuotingAll ? null : ruledOut(state, slot, nowMs);
      if (reason !== null) this.#leaveOut(slot, reason);
      return reason === null;
    });
    if (markets.choose === 'value') return;
    const rank = ([{ feed }, slot]: (typeof wanted)[number]) =>
      isQuotable(feed, markets) ? Number(!this.#chosen.has(slot)) : 2;
    for (const [place, [, slot]] of wanted.toSorted((a, b) => rank(a) - rank(b)).entries())
      if (place < markets.max) this.#take(slot);
      else this.#leaveOut(slot, `the strategy quotes at most ${markets.max} markets, and other markets come first`);
  }

  #isReady(state: Chooser, strategy: StrategySettings, nowMs: number): boolean {
    const waitedMs = Math.abs(nowMs - (this.#waitingMs.get(strategy.name) ?? nowMs));
    return waitedMs > FIRST_PATIENCE_MS || this.#listSlots(state, strategy).every(([, slot]) => slot.view !== null);
  }

  #chooseByValue(state: Chooser, ready: readonly StrategySettings[], entries: number, nowMs: number): void {
    const offered = this.#offers(state, nowMs);
    const { economics } = state.settings;
    const least = { look: 0, request: economics.requestPrice, currencyPerS: economics.currencyPricePerS };
    // A selected market that has no quotes for a short time stays selected. 0: the market has quotes now.
    const isPausing = (slot: QuoteSlot) => {
      const silentMs = nowMs - (this.#offeredMs.get(slot) ?? Number.NEGATIVE_INFINITY);
      return this.#chosen.has(slot) && silentMs !== 0 && silentMs < DWELL_S * 1000;
    };
    const countPausing = (strategy: StrategySettings) =>
      this.#listSlots(state, strategy).filter(([, slot]) => isPausing(slot)).length;
    const most = new Map(ready.map((strategy) => [strategy.name, strategy.markets.max - countPausing(strategy)]));
    const candidates = offered.flatMap((one) => (ruledOut(state, one.slot, nowMs) === null ? one.candidate : []));
    const { queue } = state.requests;
    const supply = {
      looksPerS: (queue.perMinute('public', nowMs) * BOOK_PART) / 60,
      requestsPerS: Math.max(0, queue.perMinute('signed', nowMs) - queue.ownReadsPerMinute(nowMs)) / 60,
      currency: Math.max(0, state.account.own.cashMicros) / ONE,
    };
    const choice = choose(candidates, supply, least, { most, entries, free: new Set(this.#waitingMs.keys()) });
    this.prices = choice.prices;
    const places = new Map(choice.ranked.map(({ id, value }, i) => [id, { value, place: i + 1 }]));
    // The request price is above 0 only if own requests use up the budget, not if throttling or other programs do.
    this.requestPrice = queue.isSteady(nowMs) && queue.burstLeft(nowMs) < SHORT_PART ? choice.prices.request : 0;
    for (const { slot, candidate, belief, gross, lateFillCost } of offered) {
      const found = places.get(candidate.id);
      if (found === undefined) continue;
      const stalePart = gross > 0 ? Math.min(MOST_STALE_PART, found.value.stale / gross) : 0;
      slot.worth = { ...found, prices: choice.prices, belief, stalePart, lateFillCost };
    }
    for (const strategy of ready) {
      this.#waitingMs.delete(strategy.name);
      for (const [, slot] of this.#listSlots(state, strategy)) {
        this.#begun.add(slot);
        if (ruledOut(state, slot, nowMs) !== null) continue;
        if (choice.chosen.has(makeId(slot)) || isPausing(slot)) this.#take(slot);
        else this.#leaveOut(slot, whyNot(state, slot));
      }
    }
  }

  #offers(state: Chooser, nowMs: number) {
    const categories = new Map<string, MarketEntry[]>();
    for (const entry of state.markets.all) {
      const category = entry.feed.facts?.category ?? '';
      categories.set(category, [...(categories.get(category) ?? []), entry]);
    }
    return Array.from(categories.values()).flatMap((entries) => {
      const before = believe(sumMeasured(entries.map(({ measures }) => measures.sums)));
      return entries.flatMap((entry) => {
        const belief = believe(entry.measures.sums, before);
        const offers = entry.slots.flatMap((slot) => this.#makeOffer(state, slot, entry, belief, nowMs) ?? []);
        const modelled = offers.reduce((sum, { quoted }) => sum + quoted, 0);
        entry.measures.pass(nowMs, modelled / belief.fillRatio);
        return offers;
      });
    });
  }

  #makeOffer({ safety }: Chooser, slot: QuoteSlot, { feed, measures }: MarketEntry, belief: Belief, nowMs: number) {
    const { motion } = feed;
    const { view, strategy } = slot;
    slot.worth = null;
    if (motion === null || view === null || safety.pauses.get(slot.conditionId) !== undefined) return null;
    const motionNow = { sigmaPerSqrtS: computeSigma(feed, nowMs), jumpsPerS: motion.jumpsPerS };
    const offer = makeOffer(slot.wanted, view, motionNow, belief);
    if (offer === null) return null;
    this.#offeredMs.set(slot, nowMs);
    // Expected gross income from own fills, currency per second.
    const gross = incomePerS(offer.sides, Number.NEGATIVE_INFINITY);
    const candidate: Parameters<typeof choose>[0][number] = {
      id: makeId(slot),
      group: strategy.name,
      offer: new PricedOffer(offer),
      isFixed: strategy.markets.choose !== 'value' && slot.leftOutBecause === null,
      isChosen: this.#chosen.has(slot),
      doubt: Math.max(0, gross) / Math.sqrt(1 + measures.sums.fills),
    };
    const fillsPerS = offer.sides.reduce((sum, side) => sum + side.fillsPerS, 0);
    const isQuoted = slot.leftOutBecause === null && slot.quotes.fairMicros !== null;
    // The mean income of a side is the cost rate of an unseen fill.
    const sideIncome = incomePerS(offer.sides, offer.market.usualDistance) / Math.max(1, offer.sides.length);
    const lateFillCost = fillsPerS * sideIncome;
    return { slot, belief, candidate, gross, lateFillCost, quoted: isQuoted ? fillsPerS : 0 };
  }

  #take(slot: QuoteSlot): void {
    this.#chosen.add(slot);
    slot.leftOutBecause = null;
  }

  #leaveOut(slot: QuoteSlot, because: string): void {
    this.#chosen.delete(slot);
    slot.leftOutBecause = because;
  }
}

/** Returns the income of fills, currency per second. Each distance counts as at least `least`. */
const incomePerS = (sides: readonly OfferedSide[], least: number): number =>
  sides.reduce((sum, side) => sum + side.fillsPerS * side.sharesPerFill * Math.max(side.distance, least), 0);

const makeId = ({ strategy, conditionId }: QuoteSlot): string => `${strategy.name} ${conditionId}`;

function ruledOut(state: Chooser, slot: QuoteSlot, nowMs: number): string | null {
  if (state.safety.fleet?.foreign.has(slot.conditionId) === true)
    return 'another wallet of the fleet has claimed the market';
  const { rules } = slot.strategy.markets;
  if (!hasRules(rules)) return null;
  if (slot.view === null) return BOOK_UNREAD;
  const venueNowMs = state.clock.venue.nowMs(nowMs) ?? nowMs;
  return unwantedBecause(rules, slot.view, slot.leftOutBecause === null, venueNowMs);
}

function whyNot({ safety }: Chooser, { conditionId, worth, wanted }: QuoteSlot): string {
  if (worth === null) return `the market cannot be valued: ${safety.pauses.get(conditionId)?.reason ?? wanted.note}`;
  const { value, place } = worth;
  const hourly = (value.net * 3600).toFixed(4);
  return value.net > 0
    ? `the market is worth ${hourly} per hour, rank ${place}, but markets of higher rank are chosen`
    : `the market is worth ${hourly} per hour: its costs exceed its income`;
}
