/** Answers of every endpoint with a market, in each of the market's states. */

import { describe, expect, it } from 'vitest';
import { MARKET_STATES, type MarketState } from '../../../../src/shared/protocol/states.js';
import { type Answered, control, openMarket, TestTrader } from '../harness.js';
import { sharedExchange } from '../shared-exchange.js';
import { pass, read } from './walk.js';

const { url: base } = await sharedExchange();
const trader = await TestTrader.join(base);

const slugOf = ({ status, slug }: Answered): string => (slug === null ? String(status) : `${status} ${slug}`);

/** A market in this state that was open before, with shares and a resting order of the trader. */
async function marketIn(state: MarketState): Promise<string> {
  const market = await openMarket(base, { title: `A ${state} thing` });
  await trader.complete('/share-splits/', { market_condition_id: market, amount: '5' });
  await pass(base, 2, trader);
  await trader.order(market, true, 'buy', '0.4', '5');
  if (state === 'resolved') await control(base, `/markets/${market}/resolve/`, { is_yes: true });
  else if (state !== 'open') await control(base, `/markets/${market}/state/`, { state });
  return market;
}

const order = (market: string) => ({
  market_condition_id: market,
  is_yes: true,
  side: 'buy',
  order_type: 'limit',
  price: '0.3',
  amount: '2',
});

/** The possible states of a market after trading. */
const LATER = MARKET_STATES.filter((state) => state !== 'draft' && state !== 'waiting_to_open');

describe.each(LATER)('a market that is %s', (state) => {
  const isOpen = state === 'open';
  const isSettled = state === 'resolved' || state === 'canceled';

  it('is read by everybody, and found under the words of its state', async () => {
    const market = await marketIn(state);
    const { row } = await read(base, `/markets/${market}/`);
    expect(row).toMatchObject({ condition_id: market, state });
    const event = (row['event'] as { condition_id: string }).condition_id;
    for (const path of ['trades/', 'stats/', 'price/', 'candles/?start_time=0&end_time=300&interval=5m']) {
      expect((await read(base, `/markets/${market}/${path}`)).status).toBe(200);
    }
    const isUnder = state === 'answer_proposed' || state === 'waiting_to_resolve';
    const isClosed = isUnder || state === 'interrupted';
    const shown = async (path: string, id = market) => JSON.stringify((await read(base, path)).data).includes(id);
    for (const [word, expected] of [
      ['open', isOpen],
      ['closed', isClosed],
      ['resolved', isSettled],
      ['newest', true],
    ] as const) {
      expect(await shown(`/markets/?state=${word}&limit=100`), word).toBe(expected);
      expect(await shown(`/events/?state=${word}&limit=100`, event), word).toBe(expected);
    }
    for (const [word, expected] of [
      ['open', isOpen],
      ['under_review', isUnder],
      ['closed', isClosed],
      ['resolved', isSettled],
    ] as const) {
      expect(await shown(`/search/?state=${word}&limit=100`), word).toBe(expected);
    }
  });

  it('values its shares by the mark until it pays for them', async () => {
    const market = await marketIn(state);
    const { rows } = await trader.get(`/account/assets/?market_condition_id=${market}`);
    const figures = rows.map((row) => {
      const position = row['position'] as { is_yes: boolean; is_final: boolean; market: { state: string } };
      expect(position.market.state).toBe(state);
      expect(position.is_final).toBe(isSettled);
      return (row['value'] as { usdt: string }).usdt;
    });
    // Five sets: at the bid of 0.4 while it exists, at 0 without a price, at the payout in the end.
    const worth = { resolved: ['5', '0'], canceled: ['2.5', '2.5'], open: ['2', '3'] } as Record<string, string[]>;
    expect(figures).toEqual(worth[state] ?? ['0', '0']);
  });
});

describe('a market that is not open yet', () => {
  it.each(['draft', 'waiting_to_open'])('(%s) takes no orders, is no open one, and opens', async (state) => {
    const market = await openMarket(base, { state });
    expect(slugOf(await trader.post('/orders/', order(market)))).toBe('400 order_market_not_open');
    for (const word of ['open', 'closed', 'resolved']) {
      const { data } = await read(base, `/markets/?state=${word}&limit=100`);
      expect(JSON.stringify(data)).not.toContain(market);
    }
    expect((await read(base, `/markets/${market}/book/`)).row).toMatchObject({ bid: [], ask: [] });
    await control(base, `/markets/${market}/state/`, { state: 'open' });
    expect(slugOf(await trader.post('/orders/', order(market)))).toBe('201');
  });
});
