import { afterEach, describe, expect, it } from 'vitest';
import { micros } from '../../../src/shared/base/micros.js';
import { Random } from '../../../src/shared/base/random.js';
import { times } from '../../support/effort.js';
import { type Place, type Running, traderPlace, twinbook } from '../../support/processes.js';
import { expectAgreement, marketsOf, Taker } from '../../support/venue.js';

const KILLS = times(4, 25);
const SEED = 20_261_121;

const trader = (url: string) => `
venue: { profile: paper, base_url: "${url}" }
wallet: { file: wallet.json }
ledger: { path: ledger.sqlite }
log: { file: trader.log }
capital: "1000"
polling: { own_interval_ms: 300, hot_interval_ms: 200, assets_interval_ms: 2000 }
merge: { min_shares: "5" }
guardian: { enabled: false }
dashboard: { enabled: false }
risk: { max_fills: 10000, max_actions_per_second: 1000, max_actions_per_minute: 10000 }
strategies: [strategies/maker.yaml]
`;

const strategy = `
strategy: log-odds-maker
markets: { select: { state: open, kind: orderbook }, max: 4 }
params: { order_shares: "25" }
`;

const running: Running[] = [];
const places: Place[] = [];

afterEach(async () => {
  for (const one of running.splice(0)) {
    one.process.kill('SIGKILL');
    await one.exited;
  }
  for (const place of places.splice(0)) place.remove();
});

const start = (args: readonly string[]): Running => {
  const one = twinbook(args);
  running.push(one);
  return one;
};

describe('a trader that is killed', () => {
  it(`adopts, books and goes on: after ${KILLS} kills its ledger is the exchange's to the last micro`, async () => {
    const exchange = start([
      'exchange',
      '--port',
      '0',
      '--seed',
      '7',
      '--controls',
      '--no-rate-limits',
      '--draft-lifetime-s',
      '5',
    ]);
    const url = (await exchange.waitFor(/listening on (http:\S+)/))[1] ?? '';
    const place = traderPlace(trader(url), strategy);
    places.push(place);

    const taker = await Taker.join(url, SEED);
    taker.go(
      (await marketsOf(url)).map((row) => row.condition_id),
      60,
    );

    const random = Random.fromSeed(SEED, 'kills');
    for (let kill = 0; kill < KILLS; kill++) {
      const killed = start(['start', '-c', place.config]);
      await killed.waitFor(/trades on/);
      // From the first request of recovery to the middle of quoting.
      await new Promise((resolve) => setTimeout(resolve, 20 + random.below(1500)));
      killed.process.kill('SIGKILL');
      await killed.exited;
    }

    const last = start(['start', '-c', place.config]);
    // However few fills there were until now, there are enough to compare.
    await last.waitFor(/(?:fill: [\s\S]*){11}/);
    last.process.kill('SIGTERM');
    expect(await last.exited, last.output()).toBe(0);
    expect(last.output()).toContain('nothing rests at the exchange (read twice)');
    await taker.end();

    expect(await expectAgreement(place.folder, url, micros(1_000_000_000))).toBeGreaterThan(10);
  });
});
