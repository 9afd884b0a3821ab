import { expect, it } from 'vitest';
import { micros } from '../../../src/shared/base/micros.js';
import { Random } from '../../../src/shared/base/random.js';
import { boundedCall } from '../../../src/shell/runtime/loop.js';
import { endInOrder, exchangeAt } from '../../support/cases.js';
import { times } from '../../support/effort.js';
import { expectAgreement, marketsOf, Taker } from '../../support/venue.js';
import { traderAt } from './trader-at.js';

const KILLS = times(4, 25);
const SEED = 20_261_121;

const RISK = `risk: { max_fills: 10000, max_actions_per_second: 1000, max_actions_per_minute: 10000 }
strategies: [maker.yaml]`;
const MAKER = 'strategy: log-odds-maker\nmarkets: { max: 4 }\nparams: { order_shares: "25" }\n';

it(`a trader adopts, books and goes on: after ${KILLS} kills its ledger is the exchange's to the last micro`, async () => {
  const { url } = await exchangeAt('--seed', '7', '--no-rate-limits', '--draft-lifetime-s', '5');
  const { folder, start } = traderAt(url, RISK, { 'maker.yaml': MAKER });
  const taker = await Taker.join(url, SEED);
  taker.go(await marketsOf(url), 60);

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

const LIMIT_MS = 100;

it('a call that had no processor is made again, not stopped', () => {
  let calls = 0;
  // Threads of the collector and the compiler count too, so the limit is far above their work.
  const call = boundedCall(30 * LIMIT_MS);
  const told = call(() => {
    calls += 1;
    // As on a busy machine: time passes without work.
    if (calls < 2) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60 * LIMIT_MS);
    return 'quotes';
  });
  expect([told, calls]).toEqual(['quotes', 2]);
});

it('what a call throws itself is thrown, at once', () => {
  let calls = 0;
  const fail = () => {
    calls += 1;
    throw new Error('a bug of its own');
  };
  // Long enough that no busy machine interrupts it, which would repeat the call.
  expect(() => boundedCall(600 * LIMIT_MS)(fail)).toThrow('a bug of its own');
  expect(calls).toBe(1);
});
