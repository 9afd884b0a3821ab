import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/shared/base/random.js';
import { type Answered, control, micros, openMarket, send, startTestExchange, TestTrader } from './harness.js';

const SEED = 20_261_121;
const STEPS = 250;

/** One random thing that a trader does. Refusals are fine: what must hold holds after them as well. */
async function act(random: Random, trader: TestTrader, markets: readonly string[]): Promise<Answered> {
  const market = markets[random.below(markets.length)] ?? '';
  const isYes = random.chance(0.5);
  const side = random.chance(0.7) ? 'buy' : 'sell';
  const cents = 30 + random.below(41);
  const amount = String(1 + random.below(900) / 100);
  const order = { market_condition_id: market, is_yes: isYes, side };
  switch (random.below(8)) {
    case 0:
      return trader.complete('/share-splits/', { market_condition_id: market, amount });
    case 1:
      return trader.complete('/share-merges/', { market_condition_id: market, amount });
    case 2: {
      const { rows } = await trader.get('/orders/?status=open,partially_filled&limit=1');
      return rows[0] === undefined ? trader.get('/account/') : trader.cancel(String(rows[0]['pubkey']));
    }
    case 3: {
      const size = side === 'buy' ? { funds: amount } : { amount };
      return trader.complete('/orders/', { ...order, order_type: 'market', ...size });
    }
    case 4:
      // A draft that nobody ever signs locks until it expires.
      return trader.post('/orders/', { ...order, order_type: 'limit', price: `0.${cents}`, amount });
    default:
      return trader.order(market, isYes, side, `0.${cents}`, amount);
  }
}

interface Sums {
  readonly funds: number;
  readonly locked: number;
  readonly yes: number;
  readonly no: number;
  readonly fees: number;
}

/** What the traders hold together, as the service shows it, in micros. */
async function sums(base: string, traders: readonly TestTrader[]): Promise<Sums> {
  const total = { funds: 0, locked: 0, yes: 0, no: 0, fees: 0 };
  for (const trader of traders) {
    const { row } = await send(base, 'GET', `/paper/accounts/${trader.wallet}/`);
    const funds = row['funds'] as { total: string; locked: string; available: string };
    expect(micros(funds.locked) + micros(funds.available)).toBe(micros(funds.total));
    expect(micros(funds.available)).toBeGreaterThanOrEqual(0);
    total.funds += micros(funds.total);
    total.locked += micros(funds.locked);
    for (const asset of (await trader.get('/account/assets/?limit=200')).rows) {
      const amounts = asset['amounts'] as { total: string; available: string };
      expect(micros(amounts.available)).toBeGreaterThanOrEqual(0);
      total[(asset['position'] as { is_yes: boolean }).is_yes ? 'yes' : 'no'] += micros(amounts.total);
    }
    for (let cursor = ''; ; ) {
      const page = await trader.get(`/trades/?limit=100${cursor}`);
      for (const trade of page.rows) total.fees += micros(trade['fee'] ?? 0);
      const { next_cursor } = page.meta as { next_cursor: string | null };
      if (next_cursor === null) break;
      cursor = `&cursor=${next_cursor}`;
    }
  }
  return total;
}

describe('after a mixed run', () => {
  it('no money and no share has appeared or vanished, open, resolved and redeemed', async () => {
    const exchange = await startTestExchange();
    const base = exchange.url;
    const random = Random.fromSeed(SEED);
    const traders = [await TestTrader.join(base), await TestTrader.join(base), await TestTrader.join(base)];
    const markets = [await openMarket(base), await openMarket(base, { config: { taker_fee_rate: '0.037' } })];
    const deposited = traders.length * 10_000_000_000;
    const forward = async (seconds: number) => {
      await control(base, '/clock/', { advance_s: seconds });
      for (const trader of traders) trader.clockShiftS += seconds;
    };
    let done = 0;
    for (let step = 0; step < STEPS; step++) {
      const answer = await act(random, traders[random.below(traders.length)] ?? new TestTrader(base), markets);
      expect(answer.status).toBeLessThan(500);
      if (answer.error === null) done += 1;
      if (step % 50 === 49) await forward(61);
    }
    expect(done).toBeGreaterThan(STEPS / 3);
    await forward(61);

    const open = await sums(base, traders);
    expect(open.yes).toBe(open.no);
    expect(open.fees).toBeGreaterThan(0);
    // Each YES share stands for one unit of currency that is not in anybody's account.
    expect(open.funds + open.yes + open.fees).toBe(deposited);
    let backing = 0;
    for (const market of markets) {
      backing += micros((await send(base, 'GET', `/markets/${market}/stats/`)).row['market_cap']);
    }
    expect(backing).toBe(open.yes);

    await control(base, `/markets/${markets[0]}/resolve/`, { is_yes: true });
    await control(base, `/markets/${markets[1]}/resolve/`, { is_yes: null });
    for (const trader of traders) {
      for (const market of markets) await trader.complete('/redeems/', { market_condition_id: market });
    }
    const settled = await sums(base, traders);
    expect(settled).toMatchObject({ yes: 0, no: 0, locked: 0, fees: open.fees });
    expect(settled.funds + settled.fees).toBe(deposited);
    await exchange.close();
  });
});
