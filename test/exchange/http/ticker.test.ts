import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { ExchangeCore } from '../../../src/exchange/core/core.js';
import { volume24h } from '../../../src/exchange/core/records/market-rows.js';
import { ExchangeClock, Ticker } from '../../../src/exchange/http/ticker.js';
import { Transactions } from '../../../src/exchange/store/database.js';
import { PersistentCore } from '../../../src/exchange/store/persistent-core.js';
import { newFolder } from '../../support/folders.js';
import { throughJson } from '../core/drawer.js';
import { accepted, m, settings } from '../core/venue.js';
import { send, startTestExchange } from './harness.js';

const START_MS = 1_700_000_000_000;

it('a request on a quiet exchange is answered at the present time, and the journal still gives the identical state', () => {
  const folder = newFolder();
  const live = PersistentCore.open(folder, settings);
  const { core } = live;
  let wallMs = START_MS;
  const ticker = new Ticker(live, new ExchangeClock(0, () => wallMs), [], () => undefined);
  ticker.settle();
  accepted(core.markets.create({ config: { kind: 'orderbook' } }));
  const [buyer, seller] = ['buyer', 'seller'].map((name) =>
    core.identity.openInternal(name, { unlimited: false, funds: m(100) }),
  );
  core.internal.place(buyer ?? 0, 0, 0, m(0.5), m(10), false);
  core.internal.place(seller ?? 0, 0, 1, m(0.5), m(10), false);
  const volume = () => volume24h(core.catalog.market(0), core.nowMs);
  expect(volume()).toBe(m(5));
  wallMs += 3 * 86_400_000;
  ticker.settle();
  expect(volume()).toBe(0);
  core.setSigningAvailable(false);
  const copy = newFolder();
  cpSync(folder, copy, { recursive: true });
  const again = PersistentCore.open(copy, settings);
  expect(throughJson(again.core.snapshot())).toEqual(throughJson(core.snapshot()));
  again.close();
  live.close();
});

it('a full disk ends the exchange with one message that names the cause, and calls get a 500', async () => {
  const folder = newFolder();
  const errors: string[] = [];
  const ignore = () => undefined;
  const logger = { info: ignore, warn: ignore, error: (_: object, text: string) => errors.push(text) };
  // The insert of a journal row fails as on a full disk.
  const full = vi.spyOn(Transactions.prototype, 'commit');
  const exchange = await startTestExchange({ dataDir: folder, logger });
  full.mockImplementation(function (this: Transactions) {
    this.write(() => {
      throw new Error('database or disk is full');
    });
  });
  if (!exchange.storeFailed.aborted) await once(exchange.storeFailed, 'abort');
  full.mockRestore();
  expect((await send(exchange.url, 'GET', '/markets/')).status).toBe(500);
  expect(errors).toEqual([expect.stringMatching(/journal failed: database or disk is full\. Free space/)]);
  await exchange.close();
});

it('a snapshot that cannot be made is tried once a minute with one warning, less often if it takes seconds, and fails neither the close nor the next start', () => {
  const folder = newFolder();
  const warnings: string[] = [];
  const log = { warn: (_: object, message: string) => warnings.push(message) };
  let live = PersistentCore.open(folder, settings, log);
  live.batch(() => {
    for (let row = 0; row < 50_001; row++) live.core.advance(START_MS);
  });
  const made = vi.spyOn(ExchangeCore.prototype, 'snapshot').mockImplementation(() => {
    throw new RangeError('Invalid string length');
  });
  for (const afterMs of [0, 50, 59_999, 60_000]) live.saveIfDue(START_MS + afterMs);
  expect(made).toHaveBeenCalledTimes(2);
  expect(warnings).toEqual([expect.stringContaining('Invalid string length')]);
  vi.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValueOnce(10_000);
  for (const afterMs of [120_000, 319_999]) live.saveIfDue(START_MS + afterMs);
  expect(made).toHaveBeenCalledTimes(3);
  live.close();
  made.mockRestore();
  const text = vi.spyOn(JSON, 'stringify').mockImplementation(() => {
    throw new RangeError('Invalid string length');
  });
  live = PersistentCore.open(folder, settings, log);
  text.mockRestore();
  expect(live.core.nowMs).toBe(START_MS);
  live.close();
});
