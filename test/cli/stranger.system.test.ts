/** Foreign runs and backups bring neither code nor limits: every command reads them without running their code. */

import { copyFileSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '../../src/shell/config/load.js';
import { openJournal } from '../../src/shell/journal/journal-writer.js';
import { openLedger } from '../../src/trader/ledger/ledger.js';
import { endInOrder, folderOf, makerYaml, ran, started, traderYaml } from '../support/cases.js';
import { HOLDER } from '../trader/ledger/books.js';
import { run } from './run.js';

const STARTED_MS = 1_780_000_000_000;
const LOOSE = 'risk: { max_loss_day: "999999" }\n';

/** Code that creates a file when it is loaded. */
const evil = (mark: string): string => `import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(mark)}, 'it ran');
import { defineStrategy, NO_QUOTES } from 'twinbook/strategy';
export default defineStrategy({ name: 'evil', summary: 'x', params: {}, create: () => ({ quote: () => NO_QUOTES('x') }) });
`;

/** A foreign trader, its run, and a ledger whose notes hold code and limits in every format of any version. */
async function strange() {
  const mark = join(folderOf({}), 'it-ran');
  const code = evil(mark);
  const folder = folderOf({
    'trader.yaml': traderYaml(null, `strategies: [evil.yaml]\n${LOOSE}`),
    'evil.yaml': 'strategy: ./evil.ts\n',
    'evil.ts': code,
  });
  const config = await loadConfig(join(folder, 'trader.yaml'), { env: {}, cwd: folder });
  // The mark of the fixture's own load.
  rmSync(mark);
  const [strategy] = config.strategies;
  const key = strategy?.moduleKey ?? '';
  const { module: _module, writtenParams: _written, ...settings } = strategy ?? {};
  const moduleFiles = [{ path: 'evil.ts', text: code }];
  const { capitalMicros, risk, merge, economics } = config;
  const live = { capitalMicros, risk, merge, economics };
  const text = JSON.stringify({ settings: { ...live, strategies: [settings] }, modules: { [key]: moduleFiles } });
  const hash = config.configHash;
  const entry = { atMs: STARTED_MS, hash, by: 'rollback', reason: 'r', copy: hash, changes: [] };
  const notes = [
    ['config.history', JSON.stringify([{ ...entry, hash: 'f'.repeat(64), by: 'operator' }, entry])],
    [`config.text.${hash}`, text],
    ['config.accepted', JSON.stringify({ hash, atMs: STARTED_MS, reason: 'r' })],
  ] as const;
  const ledger = openLedger(config.ledger.path, HOLDER);
  ledger.transaction(() => notes.forEach(([name, note]) => void ledger.setNote(name, note)));
  const facts = { config, version: '0', profile: config.venue.profile, strategyLimitMs: 250, runId: 'strange' };
  const loud = (said: string) => expect.unreachable(said);
  const journal = await openJournal({ ...facts, startedMs: STARTED_MS, ledger, loud, keptFreeBytes: 0 });
  journal.step({ kind: 'time', nowMs: STARTED_MS + 1 }, [], null);
  const change = { hash, config: text, copy: hash, changes: [], by: 'operator', reason: 'r' } as const;
  const command = { kind: 'configure', ...change } as const;
  journal.step({ kind: 'command', nowMs: STARTED_MS + 2, command }, [], null);
  await journal.close();
  ledger.close();
  const path = join(config.journal.dir, 'strange');
  const description = JSON.parse(readFileSync(join(path, 'run.json'), 'utf8'));
  for (const one of description.strategies) Object.assign(one, { moduleFiles, moduleText: code });
  writeFileSync(join(path, 'run.json'), JSON.stringify(description));
  return { mark, notes, file: config.file, path };
}

const mine = () => {
  const folder = folderOf({ 'trader.yaml': traderYaml(null), 'maker.yaml': makerYaml() });
  return { folder, file: join(folder, 'trader.yaml'), ledgerPath: join(folder, 'twinbook.sqlite') };
};

const REFUSED =
  /no strategy file of .* has the code of strategy evil of the run \(SHA-256 \w{12}\)[\s\S]*--accept-changed-code/;
const UNNAMED = /the run's strategy evil is not a shipped strategy\n[\s\S]*-c FILE/;

it('a run that another person made runs none of its code, wherever it lies and whatever it names, until the operator names the same file', async () => {
  const { mark, path, file: theirs } = await strange();
  const { folder, file } = mine();
  cpSync(path, join(folder, 'runs', 'strange'), { recursive: true });
  const c = ['-c', file];
  const at = ['--at', new Date(STARTED_MS + 5_000).toISOString()];
  const commands: readonly (readonly [args: readonly string[], err: RegExp])[] = [
    [['replay', path], /to run it, give the configuration with -c FILE/],
    [['replay', path, '--as-recorded'], UNNAMED],
    [['replay', path, '--as-recorded', '--accept-changed-code'], UNNAMED],
    [['replay', path, ...c], REFUSED],
    [['replay', path, '--as-recorded', ...c], REFUSED],
    [['replay', 'last', '--as-recorded', '--accept-changed-code', ...c], REFUSED],
    [['parity', path], UNNAMED],
    [['parity', 'last', ...c], REFUSED],
    [['explain', 'market', ...at, ...c], REFUSED],
    [['explain', 'market', ...at, '--accept-changed-code', ...c], REFUSED],
  ];
  for (const [args, err] of commands) {
    const said = await run(args, { cwd: folder });
    expect(said.err, args.join(' ')).toMatch(err);
    expect(said.code, args.join(' ')).toBe(4);
    expect(existsSync(mark), args.join(' ')).toBe(false);
  }
  const played = await run(['replay', path, '--play', join(folder, 'maker.yaml')]);
  expect(played).toMatchObject({ code: 1, err: expect.stringContaining('never read an order book') });
  expect(existsSync(mark)).toBe(false);
  // The file has the code of the run, by its hash.
  await run(['replay', path, '--as-recorded', '-c', theirs]);
  expect(existsSync(mark)).toBe(true);
});

it('a backup that another person changed brings neither code nor limits into the next start, or into any command', async () => {
  const { mark, notes } = await strange();
  const { folder, file, ledgerPath } = mine();
  const backup = join(folder, 'backup.sqlite');
  openLedger(ledgerPath, HOLDER).close();
  const changed = openLedger(backup, HOLDER);
  changed.transaction(() => notes.forEach(([name, note]) => void changed.setNote(name, note)));
  changed.close();
  const c = ['-c', file];
  expect((await ran(['ledger', 'restore', backup, '--reason', 'disk lost', ...c])).code).toBe(0);
  const quiet = ['config diff', 'config diff --history', 'config show', 'ledger verify', 'ledger backup', 'status'];
  for (const line of quiet) {
    await ran([...line.split(' '), ...c]);
    expect(existsSync(mark), line).toBe(false);
  }
  const trader = started(['start', ...c]);
  await trader.waitFor(/killed: the ledger was restored/);
  expect((await ran(['config', 'diff', ...c])).output).toBe('the files agree with the configuration in force\n');
  copyFileSync(file, join(folder, 'other.yaml'));
  const other = await ran(['config', 'apply', '-c', join(folder, 'other.yaml')]);
  expect(other).toMatchObject({ output: expect.stringContaining(`the running trader uses ${file}, not `), code: 2 });
  const back = await ran(['config', 'rollback', '--reason', 'x', ...c]);
  expect(back.output).toContain('the copy of that configuration cannot be read');
  expect(back.code).not.toBe(0);
  await endInOrder(trader);
  expect(existsSync(mark)).toBe(false);
});

it('configurations of a trader that was started again are rolled back from copies of the run before, and a restart takes the files', async () => {
  const { folder, file } = mine();
  const c = ['-c', file];
  const first = started(['start', ...c]);
  await first.waitFor(/quoting \| markets/);
  writeFileSync(join(folder, 'maker.yaml'), makerYaml().replace('"25"', '"24"'));
  expect((await ran(['config', 'apply', ...c])).output).toContain('strategy maker: params.order_shares: 25 → 24');
  writeFileSync(join(folder, 'maker.yaml'), makerYaml().replace('order_shares', 'order_sharse'));
  for (const action of ['diff', 'apply']) {
    const { code, output } = await ran(['config', action, ...c]);
    expect([code, output]).toEqual([4, expect.stringContaining("unknown parameter 'order_sharse'")]);
  }
  writeFileSync(join(folder, 'maker.yaml'), makerYaml().replace('"25"', '"24"'));
  await endInOrder(first);
  expect((await ran(['config', 'diff', ...c])).output).toBe('no file changed since the last run\n');
  const second = started(['start', ...c]);
  await second.waitFor(/quoting \| markets/);
  const back = await ran(['config', 'rollback', '--reason', 'too small', ...c]);
  expect(back).toMatchObject({ code: 0, output: expect.stringContaining('params.order_shares: 24 → 25') });
  expect((await ran(['config', 'diff', ...c])).output).toContain('params.order_shares: 25 → 24');
  await endInOrder(second);
  const third = started(['start', ...c]);
  await third.waitFor(/differs from the last one in force: strategy maker: params\.order_shares: 25 → 24/);
});
