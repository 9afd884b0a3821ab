/**
 * Quotes around prices from an outside source, such as another venue, a model or a person. Each row of a CSV file has a word
 * of a market's title and the value of YES. The program cancels its orders in that market and places a bid and an ask.
 *
 *     node examples/outside-prices.js examples/outside-prices.csv
 *
 * This program is not a strategy. A strategy of the trader receives only its view, so that every decision can be repeated
 * from the journal. This program has no ledger, and no limits except those written below.
 */
import { readFileSync } from 'node:fs';
import { formatDecimal, parseDecimal, ServiceClient, venueProfile, Wallet } from 'twinbook/client';
import { PAPER_DEFAULTS, startExchange } from 'twinbook/exchange';
import { complement, micros, ONE, toMultiple } from 'twinbook/strategy';

/** Distance of a quote from the outside price: 0.03. */
const HALF_SPREAD = micros(30_000);
const SHARES = '10';

/** @typedef {{ search: string, yes: import('twinbook/client').Micros }} OutsidePrice */

const [file = 'examples/outside-prices.csv'] = process.argv.slice(2);
const prices = readPrices(file);
const profile = venueProfile('paper');
// For another exchange, use its address as `baseUrl` below. Call `bootstrap` only once for a wallet that you keep.
const exchange = await startExchange({ ...PAPER_DEFAULTS, profile, port: 0 });
const client = new ServiceClient({ profile, baseUrl: exchange.url });
const wallet = new Wallet(crypto.getRandomValues(new Uint8Array(32)));
/** Own orders by market. @type {Map<string, string[]>} */
const resting = new Map();
try {
  await client.bootstrap(wallet);
  for (const price of prices) await quoteAround(price);
  console.log(`resting ${[...resting.values()].flat().length}`);
} finally {
  for (const market of resting.keys()) await pull(market);
  await client.close();
  await exchange.close();
}

/** Moves the two own quotes of a market to a new outside price. @param {OutsidePrice} outside */
async function quoteAround({ search, yes }) {
  const { rows } = await client.markets.list({ state: 'open', limit: 100 });
  const row = rows.find(({ title }) => title?.toLowerCase().includes(search.toLowerCase()));
  if (row === undefined) return console.log(`no open market has "${search}" in its title`);
  const { condition_id, title } = row;
  await pull(condition_id);
  const { config } = await client.markets.detail(condition_id);
  if (config.kind !== 'orderbook') return console.log(`${title} has no order book`);
  const tick = micros(10 ** (6 - config.price_precision));
  const bid = toMultiple(micros(yes - HALF_SPREAD), tick, 'floor');
  const ask = toMultiple(micros(yes + HALF_SPREAD), tick, 'ceil');
  // The ask is placed as a bid for NO, which needs no shares to sell.
  const orders = [await buy(condition_id, true, bid), await buy(condition_id, false, complement(ask))];
  resting.set(condition_id, orders);
  console.log(`${title}: bid ${formatDecimal(bid)}, ask ${formatDecimal(ask)}`);
}

/**
 * Places one order and returns its id at the exchange.
 * @param {string} market @param {boolean} is_yes @param {import('twinbook/client').Micros} price
 */
async function buy(market, is_yes, price) {
  const order = await client.place(wallet, {
    market_condition_id: market,
    is_yes,
    side: 'buy',
    order_type: 'limit',
    price: formatDecimal(price),
    amount: SHARES,
  });
  return order.pubkey ?? '';
}

/** Cancels the own orders in a market. An order that was filled in the meantime is not an error. @param {string} market */
async function pull(market) {
  for (const pubkey of resting.get(market) ?? []) await client.cancel(wallet, pubkey);
  resting.delete(market);
}

/** Reads rows with `search,yes_price`. A row that cannot be read ends the program. @param {string} path @returns {OutsidePrice[]} */
function readPrices(path) {
  const [, ...lines] = readFileSync(path, 'utf8').trim().split('\n');
  return lines.map((line) => {
    const [search = '', text = ''] = line.split(',');
    const yes = parseDecimal(text.trim());
    if (yes === null || yes - HALF_SPREAD <= 0 || yes + HALF_SPREAD >= ONE) throw new Error(`no price: ${line}`);
    return { search: search.trim(), yes };
  });
}
