/** A user's mistakes at the start: each ends with its exit code and a sentence with the next step. */

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { exchangeHere, traderYaml } from '../../support/cases.js';
import { intentOf } from '../../trader/ledger/books.js';
import { traderAt } from './trader-at.js';

/** No server listens there: these starts end before any request. */
const NOWHERE = 'http://127.0.0.1:9';

describe('a start with', () => {
  it('a busy port of the embedded exchange names the port', async () => {
    const { port } = new URL(await exchangeHere());
    const trader = traderYaml(null).replace('seed: 3', `seed: 3, port: ${port}`);
    const { code, output } = await traderAt(null, undefined, { 'trader.yaml': trader }).command('start');
    expect(code).toBe(1);
    expect(output).toContain(`127.0.0.1:${port} is in use by another program`);
    expect(output).toContain('Stop that program, or choose another port; port 0 picks a free port.');
  });

  it('an exchange that has forgotten what the ledger remembers is told apart from a new one', async () => {
    const { folder, command } = traderAt(null);
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
    const { code, output } = await command('start');
    expect(code).toBe(1);
    expect(output).toContain(`state in ${folder}/exchange is gone`);
    expect(readdirSync(`${folder}/exchange`)).toEqual(['exchange.pid']);
  });

  it('a data folder that cannot be made says which', async () => {
    const yaml = traderYaml(NOWHERE).replace('ledger.sqlite', 'file/ledger.sqlite');
    const { folder, command } = traderAt(NOWHERE, undefined, { 'trader.yaml': yaml, file: 'a file, no folder' });
    const { code, output } = await command('start');
    expect(code).toBe(1);
    expect(output).toContain(`the data folder ${folder}/file cannot be made: ${folder}/file is not a folder`);
    expect(output).toContain('ledger.path');
  });
});
