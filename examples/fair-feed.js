/**
 * A feed of your own fair values, as a program that the trader starts: each line that it writes says what YES of one market is
 * worth, how far that may be off, and when it held. Put your model in place of `model` below.
 *
 *     node examples/fair-feed.js    # one round on a paper exchange of its own
 *     ./twinbook start -c examples/fair-feed.yaml    # a trader that quotes around it
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceClient, venueProfile } from 'twinbook/client';
import { PAPER_DEFAULTS, startExchange } from 'twinbook/exchange';

const EVERY_MS = 2_000;
const profile = venueProfile('paper');
/** The exchange to follow; without one, a paper exchange of its own for one round. */
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
    // A round that fails is left out: the trader pulls its quotes when it has heard nothing for `max_age_s`.
    await sayAll(client).catch((error) => console.error(error.message));
    await pause(EVERY_MS);
  }
}

/** Writes a line for each open market that the model knows something about. @param {ServiceClient} client */
async function sayAll(client) {
  const { rows } = await client.markets.list({ state: 'open', limit: 100 });
  for (const { condition_id: market, last_trade_price: last } of rows) {
    console.log(JSON.stringify({ market, ...model(last), at: Date.now() }));
  }
}

/**
 * Stands in for a model: what traded last, a little nearer to the middle. Where nothing has traded it knows next to nothing,
 * and its `sd` says so.
 * @param {string | null | undefined} last @returns {{ p: number, sd: number }}
 */
function model(last) {
  const price = Number(last ?? 0);
  return price > 0 ? { p: 0.5 + 0.95 * (price - 0.5), sd: 0.3 } : { p: 0.5, sd: 5 };
}
