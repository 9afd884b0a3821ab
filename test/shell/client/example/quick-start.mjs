import { ServiceClient, venueProfile, Wallet } from 'twinbook/client';
import { PAPER_DEFAULTS, startExchange } from 'twinbook/exchange';

const profile = venueProfile('paper');
const exchange = await startExchange({ ...PAPER_DEFAULTS, profile, port: 0 });
const client = new ServiceClient({ profile, baseUrl: exchange.url });
const wallet = new Wallet(crypto.getRandomValues(new Uint8Array(32)));
await client.bootstrap(wallet);
const bid = { is_yes: true, side: 'buy', order_type: 'limit', price: '0.05', amount: '10' };
for await (const { condition_id, title } of client.markets.all({ state: 'open' })) {
  const order = await client.place(wallet, { ...bid, market_condition_id: condition_id });
  console.log(title, order.status);
}
await client.close();
await exchange.close();
