/** Files that were taken back while a trader ran: what the next start does with them, and how a person accepts them. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { liveText } from '../../src/shell/config/live/live-text.js';
import { loadConfig } from '../../src/shell/config/load.js';
import type { Config } from '../../src/shell/config/types.js';
import { startingConfig } from '../../src/shell/daemon/live/taken-back.js';
import { rememberConfig, rememberStart } from '../../src/trader/engine/control/config-history.js';
import type { Ledger } from '../../src/trader/ledger/contract.js';
import { openLedger } from '../../src/trader/ledger/ledger.js';
import { trader } from '../shell/config/files.js';
import { folderOf } from '../support/folders.js';
import { HOLDER } from '../trader/ledger/books.js';
import { run } from './run.js';

const module = (width: number) => `import { defineStrategy, NO_QUOTES } from 'twinbook/strategy';
export default defineStrategy({
  name: 'own', summary: 'Never quotes.',
  params: { width: { kind: 'integer', unit: 'ticks', min: 1, max: 9, default: ${width}, help: 'Width.' } },
  create: () => ({ quote: () => NO_QUOTES('never') }),
});
`;
const TRADER = trader('risk: { max_open_orders: 10 }', '[own.yaml]');

interface Place {
  readonly cwd: string;
  load(): Promise<Config>;
  write(name: string, text: string): void;
  withLedger<T>(work: (ledger: Ledger) => T): T;
}

function place(): Place {
  const cwd = folderOf({ 'trader.yaml': TRADER, 'own.yaml': 'strategy: ./own.ts\n', 'own.ts': module(3) });
  return {
    cwd,
    load: () => loadConfig('trader.yaml', { env: {}, cwd }),
    write: (name, text) => writeFileSync(join(cwd, name), text),
    withLedger: (work) => {
      const ledger = openLedger(join(cwd, 'twinbook.sqlite'), HOLDER);
      try {
        return ledger.transaction(() => work(ledger));
      } finally {
        ledger.close();
      }
    },
  };
}

const entry = (config: Config, by: 'operator' | 'probation' | 'rollback', atMs: number) => ({
  config: liveText(config),
  hash: config.configHash,
  changes: [],
  reason: 'it failed',
  by,
  atMs,
});

/** Began with width 3, took up width 4, and went back. The files say 4. */
async function takenBackFiles() {
  const here = place();
  const before = await here.load();
  here.write('own.ts', module(4));
  const after = await here.load();
  here.withLedger((ledger) => {
    rememberStart(ledger, { config: liveText(before), hash: before.configHash, changes: [], reason: '', atMs: 1_000 });
    rememberConfig(ledger, entry(after, 'operator', 2_000));
    rememberConfig(ledger, entry(before, 'probation', 3_000));
  });
  const start = async (files?: Config) => {
    const read = files ?? (await here.load());
    const ledger = openLedger(join(here.cwd, 'twinbook.sqlite'), HOLDER);
    return startingConfig(read, ledger).finally(() => ledger.close());
  };
  return { ...here, before, after, start };
}

const widthOf = ({ strategies: [strategy] }: Config) => strategy?.module.params['width'];

describe('files that were taken back', () => {
  it('are not what a start goes by', async () => {
    const { start, before } = await takenBackFiles();
    const { config, held } = await start();
    expect(config.configHash).toBe(before.configHash);
    expect(widthOf(config)).toMatchObject({ default: 3 });
    expect(held).toContain('taken back at 1970-01-01T00:00:03Z (probation: it failed)');
    expect(held).toContain('twinbook config accept --reason TEXT');
  });

  it('are known by what a running trader takes of them, whatever else is changed', async () => {
    const { start, before, write } = await takenBackFiles();
    write('trader.yaml', `${TRADER}\npolling: { own_interval_ms: 1500 }\n`);
    const { config } = await start();
    expect(config.configHash).toBe(before.configHash);
    expect(config.polling.ownIntervalMs).toBe(1500);
    write('own.ts', module(5));
    expect(await start()).toMatchObject({ held: null, reason: '' });
  });

  it('are taken once a person has accepted them, until they are taken back again', async () => {
    const { start, after, before, cwd, withLedger } = await takenBackFiles();
    const config = ['-c', 'trader.yaml'];
    expect((await run(['config', 'diff', ...config], { cwd })).out).toContain('[a start wants `config accept`]');
    expect((await run(['config', 'accept', ...config], { cwd })).code).toBe(2);
    const { code, out } = await run(['config', 'accept', '--reason', 'the module is right', ...config], { cwd });
    expect([code, out]).toEqual([0, expect.stringContaining('the next start takes it')]);
    const started = await start();
    expect(started).toMatchObject({ config: { configHash: after.configHash }, held: null });
    expect(started.reason).toBe('the module is right');
    withLedger((ledger) => {
      const { configHash: hash } = after;
      rememberStart(ledger, { config: liveText(after), hash, changes: [], reason: started.reason, atMs: Date.now() });
    });
    expect((await start()).held).toBeNull();
    expect((await run(['config', 'accept', '--reason', 'again', ...config], { cwd })).code).toBe(2);
    withLedger((ledger) => rememberConfig(ledger, entry(before, 'rollback', Date.now() + 1000)));
    expect((await start()).held).not.toBeNull();
  });

  it('are refused where what was in force cannot be gone on with', async () => {
    const { start, after, withLedger, before } = await takenBackFiles();
    const { maxOpenOrders: _gone, ...risk } = before.risk;
    withLedger((ledger) =>
      rememberConfig(ledger, { ...entry({ ...before, risk } as unknown as Config, 'probation', 4_000) }),
    );
    await expect(start(after)).rejects.toThrow(/cannot be gone on with: risk: .*\(maxOpenOrders\)/);
  });
});
