/** Failing strategies of users: each stops only its own market, with the reason. */

import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/shared/base/micros.js';
import { endInOrder, exchangeHere, makerYaml } from '../../support/cases.js';
import { expectAgreement, marketsOf } from '../../support/venue.js';
import { traderAt } from './trader-at.js';

const module = (name: string, quote: string, types = '') => `
import { defineStrategy } from 'twinbook/strategy';
export default defineStrategy({
  name: '${name}', summary: 'Broken on purpose.', params: {},
  create: () => ({ quote(view${types}) { ${quote} } }),
});
`;

const file = (path: string, id: string) => `strategy: ${path}\nmarkets: { ids: ["${id}"] }\n`;

const STRATEGIES = 'strategies: [sound.yaml, throwing.yaml, foolish.yaml, endless.yaml]';

describe('strategies of users', () => {
  it('that throw, return nonsense or never end stop their own markets; the others go on', async () => {
    const url = await exchangeHere('--no-rate-limits');
    const ids = (await marketsOf(url)).map((row) => row.condition_id);
    const [throwing = '', foolish = '', endless = '', sound = ''] = ids;
    const { folder, start, status } = traderAt(url, STRATEGIES, {
      'sound.yaml': makerYaml(`{ ids: ["${sound}"] }`),
      'throwing.yaml': file('mine/throws.ts', throwing),
      'foolish.yaml': file('mine/foolish.js', foolish),
      'endless.yaml': file('mine/endless.ts', endless),
      'mine/throws.ts': module('throws', "throw new TypeError('no such figure');", ': { nowMs: number }'),
      'mine/foolish.js': module('foolish', "return { bids: [{ priceMicros: 'high' }], asks: [], note: '' };"),
      'mine/endless.ts': module('endless', 'for (;;);', ': unknown'),
    });
    const trader = start();
    const stopped = (strategy: string, market: string, why: string) =>
      trader.waitFor(new RegExp(`strategy ${strategy} is stopped in market ${market}: quote\\(\\) ${why}`));
    await stopped('throwing', throwing, 'failed: TypeError: no such figure');
    await stopped('foolish', foolish, 'returned invalid quotes: ');
    await stopped('endless', endless, 'failed: Error: took longer than \\d+ ms');
    await trader.waitFor(/ fill: /);

    const { mode, markets } = await status();
    expect(mode).toBe('quoting');
    for (const market of markets) {
      if (market.market_condition_id === sound) expect(market.open_orders).toBeGreaterThan(0);
      else
        expect(market).toMatchObject({ open_orders: 0, state: expect.stringMatching(/^strategy stopped: quote\(\)/) });
    }
    await endInOrder(trader);
    await expectAgreement(folder, url, micros(1_000_000_000));
  });
});
