import { describe, expect, it } from 'vitest';
import { openMarket, TestTrader } from '../harness.js';
import { sharedExchange } from '../shared-exchange.js';
import { pass, refusal } from './walk.js';

const markets: string[] = [];

const { url: base } = await sharedExchange();
const trader = await TestTrader.join(base);
for (let n = 0; n < 6; n++) markets.push(await openMarket(base, { title: `M${n}`, event: `E${n % 2}` }));
for (const [n, id] of markets.entries()) {
  await trader.complete('/share-splits/', { market_condition_id: id, amount: String(n + 1) });
}
await pass(base, 5, trader);

const cursorText = (position: object): string => Buffer.from(JSON.stringify(position)).toString('base64url');

describe('assets', () => {
  it('keep the time when they were first held', async () => {
    const path = `/account/assets/?market_condition_id=${markets[5]}`;
    const created = async () => (await trader.get(path)).rows.map((row) => Number(row['created']));
    const before = await created();
    await pass(base, 100, trader);
    await trader.complete('/share-splits/', { market_condition_id: markets[5], amount: '1' });
    await pass(base, 2, trader);
    expect(await created()).toEqual(before);
    expect(before[0]).toBeLessThan(trader.nowS() - 90);
  });

  it('go on at a place of the scan, past outcomes that are not held', async () => {
    // The second market has no balance, so its two places are skipped.
    await trader.complete('/share-merges/', { market_condition_id: markets[1], amount: '2' });
    await pass(base, 2, trader);
    const whole = (await trader.get('/account/assets/')).rows;
    expect(whole).toHaveLength(10);
    const first = await trader.get('/account/assets/?limit=2');
    const { next_cursor } = first.meta as { next_cursor: string };
    expect(Buffer.from(next_cursor, 'base64url').toString()).toBe('{"o":2}');
    for (const o of [2, 3, 4]) {
      const { rows } = await trader.get(`/account/assets/?limit=1&cursor=${cursorText({ o })}`);
      expect(rows).toEqual([whole[2]]);
    }
    expect((await trader.get(`/account/assets/?cursor=${cursorText({ o: 999 })}`)).data).toEqual([]);
    const { rows, meta } = await trader.get('/account/assets/?limit=200');
    expect([rows, meta]).toEqual([whole, { limit: 200, next_cursor: null }]);
    expect(refusal(await trader.get('/account/assets/?limit=201'))).toBe('400 invalid_request_params limit');
    expect(refusal(await trader.get(`/account/assets/?cursor=${cursorText({ before_id: 1 })}`))).toContain('cursor');
    const unknown = await trader.get('/account/assets/?market_condition_id=nobody');
    expect([unknown.data, unknown.meta]).toEqual([[], { limit: 50, next_cursor: null }]);
  });
});
