/**
 * A bot that only merges and redeems. Pairs of YES and NO become currency, and shares of settled markets are redeemed. One
 * call makes each change: it requests a draft, compares the draft with the request, signs, submits and waits for the result.
 *
 *     node examples/merge-and-redeem.js
 *
 * The function `collect` is the bot. Call it every few minutes. The code below it demonstrates it on a paper exchange.
 */
import { formatDecimal, ServiceClient, venueProfile, Wallet } from 'twinbook/client';
import { PAPER_DEFAULTS, startExchange } from 'twinbook/exchange';
import { micros } from 'twinbook/strategy';

const SETTLED = ['resolved', 'canceled'];

/**
 * Merges and redeems once all shares of the account.
 * @param {ServiceClient} client @param {Wallet} wallet
 */
async function collect(client, wallet) {
  /** @type {Map<string, { state: string | null, yes: number, no: number }>} */
  const held = new Map();
  for await (const { position, amounts } of client.account.allAssets()) {
    const { condition_id, state } = position.market;
    const market = held.get(condition_id) ?? { state, yes: 0, no: 0 };
    market[position.is_yes ? 'yes' : 'no'] = amounts.available;
    held.set(condition_id, market);
  }
  for (const [market_condition_id, { state, yes, no }] of held) {
    const pairs = micros(Math.min(yes, no));
    if (SETTLED.includes(state ?? '') && yes + no > 0) {
      const { funds } = await client.redeem(wallet, market_condition_id);
      console.log(`redeemed for ${formatDecimal(funds ?? micros(0))}`);
    } else if (state === 'open' && pairs > 0) {
      await client.merge(wallet, { market_condition_id, amount: formatDecimal(pairs) });
      console.log(`merged ${formatDecimal(pairs)} pairs`);
    }
  }
}

const profile = venueProfile('paper');
const exchange = await startExchange({ ...PAPER_DEFAULTS, profile, port: 0, controls: true });
const client = new ServiceClient({ profile, baseUrl: exchange.url });
const wallet = new Wallet(crypto.getRandomValues(new Uint8Array(32)));
await client.bootstrap(wallet);
const { rows } = await client.markets.list({ state: 'open', limit: 1 });
const market_condition_id = rows[0]?.condition_id ?? '';

await client.split(wallet, { market_condition_id, amount: '20' });
await collect(client, wallet);

await client.split(wallet, { market_condition_id, amount: '5' });
await control(`/markets/${market_condition_id}/state/`, { state: 'waiting_to_resolve' });
await control(`/markets/${market_condition_id}/resolve/`, { is_yes: true });
await collect(client, wallet);

await client.close();
await exchange.close();

/** Sends a command to the paper exchange. @param {string} path @param {object} body */
async function control(path, body) {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${exchange.url}/paper${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
}
