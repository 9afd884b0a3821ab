/** A user's mistakes at the start: each ends with its exit code and a sentence with the next step. */

import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { exchangeHere, folderOf, makerYaml, ran, traderYaml } from '../../support/cases.js';
import { intentOf } from '../../trader/ledger/books.js';

/** No server listens there: these starts end before any request. */
const NOWHERE = 'http://127.0.0.1:9';

const startIn = (folder: string) => ran(['start', '-c', `${folder}/trader.yaml`]);
const files = (trader: string) => folderOf({ 'trader.yaml': trader, 'maker.yaml': makerYaml() });

describe('a start with', () => {
  it('a misspelled setting names file, line, column and what was meant', async () => {
    const folder = files(traderYaml(NOWHERE, 'risk: { max_los_day: "50" }\nstrategies: [maker.yaml]'));
    const { code, output } = await startIn(folder);
    expect(code).toBe(4);
    expect(output).toMatch(/trader\.yaml:10:9: risk: unknown key 'max_los_day'; did you mean 'max_loss_day'\?/);
    expect(output).not.toMatch(/ {4}at /);
  });

  it('a wallet that others can read refuses it and says how to close it', async () => {
    const folder = files(traderYaml(NOWHERE));
    expect((await ran(['keys', 'create', '--plain-text-key', '--file', `${folder}/wallet.json`])).code).toBe(0);
    chmodSync(`${folder}/wallet.json`, 0o644);
    const { code, output } = await startIn(folder);
    expect(code).toBe(4);
    expect(output).toContain(`${folder}/wallet.json`);
    expect(output).toContain('chmod 600');
  });

  it('a busy port of the embedded exchange names the port', async () => {
    const url = await exchangeHere();
    const { port } = new URL(url);
    const trader = traderYaml(null).replace('seed: 3', `seed: 3, port: ${port}`);
    const { code, output } = await startIn(files(trader));
    expect(code).toBe(1);
    expect(output).toContain(`127.0.0.1:${port} is in use by another program`);
    const alone = await ran(['exchange', '--port', port]);
    expect(alone.code).toBe(1);
    expect(alone.output).toContain('Stop it, or choose another port; port 0 picks a free one.');
  });

  it('an exchange that has forgotten what the ledger remembers is told apart from a new one', async () => {
    const folder = files(traderYaml(null));
    mkdirSync(`${folder}/exchange`);
    // The result of deleting the one essential file.
    writeFileSync(`${folder}/exchange/exchange.pid`, '1\n');
    // Its trader was killed before the exchange had shown any order.
    const ledger = openLedger(`${folder}/ledger.sqlite`, { pid: process.pid, startedMs: Date.now() });
    ledger.transaction(() => {
      ledger.startRun({ id: 'run', version: '0', configHash: 'hash', startedMs: 1 });
      ledger.addIntent(intentOf());
    });
    ledger.close();
    const { code, output } = await startIn(folder);
    expect(code).toBe(1);
    expect(output).toContain(`state in ${folder}/exchange is gone`);
    expect(readdirSync(`${folder}/exchange`)).toEqual(['exchange.pid']);
  });

  it('a data folder that cannot be made or written says which', async () => {
    const folder = files(traderYaml(NOWHERE).replace('ledger.sqlite', 'file/ledger.sqlite'));
    writeFileSync(`${folder}/file`, 'a file, no folder');
    const ledger = await startIn(folder);
    expect(ledger.code).toBe(1);
    expect(ledger.output).toContain(`the data folder ${folder}/file cannot be made: ${folder}/file is not a folder`);
    expect(ledger.output).toContain('ledger.path');

    const other = files(traderYaml(null).replace('data_dir: exchange', 'data_dir: file/exchange'));
    writeFileSync(`${other}/file`, 'a file, no folder');
    const exchange = await startIn(other);
    expect(exchange.code).toBe(1);
    expect(exchange.output).toContain(`${other}/file/exchange`);
    expect(exchange.output).not.toContain('a bug');
  });
});
