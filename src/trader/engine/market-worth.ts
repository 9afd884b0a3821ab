/** Expected income and cost of quoting a market, from the strategy's quotes and the observed market. */

import { complement, type Micros, micros, ONE } from '../../shared/base/micros.js';
import type { MarketTracker } from '../market/market-tracker.js';
import type { OwnFill } from '../market/own-activity.js';
import type { BookLevel, BookSide, MarketFacts, MarketView, PriceMotion, TapeTrade } from '../market/view.js';
import type { OfferedSide, PricedOffer } from '../scheduler/market-choice.js';
import type { RestingQuote } from '../scheduler/stale-index.js';
import type { QuoteLevel, Quotes } from '../strategy/contract.js';
import { legFees } from './quoting/changes.js';
import type { MarketFilter, MarketSelection } from './settings.js';

/** Returns the expected income and costs of quoting a market; null if its strategy quotes nothing. */
export function makeOffer(
  quotes: Pick<Quotes, 'fairMicros' | 'bids' | 'asks' | 'keepWithinTicks' | 'exact' | 'edge'>,
  view: Pick<MarketView, 'market' | 'others' | 'flow'>,
  { sigmaPerSqrtS, jumpsPerS }: Pick<PriceMotion, 'sigmaPerSqrtS' | 'jumpsPerS'>,
  belief: Belief,
): ConstructorParameters<typeof PricedOffer>[0] | null {
  const { fairMicros, bids, asks, keepWithinTicks, exact = false } = quotes;
  if (fairMicros === null || bids.length + asks.length === 0) return null;
  const { market, flow } = view;
  const tick = market.tickMicros / ONE;
  return {
    sides: SIDES.flatMap((side) => makeSides(side, quotes, fairMicros, view, belief)),
    market: {
      seenMs: 0,
      price: fairMicros / ONE,
      usualDistance: tick,
      sigmaPerSqrtS,
      jumpsPerS,
      takersPerS: flow.tradesPerS,
      quotes: SIDES.flatMap((side) => resting(side, quotes, fairMicros)),
    },
    // An order is moved if the strategy's wanted price has moved by the tolerance plus half a tick.
    leastTolerance: tick * ((exact ? 0 : keepWithinTicks) + 1 / 2),
    isExact: exact,
    currency: sumCurrency(bids, (price) => price) + sumCurrency(asks, complement),
  };
}

const SIDES = ['bid', 'ask'] as const;
type OfferedLevels = Pick<Quotes, 'bids' | 'asks' | 'edge'>;

function makeSides(
  side: BookSide,
  quotes: OfferedLevels,
  fairMicros: Micros,
  { market, others, flow }: Pick<MarketView, 'market' | 'others' | 'flow'>,
  { fillRatio, adversePart }: Belief,
): OfferedSide[] {
  const levels = side === 'bid' ? quotes.bids : quotes.asks;
  const sign = side === 'bid' ? 1 : -1;
  const worth = worthOf(side, quotes, fairMicros);
  // Mean size of taker trades. Before the first trade, the amount of our best quote level is assumed.
  const meanShares = flow.meanTradeShares ?? (levels[0]?.amountMicros ?? ONE) / ONE;
  let before = 0;
  return levels.map(({ priceMicros, amountMicros }) => {
    const ahead = before + sharesAhead(side === 'bid' ? others.bids : others.asks, priceMicros, sign);
    before += amountMicros / ONE;
    const distance = (sign * (worth - priceMicros)) / ONE;
    const fees = legFees(market, side, priceMicros, false);
    return {
      // Half of all takers are assumed to buy. A taker with more shares than the queue ahead reaches our level.
      fillsPerS: (fillRatio * flow.tradesPerS * Math.exp(-ahead / meanShares)) / 2,
      sharesPerFill: meanShares * -Math.expm1(-amountMicros / ONE / meanShares),
      distance,
      adverse: adversePart * Math.max(distance, market.tickMicros / ONE),
      feePerShare: Math.min(fees.sell, fees.buy),
    };
  });
}

