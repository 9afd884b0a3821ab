/** `twinbook strategies new` and `test` as they are typed. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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

  it('overwrites nothing', async () => {
    const cwd = folderOf({ 'my-maker.yaml': 'mine' });
    const { code, err } = await run(['strategies', 'new', 'my-maker'], { cwd });
    expect([code, err]).toEqual([2, expect.stringContaining('my-maker.yaml is there already')]);
    expect(readFileSync(join(cwd, 'my-maker.yaml'), 'utf8')).toBe('mine');
    expect(existsSync(join(cwd, 'my-maker.ts'))).toBe(false);
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
    [['test', 'bands', '--data', 'x'], "--data wants a strategy file (.yaml), got 'bands'"],
    [['test', 'maker.yaml', '--record'], '--record wants --scenarios <file>'],
    [['test', 'maker.yaml', '--scenarios', 'odd.yaml'], "odd.yaml:3:44: scenarios[0]: unknown key 'hold'"],
    [['test', 'maker.yaml', '--scenarios', 'odd.yaml'], 'scenarios[0].bids[0][0]: wants a price between 0 and 1, got'],
    [['test', 'maker.yaml', '--scenarios', 'odd.yaml'], 'odd.yaml:1:7: tick: wants 0.01, 0.001 or 0.0001, got'],
    [['test', 'maker.yaml', '--data', 'nowhere'], 'nowhere'],
  ])('%j', async (args, said) => {
    const { code, err } = await run(['strategies', ...args], { cwd: folderOf(files) });
    expect(code).not.toBe(0);
    expect(err).toContain(said);
  });
});

it('tries a strategy on the views of a recording', async () => {
  const cwd = folderOf({ 'maker.yaml': 'strategy: bands\nmarkets: { select: { state: open } }\n' });
  const sample = join(process.cwd(), 'data', 'sample');
  const { code, out } = await run(['strategies', 'test', 'maker.yaml', '--data', sample], { cwd });
  expect([code, out]).toEqual([0, expect.stringContaining(`bands on ${sample}`)]);
  expect(out).toMatch(/ok +it never throws +\d{3,} looks at \d+ markets/);
});
