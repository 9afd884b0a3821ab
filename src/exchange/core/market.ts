import { assert } from '../../shared/base/errors.js';
import { formatDecimal, type Micros, ONE, stepOfPrecision } from '../../shared/base/micros.js';
import type { MarketOutcome } from '../../shared/protocol/outcome.js';
import type { OrderbookConfig } from '../../shared/protocol/records.js';
import { CATEGORIES, MARKET_STATES, type MarketState } from '../../shared/protocol/states.js';
import { Shares } from './accounts.js';
import {
  ASK,
  BID,
  type BookConfigSpec,
  invalid,
  type MarketSpec,
  type MatchingSide,
  mapResult,
  ok,
  type PoolConfigSpec,
  type Refusal,
  type Result,
} from './contract.js';
import { MarginPool, readRules } from './margin/pool.js';
import { MatchingBook, NO_TICK } from './matching/book.js';
import type { FillModel } from './matching/fill-model.js';
import type { OrderPool } from './matching/order-pool.js';
import { asMicros } from './money.js';
import { TradeHistory } from './records/tape.js';

const sport = (slug: string, name: string, leagues: Readonly<Record<string, string>>) => ({
  name,
  slug,
  leagues: Object.entries(leagues).map(([league, title]) => ({ name: title, slug: league })),
});

/** The catalog of sports. Slugs are unique, so a league determines its sport. */
export const SPORTS: readonly ReturnType<typeof sport>[] = [
  sport('soccer', 'Soccer', {
    'premier-league': 'Premier League',
    'la-liga': 'La Liga',
    bundesliga: 'Bundesliga',
    'champions-league': 'Champions League',
    'world-cup': 'World Cup',
  }),
  sport('american-football', 'American Football', { nfl: 'NFL', 'college-football': 'College Football' }),
  sport('basketball', 'Basketball', { nba: 'NBA', wnba: 'WNBA', euroleague: 'EuroLeague' }),
  sport('baseball', 'Baseball', { mlb: 'MLB' }),
  sport('ice-hockey', 'Ice Hockey', { nhl: 'NHL' }),
  sport('tennis', 'Tennis', { atp: 'ATP', wta: 'WTA' }),
  sport('motorsport', 'Motorsport', { 'formula-1': 'Formula 1', motogp: 'MotoGP' }),
  sport('mma', 'Mixed Martial Arts', { ufc: 'UFC' }),
];

/** Refuses an unknown sport, and a league that the sport does not have; returns null if both are valid. */
function unlistedSport(slug: string | null, league: string | null): Refusal | null {
  if (slug === null) return league === null ? null : invalid('league', 'A league needs its sport.');
  const found = SPORTS.find((known) => known.slug === slug);
  if (found === undefined) return invalid('sport', `Must be one of: ${slugs(SPORTS)}.`);
  if (league === null || found.leagues.some((known) => known.slug === league)) return null;
  return invalid('league', `Must be one of: ${slugs(found.leagues)}.`);
}

const slugs = (rows: readonly { readonly slug: string }[]): string => rows.map((row) => row.slug).join(', ');

/** Default rules of a market. The default fee rates are those of the shipped markets (decisions §9, Fees). */
const DEFAULT_CONFIG: OrderbookConfig = {
  kind: 'orderbook',
  min_price: asMicros(10_000),
  max_price: asMicros(990_000),
  min_amount: asMicros(1_000_000),
  max_amount: asMicros(100_000_000_000),
  min_funds: asMicros(1_000_000),
  max_funds: asMicros(100_000_000_000),
  price_precision: 2,
  amount_precision: 2,
  funds_precision: 2,
  maker_fee_rate: asMicros(0),
  taker_fee_rate: asMicros(10_000),
  default_slippage_rate: '0.05',
};

/** Maximum amount. With amounts above this maximum, sums might not be safe integers. */
const MAX_AMOUNT = 1_000_000_000_000_000;

/** A market's fixed description. */
export type MarketCard = Readonly<Extract<ReturnType<typeof readSpec>, { ok: true }>['value']>;

/** The order book of a market, with its tick, lot and fee rates. */
export type Trading = Readonly<ReturnType<typeof makeTrading>>;

const DEFAULT_REFERENCE = ONE / 2;