/** Returns a share's value to the strategy on this side, micros: its fair price, or the value implied by its `edge`. */
function worthOf(side: BookSide, { bids, asks, edge }: OfferedLevels, fairMicros: Micros): number {
  const best = (side === 'bid' ? bids : asks)[0];
  if (edge === undefined || best === undefined) return fairMicros;
  return best.priceMicros + ONE * (side === 'bid' ? edge.bid : -edge.ask);
}

/** Returns other accounts' shares at this price or a better price, which are ahead of us in the queue. */
function sharesAhead(levels: readonly BookLevel[], priceMicros: Micros, sign: 1 | -1): number {
  let ahead = 0;
  for (const level of levels) {
    if (sign * (level.priceMicros - priceMicros) < 0) break;
    ahead += level.amountMicros / ONE;
  }
  return ahead;
}

/** Returns levels shifted by fair price minus share value, so that stale-quote losses are measured from that value. */
function resting(side: BookSide, quotes: OfferedLevels, fairMicros: Micros): RestingQuote[] {
  const shift = Math.round(fairMicros - worthOf(side, quotes, fairMicros));
  const levels = side === 'bid' ? quotes.bids : quotes.asks;
  return levels.map(({ priceMicros, amountMicros: remainingMicros }) => {
    return { side, priceMicros: micros(priceMicros + shift), remainingMicros };
  });
}

const sumCurrency = (levels: readonly QuoteLevel[], perShare: (price: Micros) => Micros): number =>
  levels.reduce((sum, { priceMicros, amountMicros }) => sum + (perShare(priceMicros) / ONE) * (amountMicros / ONE), 0);

/** Returns true if a strategy may leave some of its candidate markets without quotes. */
export const isSelective = ({ choose, candidates, max, rules }: MarketSelection): boolean =>
  choose === 'value' || (candidates ?? max) > max || hasRules(rules);

/** Returns true if a market is suitable and in the strategy's state. A market with unknown state also counts. */
export const isQuotable = ({ facts, unsuitable }: MarketTracker, { state }: MarketSelection): boolean =>
  unsuitable === null && (facts === null || facts.phase === state);

/** Time after a fill until the market price reflects the taker's information, ms. */
const HORIZON_MS = 30_000;
/** Half-life of the statistics of own fills, ms. */
const HALF_LIFE_MS = 3_600_000;
/** Maximum number of fills that wait for their markout; further fills are only counted. */
const MAX_WAITING = 100;
/** Weight of the prior estimate relative to measured fills, as a number of fills. */
const BELIEF_FILLS = 20;
/** Largest measured price move after a fill, as a multiple of the fill's distance. One faked move then proves little. */
const MOST_ADVERSE_PART = 5;
/** Assumed loss from the price move after a fill, as a fraction of the fill's distance from the fair price. */
const USUAL_ADVERSE_PART = 0.3;

interface WaitingFill {
  readonly sign: 1 | -1;
  readonly filledMs: number;
  readonly fair: number;
  readonly distance: number;
  readonly stalePart: number;
}

/** An own fill, with the data to measure its later result; NO prices are converted to YES prices. */
interface MeasuredFill extends Omit<OwnFill, 'amountMicros'> {
  /** The strategy's fair price at the time of the fill; null if the strategy gave none. */
  readonly fairMicros: Micros | null;
  /** The fill's distance from the fair price is at least this tick, as in `makeOffer`. */
  readonly tickMicros: Micros;
  /** Expected loss from stale quotes, as a fraction of the fill's distance from the fair price. */
  readonly stalePart: number;
}

const NONE = {
  fills: 0,
  /** Number of fills that were expected while the market was quoted. */
  expected: 0,
  judged: 0,
  /** Sum over measured fills of the adverse price move minus the expected loss from stale quotes. */
  adverse: 0,
  distance: 0,
};
const NAMES = ['fills', 'expected', 'judged', 'adverse', 'distance'] as const satisfies (keyof typeof NONE)[];

