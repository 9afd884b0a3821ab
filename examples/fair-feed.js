/**
 * A feed of your own fair values, as a program that the trader starts. Each line that the program writes gives the value of
 * YES in one market, its standard deviation in log-odds, and its time. Replace the function `model` by your model.
 *
 *     node examples/fair-feed.js    # one round on a paper exchange of its own
 *     ./twinbook start -c examples/fair-feed.yaml    # a trader that quotes around it
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceClient, venueProfile } from 'twinbook/client';
import { PAPER_DEFAULTS, startExchange } from 'twinbook/exchange';

const EVERY_MS = 2_000;
const profile = venueProfile('paper');
/** Address of the exchange to follow. Without an address the program starts a paper exchange for one round. */
const [address] = process.argv.slice(2);

if (address === undefined) {
  const exchange = await startExchange({ ...PAPER_DEFAULTS, profile, port: 0 });
  const client = new ServiceClient({ profile, baseUrl: exchange.url });
  await sayAll(client);
  await client.close();
  await exchange.close();
} else {
  const client = new ServiceClient({ profile, baseUrl: address });
  for (;;) {
    // A failed round is skipped. The trader cancels its quotes when it has received no value for `max_age_s`.
    await sayAll(client).catch((error) => console.error(error.message));
    await pause(EVERY_MS);
  }
}

/** Writes a line with the model's value for each open market. @param {ServiceClient} client */
async function sayAll(client) {
  const { rows } = await client.markets.list({ state: 'open', limit: 100 });
  for (const { condition_id: market, last_trade_price: last } of rows) {
    console.log(JSON.stringify({ market, ...model(last), at: Date.now() }));
  }
}

/**
 * A placeholder for a model. It returns the price of the last trade, moved slightly towards 0.5. Without a trade the value is
 * uncertain, so its `sd` is large.
 * @param {string | null | undefined} last @returns {{ p: number, sd: number }}
 */
function model(last) {
  const price = Number(last ?? 0);
  return price > 0 ? { p: 0.5 + 0.95 * (price - 0.5), sd: 0.3 } : { p: 0.5, sd: 5 };
}