/** One market of the exchange: its description, state, trading and holdings. */
export class Market {
  readonly index: number;
  readonly card: MarketCard;
  /** Order book of the market; null for a margin market. */
  readonly orderbook: Trading | null;
  /** Pool of a margin market; null for a market with a book. */
  readonly margin: MarginPool | null;
  readonly shares = new Shares();
  readonly tape = new TradeHistory();
  state: MarketState;
  paused = false;
  unbacked = false;
  /** Exchange time at which a replay without stops would have begun, Unix ms; undefined without an earlier stop. */
  replayStartMs: number | undefined;
  outcome: MarketOutcome | null = null;
  /** Currency that backs the shares: one unit for each complete set until shares are redeemed. */
  collateral = 0;

  constructor(index: number, card: MarketCard, state: MarketState, pool: OrderPool, model: FillModel) {
    this.index = index;
    this.card = card;
    this.state = state;
    const { config, referencePrice = DEFAULT_REFERENCE } = card;
    this.orderbook = config.kind === 'orderbook' ? makeTrading(this, config, pool, model) : null;
    this.margin = config.kind === 'orderbook' ? null : new MarginPool(config, referencePrice);
  }

  get isTradable(): boolean {
    return this.state === 'open' && !this.paused;
  }

  /** Returns the market's book if it is shown, else null. Only an open market shows its order book. */
  get #shown(): Trading | null {
    return this.state === 'open' ? this.orderbook : null;
  }

  /** Best real or recorded price of a side in YES space; null if the side is empty or the book is not shown. */
  bestPrice(side: MatchingSide): Micros | null {
    const trading = this.#shown;
    return trading && priceOf(trading, trading.book.best(side));
  }

  get bestBid(): Micros | null {
    return this.bestPrice(BID);
  }

  get bestAsk(): Micros | null {
    return this.bestPrice(ASK);
  }

  /** Best recorded price of a side, even if real orders have taken its whole amount; null without a recorded level. */
  bestRecorded(side: MatchingSide): Micros | null {
    const trading = this.#shown;
    return trading && priceOf(trading, trading.book.bestRecorded(side));
  }

  /** Best price of the real orders on a side, in YES space; null if there are none. */
  bestReal(side: MatchingSide): Micros | null {
    const { orderbook: trading } = this;
    return trading && priceOf(trading, side === BID ? trading.book.bestBid : trading.book.bestAsk);
  }

  /** Mark of YES: reference price of a margin market; else the book's mid, else the last trade, else the only quote. */
  get markPrice(): number | null {
    if (this.margin !== null) return this.margin.referencePrice;
    const { bestBid: bid, bestAsk: ask } = this;
    if (bid !== null && ask !== null) return Math.floor((bid + ask) / 2);
    return this.tape.count > 0 ? this.tape.lastPrice : (bid ?? ask);
  }

  /** Writes up to `depth` visible levels in YES space, best first, into columns of micros. Returns their number. */
  readLevels(side: MatchingSide, depth: number, prices: Int32Array | Float64Array, amounts: Float64Array): number {
    assert(depth <= prices.length && depth <= amounts.length, 'the columns must have room for all requested levels');
    const trading = this.#shown;
    if (trading === null) return 0;
    const { book } = trading;
    let count = 0;
    for (let tick = book.best(side); tick !== NO_TICK && count < depth; tick = book.nextShown(side, tick)) {
      prices[count] = tick * trading.tick;
      amounts[count] = book.displayedAmount(side, tick);
      count += 1;
    }
    return count;
  }

  dump() {
    const { card, state, paused, unbacked, replayStartMs, outcome, collateral } = this;
    const fields = { card, state, paused, unbacked, replayStartMs, outcome, collateral };
    return {
      ...fields,
      shares: this.shares.dump(),
      tape: this.tape.dump(),
      candles: this.tape.candles.dump(),
      margin: this.margin?.dump() ?? null,
      recorded: this.orderbook?.book.dumpRecorded() ?? null,
    };
  }

  load(dump: ReturnType<Market['dump']>): void {
    ({ paused: this.paused, unbacked: this.unbacked, outcome: this.outcome, collateral: this.collateral } = dump);
    this.replayStartMs = dump.replayStartMs;
    this.shares.load(dump.shares);
    this.tape.load(dump.tape);
    this.tape.candles.load(dump.candles);
    if (dump.margin !== null) this.margin?.load(dump.margin);
    this.orderbook?.book.loadRecorded(dump.recorded);
  }
}

const priceOf = ({ tick }: Trading, at: number): Micros | null => (at === NO_TICK ? null : asMicros(at * tick));

