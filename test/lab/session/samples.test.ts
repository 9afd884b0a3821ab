import { expect, it } from 'vitest';
import { MAX_SAMPLES } from '../../../src/lab/session/contract.js';
import { AccountSamples, MarketSamples } from '../../../src/lab/session/samples.js';

const NOTHING = { bidMicros: null, askMicros: null, ourBidMicros: null, ourAskMicros: null };

it('a long session keeps a bounded number of samples, at equal steps from its beginning', () => {
  const samples = new MarketSamples();
  const seconds = 3 * MAX_SAMPLES;
  for (let second = 0; second < seconds; second++)
    samples.take(second * 1000, { ...NOTHING, bidMicros: second }, -second);
  const { stepMs, timeMs, bidMicros, inventoryMicros } = samples.series;
  expect(stepMs).toBe(4_000);
  expect(timeMs).toEqual(Array.from({ length: seconds / 4 }, (_, step) => step * stepMs));
  expect(bidMicros).toEqual(timeMs.map((ms) => ms / 1000));
  expect(inventoryMicros).toEqual(timeMs.map((ms) => -(ms / 1000)));
  expect(samples.quotedMs).toEqual({ openForMs: seconds * 1000, twoSidedMs: 0, oneSidedMs: 0 });
});

it('counts the time of both quotes, of one and of none, a step each', () => {
  const samples = new MarketSamples(2_000);
  samples.take(0, { ...NOTHING, ourBidMicros: 1, ourAskMicros: 2 }, 0);
  samples.take(2_000, { ...NOTHING, ourAskMicros: 2 }, 0);
  samples.take(4_000, NOTHING, 0);
  expect(samples.quotedMs).toEqual({ openForMs: 6_000, twoSidedMs: 2_000, oneSidedMs: 2_000 });
});

it('a drawdown is the deepest fall from a peak, of samples that are not kept too', () => {
  const account = new AccountSamples();
  for (const [second, equity] of [100, 130, 90, 120].entries()) account.take(second * 1000, equity, () => 7);
  account.see(60);
  expect(account.maxDrawdownMicros).toBe(70);
  expect(account.series).toMatchObject({ equityMicros: [100, 130, 90, 120], lockedMicros: [7, 7, 7, 7] });
});

it('an equity that was not known once leaves the drawdown unknown', () => {
  const account = new AccountSamples();
  account.take(0, 100, () => 0);
  account.take(1_000, null, () => 0);
  account.take(2_000, 100, () => 0);
  expect([account.maxDrawdownMicros, account.series.equityMicros]).toEqual([null, [100, null, 100]]);
});

it('the end of an account is its last sample, also when all places are taken', () => {
  const account = new AccountSamples();
  for (let second = 0; second < MAX_SAMPLES; second++) account.take(second * 1000, 1, () => 0);
  account.end(MAX_SAMPLES * 1000 + 1, 5, 3);
  const { timeMs, equityMicros, lockedMicros } = account.series;
  expect([timeMs.at(-1), equityMicros.at(-1), lockedMicros.at(-1)]).toEqual([MAX_SAMPLES * 1000 + 1, 5, 3]);
  expect(timeMs.length).toBe(MAX_SAMPLES / 2 + 1);
});
