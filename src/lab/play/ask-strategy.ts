/** What a strategy says of a market that a person sets by hand: its quotes, and how they bend. */

import { micros, ONE } from '../../shared/base/micros.js';
import type { MarketView } from '../../trader/market/view.js';
import type { QuoteLevel, Quotes } from '../../trader/strategy/contract.js';
import type { ShownSubject, TriedStrategy } from '../strategy-checks/contract.js';
import type { Look, RowOfBook } from '../strategy-checks/generated-market.js';
import { askedBy } from '../strategy-checks/shown-beside.js';
import { showEvent } from '../strategy-checks/shown-events.js';
import { showMarket } from '../strategy-checks/shown-markets.js';
import { makeTrialQuoter } from '../strategy-checks/trial-quoter.js';

/** A market and what is ours in it, as sliders say it. */
export interface Setting {
  /** Price of YES in the middle of the others' book. */
  readonly fair: number;
  /** Between their best bid and ask, in price. */
  readonly spread: number;
  /** YES less NO, in shares; the position limit is 200. */
  readonly inventory: number;
  /** Of the newest book, s. */
  readonly ageS: number;
  /** Volatility of the log-odds per square root of a second. */
  readonly sigma: number;
  /** To resolution, s. */
  readonly leftS: number;
  /** What a feed says, where the strategy names one: a probability. */
  readonly feed: number;
}

/** Ranges of the sliders; those with a lowest value above 0 that spans decades are set by their logarithm. */
export const RANGES: Readonly<
  Record<keyof Setting, { readonly min: number; readonly max: number; readonly usual: number; readonly isLog: boolean }>
> = {
  fair: { min: 0.02, max: 0.98, usual: 0.5, isLog: false },
  spread: { min: 0.01, max: 0.3, usual: 0.04, isLog: false },
  inventory: { min: -200, max: 200, usual: 0, isLog: false },
  ageS: { min: 0, max: 120, usual: 0, isLog: false },
  sigma: { min: 0.0001, max: 0.05, usual: 0.002, isLog: true },
  leftS: { min: 1, max: 2_592_000, usual: 604_800, isLog: true },
  feed: { min: 0.02, max: 0.98, usual: 0.5, isLog: false },
};

/** One level in whole units. */
type ShownLevel = readonly [price: number, shares: number];

export interface Said {
  readonly bids: readonly ShownLevel[];
  readonly asks: readonly ShownLevel[];
  readonly fair: number | null;
  readonly note: string;
  readonly factors: Readonly<Record<string, number>>;
  /** Of others. */
  readonly book: { readonly bids: readonly ShownLevel[]; readonly asks: readonly ShownLevel[] };
}

/** The best quotes at one place of a curve. */
export interface Point {
  readonly x: number;
  readonly bid: number | null;
  readonly ask: number | null;
  readonly fair: number | null;
}

export type Curves = Readonly<Record<'inventory' | 'leftS' | 'sigma', readonly Point[]>>;

/** Places of each curve. */
const PLACES = 41;
const TICKS = 100;
/** Levels of the others' book, and shares at each. */
const DEPTH = 4;
const LEVEL_SHARES = 100;

/** Clipped to the sliders' ranges; what is no number is the usual value. */
export function readSetting(values: Readonly<Record<string, unknown>>): Setting {
  const entries = Object.entries(RANGES).map(([name, { min, max, usual }]) => {
    const value = Number(values[name] ?? usual);
    return [name, Number.isFinite(value) ? Math.min(max, Math.max(min, value)) : usual];
  });
  // Every name of the ranges has its number.
  return Object.fromEntries(entries) as unknown as Setting;
}

/** By an instance of its own. Throws what the strategy throws. */
export function askStrategy(tried: TriedStrategy, setting: Setting): Said {
  const shown = showSetting(tried, setting);
  return askLast(tried, shown, shown.looks.length - 1);
}

/** A strategy of whole events is shown the market as one of two outcomes, whose other has the mirrored book. */
function showSetting(tried: TriedStrategy, setting: Setting): ShownSubject {
  const forMs = (setting.leftS + setting.ageS) * 1000;
  const looks = makeLooks(setting);
  if (tried.strategy.scope !== 'event') {
    const shown = showMarket('by-hand', { ticks: TICKS, isFree: true }, looks, forMs, askedBy(tried));
    return { ...shown, looks: shown.looks.map((look) => ({ ...look, view: withSigma(look.view, setting.sigma) })) };
  }
  const both = looks.map((look) => [look, turnLook(look)]);
  const { looks: seen, ...event } = showEvent('by-hand', 'exhaustive', { ticks: TICKS, isFree: true }, both, forMs);
  const bent = seen.map(({ view, events }) => {
    const markets = view.markets.map((market) => ({ ...market, view: withSigma(market.view, setting.sigma) }));
    return { events, view: Object.freeze({ ...view, markets: Object.freeze(markets) }) };
  });
  return { ...event, looks: bent };
}