function makeTrading(market: Market, config: OrderbookConfig, pool: OrderPool, model: FillModel) {
  const tick: number = stepOfPrecision(config.price_precision);
  const lot: number = stepOfPrecision(config.amount_precision);
  return {
    market,
    config,
    tick,
    /** 1 / tick, because a multiplication is faster than a division. */
    ticksPerMicro: 1 / tick,
    lot,
    fundsStep: stepOfPrecision(config.funds_precision),
    makerRate: config.maker_fee_rate,
    takerRate: config.taker_fee_rate,
    /** Fee rate of the currency that a buy locks: the higher of the maker and taker rates. */
    lockRate: Math.max(config.maker_fee_rate, config.taker_fee_rate),
    book: new MatchingBook(pool, model, ONE / tick, lot),
  };
}

/** Completes a market's specification, or refuses its first wrong field. `given`: fields that the catalog assigns. */
export function readSpec(
  spec: MarketSpec,
  given: { readonly conditionId: string; readonly eventIndex: number; readonly number: number; readonly nowMs: number },
) {
  const config = readConfig(spec.config);
  if (!config.ok) return config;
  const referencePrice = spec.reference_price ?? undefined;
  if (referencePrice !== undefined) {
    if (config.value.kind === 'orderbook')
      return invalid('reference_price', 'Only a margin market has a reference price.');
    if (!Number.isSafeInteger(referencePrice) || referencePrice <= 0 || referencePrice >= ONE)
      return invalid('reference_price', 'Must lie between 0 and 1.');
  }
  const { sport = null, league = null } = spec;
  const unlisted = unlistedSport(sport, league);
  if (unlisted !== null) return unlisted;
  const category = spec.category ?? (sport === null ? 'politics' : 'sports');
  if (!CATEGORIES.some((known) => known === category))
    return invalid('category', `Must be one of: ${CATEGORIES.join(', ')}.`);
  if (sport !== null && category !== 'sports') return invalid('category', 'A sport needs the category sports.');
  const state = spec.state ?? 'open';
  if (!MARKET_STATES.includes(state) || state === 'resolved' || state === 'canceled')
    return invalid('state', 'A new market cannot be resolved or canceled.');
  return ok({
    conditionId: given.conditionId,
    eventIndex: given.eventIndex,
    title: spec.title ?? `Market ${given.number}`,
    description: spec.description ?? null,
    logo: spec.logo ?? null,
    category,
    sport,
    league,
    marginEnabled: spec.margin_enabled ?? config.value.kind !== 'orderbook',
    yesLabel: spec.yes_outcome_label ?? 'Yes',
    noLabel: spec.no_outcome_label ?? 'No',
    rules: spec.rules ?? [],
    /** Date of the resolution, Unix seconds; null if unknown. */
    resolutionDate: spec.resolution_date ?? null,
    createdMs: given.nowMs,
    config: config.value,
    ...(referencePrice === undefined ? {} : { referencePrice }),
  });
}

function readConfig(spec: BookConfigSpec | PoolConfigSpec): Result<OrderbookConfig | PoolConfigSpec> {
  if (spec.kind !== 'orderbook') return mapResult(readRules(spec), () => spec);
  const given = Object.entries(spec).filter(([, value]) => value !== undefined);
  // The cast is right: only undefined fields were dropped, so every remaining field has its type.
  const config = { ...DEFAULT_CONFIG, ...Object.fromEntries(given) } as OrderbookConfig;
  for (const name of ['price_precision', 'amount_precision', 'funds_precision'] as const) {
    const value = config[name];
    if (!Number.isInteger(value) || value < 0 || value > 6)
      return invalid('config', `${name} must be an integer from 0 to 6, got ${value}.`);
  }
  const ranges: readonly (readonly [string, Micros, Micros, number, number])[] = [
    ['price', config.min_price, config.max_price, 1, ONE - 1],
    ['amount', config.min_amount, config.max_amount, 0, MAX_AMOUNT],
    ['funds', config.min_funds, config.max_funds, 0, MAX_AMOUNT],
    ['fee_rate', config.maker_fee_rate, config.maker_fee_rate, 0, ONE],
    ['fee_rate', config.taker_fee_rate, config.taker_fee_rate, 0, ONE],
  ];
  for (const [name, low, high, least, most] of ranges) {
    if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high) || low < least || high > most || low > high) {
      const bounds = `${formatDecimal(asMicros(least))} to ${formatDecimal(asMicros(most))}`;
      return invalid('config', `${name}: the limits must lie within ${bounds}, the lower limit first.`);
    }
  }
  return ok(config);
}
