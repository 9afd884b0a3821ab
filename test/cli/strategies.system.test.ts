import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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
