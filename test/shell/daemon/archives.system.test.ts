import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';
import { listArchives } from '../../../src/trader/ledger/archive/archive-file.js';
import { openLedger, openReadOnly } from '../../../src/trader/ledger/ledger.js';
import { folderOf, makerYaml, started, traderYaml } from '../../support/cases.js';
import { times } from '../../support/effort.js';
import { loadingFirst } from '../../support/processes.js';
import { until } from '../../support/waiting.js';
import { fillLedger, OLD, readAll } from '../../trader/ledger/archive/old-ledger.js';
import { HOLDER } from '../../trader/ledger/books.js';

const DAY_MS = 86_400_000;
/** Two minutes after a start it looks for the first time: here at once. */
const HURRY = `const wait = setTimeout; globalThis.setTimeout = (then, ms, ...more) => wait(then, ms === 120000 ? 0 : ms, ...more)`;
const env = () => loadingFirst(`data:text/javascript,${encodeURIComponent(HURRY)}`);

/** A trader with a past of a year, of which nothing was filled. */
function makePlace(): { config: string; ledger: string } {
  const yaml = traderYaml(null).replace(/^log: .*\n/m, '');
  const folder = folderOf({ 'trader.yaml': yaml, 'maker.yaml': makerYaml() });
  const path = join(folder, 'ledger.sqlite');
  const ledger = openLedger(path, HOLDER);
  fillLedger(ledger, 2_001, Date.now() - 320 * DAY_MS, false);
  ledger.close();
  // Of an exchange that has a past too.
  mkdirSync(join(folder, 'exchange'));
  const exchange = new SqliteDriver(join(folder, 'exchange', 'exchange.sqlite'));
  exchange.pragma('journal_mode = WAL');
  exchange.close();
  return { config: join(folder, 'trader.yaml'), ledger: path };
}

/** Whether a row has left the ledger of a trader that may be just starting. */
function hasLeft(path: string, intent: string): boolean {
  const ledger = openReadOnly(path);
  try {
    return ledger.intent(intent) === null;
  } finally {
    ledger.close();
  }
}

const KILLS = [
  ['when the first rows are in the archive', (path: string) => listArchives(path).length > 0],
  ['when they have left the ledger', (path: string) => hasLeft(path, 'run-p-0')],
  ['half-way', (path: string) => hasLeft(path, 'run-p-20')],
] as const;

test.each([...KILLS.slice(0, times(0, KILLS.length)), ['never', null] as const])(
  'a trader that quotes archives what is over by itself; killed %s, each row is there once after the next start',
  async (_, isKilled) => {
    const { config, ledger } = makePlace();
    const before = readAll(ledger);
    if (isKilled !== null) {
      const first = started(['start', '-c', config], env());
      await until(() => isKilled(ledger), Boolean);
      first.process.kill('SIGKILL');
      await first.exited;
    }
    const trader = started(['start', '-c', config], env());
    await trader.waitFor(/[1-9]\d* intents that are over for long went into the archive/);
    await trader.waitFor(/ quoting \| /);
    trader.process.kill('SIGTERM');
    expect(await trader.exited, trader.output()).toBe(0);
    expect(hasLeft(ledger, `run-p-${OLD - 1}`)).toBe(true);
    const after = readAll(ledger);
    expect(after.problems).toEqual([]);
    const ids = after.intents.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(after.intents.filter(({ id }) => id.startsWith('run-'))).toEqual(before.intents);
    const orders = after.orders.filter(({ pubkey }) => pubkey.startsWith('order-') || pubkey === 'newest');
    expect(orders).toEqual(before.orders);
    expect(trader.output()).not.toContain('reconcile');
  },
);
