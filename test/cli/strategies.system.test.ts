/** `twinbook strategies new` and `test` as a user types them. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { judgeScenarios } from '../../src/lab/strategy-checks/scenarios.js';
import { readScenarios } from '../../src/shell/config/scenario-file.js';
import { FileRows, readRow } from '../../src/shell/feeds/inbox.js';
import { nowMs } from '../../src/shell/runtime/clock.js';
import { folderOf } from '../support/folders.js';
import { run } from './run.js';

describe('a new strategy', () => {
  it('is written with a file and scenarios, passes every check, and holds what it recorded', async () => {
    const cwd = folderOf({});
    expect((await run(['strategies', 'new', 'my-maker', '--dir', 'mine'], { cwd })).code).toBe(0);
    const file = 'mine/my-maker.yaml';
    const scenarios = 'mine/my-maker.scenarios.yaml';
    const tested = await run(
      ['strategies', 'test', file, '--scenarios', scenarios, '--record', '--json', '--no-types'],
      { cwd },
    );
    expect([tested.code, tested.err]).toEqual([0, expect.stringContaining('wrote the quotes of 4 scenarios')]);
    const trials: { strategy: string; checks: { verdict: string }[] }[] = JSON.parse(tested.out);
    expect(trials.map(({ strategy, checks }) => [strategy, checks.length])).toEqual([
      ['my-maker', 16],
      ['my-maker', 4],
    ]);
    for (const { checks } of trials) for (const { verdict } of checks) expect(verdict).not.toBe('failed');

    const written = readFileSync(join(cwd, scenarios), 'utf8');
    expect(written).toContain('# Books of others and what we hold');
    expect(written).toMatch(/name: no bids[\s\S]*?bids: \[\][\s\S]*?asks: \[\]/);
    writeFileSync(join(cwd, scenarios), written.replace(/(quotes:\s+bids: \[ ?\[ ?)0\.\d+/, '$10.4'));
    const changed = await run(['strategies', 'test', file, '--scenarios', scenarios, '--no-types'], { cwd });
    expect(changed.code).toBe(1);
    expect(changed.out).toMatch(/failed\s+a book of two sides, nothing held\s+bids .*, wanted bids 10 at 0\.4,/);
  });

  it('of whole events is written with scenarios of several books, and holds what it recorded', async () => {
    const cwd = folderOf({});
    const made = await run(['strategies', 'new', 'my-maker', '--kind', 'event'], { cwd });
    expect([made.code, made.out]).toEqual([0, expect.stringContaining('declare the event under its `events:`')]);
    const scenarios = ['--scenarios', 'my-maker.scenarios.yaml', '--record'];
    const tested = await run(['strategies', 'test', 'my-maker.yaml', ...scenarios, '--no-types'], { cwd });
    expect([tested.code, tested.out]).toEqual([0, expect.stringContaining('my-maker on 10 generated events, seed 1')]);
    const file = join(cwd, 'my-maker.scenarios.yaml');
    const written = readFileSync(file, 'utf8');
    expect(written.match(/quotes:/g)).toHaveLength(8);
    const before = readScenarios(file, cwd);
    const said = before.scenarios.map((scenario) =>
      [scenario, ...scenario.others].flatMap(({ quotes }) => quotes ?? []),
    );
    // Quotes of the second outcome in the first scenario.
    writeFileSync(file, written.replace(/(others:[\s\S]*?quotes:\s+bids: \[ ?\[ ?)0\.\d+/, '$10.2'));
    const judged = judgeScenarios(readScenarios(file, cwd), said);
    expect(judged.map(({ verdict }) => verdict)).toEqual(['failed', 'ok', 'ok']);
    expect(judged[0]?.text).toMatch(/, wanted bids 10 at 0\.\d+, asks [^;]*; bids 10 at 0\.2, asks/);
  });

  it('around a feed is written with prices and a trader of its own, passes every check, and is silent without the feed', async () => {
    const cwd = folderOf({});
    const made = await run(['strategies', 'new', 'my-maker', '--kind', 'feed'], { cwd });
    expect([made.code, made.out]).toEqual([0, expect.stringContaining('twinbook start -c my-maker.paper.yaml')]);
    const scenarios = ['--scenarios', 'my-maker.scenarios.yaml', '--record'];
    const tested = await run(['strategies', 'test', 'my-maker.yaml', ...scenarios, '--no-types'], { cwd });
    expect([tested.code, tested.out]).toEqual([0, expect.stringContaining('no check failed')]);
    const { scenarios: said } = readScenarios(join(cwd, 'my-maker.scenarios.yaml'), cwd);
    expect(said.map(({ quotes }) => [quotes?.bids[0]?.[0], quotes?.asks[0]?.[0]])).toEqual([
      [0.48, 0.52],
      [0.54, 0.64],
      [0.46, 0.51],
      [undefined, undefined],
    ]);
    const checked = await run(['config', 'check', '-c', 'my-maker.paper.yaml'], { cwd });
    expect([checked.code, checked.out]).toEqual([0, expect.stringContaining('ok, 1 strategy file')]);
    const [head, ...rows] = readFileSync(join(cwd, 'my-maker.prices.csv'), 'utf8').trim().split('\n');
    const lines = new FileRows('prices.csv');
    expect([lines.read(head ?? ''), rows.length]).toEqual([null, 4]);
    const values = rows
      .map((row) => lines.read(row) ?? {})
      .map((line) => ('row' in line ? readRow(line.row, nowMs()) : line));
    expect(values).toMatchObject(rows.map(() => ({ conditionId: expect.any(String), sd: 0.3 })));
  });

  it('overwrites nothing', async () => {
    const cwd = folderOf({ 'my-maker.yaml': 'mine' });
    const { code, err } = await run(['strategies', 'new', 'my-maker'], { cwd });
    expect([code, err]).toEqual([2, expect.stringContaining('my-maker.yaml is there already')]);
    expect(readFileSync(join(cwd, 'my-maker.yaml'), 'utf8')).toBe('mine');
    expect(existsSync(join(cwd, 'my-maker.ts'))).toBe(false);
  });

  it('begins in a folder that is complete, and replaces nothing there', async () => {
    const cwd = folderOf({ '.gitignore': 'mine' });
    const made = await run(['init', '--yes'], { cwd });
    expect(made.out).toMatch(/^wrote twinbook\.yaml, strategies\/belief-maker\.yaml, README\.md; next, in /);
    expect(readFileSync(join(cwd, 'twinbook.yaml'), 'utf8')).toContain('ledger: { path: data/twinbook.sqlite }');
    expect((await run(['config', 'check'], { cwd })).out).toContain('twinbook.yaml: ok, 1 strategy file');
    const again = await run(['init'], { cwd });
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('twinbook.yaml is there already')]);
  });
});

describe('what cannot be tried is refused with the reason', () => {
  const files = {
    'maker.yaml': 'strategy: bands\nmarkets: { select: { state: open } }\n',
    'odd.yaml': 'tick: 0.02\nscenarios:\n  - { name: a, bids: [[1.5, 1]], asks: [], hold: 3 }\n',
  };
  it.each([
    [['new', 'bands'], "A shipped strategy is named 'bands'."],
    [['new', '../x'], 'Wanted lower case letters and figures with dashes'],
    [['test', 'nothing'], "no shipped strategy 'nothing'"],
    [['test', 'nothing.yaml'], 'nothing.yaml: no such file'],
    [['test', 'maker.yaml', '--record'], '--record wants --scenarios <file>'],
    [['test', 'maker.yaml', '--scenarios', 'odd.yaml'], "odd.yaml:3:44: scenarios[0]: unknown key 'hold'"],
    [['test', 'maker.yaml', '--scenarios', 'odd.yaml'], 'scenarios[0].bids[0][0]: wants a price between 0 and 1, got'],
    [['test', 'maker.yaml', '--scenarios', 'odd.yaml'], 'odd.yaml:1:7: tick: wants 0.01, 0.001 or 0.0001, got'],
  ])('%j', async (args, said) => {
    const { code, err } = await run(['strategies', ...args], { cwd: folderOf(files) });
    expect(code).not.toBe(0);
    expect(err).toContain(said);
  });
});

it('asks a strategy nothing where its scenarios cannot be read', async () => {
  const cwd = folderOf({
    'asked.mjs': `import { writeFileSync } from 'node:fs';
      export default { name: 'asked', summary: 'Says so.', params: {}, create() {
        writeFileSync(new URL('asked', import.meta.url), '');
        return { quote: () => ({ fairMicros: null, bids: [], asks: [], why: 'none' }) };
      } };`,
    'asked.yaml': 'strategy: ./asked.mjs\nmarkets: { select: { state: open } }\n',
    'odd.yaml': 'tick: 0.02\nscenarios: []\n',
  });
  await run(['strategies', 'test', './asked.mjs', '--scenarios', 'odd.yaml'], { cwd });
  expect(existsSync(join(cwd, 'asked'))).toBe(false);
  await run(['strategies', 'test', 'asked.yaml'], { cwd });
  expect(existsSync(join(cwd, 'asked'))).toBe(true);
});