/** Exponentially decaying sums over own fills. */
type MeasuredFills = Readonly<typeof NONE>;

export class MarketMeasures {
  /** Current sums over own fills; this object is changed in place. */
  readonly sums = { ...NONE };
  #atMs: number | null = null;
  #waiting: WaitingFill[] = [];

  onFill({ side, priceMicros, fairMicros, tickMicros, stalePart, nowMs }: MeasuredFill): void {
    this.sums.fills += 1;
    if (fairMicros === null || this.#waiting.length >= MAX_WAITING) return;
    const sign = side === 'bid' ? 1 : -1;
    const distance = Math.max(tickMicros, sign * (fairMicros - priceMicros)) / ONE;
    this.#waiting.push({ sign, filledMs: nowMs, fair: fairMicros / ONE, distance, stalePart });
  }

  /** For each fill older than `HORIZON_MS`, measures the price move up to the newest market price. */
  look(motion: PriceMotion | null): void {
    if (motion === null || this.#waiting.length === 0) return;
    const { price, seenMs } = motion;
    this.#waiting = this.#waiting.filter(({ filledMs, sign, fair, stalePart, distance }) => {
      if (seenMs < filledMs + HORIZON_MS) return true;
      this.sums.judged += 1;
      const most = MOST_ADVERSE_PART * distance;
      this.sums.adverse += Math.max(-most, Math.min(most, sign * (fair - price))) - stalePart * distance;
      this.sums.distance += distance;
      return false;
    });
  }