/** The other outcome, in which nothing is held and whose book is always new. */
function turnLook(look: Look): Look {
  const turn = (rows: readonly RowOfBook[]) => rows.map(([tick, shares]): RowOfBook => [TICKS - tick, shares]);
  const { bids, asks } = look.book ?? { bids: [], asks: [] };
  return { ...look, book: look.book && { bids: turn(asks), asks: turn(bids) }, netShares: 0 };
}

/** @param conditionId of an event the market that is meant, or null for the first */
function askLast(tried: TriedStrategy, shown: ShownSubject, last: number, conditionId: string | null = null): Said {
  const quoter = makeTrialQuoter(tried, shown);
  let said: Said | null = null;
  for (let look = 0; look <= last; look++) {
    quoter.tell(look);
    const answers = quoter.ask(look);
    const answer = answers.find(({ view }) => view.market.conditionId === conditionId) ?? answers[0];
    if (answer !== undefined) said = describeQuotes(answer.quotes, answer.view);
  }
  if (said === null) throw new RangeError('there is no such look');
  return said;
}

/** How the best quotes bend with what is held, the time that is left and the volatility; all else as it is set. */
export function computeCurves(tried: TriedStrategy, setting: Setting): Curves {
  const along = (name: keyof Curves): readonly Point[] =>
    listAlong(name).map((x) => {
      const { bids, asks, fair } = askStrategy(tried, { ...setting, [name]: x });
      return { x, bid: bids[0]?.[0] ?? null, ask: asks[0]?.[0] ?? null, fair };
    });
  return { inventory: along('inventory'), leftS: along('leftS'), sigma: along('sigma') };
}

/** What it says at one look of a recording, having seen all before. Throws what the strategy throws. */
export const askAtLook = (tried: TriedStrategy, { shown, conditionId }: RecordedPlace, index: number): Said =>
  askLast(tried, shown, index, conditionId);

/** One market of a recording, with all that is shown beside it. */
export interface RecordedPlace {
  readonly shown: ShownSubject;
  readonly conditionId: string;
  readonly title: string;
}

/** Of an event each of its markets. */
export function listRecorded(recorded: readonly ShownSubject[]): readonly RecordedPlace[] {
  return recorded.flatMap((shown): readonly RecordedPlace[] => {
    if (!('event' in shown)) return [{ shown, conditionId: shown.facts.conditionId, title: shown.facts.title }];
    const markets = new Map(
      shown.looks.flatMap(({ view }) =>
        view.markets.map((each) => [each.view.market.conditionId, each.view.market.title]),
      ),
    );
    const sorted = [...markets].sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.map(([conditionId, title]) => ({ shown, conditionId, title }));
  });
}

function listAlong(name: keyof Curves): readonly number[] {
  const { min, max, isLog } = RANGES[name];
  return Array.from({ length: PLACES }, (_, at) => {
    const part = at / (PLACES - 1);
    return isLog ? min * (max / min) ** part : min + (max - min) * part;
  });
}

function makeLooks({ fair, spread, inventory, ageS, feed }: Setting): readonly Look[] {
  const bid = Math.max(1, Math.round((fair - spread / 2) * TICKS));
  const ask = Math.min(TICKS - 1, Math.max(bid + 1, Math.round((fair + spread / 2) * TICKS)));
  const side = (from: number, step: 1 | -1) =>
    Array.from({ length: DEPTH }, (_, level) => [from + step * level, LEVEL_SHARES] as const).filter(
      ([tick]) => tick > 0 && tick < TICKS,
    );
  const first: Look = {
    afterMs: 0,
    book: { bids: side(bid, -1), asks: side(ask, 1) },
    trade: null,
    fill: null,
    netShares: Math.round(inventory),
    stance: 'normal',
    beside: { told: { p: feed, half: null, sd: null, ageMs: 0 }, other: null },
  };
  return ageS === 0 ? [first] : [first, { ...first, afterMs: ageS * 1000, book: null }];
}

/** In place of what so short a life would have measured. */
function withSigma(view: MarketView, sigma: number): MarketView {
  const p = view.estimates.microprice ?? 0.5;
  const estimates = { ...view.estimates, sigmaLogOddsPerSqrtS: sigma, sigmaPricePerSqrtS: sigma * p * (1 - p) };
  return Object.freeze({ ...view, estimates: Object.freeze(estimates) });
}

function describeQuotes({ bids, asks, fairMicros, note, factors }: Quotes, { others }: MarketView): Said {
  return {
    bids: bids.map(toShownLevel),
    asks: asks.map(toShownLevel),
    fair: fairMicros === null ? null : fairMicros / ONE,
    note,
    factors: { ...factors },
    book: { bids: others.bids.slice(0, DEPTH).map(toShownLevel), asks: others.asks.slice(0, DEPTH).map(toShownLevel) },
  };
}

const toShownLevel = ({ priceMicros, amountMicros }: QuoteLevel): ShownLevel => [
  micros(priceMicros) / ONE,
  micros(amountMicros) / ONE,
];
