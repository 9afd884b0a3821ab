/** Reported changes between a run's settings and the current ones. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  changesSince,
  openRunCode,
  type RunCode,
  traderNow,
  traderThen,
} from '../../../src/lab/replay/run-settings.js';
import { loadConfig } from '../../../src/shell/config/load.js';
import { VERSION } from '../../../src/shell/config/shipped.js';
import { describeRun } from '../../../src/shell/journal/journal-writer.js';
import type { RunDescription } from '../../../src/shell/journal/runs.js';
import { folderOf } from '../../support/folders.js';

const TRADER = `
venue: { profile: paper }
exchange: { data_dir: exchange }
wallet: { file: wallet.json }
ledger: { path: ledger.sqlite }
log: { file: trader.log }
capital: "1000"
risk: { max_open_orders: 20, max_order_shares: "100" }
polling: { own_interval_ms: 300 }
strategies: [maker.yaml, own.yaml]
`;
const MAKER = 'strategy: log-odds-maker\nmarkets: { max: 4 }\nparams: { half_spread_ticks: 2, order_shares: "25" }\n';
const OWN = 'strategy: ./mine.mjs\nmarkets: { max: 1 }\nparams: { width: 3 }\n';
const MODULE = `
const params = { width: { kind: 'integer', unit: 'ticks', min: 1, max: 9, default: 2, help: 'how wide' } };
const create = () => ({ quote: () => ({ bids: [], asks: [], fairMicros: null, note: 'none' }) });
export default { name: 'mine', summary: 'mine', params, create };
`;

type Place = Awaited<ReturnType<typeof place>>;

const FILES = { 'trader.yaml': TRADER, 'maker.yaml': MAKER, 'own.yaml': OWN, 'mine.mjs': MODULE };

/** A folder with a trader's files, and the JSON description of a run with them. */
async function place() {
  const folder = folderOf(FILES);
  const config = await load(folder);
  const profile = { ...config.venue.profile, base_url: 'http://127.0.0.1:4711' };
  const facts = { config, runId: 'r1', version: VERSION, startedMs: 1, profile, strategyLimitMs: 250 };
  return { folder, run: JSON.parse(JSON.stringify(describeRun(facts, null))) as RunDescription };
}

const load = (folder: string) => loadConfig(join(folder, 'trader.yaml'), { env: {}, cwd: folder });

const codeIn = (folder: string, acceptsChanged = false) => openRunCode(() => load(folder), acceptsChanged);

async function changes({ folder, run }: Place): Promise<readonly string[]> {
  return changesSince(run, traderNow(await load(folder), run));
}

describe('what has changed since a run', () => {
  const SHARES = 'risk.max_order_shares';
  const FIFTY = 'risk: { max_order_shares: "50" }\n';

  it('is nothing where the files are the same; the address of an embedded exchange is no change', async () => {
    const there = await place();
    expect(await changes(there)).toEqual([]);
    expect(changesSince(there.run, await traderThen(there.run, codeIn(there.folder)))).toEqual([]);
    // A foreign run's further fields, such as `startedWith`, do not become settings.
    const foreign = { ...there.run, startedWith: { copy: '', changes: [] } };
    expect(await traderThen(foreign, codeIn(there.folder))).not.toHaveProperty('startedWith');
  });

  it.each<[keyof typeof FILES, string, string, string]>([
    ['maker.yaml', 'ticks: 2', 'ticks: 3', 'strategy maker: half_spread_ticks is now 3, in the run it was 2'],
    ['maker.yaml', '"25"', '"20.5"', 'strategy maker: order_shares is now 20.5, in the run it was 25'],
    ['maker.yaml', 'max: 4', 'max: 5', 'strategy maker: markets.max is now 5, in the run it was 4'],
    ['maker.yaml', 'params:', `${FIFTY}params:`, `strategy maker: ${SHARES} is now 50, in the run it was 100`],
    // A limit for all strategies is a change only once.
    ['trader.yaml', 'shares: "100"', 'shares: "90"', `${SHARES} is now 90, in the run it was 100`],
    ['own.yaml', 'width: 3', 'width: 4', 'strategy own: width is now 4, in the run it was 3'],
    ['trader.yaml', '"1000"', '"999.5"', 'capital is now 999.5, in the run it was 1000'],
    [
      'trader.yaml',
      'max_open_orders: 20',
      'max_open_orders: 19',
      'risk.max_open_orders is now 19, in the run it was 20',
    ],
    ['trader.yaml', '300', '400', 'polling.own_interval_ms is now 400, in the run it was 300'],
    ['trader.yaml', 'maker.yaml, own.yaml', 'own.yaml, maker.yaml', 'the order of the strategies has changed'],
    ['trader.yaml', ', own.yaml', '', 'strategy own is no longer in the configuration'],
    ['mine.mjs', "'mine', summary", "'mine', version: 2, summary", 'strategy own: its code has changed'],
  ])('in %s: %s to %s', async (file, before, after, said) => {
    const there = await place();
    expect(FILES[file]).toContain(before);
    writeFileSync(join(there.folder, file), FILES[file].replace(before, after));
    expect(await changes(there)).toEqual([said]);
  });

  it('is another program, and a strategy that was not there', async () => {
    const { folder, run } = await place();
    const [maker] = run.strategies;
    if (maker === undefined) throw new Error('the first strategy');
    const before = { ...run, version: '0.0.1', strategies: [maker] };
    expect(await changes({ folder, run: before })).toEqual([
      `twinbook 0.0.1 recorded the run, this is twinbook ${VERSION}`,
      'strategy own is new',
    ]);
  });
});

const names = async (run: RunDescription, code: RunCode) =>
  (await traderThen(run, code)).strategies.map(({ module }) => module.name);

describe('the code of a run with its own settings', () => {
  it('comes from the file of the same hash, under whatever name', async () => {
    const { folder, run } = await place();
    expect(await names(run, codeIn(folder))).toEqual(['log-odds-maker', 'mine']);
    writeFileSync(join(folder, 'renamed.yaml'), OWN);
    writeFileSync(join(folder, 'trader.yaml'), TRADER.replace('own.yaml', 'renamed.yaml'));
    expect(await names(run, codeIn(folder))).toEqual(['log-odds-maker', 'mine']);
  });

  it('is refused where the file has other code, unless that is accepted', async () => {
    const { folder, run } = await place();
    writeFileSync(join(folder, 'mine.mjs'), MODULE.replace("'mine', summary", "'other', summary"));
    await expect(names(run, codeIn(folder))).rejects.toMatchObject({
      code: 'strategy_invalid',
      message: expect.stringMatching(
        /no strategy file of .*trader\.yaml has the code of strategy own of the run \(SHA-256 /,
      ),
      hint: expect.stringContaining('--accept-changed-code'),
    });
    expect(await names(run, codeIn(folder, true))).toEqual(['log-odds-maker', 'other']);
  });

  it('is refused where the operator names no file, and shipped code needs none', async () => {
    const { run } = await place();
    const unnamed = openRunCode(null, true);
    await expect(names(run, unnamed)).rejects.toMatchObject({ hint: expect.stringContaining('-c FILE') });
    expect(await names({ ...run, strategies: run.strategies.slice(0, 1) }, unnamed)).toEqual(['log-odds-maker']);
  });

  it('is in no description of a run', async () =>
    expect(JSON.stringify((await place()).run)).not.toContain('how wide'));
});