  /** Lets the sums decay; adds the fills expected since the last call. `expectedPerS` is 0 if nothing was quoted. */
  pass(nowMs: number, expectedPerS: number): void {
    const elapsedMs = Math.max(0, nowMs - (this.#atMs ?? nowMs));
    this.#atMs = nowMs;
    const kept = 2 ** (-elapsedMs / HALF_LIFE_MS);
    for (const name of NAMES) this.sums[name] *= kept;
    this.sums.expected += (expectedPerS * elapsedMs) / 1000;
  }

  /** After our clock was set back, drops fills that wait for their markout, because their age is unknown. */
  clockSetBack(): void {
    this.#waiting = [];
    this.#atMs = null;
  }
}

/** Estimates for a market from its own fills. */
export interface Belief {
  readonly fillRatio: number;
  /** Loss per fill beyond the expected stale-quote loss, as a fraction of the fill's distance; may be negative. */
  readonly adversePart: number;
}

/** Estimates for a market without any own fill. */
const UNKNOWN: Belief = { fillRatio: 1, adversePart: USUAL_ADVERSE_PART };

/** Returns the mean of a prior estimate and measurements, weighted by their numbers of fills. */
export const believe = (
  { fills, expected, judged, adverse, distance }: MeasuredFills,
  prior: Belief = UNKNOWN,
): Belief => ({
  fillRatio: (fills + BELIEF_FILLS * prior.fillRatio) / (expected + BELIEF_FILLS),
  adversePart:
    (judged * (distance > 0 ? adverse / distance : prior.adversePart) + BELIEF_FILLS * prior.adversePart) /
    (judged + BELIEF_FILLS),
});

export function sumMeasured(measured: readonly MeasuredFills[]): MeasuredFills {
  const sum = { ...NONE };
  for (const each of measured) for (const name of NAMES) sum[name] += each[name];
  return sum;
}

type MarketRules = NonNullable<MarketSelection['rules']>;

export const hasRules = (rules: MarketRules | undefined): rules is MarketRules =>
  rules !== undefined && Object.values(rules).some((rule) => rule !== null);

const DAY_MS = 86_400_000;
/** Maximum number of trades in a market view. If all are younger than a day, more may have occurred. */
const TRADES_SHOWN = 100;
const LEAST_SPAN_MS = 3_600_000;
/** A quoted market is dropped only if it misses a rule's limit by more than this fraction of the limit. */
const SLACK = 0.25;

/**
 * Returns the traded volume of the last day, currency. If the newest hundred trades are from less than a day, their
 * volume is extrapolated to a day. They count as trades of at least `LEAST_SPAN_MS`, so that a burst proves little.
 *
 * @param nowMs exchange clock
 */
export function volumeOfDay(trades: readonly TapeTrade[], nowMs: number): number {
  const ofDay = trades.filter(({ venueTimeMs }) => nowMs - venueTimeMs <= DAY_MS);
  const sum = ofDay.reduce((all, { priceMicros, amountMicros }) => all + (priceMicros / ONE) * (amountMicros / ONE), 0);
  const oldest = ofDay.at(-1);
  if (oldest === undefined || ofDay.length < TRADES_SHOWN) return sum;
  return sum * (DAY_MS / Math.max(LEAST_SPAN_MS, nowMs - oldest.venueTimeMs));
}

/** Reasons against a market while data are missing: these are no decisions against the market. */
export const BOOK_UNREAD = 'the book has not been read yet';
export const TRADES_UNREAD = 'the trades have not been read yet';
export const UNCLAIMED = 'this trader’s wallet has not claimed the market in the fleet';

/** Returns why the rules exclude a market; null if they allow it. `venueNowMs` is a time of the exchange clock. */
export function unwantedBecause(
  rules: MarketRules,
  view: Pick<MarketView, 'estimates' | 'trades' | 'timeToResolutionMs' | 'health'>,
  isQuoted: boolean,
  venueNowMs: number,
): string | null {
  const { minSpread, maxSpread, minVolumeDay, minDaysLeft, maxDaysLeft } = rules;
  const lower = isQuoted ? 1 - SLACK : 1;
  const upper = isQuoted ? 1 + SLACK : 1;
  const { spread } = view.estimates;
  const days = view.timeToResolutionMs === null ? null : view.timeToResolutionMs / DAY_MS;
  if (minSpread !== null && spread !== null && spread < minSpread * lower - ROUNDING)
    return `the spread is ${formatShort(spread)}, min_spread is ${minSpread}`;
  if (maxSpread !== null && spread === null) return `a side of the book is empty, max_spread is ${maxSpread}`;
  if (maxSpread !== null && spread !== null && spread > maxSpread * upper + ROUNDING)
    return `the spread is ${formatShort(spread)}, max_spread is ${maxSpread}`;
  if (minDaysLeft !== null && days !== null && days < minDaysLeft)
    return `the market resolves in ${formatShort(days)} days, min_days_left is ${minDaysLeft}`;
  if (maxDaysLeft !== null && days === null)
    return `the market has no resolution date, max_days_left is ${maxDaysLeft}`;
  if (maxDaysLeft !== null && days !== null && days > maxDaysLeft)
    return `the market resolves in ${formatShort(days)} days, max_days_left is ${maxDaysLeft}`;
  if (minVolumeDay === null) return null;
  if (view.health.tradesAgeMs === null) return TRADES_UNREAD;
  const volume = volumeOfDay(view.trades, venueNowMs);
  return volume < minVolumeDay * lower
    ? `${formatShort(volume)} of currency was traded in a day, min_volume_day is ${minVolumeDay}`
    : null;
}

/** Tolerance for rounding errors of float prices. */
const ROUNDING = 1e-9;

const formatShort = (value: number): string => String(Number(value.toPrecision(3)));

export function isWanted(filter: MarketFilter, market: Pick<MarketFacts, 'conditionId' | 'title' | 'category'>) {
  const { conditionId, title, category } = market;
  const { categories, words = [], withoutWords = [], except = [] } = filter;
  if (categories.length > 0 && !categories.some((name) => name === category)) return false;
  if (except.includes(conditionId)) return false;
  const shown = title.toLowerCase();
  const says = (word: string) => shown.includes(word.toLowerCase());
  return (words.length === 0 || words.some(says)) && !withoutWords.some(says);
}
