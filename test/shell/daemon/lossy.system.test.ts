import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/shared/base/micros.js';
import { endInOrder, exchangeHere, folderOf, started, traderYaml } from '../../support/cases.js';
import { lossyProxy } from '../../support/lossy-proxy.js';
import { expectAgreement, marketsOf, Taker } from '../../support/venue.js';

const SEED = 42;
const MAKER = `
strategy: log-odds-maker
markets: { select: { state: open, kind: orderbook }, max: 4 }
params: { order_shares: "25" }
`;

describe('a trader on an exchange that loses, delays, doubles and garbles', () => {
  it('ends with the ledger that the exchange has, to the last micro', async () => {
    const url = await exchangeHere('--seed', '7', '--no-rate-limits', '--draft-lifetime-s', '5');
    const proxy = await lossyProxy(url, SEED, 0.3);
    const folder = folderOf({ 'trader.yaml': traderYaml(proxy.url), 'maker.yaml': MAKER });
    const taker = await Taker.join(url, SEED);
    taker.go(
      (await marketsOf(url)).map((row) => row.condition_id),
      60,
    );

    const trader = started(['start', '-c', `${folder}/trader.yaml`]);
    await trader.waitFor(/ fill: /);
    // Every fault several times, at many steps of many orders; then the end, with all unsettled requests.
    await proxy.rage(8);
    await endInOrder(trader);
    await taker.end();
    expect(await expectAgreement(folder, url, micros(1_000_000_000), proxy.url)).toBeGreaterThan(5);
  });
});
