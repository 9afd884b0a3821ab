/** Safe calls with less time than the budget's wait: real time must pass. */

import { describe, expect, it } from 'vitest';
import { startPaper, thrownBy } from './paper.js';

const LIMIT_ORDER = { is_yes: true, side: 'buy', order_type: 'limit', price: '0.42', amount: '10' } as const;

describe('a safe call in a hurry', () => {
  it('does not send what would have waited in line for too long', async () => {
    const paper = await startPaper({}, { budgets: { signed: 1 } });
    const order = { ...LIMIT_ORDER, market_condition_id: await paper.openMarket() };
    const error = await thrownBy(paper.client.place(paper.wallet, order, { pollMs: 1, withinMs: 5_000 }));
    expect(error).toMatchObject({ name: 'OutcomeUnknown', endpoint: 'orders.submit', sent: false });
    expect(paper.network.carried.filter((line) => line.endsWith('/submit/'))).toEqual([]);
  });

  it('does not let the first look of a cancel wait for longer either', async () => {
    const paper = await startPaper({}, { budgets: { signed: 1 } });
    await thrownBy(paper.client.orders.detail('4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM1'));
    const cancel = paper.client.cancel(paper.wallet, 'p', { pollMs: 1, withinMs: 3_000 });
    expect(await thrownBy(cancel)).toMatchObject({ name: 'OutcomeUnknown', endpoint: 'orders.detail', sent: false });
  });
});
