/** The sum of all order-book accounts, as the service reports it. */

import { micros, send, type TestTrader } from '../../exchange/http/harness.js';
import type { World } from './world.js';

/** A new account has ten thousand. */
const STARTING_FUNDS = 10_000_000_000;

/** The error of the sums; null if none. Call it only while no request is in flight. */
export async function moneyFault(world: World): Promise<string | null> {
  const traders = world.actors.map(({ book }) => book);
  const sums = { funds: 0, yes: 0, no: 0, fees: 0 };
  for (const trader of traders) await add(sums, trader);
  const { funds, yes, no, fees } = sums;
  if (yes !== no) return `${yes} YES shares and ${no} NO shares`;
  // Each set of shares is backed by one unit of currency that no account holds.
  const [found, given] = [funds + yes + fees, traders.length * STARTING_FUNDS];
  return found === given ? null : `${found} millionths where ${given} were given: ${JSON.stringify(sums)}`;
}

interface Sums {
  funds: number;
  yes: number;
  no: number;
  fees: number;
}

async function add(sums: Sums, trader: TestTrader): Promise<void> {
  const { row } = await send(trader.base, 'GET', `/paper/accounts/${trader.wallet}/`);
  sums.funds += micros((row['funds'] as { total: string }).total);
  for (const asset of (await trader.get('/account/assets/?limit=200')).rows) {
    const side = (asset['position'] as { is_yes: boolean }).is_yes ? 'yes' : 'no';
    sums[side] += micros((asset['amounts'] as { total: string }).total);
  }
  for (let cursor = ''; ; ) {
    const page = await trader.get(`/trades/?limit=100${cursor}`);
    for (const trade of page.rows) sums.fees += micros(trade['fee'] ?? 0);
    const { next_cursor } = page.meta as { next_cursor: string | null };
    if (next_cursor === null) return;
    cursor = `&cursor=${next_cursor}`;
  }
}
