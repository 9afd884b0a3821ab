/**
 * The client in five steps: get credentials, list markets, place an order, list own orders, cancel.
 *
 *     node examples/client-script.js
 *
 * The program starts its own paper exchange. To use another exchange, remove that line and set `baseUrl` to its address.
 */
import { formatDecimal, ServiceClient, venueProfile, Wallet } from 'twinbook/client';
import { PAPER_DEFAULTS, startExchange } from 'twinbook/exchange';

const profile = venueProfile('paper');
const exchange = await startExchange({ ...PAPER_DEFAULTS, profile, port: 0 });
const client = new ServiceClient({ profile, baseUrl: exchange.url });
// `createKeyFile` and `openKeyFile` keep a wallet in a file. The exchange shows the result of `bootstrap` only once.
const wallet = new Wallet(crypto.getRandomValues(new Uint8Array(32)));
await client.bootstrap(wallet);

const markets = [];
for await (const market of client.markets.all({ state: 'open' })) markets.push(market);
for (const { title } of markets) console.log(`open: ${title}`);

const placed = await client.place(wallet, {
  market_condition_id: markets[0]?.condition_id ?? '',
  is_yes: true,
  side: 'buy',
  order_type: 'limit',
  price: '0.05',
  amount: '10',
});
console.log(`placed: ${placed.status}`);

for await (const { pubkey, price, outcome } of client.orders.all({ status: ['open'] })) {
  if (pubkey === null || price === null) continue; // a market order has no price
  const { status } = await client.cancel(wallet, pubkey);
  console.log(`${outcome.is_yes ? 'YES' : 'NO'} at ${formatDecimal(price)}: ${status}`);
}
await client.close();
await exchange.close();
