/** Chooses the market of a rehearsal and its order. */

import {
  complement,
  formatDecimal,
  type Micros,
  maxMicros,
  mulDiv,
  ONE,
  stepOfPrecision,
  toMultiple,
  ZERO,
} from '../../shared/base/micros.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { OrderbookConfig } from '../../shared/protocol/records.js';
import type { ServiceClient } from '../../shell/client/client.js';
import type { Config } from '../../shell/config/config.js';
import { isWanted } from '../../trader/engine/market-worth.js';
import { makeMarketRecord } from '../../trader/engine/markets.js';
import { MarketTracker } from '../../trader/market/market-tracker.js';
import type { Book, MarketFacts, OwnMarketState } from '../../trader/market/view.js';
import type { RiskLimits } from '../../trader/risk/limits.js';
import { ask, difference, failure, type RehearsalPlace } from './steps.js';

type ChosenMarket = Exclude<Awaited<ReturnType<typeof lookAt>>, string>;

/** Maximum number of markets that the choice examines; each needs two requests. */
const MOST_LOOKS = 10;

/** Returns the market of `--market`, else the first that accepts the order; strategies' markets are tried first. */
export async function chooseMarket({ client, config, where, market }: RehearsalPlace): Promise<ChosenMarket> {
  // An embedded exchange does not know the venue's market ids, because it has its own markets.
  const wanted = where === 'paper' ? null : market;
  const named = where === 'paper' ? [] : config.strategies.flatMap(({ markets }) => markets.ids);
  const ids = wanted === null ? [...named, ...(await listMarkets(client, config))] : [wanted];
  let why = 'the venue lists no open market without margin';
  for (const id of ids.slice(0, MOST_LOOKS)) {
    const looked = await lookAt(client, id, config);
    if (typeof looked !== 'string') return looked;
    why = `${id}: ${looked}`;
  }
  throw failure(why, 'Name another market of the venue with --market ID.');
}

/** Lists open markets without margin; markets that a strategy selects come first. */
async function listMarkets(client: ServiceClient, { strategies }: Config): Promise<readonly string[]> {
  const { data } = await ask(client, 'markets.list', { query: { limit: 100, state: 'open' } }, 'its markets');
  const usable = data.filter(({ margin_enabled }) => margin_enabled !== true);
  const wished = usable.filter(({ condition_id: conditionId, title, category }) =>
    strategies.some(({ markets }) => isWanted(markets, { conditionId, title, category })),
  );
  return [...new Set([...wished, ...usable])].map(({ condition_id }) => condition_id);
}

/** Reads a market. Returns the market and the order to place, or why there is no such order. */
async function lookAt(client: ServiceClient, id: string, config: Config) {
  const feed = new MarketTracker(id, config.venue.profile.fee_schedule);
  const params = { condition_id: id };
  const detail = await ask(client, 'markets.detail', { params }, `market ${id}`);
  const book = await ask(client, 'markets.book', { params, query: { depth: 100 } }, `the book of ${id}`);
  // Market and book are each read only once, so no answer can be out of order.
  feed.onDetail(detail.data, { ...detail.answer, requestId: 1, seenMs: detail.answer.nowMs });
  feed.onBook(book.data, { ...book.answer, requestId: 1, seenMs: book.answer.nowMs }, []);
  const view = feed.view(Date.now(), NOTHING_OURS);
  const rules = detail.data.config;
  if (view === null || rules.kind !== 'orderbook') return feed.unsuitable ?? 'the market has no book';
  const { market } = view;
  if (market.phase !== 'open') return `the market is ${market.phase}, not open`;
  const order = farOrder(rules, view.book, config.risk);
  if (typeof order === 'string') return order;
  return { view, order, record: makeMarketRecord(market, detail.data, Date.now()) };
}

const NOTHING_OURS: OwnMarketState = {
  yesMicros: ZERO,
  noMicros: ZERO,
  avgYesCostMicros: null,
  avgNoCostMicros: null,
  availableFundsMicros: ZERO,
  maxPositionMicros: ZERO,
  stance: 'normal',
  orders: [],
};

/** Describes the market in one line. Throws an error if the market's fees differ from the profile's. */
export function marketText({ view: { market, book }, order }: ChosenMarket, profile: VenueProfile): string {
  const rates = profile.fee_rates;
  const due = rates === undefined ? feesText(market) : `maker ${rates.maker}, taker ${rates.taker}`;
  const todo =
    'Compare the fees with the venue’s fee page, write them as fee_rates into your copy of the profile, and backtest your strategy with them.';
  if (feesText(market) !== due)
    throw difference('this market’s fees are not those of the profile', `fee_rates: ${due}`, feesText(market), todo);
  const price = (value: Micros | undefined) => (value === undefined ? 'none' : formatDecimal(value));
  const [bid, best] = [book.bids[0]?.priceMicros, book.asks[0]?.priceMicros];
  return [
    `"${market.title}" (${market.conditionId})`,
    `bid ${price(bid)}, ask ${price(best)}, tick ${formatDecimal(market.tickMicros)}, lot ${formatDecimal(market.lotMicros)}`,
    `fees ${feesText(market)}`,
    `the order: ${orderText(order)}`,
  ].join('; ');
}

export const orderText = ({ isYes, priceMicros, amountMicros }: ChosenMarket['order']): string =>
  `buy ${formatDecimal(amountMicros)} ${isYes ? 'YES' : 'NO'} at ${formatDecimal(priceMicros)}`;

const feesText = ({ makerFeeRateMicros, takerFeeRateMicros }: MarketFacts): string =>
  `maker ${formatDecimal(makerFeeRateMicros)}, taker ${formatDecimal(takerFeeRateMicros)}`;

/** Minimum ratio of the best ask to the rehearsal order's price, so that a fill is unlikely. */
const FAR_PART = 2;

/** Returns the smallest order to buy the dearer outcome at the lowest price within `limits`, or why none exists. */
export function farOrder(config: OrderbookConfig, book: Book, limits: RiskLimits) {
  // Prices of `book` are in YES space.
  const yesAsk = book.asks[0]?.priceMicros ?? ONE;
  const bestBid = book.bids[0]?.priceMicros;
  const noAsk = bestBid === undefined ? ONE : complement(bestBid);
  const isYes = yesAsk >= noAsk;
  const tick = stepOfPrecision(config.price_precision);
  const most = limits.maxOrderSharesMicros;
  // At the price `worth`, an order of `most` shares has the market's minimum value.
  const worth = mulDiv(config.min_funds, ONE, most, 'ceil');
  const priceMicros = toMultiple(maxMicros(config.min_price, worth), tick, 'ceil');
  const shares = maxMicros(config.min_amount, mulDiv(config.min_funds, ONE, priceMicros, 'ceil'));
  const amountMicros = toMultiple(shares, stepOfPrecision(config.amount_precision), 'ceil');
  if (amountMicros > most) return `the smallest order of this market has more shares than risk.max_order_shares`;
  if (FAR_PART * priceMicros > maxMicros(yesAsk, noAsk))
    return 'the lowest permitted price of this market is not far enough below the asks of others';
  // `priceMicros` is the price of the bought outcome, YES or NO.
  return { isYes, priceMicros, amountMicros };
}
