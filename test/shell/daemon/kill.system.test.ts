import { expect, it } from 'vitest';
import { micros } from '../../../src/shared/base/micros.js';
import { Random } from '../../../src/shared/base/random.js';
import { endInOrder, exchangeAt, folderOf, started, traderYaml } from '../../support/cases.js';
import { times } from '../../support/effort.js';
import { expectAgreement, marketsOf, Taker } from '../../support/venue.js';

const KILLS = times(4, 25);
const SEED = 20_261_121;

const RISK = `risk: { max_fills: 10000, max_actions_per_second: 1000, max_actions_per_minute: 10000 }
strategies: [maker.yaml]`;
const MAKER = `
strategy: log-odds-maker
markets: { select: { state: open, kind: orderbook }, max: 4 }
params: { order_shares: "25" }
`;

it(`a trader adopts, books and goes on: after ${KILLS} kills its ledger is the exchange's to the last micro`, async () => {
  const { url } = await exchangeAt('--seed', '7', '--no-rate-limits', '--draft-lifetime-s', '5');
  const folder = folderOf({ 'trader.yaml': traderYaml(url, RISK), 'maker.yaml': MAKER });
  const start = () => started(['start', '-c', `${folder}/trader.yaml`]);

  const taker = await Taker.join(url, SEED);
  taker.go(
    (await marketsOf(url)).map((row) => row.condition_id),
    60,
  );

  const random = Random.fromSeed(SEED, 'kills');
  for (let kill = 0; kill < KILLS; kill++) {
    const killed = start();
    await killed.waitFor(/trades on/);
    // From the first request of recovery to the middle of quoting.
    await new Promise((resolve) => setTimeout(resolve, 20 + random.below(1500)));
    killed.process.kill('SIGKILL');
    await killed.exited;
  }

  const last = start();
  // Enough fills to compare, however few there were until now.
  await last.waitFor(/(?:fill: [\s\S]*){11}/);
  await endInOrder(last);
  expect(last.output()).toContain('nothing rests at the exchange (read twice)');
  await taker.end();

  expect(await expectAgreement(folder, url, micros(1_000_000_000))).toBeGreaterThan(10);
});
