import { afterEach, describe, expect, it } from 'vitest';
import { exchangeOfFile } from '../support/cases.js';
import { times } from '../support/effort.js';
import { marketsOf, Taker } from '../support/venue.js';
import { FailingTrader } from './failing-trader.js';
import { FaultyDisk } from './faulty-disk.js';
import { tracingMissing } from './traced.js';

const missing = FaultyDisk.missing();
if (missing !== null) console.warn(`the tests of a trader on a failing disk are skipped: ${missing}`);

const traders: FailingTrader[] = [];
afterEach(async () => {
  for (const trader of traders.splice(0)) await trader.remove();
});

describe.skipIf(missing !== null)('a trader whose disk fails', () => {
  const exchangeUrl = exchangeOfFile('--no-rate-limits', '--draft-lifetime-s', '5');

  it.each([
    { kind: 'sync', error: 'EIO', at: times([4], [1, 4, 20]) },
    { kind: 'write', error: 'ENOSPC', at: times([90], [2, 90]) },
  ] as const)(
    'at a $kind ($error) cancels what rests, places nothing that is not written, and ends with 1',
    async ({ kind, error, at }) => {
      const url = exchangeUrl();
      const taker = await Taker.join(url, 7);
      taker.go(await marketsOf(url), 100);
      const trader = new FailingTrader(url);
      traders.push(trader);
      for (const operation of at) {
        await trader.leaveOrders();
        const run = await trader.startOn({ kind, error, at: operation });
        expect(run, run.output).toMatchObject({ happened: true, exitCode: 1, resting: 0, unwritten: [] });
        expect(run.said.length, run.output).toBe(1);
      }
      expect(await trader.agrees()).toBeGreaterThan(0);
      await taker.end();
    },
  );

  it.skipIf(tracingMissing() !== null)('takes back what rests where its control socket has no room', async () => {
    const trader = new FailingTrader(exchangeUrl());
    traders.push(trader);
    await trader.leaveOrders();
    const run = await trader.startWithout('bind');
    expect(run, run.output).toMatchObject({ exitCode: 1, resting: 0, unwritten: [] });
    expect(run.output).toContain('control socket');
  });
});
