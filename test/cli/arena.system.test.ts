import { expect, test } from 'vitest';
import { arenaTables } from '../../src/cli/lab/arena.js';
import { USUAL_CONDITIONS } from '../../src/lab/arena/contract.js';
import { IS_LONG } from '../support/effort.js';
import { folderOf } from '../support/folders.js';
import { run } from './run.js';
import { findTooWide } from './too-wide.js';

const file = (params: string) =>
  `strategy: log-odds-maker\nmarkets: { select: { state: open, kind: orderbook }, max: 1 }\nparams: ${params}\n`;

test('prints a row a strategy and the paired differences, the same figures on any number of threads', async () => {
  const cwd = folderOf({ 'near.yaml': file('{}'), 'far.yaml': file('{ half_spread_ticks: 8 }') });
  const question = ['arena', '-c', 'near.yaml', 'far.yaml', '--seeds', '2', '--first', '5'];
  const [table, one, two] = await Promise.all([
    run(question, { cwd }),
    run([...question, '--json', '--workers', '1'], { cwd }),
    run([...question, '--json', '--workers', '2'], { cwd }),
  ]);
  expect(table.code).toBe(0);
  expect(table.out).toMatch(/WORLD\s+STRATEGY\s+EDGE\s+SD\s+WORST 5 %\s+BELOW 0\s+UNINFORMED\s+INFORMED/);
  expect(table.out).toMatch(/challenge\s+near\s+[−+]?[\d.]+ ± [\d.]+\s+[\d.]+\s+−?[\d.]+\s+\d of 2/);
  expect(table.out).toMatch(/Differences on the same seeds\n.*BETTER\s+WORSE\nchallenge\s+near\s+far/);
  expect(one.out).toBe(two.out);
  const { standings, simulations, firstSeed, seeds } = JSON.parse(one.out);
  expect({ firstSeed, seeds }).toEqual({ firstSeed: 5, seeds: 2 });
  expect(standings).toHaveLength(2);
  const played = simulations.map(({ strategy, seed }: { strategy: string; seed: number }) => `${strategy} ${seed}`);
  expect(played).toEqual(['near 5', 'near 6', 'far 5', 'far 6']);
  for (const columns of [80, 60]) {
    const narrow = arenaTables(JSON.parse(one.out), columns);
    expect(findTooWide(narrow, columns)).toEqual([]);
    expect(narrow).toMatch(/challenge\s+near\s+[−+]?[\d.]+ ± [\d.]+ .*\n/);
    expect(narrow).toMatch(/columns left out because the table is too wide:[\s\S]*ACTIONS/);
  }
});

test('plays the whole trader in as many markets as are asked for', async () => {
  const cwd = folderOf({ 'near.yaml': file('{}') });
  const question = ['arena', '-c', 'near.yaml', '--world', 'rationed', '--seeds', '1', '--markets', '2', '--json'];
  const one = await run([...question, '--workers', '1'], { cwd });
  expect(one.code).toBe(0);
  const { conditions, standings } = JSON.parse(one.out);
  expect(conditions).toEqual({ ...USUAL_CONDITIONS, markets: 2 });
  expect(standings[0].requests.mean).toBeGreaterThan(1000);
});

test.runIf(IS_LONG)('gives the same figures of the whole trader on any number of threads', async () => {
  const cwd = folderOf({ 'near.yaml': file('{}') });
  const question = ['arena', '-c', 'near.yaml', '--world', 'rationed', '--seeds', '2', '--json'];
  const [one, two] = await Promise.all(['1', '2'].map((threads) => run([...question, '--workers', threads], { cwd })));
  expect(one?.code).toBe(0);
  expect(one?.out).toBe(two?.out);
});
