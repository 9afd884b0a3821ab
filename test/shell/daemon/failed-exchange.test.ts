import { expect, it, vi } from 'vitest';
import { Transactions } from '../../../src/exchange/store/database.js';
import { run } from '../../cli/run.js';
import { folderOf, makerYaml, traderYaml } from '../../support/folders.js';

it('a trader whose embedded exchange can store nothing more ends at once with the cause', async () => {
  const folder = folderOf({ 'trader.yaml': traderYaml(null), 'maker.yaml': makerYaml() });
  const full = vi.spyOn(Transactions.prototype, 'commit');
  const hear = (text: string) => {
    if (!text.includes('trades on')) return;
    // The write fails as on a full disk.
    full.mockImplementation(function (this: Transactions) {
      this.write(() => {
        throw new Error('database or disk is full');
      });
    });
  };
  const { code, out, err } = await run(['start', '-c', `${folder}/trader.yaml`], {
    env: process.env as Record<string, string>,
    stopAsked: () => new Promise(() => undefined),
    hear,
  });
  full.mockRestore();
  const said = out + err;
  expect(code, said).toBe(1);
  expect(said).toMatch(/the trader stops: .*journal failed: database or disk is full\n {2}Free space/);
  expect(said).not.toContain('orders may still rest');
}, 30_000);
