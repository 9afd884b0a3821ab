import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileRows, readRow } from '../../src/shell/feeds/inbox.js';
import { nowMs } from '../../src/shell/runtime/clock.js';
import { folderOf } from '../support/folders.js';
import { run } from './run.js';

describe('a new strategy', () => {
  it('is written with a file, and passes every check', async () => {
    const cwd = folderOf({});
    expect((await run(['strategies', 'new', 'my-maker', '--dir', 'mine'], { cwd })).code).toBe(0);
    const tested = await run(['strategies', 'test', 'mine/my-maker.yaml', '--json'], { cwd });
    expect(tested.code).toBe(0);
    const trials: { strategy: string; checks: { verdict: string }[] }[] = JSON.parse(tested.out);
    expect(trials.map(({ strategy, checks }) => [strategy, checks.length])).toEqual([['my-maker', 16]]);
    for (const { checks } of trials) for (const { verdict } of checks) expect(verdict).not.toBe('failed');
  });

  it('of whole events passes every check', async () => {
    const cwd = folderOf({});
    const made = await run(['strategies', 'new', 'my-maker', '--kind', 'event'], { cwd });
    expect([made.code, made.out]).toEqual([0, expect.stringContaining('declare the event under its `events:`')]);
    const tested = await run(['strategies', 'test', 'my-maker.yaml'], { cwd });
    expect([tested.code, tested.out]).toEqual([0, expect.stringContaining('my-maker on 10 generated events, seed 1')]);
  });

  it('around a feed is written with prices and a trader of its own, and passes every check', async () => {
    const cwd = folderOf({});
    const made = await run(['strategies', 'new', 'my-maker', '--kind', 'feed'], { cwd });
    expect([made.code, made.out]).toEqual([0, expect.stringContaining('twinbook start -c my-maker.paper.yaml')]);
    const tested = await run(['strategies', 'test', 'my-maker.yaml'], { cwd });
    expect([tested.code, tested.out]).toEqual([0, expect.stringContaining('no check failed')]);
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
    expect([code, err]).toEqual([2, expect.stringContaining('my-maker.yaml already exists')]);
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
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('twinbook.yaml already exists')]);
  });
});
